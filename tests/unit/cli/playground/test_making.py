"""Where `image` leaves what it made."""

from liqo.cli.playground.installing import ARCHIVE, CHECKOUT


def test_the_image_is_written_below_the_checkout() -> None:
    assert (CHECKOUT / "pyproject.toml").is_file()
    assert ARCHIVE.relative_to(CHECKOUT).as_posix() == "build/liqo.tar"
