"""Which streams one wants of a process."""

from __future__ import annotations

import pytest

from liqo.kubelet.api.streams import translated


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("input=1&output=1&error=1", ["stdin", "stdout", "stderr"]),
        ("output=1", ["stdout"]),
        ("output=1&input=0", ["stdout"]),
        ("input=1&output=1&tty=1", ["stdin", "stdout", "tty"]),
        ("output=1&error=1&tty=1", ["stdout", "tty"]),
    ],
)
def test_a_kubelets_words_become_those_of_an_api_server(query: str, words: list[str]) -> None:
    assert translated(query) == [(word, "true") for word in words]


@pytest.mark.parametrize("query", ["", "tty=1", "input=0", "error=1&tty=1"])
def test_who_wants_nothing_is_told_so(query: str) -> None:
    with pytest.raises(ValueError, match="at least 1 of"):
        translated(query)
