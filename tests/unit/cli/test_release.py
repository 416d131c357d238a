"""The version of an installation and the flags of its controllers, or why there are none."""

from __future__ import annotations

import msgspec
import pytest

from liqo.api.kubernetes import Deployment
from liqo.api.meta import JSON, Meta
from liqo.cli.release import MARKS, cluster_labels, controllers, flag, version
from liqo.errors import LiqoError


def a_deployment(name: str, container: JSON, labels: dict[str, str] | None = None) -> Deployment:
    spec = {"template": {"spec": {"containers": [container]}}}
    marks = {"app.kubernetes.io/part-of": "liqo", **MARKS} if labels is None else labels
    return Deployment(
        metadata=Meta(name=name, namespace="liqo", labels=marks),
        raw_spec=msgspec.Raw(msgspec.json.encode(spec)),
    )


OURS: JSON = {"name": "controller-manager", "image": "ghcr.io/some/controllers:v1.2.0"}


def test_the_controllers_are_found_by_their_labels() -> None:
    other = a_deployment("liqo-webhook", {"name": "controller-manager"}, labels={})
    assert controllers([other, a_deployment("liqo-controllers", OURS)]) == OURS


@pytest.mark.parametrize(
    ("deployments", "sentence"),
    [
        ([], "there is no Deployment with the labels"),
        ([a_deployment("a", OURS), a_deployment("b", OURS)], "several .*: liqo/a, liqo/b"),
        ([a_deployment("a", {"name": "proxy"})], '"liqo/a" has no container "controller-manager"'),
    ],
)
def test_what_is_not_one_installation_is_told_in_a_sentence(
    deployments: list[Deployment], sentence: str
) -> None:
    with pytest.raises(LiqoError, match=sentence):
        controllers(deployments)


@pytest.mark.parametrize(
    ("image", "tag"),
    [
        ("ghcr.io/some/controllers:v1.2.0", "v1.2.0"),
        ("localhost:5000/controllers:main", "main"),
        ("controllers:1@sha256:abcd", "1"),
    ],
)
def test_the_version_is_the_tag_of_the_image(image: str, tag: str) -> None:
    assert version({"image": image}) == tag


@pytest.mark.parametrize(
    "image", ["", "controllers", "localhost:5000/controllers", "controllers@sha256:abcd"]
)
def test_an_image_without_a_tag_has_no_version(image: str) -> None:
    with pytest.raises(LiqoError, match=f'missing version in container image "{image}"'):
        version({"image": image})


def test_a_flag_is_what_follows_its_first_equals_sign() -> None:
    container = {"args": ["--cluster-id=rome", "--bare", "--cluster-labels=a=1,b=x=y,"]}
    assert flag(container, "cluster-id") == "rome"
    assert flag(container, "bare") == "true"
    assert flag(container, "cluster") == ""
    assert cluster_labels(container) == {"a": "1", "b": "x=y"}
    assert cluster_labels({}) == {}
