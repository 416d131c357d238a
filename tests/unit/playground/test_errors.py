"""What to type next."""

from liqo.playground.errors import next_step


def test_the_next_step_is_a_whole_command() -> None:
    assert next_step("default", "up", "rome") == "liqoctl playground up rome"
    assert next_step("scratch", "up", "rome") == "liqoctl playground up rome -p scratch"
