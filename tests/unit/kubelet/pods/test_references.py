"""What a pod needs before it can start."""

from __future__ import annotations

from liqo.kubelet.pods.references import Reference, references


def test_what_is_mounted_read_or_pulled_with_is_needed() -> None:
    key = {"key": "k"}
    container = {
        "env": [
            {"name": "A", "value": "plain"},
            {"name": "B", "valueFrom": {"configMapKeyRef": {"name": "key", **key}}},
            {"name": "C", "valueFrom": {"secretKeyRef": {"name": "key", **key}}},
            {"name": "D", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
        ],
        "envFrom": [{"configMapRef": {"name": "all"}}, {"secretRef": {"name": "all"}}],
    }
    sources = [{"configMap": {"name": "part"}}, {"secret": {"name": "part"}}, {"downwardAPI": {}}]
    spec = {
        "containers": [container],
        "initContainers": [{"envFrom": [{"configMapRef": {"name": "first"}}]}],
        "volumes": [
            {"name": "a", "configMap": {"name": "file"}},
            {"name": "b", "secret": {"secretName": "file"}},
            {"name": "c", "projected": {"sources": sources}},
            {"name": "d", "emptyDir": {}},
        ],
        "imagePullSecrets": [{"name": "registry"}],
    }
    configmaps = {Reference("ConfigMap", name) for name in ("key", "all", "first", "file", "part")}
    secrets = {Reference("Secret", name) for name in ("key", "all", "file", "part", "registry")}
    assert references(spec) == configmaps | secrets


def test_what_is_optional_or_unnamed_is_not_needed() -> None:
    optional = {"name": "perhaps", "optional": True}
    volumes = [{"name": "a", "configMap": optional}, {"name": "b", "secret": {"optional": True}}]
    spec = {"volumes": volumes, "imagePullSecrets": [{}], "containers": [{"name": "web"}]}
    assert references(spec) == frozenset()


def test_a_reference_reads_like_its_object() -> None:
    assert str(Reference("Secret", "password")) == "Secret password"
