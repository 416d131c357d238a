"""Quantities: as a real API server reads and writes them, and by the laws of arithmetic."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from liqo.rules.quantity import LARGEST_BINARY, NANO, ZERO, Quantity, parse
from tests import wire

READ_BACK = wire.quantities()

# Where we do not follow the API server, and what we say instead.
KEPT_SPELLINGS = {  # it keeps a spelling whose digits happen to be the canonical ones
    "5.": "5",
    "1E3": "1e3",
    "1e+3": "1e3",
    "1.2e4": "12e3",
    "1e0": "1",
    "100e0": "100",
    "005": "5",
    "007m": "7m",
    "1.500": "1500m",
    "2.500": "2500m",
    "0100": "100",
}
WITHOUT_DIGITS = {".", "Ki", "-", "+"}  # it takes these for 0
BEYOND_ITS_UNITS = {"1000E": "1000E", "10000E": "10000E"}  # it forgets the unit: "1" and "10"
OTHERWISE = KEPT_SPELLINGS | BEYOND_ITS_UNITS

whole_numbers = st.integers(-(10**30), 10**30)
binary_numbers = st.integers(-LARGEST_BINARY, LARGEST_BINARY)
quantities = st.one_of(
    st.builds(Quantity, whole_numbers, form=st.sampled_from(("decimal", "exponent"))),
    st.builds(Quantity, binary_numbers, form=st.just("binary")),
)


@pytest.mark.parametrize(
    ("written", "read"), [(w, r) for w, r in READ_BACK.items() if w not in WITHOUT_DIGITS and r]
)
def test_it_is_written_as_the_api_server_writes_it(written: str, read: str) -> None:
    assert str(parse(written)) == OTHERWISE.get(written, read)


@pytest.mark.parametrize("written", [w for w, read in READ_BACK.items() if read is None])
def test_what_the_api_server_refuses_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match="is not a quantity"):
        parse(written)


@pytest.mark.parametrize("written", sorted(WITHOUT_DIGITS))
def test_a_number_without_digits_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match="is not a quantity"):
        parse(written)


@pytest.mark.parametrize("written", sorted(KEPT_SPELLINGS))
def test_a_spelling_that_the_api_server_keeps_has_the_same_value(written: str) -> None:
    assert parse(READ_BACK[written] or "") == parse(KEPT_SPELLINGS[written])


@pytest.mark.parametrize("written", ["1e99999999999", "1e-99999999999", "1e1000"])
def test_an_exponent_that_would_explode_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match="is not a quantity"):
        parse(written)


@pytest.mark.parametrize("written", ["9" * 101, f"0.{'1' * 99}", f"{'9' * 4299}.1", "x" * 9999])
def test_a_number_of_a_hundred_digits_is_none(written: str) -> None:
    with pytest.raises(ValueError, match="is not a quantity") as refused:
        parse(written)
    assert len(str(refused.value)) < 100


def test_whatever_is_read_can_be_added_and_written() -> None:
    most = parse(f"{'9' * 96}e999")
    assert parse(str(most)) == most
    assert len(str(most + parse("1n"))) < 1200


def test_a_number_of_the_wire_counts_as_its_digits() -> None:
    assert parse(4) == parse("4")
    assert str(parse(-1500)) == "-1500"


def test_a_refusal_names_what_was_written() -> None:
    with pytest.raises(ValueError, match='"1GB" is not a quantity; "500m", "2" and "4Gi" are'):
        parse("1GB")


@pytest.mark.parametrize(
    ("left", "right", "total"),
    [
        ("500m", "1", "1500m"),
        ("1Gi", "1G", "2073741824"),  # no whole number of Ki
        ("1Gi", "1024Mi", "2Gi"),
        ("1G", "1Gi", "2073741824"),
        ("0", "1Gi", "1Gi"),  # nothing has no form of its own
        ("1", "-1", "0"),
        ("2e3", "1k", "3e3"),
        ("0.1n", "0.1n", "2n"),  # rounded up before, as Kubernetes does
    ],
)
def test_a_sum_has_the_form_of_its_first_part(left: str, right: str, total: str) -> None:
    assert str(parse(left) + parse(right)) == total


@pytest.mark.parametrize(
    ("left", "right", "rest"),
    [("4Gi", "1Gi", "3Gi"), ("1", "1500m", "-500m"), ("0", "1Gi", "-1Gi"), ("1Gi", "1Gi", "0")],
)
def test_a_difference_has_the_form_of_its_first_part(left: str, right: str, rest: str) -> None:
    assert str(parse(left) - parse(right)) == rest


@pytest.mark.parametrize(
    ("amount", "share", "result"),
    [
        ("100", 90, "90"),
        ("50", 90, "45"),
        ("200", 90, "180"),
        ("1", 90, "900m"),
        ("8Gi", 50, "4Gi"),
        ("3n", 50, "1n"),
        ("-3n", 50, "-1n"),
        ("1Gi", 90, "966367641600m"),
        ("7", 0, "0"),
    ],
)
def test_a_share_is_exact_and_never_more(amount: str, share: int, result: str) -> None:
    assert str(parse(amount).percent(share)) == result


@pytest.mark.parametrize(
    ("amount", "result"), [("900m", "0"), ("1900m", "1"), ("-1900m", "-1"), ("1.5Gi", "1536Mi")]
)
def test_what_cannot_be_halved_is_rounded_toward_zero(amount: str, result: str) -> None:
    assert str(parse(amount).whole()) == result


def test_it_is_worth_what_it_is_worth_however_it_is_written() -> None:
    assert parse("1Gi") == parse("1073741824")
    assert hash(parse("1Gi")) == hash(parse("1073741824"))
    assert sorted(map(parse, ["1Gi", "1G", "999M", "-1Ei"])) == list(
        map(parse, ["-1Ei", "999M", "1G", "1Gi"])
    )


def test_nothing_is_false() -> None:
    assert not ZERO
    assert parse("1n")
    assert parse("-1n")


@given(quantities)
def test_what_is_written_is_read_again(quantity: Quantity) -> None:
    assert parse(str(quantity)) == quantity


@given(quantities)
def test_the_canonical_form_is_canonical(quantity: Quantity) -> None:
    """Read back once: a binary one without a suffix, 3125000, is read as a decimal one, 3125k."""
    canonical = str(parse(str(quantity)))
    assert str(parse(canonical)) == canonical
    assert parse(canonical).nano == quantity.nano


@given(quantities, quantities)
def test_sums_and_differences_are_exact(left: Quantity, right: Quantity) -> None:
    assert (left + right).nano == left.nano + right.nano
    assert left + right - right == left
    assert left + right == right + left


@given(quantities, st.integers(0, 100))
def test_a_share_and_the_rest_differ_from_all_by_less_than_a_nano(
    quantity: Quantity, share: int
) -> None:
    missing = quantity.nano - quantity.percent(share).nano - quantity.percent(100 - share).nano
    assert abs(missing) <= 1


@given(
    st.integers(-(10**20), 10**20),
    st.integers(0, 10**12),
    st.sampled_from(["n", "u", "m", "", "k", "M", "G", "T", "P", "E"]),
)
def test_reading_rounds_up_to_the_next_nano_and_no_further(
    whole: int, fraction: int, unit: str
) -> None:
    written = f"{whole}.{fraction:012d}{unit}"
    sign = -1 if whole < 0 else 1
    exponent = dict(zip("num kMGTPE", range(-9, 21, 3), strict=True))[unit or " "]
    exact = (whole + sign * Fraction(fraction, 10 ** len(f"{fraction:012d}"))) * (
        Fraction(10) ** exponent
    )
    over = abs(parse(written).nano) - abs(exact * NANO)
    assert 0 <= over < 1
