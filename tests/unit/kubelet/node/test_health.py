"""One failure is none."""

from liqo.kubelet.node.health import Health, Patience, answered, failed

WELL = Health("milan", Patience(failures=3))


def test_A16_a_provider_is_lost_after_several_failures_in_a_row() -> None:
    once = failed(WELL, "no route")
    thrice = failed(failed(once, "no route"), "refused")
    assert [each.is_lost for each in (WELL, once, thrice)] == [False, False, True]
    assert failed(thrice, "refused").failures == 3


def test_an_answer_makes_all_good_again() -> None:
    assert answered(failed(WELL, "no route")) == WELL


def test_what_is_lost_says_which_cluster_how_often_and_why() -> None:
    lost = failed(failed(failed(WELL, ""), ""), "refused")
    assert lost.sentence == (
        "the API server of cluster milan did not answer 3 times in a row: refused"
    )


def test_L08_a_lost_provider_is_noticed_no_later_than_a_lost_kubelet() -> None:
    """A node whose Lease is not renewed counts as lost after 40 s, by default."""
    usual = Patience()
    assert usual.every * usual.failures + usual.within * usual.failures <= 40


def test_a_question_is_open_until_it_is_answered_or_was_asked_often_enough() -> None:
    unasked = Health("milan", Patience(failures=3), is_asked=False)
    once = failed(unasked, "no route")
    lost = failed(failed(once, "no route"), "no route")
    assert [each.is_open for each in (unasked, once, lost)] == [True, True, False]
    assert not unasked.is_lost
    assert answered(unasked) == answered(once) == WELL
    assert not WELL.is_open


def test_who_is_never_asked_leaves_no_question_open() -> None:
    assert not Health("milan", Patience(every=0), is_asked=False).is_open
