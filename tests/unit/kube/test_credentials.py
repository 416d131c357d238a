"""What is presented follows its sources."""

from __future__ import annotations

import asyncio
import json
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from liqo.kube.access import Access, Material, Plugin, User
from liqo.kube.credentials import Credentials, expiry
from liqo.kube.errors import Misconfigured
from tests.unit.kube.certificates import TOMORROW, Authority, Pair

ROME = Access("https://rome:6443", source="the test")


def write(folder: Path, pair: Pair) -> User:
    (folder / "me.crt").write_text(pair.certificate)
    (folder / "me.key").write_text(pair.key)
    return User(
        certificate=Material(file=str(folder / "me.crt")),
        key=Material(file=str(folder / "me.key")),
    )


def looking_always(access: Access) -> Credentials:
    return Credentials(access, look_again=0.0)


async def test_a_token_becomes_a_header() -> None:
    presented = await Credentials(replace(ROME, user=User(token=Material(data="t\n")))).current()
    assert presented.headers == (("Authorization", "Bearer t"),)


async def test_a_password_becomes_a_header() -> None:
    presented = await Credentials(replace(ROME, user=User(basic=("a", "b")))).current()
    assert presented.headers == (("Authorization", "Basic YTpi"),)


async def test_plain_http_needs_no_tls() -> None:
    assert (await Credentials(Access("http://rome")).current()).tls is None


async def test_a_token_that_rotates_keeps_the_connections(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("one")
    credentials = looking_always(replace(ROME, user=User(token=Material(file=str(token)))))
    first = await credentials.current()
    token.write_text("another")
    second = await credentials.current()
    assert second.headers == (("Authorization", "Bearer another"),)
    assert second.tls is first.tls


async def test_files_are_not_looked_at_all_the_time(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("one")
    credentials = Credentials(replace(ROME, user=User(token=Material(file=str(token)))))
    first = await credentials.current()
    token.write_text("another")
    assert await credentials.current() is first


async def test_a_certificate_that_rotates_makes_new_connections(tmp_path: Path) -> None:
    authority = Authority()
    credentials = looking_always(replace(ROME, user=write(tmp_path, authority.pair("me"))))
    first = await credentials.current()
    write(tmp_path, authority.pair("me again"))
    assert (await credentials.current()).tls is not first.tls


async def test_half_a_rotation_changes_nothing(tmp_path: Path) -> None:
    authority = Authority()
    credentials = looking_always(replace(ROME, user=write(tmp_path, authority.pair("me"))))
    first = await credentials.current()
    (tmp_path / "me.crt").write_text(authority.pair("me again").certificate)
    assert await credentials.current() is first
    (tmp_path / "me.key").unlink()
    assert await credentials.current() is first


async def test_an_authority_that_rotates_makes_new_connections(tmp_path: Path) -> None:
    file = tmp_path / "ca.crt"
    file.write_text(Authority().certificate)
    credentials = looking_always(replace(ROME, authority=Material(file=str(file))))
    first = await credentials.current()
    file.write_text(Authority().certificate)
    assert (await credentials.current()).tls is not first.tls


async def test_a_key_of_another_certificate_is_a_mistake(tmp_path: Path) -> None:
    authority = Authority()
    mixed = Pair(authority.pair("a").certificate, authority.pair("b").key)
    with pytest.raises(Misconfigured, match="do not belong together"):
        await Credentials(replace(ROME, user=write(tmp_path, mixed))).current()


async def test_an_authority_that_is_no_certificate_is_a_mistake() -> None:
    with pytest.raises(Misconfigured, match="certificate-authority-data is not a PEM certificate"):
        await Credentials(replace(ROME, authority=Material(data="nonsense"))).current()


def a_plugin(folder: Path, expires: str) -> User:
    """Prints a new token at each call."""
    script = folder / "login"
    status = {"token": "token-N", "expirationTimestamp": expires}
    printed = json.dumps({"status": status}).replace("N", "'$(wc -l < calls | tr -d \" \")'")
    script.write_text(f"#!/bin/sh\ncd {folder}; echo x >> calls; echo '{printed}'\n")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return User(plugin=Plugin(str(script)))


async def test_a_plugin_is_asked_once_while_its_token_lasts(tmp_path: Path) -> None:
    user = a_plugin(tmp_path, "2999-01-01T00:00:00Z")
    credentials = looking_always(replace(ROME, user=user))
    async with asyncio.TaskGroup() as group:
        calls = [group.create_task(credentials.current()) for _ in range(3)]
    assert {call.result().headers for call in calls} == {(("Authorization", "Bearer token-1"),)}


async def test_a_plugin_is_asked_again_before_its_token_ends(tmp_path: Path) -> None:
    user = a_plugin(tmp_path, "2000-01-01T00:00:00Z")
    credentials = looking_always(replace(ROME, user=user))
    await credentials.current()
    assert (await credentials.current()).headers == (("Authorization", "Bearer token-2"),)


async def test_a_plugin_is_asked_again_when_its_token_was_refused(tmp_path: Path) -> None:
    user = a_plugin(tmp_path, "2999-01-01T00:00:00Z")
    credentials = Credentials(replace(ROME, user=user))
    assert credentials.renew(await credentials.current())
    assert (await credentials.current()).headers == (("Authorization", "Bearer token-2"),)


async def test_what_cannot_change_is_not_tried_again() -> None:
    credentials = Credentials(replace(ROME, user=User(token=Material(data="t"))))
    assert not credentials.renew(await credentials.current())


async def test_a_file_that_changed_is_tried_again_at_once(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("old")
    credentials = Credentials(replace(ROME, user=User(token=Material(file=str(token)))))
    refused = await credentials.current()
    token.write_text("newer")
    assert credentials.renew(refused)
    assert (await credentials.current()).headers == (("Authorization", "Bearer newer"),)


def test_the_end_of_a_certificate() -> None:
    assert expiry(Authority().pair("me").certificate) == TOMORROW.replace(microsecond=0)
    assert expiry("") is None
