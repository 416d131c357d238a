"""A person at a terminal."""

from pathlib import Path

import pytest

from tests.unit.cli.liqoctl import Client


@pytest.fixture
def client(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Client:
    return Client(capsys, tmp_path)
