"""Names for clusters."""

from liqo.install.words import ADJECTIVES, NOUNS, two_words
from liqo.rules import names


def test_a_name_is_two_words() -> None:
    assert two_words(lambda words: words[0]) == "amber-badger"


def test_every_name_is_a_cluster_id() -> None:
    longest = two_words(lambda words: max(words, key=len))
    assert names.check_cluster_id(longest) == ""
    assert all(names.DNS_LABEL.fullmatch(word) for word in (*ADJECTIVES, *NOUNS))


def test_no_word_is_there_twice() -> None:
    assert len({*ADJECTIVES, *NOUNS}) == len(ADJECTIVES) + len(NOUNS)
