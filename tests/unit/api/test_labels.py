"""The table of keys is one that Kubernetes accepts."""

from collections import Counter

from liqo.api import labels

TABLE = {name: key for name, key in vars(labels).items() if name.isupper()}


def test_no_key_has_two_names() -> None:
    assert [key for key, names in Counter(TABLE.values()).items() if names > 1] == []


def test_every_key_is_one_that_kubernetes_accepts() -> None:
    for key in TABLE.values():
        domain, _, name = key.partition("/")
        assert domain.endswith(("liqo.io", "kubernetes.io"))
        assert 0 < len(name) <= 63
