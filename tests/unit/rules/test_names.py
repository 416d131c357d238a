"""Names as the wire has them; the check values are those of the wire contract."""

import pytest

from liqo.rules import names


def test_names_of_one_peer() -> None:
    assert names.tenant_namespace("rome") == "liqo-tenant-rome"
    assert names.controlplane_identity("milan") == "controlplane-milan"
    assert names.slice_identity("mypool") == "resourceslice-mypool"
    assert names.kubeconfig_secret("resourceslice-mypool") == "kubeconfig-resourceslice-mypool"
    assert names.certificate_secret() == "liqo-remote-certificate"
    assert names.certificate_secret("mypool") == "liqo-remote-certificate-mypool"


@pytest.mark.parametrize(
    ("slice_name", "consumer", "user"),
    [
        ("mypool", "wispy-firefly", "mypool-c34af51dd912"),
        ("cl-provider", "cl-consumer", "cl-provider-573ffa690333"),
        ("milan", "rome", "milan-a8a4c692b93b"),
    ],
)
def test_the_user_of_a_slice_and_its_quota_are_named_alike(
    slice_name: str, consumer: str, user: str
) -> None:
    assert names.user_of(slice_name, consumer) == names.quota(slice_name, consumer) == user


def test_bindings_are_named_after_their_role() -> None:
    assert names.binding("liqo-remote-controlplane") == "liqo-binding-liqo-remote-controlplane"
    assert (
        names.cluster_binding("liqo-virtual-kubelet-remote-clusterwide", "rome")
        == "liqo-binding-liqo-virtual-kubelet-remote-clusterwide-rome"
    )


def test_a_signing_request_is_named_after_its_reasons_and_where_they_end() -> None:
    name = names.signing_request(b"ab", b"c")
    assert name.startswith("liqo-identity-")
    assert name == names.signing_request(b"ab", b"c")
    assert name != names.signing_request(b"a", b"bc")


@pytest.mark.parametrize("good", ["rome", "a", "7", "wispy-firefly", "x" * 50])
def test_an_ordinary_id_is_accepted(good: str) -> None:
    assert names.check_cluster_id(good) == ""
    assert names.check_slice_name(good) == ""


@pytest.mark.parametrize("bad", ["", "Rome", "-rome", "rome-", "ro.me", "ro_me", "rome\n", "róma"])
def test_what_is_no_dns_label_is_refused(bad: str) -> None:
    assert names.check_cluster_id(bad).startswith(f'the cluster ID "{bad}" must consist of')


def test_R25_an_id_that_would_overflow_a_name_is_refused_with_both_numbers() -> None:
    assert names.check_cluster_id("x" * 51) == (
        f'the cluster ID "{"x" * 51}" has 51 characters; at most 50 are possible'
    )
    assert "name of the ResourceSlice" in names.check_slice_name("x" * 51)


def test_R25_whatever_is_accepted_fits_namespaces_and_labels() -> None:
    longest = "x" * 50
    assert len(names.tenant_namespace(longest)) <= names.LABEL
    assert len(names.user_of(longest, longest)) <= names.LABEL
