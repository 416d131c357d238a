"""What cannot be undone is asked first."""

from __future__ import annotations

import pytest

from liqo.cli.force import command
from liqo.errors import LiqoError


def test_without_a_terminal_nothing_is_forgotten() -> None:
    with pytest.raises(LiqoError, match="force unpeer is a potentially destructive command"):
        command.main(["unpeer", "milan"], standalone_mode=False)
