"""A value that is watched."""

from liqo.runtime.value import Value


def test_changes_are_told_and_nothing_else() -> None:
    value, heard = Value(1), list[tuple[int | None, int | None]]()
    end = value.subscribe(lambda old, new: heard.append((old, new)))
    value.become(1)
    value.become(2)
    end()
    value.become(3)
    assert heard == [(None, 1), (1, 2)]
    assert (value.now, value.values()) == (3, [3])
