"""Reads our own Markdown: the rows of its tables, its links, and the anchors they may point to."""

import re
from collections import Counter
from collections.abc import Iterator

FENCE = re.compile(r"^\s*(```|~~~)")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$")
CODE = re.compile(r"`[^`]*`")
LINK = re.compile(r"\]\(\s*<?([^)\s>]+)>?[^)]*\)")
CELL_BORDER = re.compile(r"(?<!\\)\|")
RULE = re.compile(r"[-: ]*")


def prose(text: str) -> Iterator[str]:
    """The lines outside fenced code."""
    fence = ""
    for line in text.splitlines():
        mark = FENCE.match(line)
        if mark is None and not fence:
            yield line
        elif mark is not None:
            fence = "" if fence == mark[1] else fence or mark[1]


def links(text: str) -> list[str]:
    """The target of every inline link and image, in order."""
    return [target for line in prose(text) for target in LINK.findall(CODE.sub("", line))]


def headings(text: str) -> list[str]:
    found = (HEADING.match(line) for line in prose(text))
    return [heading[1] for heading in found if heading is not None]


def anchors(text: str) -> set[str]:
    """What `#…` may name: each heading in lower case, words joined by dashes, repeats numbered."""
    seen: Counter[str] = Counter()
    names: set[str] = set()
    for heading in headings(text):
        words = re.sub(r"[^\w\- ]", "", plain(heading).lower())
        slug = words.replace(" ", "-")
        names.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
        seen[slug] += 1
    return names


def table_rows(text: str) -> Iterator[list[str]]:
    """The cells of every table row, headers included and rulers left out."""
    for line in prose(text):
        if not line.startswith("|"):
            continue
        cells = [cell.strip() for cell in CELL_BORDER.split(line.strip()[1:-1])]
        if not all(RULE.fullmatch(cell) for cell in cells):
            yield cells


def plain(text: str) -> str:
    """A sentence as a terminal shows it: no backticks, bold marks, link targets or escapes."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return text.replace("`", "").replace("**", "").replace("\\|", "|")
