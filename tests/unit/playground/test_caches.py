"""Where the cache is."""

from pathlib import Path

import pytest

from liqo.playground.caches import folder


@pytest.mark.parametrize(
    ("environ", "found"),
    [
        ({"XDG_CACHE_HOME": "/big"}, "/big/liqo"),
        ({"XDG_CACHE_HOME": ""}, "/srv/ada/.cache/liqo"),
        ({}, "/srv/ada/.cache/liqo"),
    ],
)
def test_the_cache_is_where_the_environment_says(environ: dict[str, str], found: str) -> None:
    assert folder(environ, Path("/srv/ada")) == Path(found)


def test_the_home_is_that_of_the_user() -> None:
    assert folder({}) == Path.home() / ".cache/liqo"
