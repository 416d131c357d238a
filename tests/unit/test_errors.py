"""What a person reads of what went wrong."""

from liqo.errors import LiqoError, first_error


def test_the_first_trouble_is_what_a_person_reads() -> None:
    first, second = LiqoError("etcd ended"), LiqoError("kubelet ended")
    inner = BaseExceptionGroup("venice", [first, second])
    assert first_error(BaseExceptionGroup("all", [inner, KeyboardInterrupt()])) is first
