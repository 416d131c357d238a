"""What is read from Markdown, and what is left alone."""

from tests import markdown

PAGE = """\
# The `demo`, in short!

See [the guide](guide.md#first-steps "title"), ![a picture](<picture.png>) and `[not](this.md)`.

```sh
# not a heading, and [not](a-link.md)
```

## Again
## Again

| Row | Sentence |
| --- | :-: |
| A01 | one \\| two **bold** |
"""


def test_links_are_found_outside_code() -> None:
    assert markdown.links(PAGE) == ["guide.md#first-steps", "picture.png"]


def test_anchors_are_the_headings_with_repeats_numbered() -> None:
    assert markdown.anchors(PAGE) == {"the-demo-in-short", "again", "again-1"}


def test_a_fence_is_closed_only_by_its_own_kind() -> None:
    page = "~~~\n```\n# inside\n~~~\n# outside\n"
    assert markdown.headings(page) == ["outside"]


def test_a_table_gives_its_header_and_rows_without_the_ruler() -> None:
    rows = list(markdown.table_rows(PAGE))
    assert rows == [["Row", "Sentence"], ["A01", "one \\| two **bold**"]]


def test_a_plain_sentence_has_no_marks() -> None:
    assert markdown.plain("a **b** `c` [d](e.md) f\\|g") == "a b c d f|g"
