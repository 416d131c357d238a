"""Names as the wire has them; the check values are those of the wire contract."""

import pytest

from liqo.rules import names


def test_names_of_one_peer() -> None:
    assert names.tenant_namespace("rome") == "liqo-tenant-rome"
    assert names.controlplane_identity("milan") == "controlplane-milan"
    assert names.slice_identity("mypool") == "resourceslice-mypool"
    assert names.kubeconfig_secret("resourceslice-mypool") == "kubeconfig-resourceslice-mypool"
    assert names.slice_of_kubeconfig("kubeconfig-resourceslice-mypool") == "mypool"
    assert names.slice_of_kubeconfig("kubeconfig-controlplane-milan") == ""
    assert names.certificate_secret() == "liqo-remote-certificate"
    assert names.certificate_secret("mypool") == "liqo-remote-certificate-mypool"


@pytest.mark.row("L04")
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


def test_an_id_that_would_be_a_user_of_a_provider_is_refused() -> None:
    """A cluster ID is a user and a group on every provider."""
    peering_user = f"{names.peering_user('ab')}-{'0' * 32}"
    assert len(peering_user) == names.CLUSTER_ID
    assert "reserved" in names.check_cluster_id(peering_user)
    assert names.check_cluster_id("liqo-peering") == ""
    for impossible in ("system:masters", "kubeadm:cluster-admins", names.CONTROL_PLANES):
        assert "must consist of" in names.check_cluster_id(impossible)


def test_R25_an_id_that_would_overflow_a_name_is_refused_with_both_numbers() -> None:
    assert names.check_cluster_id("x" * 51) == (
        f'the cluster ID "{"x" * 51}" has 51 characters; at most 50 are possible'
    )
    assert "name of the ResourceSlice" in names.check_slice_name("x" * 51)
    assert "at most 63 are possible" in names.check_node_name("x" * 64)
    assert "at most 48 are possible" in names.check_peering_consumer("x" * 49)


def test_R25_whatever_is_accepted_fits_namespaces_and_labels() -> None:
    longest = "x" * 50
    assert len(names.tenant_namespace(longest)) <= names.LABEL
    assert len(names.user_of(longest, longest)) <= names.LABEL
    assert names.check_peering_consumer("x" * 48) == ""
    assert len(names.peering_user("x" * 48)) <= names.LABEL


@pytest.mark.parametrize(
    ("volume", "path", "field"),
    [
        ("kube-api-access-abcde", "token", "kube-api-access-abcde-3c469e"),
        ("vault", "vault/token", "vault-927385"),
    ],
)
def test_the_field_of_a_token_is_named_after_its_volume_and_path(
    volume: str, path: str, field: str
) -> None:
    assert names.token_field(volume, path) == field


@pytest.mark.parametrize(
    ("consumer", "name"),
    [
        ("milan", "kube-root-ca.crt.milan"),
        ("turin-01", "kube-root-ca.crt.turin"),
        ("edge-1", "kube-root-ca.crt.edge-a"),
        ("dev", "kube-root-ca.crt.dev"),
    ],
)
def test_the_root_ca_of_a_consumer_is_named_after_it(consumer: str, name: str) -> None:
    assert names.root_ca(consumer) == name


def test_P_FORGE7_the_secret_of_a_pod_with_the_longest_name_still_has_a_name() -> None:
    assert names.token_secret("web-0") == "web-0-token"
    long, longer = "w" * 248, "w" * 249
    assert len({names.token_secret(long), names.token_secret(longer)}) == 2
    assert all(len(names.token_secret(name)) <= names.NAME for name in (long, longer))


def test_P_FORGE7_what_is_shortened_is_still_a_name_and_no_namesake() -> None:
    assert names.shortened("web", 63) == "web"
    dotted = names.shortened("a" * 51 + "-." + "b" * 20, 63)
    assert len(dotted) <= 63
    assert "-.-" not in dotted
    assert dotted != names.shortened("a" * 51 + "-." + "b" * 21, 63)
