"""Pages whose commands are run: how they are read, and what counts as printed."""

from __future__ import annotations

import pytest

from liqo.cli.playground.page import Step, is_alike, steps

PAGE = """\
First `this`:

```sh
cd there
ls \\
  -l
```

Then, see [there](x.md),

```sh
rm -i a
```

```text
really? [yes/no] yes
```
"""


def test_commands_go_with_what_follows_them() -> None:
    assert list(steps(PAGE)) == [
        Step("First this:", ("cd there", "ls \\\n  -l")),
        Step("Then, see there,", ("rm -i a",), "really? [yes/no] yes\n"),
    ]
    assert [step.answers for step in steps(PAGE)] == [[], ["yes"]]


@pytest.mark.parametrize(
    ("said", "printed"),
    [
        ("a\n", "a\n"),
        ("web   Running   2m30s   10.0.0.7\n", "web  Running  5s  10.130.0.12\n"),
        ("app-south-76bbdd5cb6-m2hmw   1/1\n", "app-south-85b9b99c4d-stwhw  1/1\n"),
        ("x\ny\nz\n", "…\nz\n"),
        ("z\n", "…\nz\n"),
        ("a,b,c\n", "a,…,c\n"),
        ("time: 2026-11-16T08:49:33Z\n", "time: 2022-05-05T15:08:33Z\n"),
        ("2026/11/16 08:49:33 GET\n", "2022/05/05 15:08:33 GET\n"),
        ("from 127.0.0.1:41622\n", "from 127.0.0.1:5123\n"),
        ("web   12m   3Mi\n", "web  1m  17Mi\n"),
    ],
)
def test_what_differs_from_run_to_run_does_not_count(said: str, printed: str) -> None:
    assert is_alike(said, printed)


@pytest.mark.parametrize(
    ("said", "printed"),
    [
        ("a\n", "b\n"),
        ("a\nb\n", "a\n"),
        ("web Pending\n", "web Running\n"),
        ("app-south-76bbdd5cb6-m2hmw\n", "app-center-76bbdd5cb6-m2hmw\n"),
        ("Error from server\na\n", "a\n"),
    ],
)
def test_everything_else_does(said: str, printed: str) -> None:
    assert not is_alike(said, printed)


@pytest.mark.parametrize(
    ("commands", "is_look"),
    [
        (("kubectl get nodes",), True),
        (("kubectl logs web --tail=1",), True),
        (("kubectl top pod",), True),
        (("kubectl exec web -- hostname",), False),
        (("kubectl delete pod web",), False),
        (("liqoctl info",), False),
        (("kubectl delete pod web", "kubectl get pods"), False),
    ],
)
def test_what_only_looks_may_be_repeated(commands: tuple[str, ...], *, is_look: bool) -> None:
    assert Step("", commands).is_look == is_look
