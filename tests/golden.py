"""Compare a text with a file that a person has read. GOLDEN=write pytest … writes it anew."""

import os
from pathlib import Path


def assert_golden(text: str, file: Path) -> None:
    if os.environ.get("GOLDEN") == "write":
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    assert text == file.read_text()
