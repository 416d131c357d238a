"""A resource plugin that speaks HTTP: `GET <url>/resources/<cluster-id>`, again and again.

{"resources": {"cpu": "2", "memory": "4Gi", "nvidia.com/gpu": 1}}
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncGenerator
from urllib.parse import quote

import aiohttp
import msgspec
from yarl import URL

from liqo.plugin.address import HttpAddress
from liqo.plugin.errors import Silent
from liqo.plugin.judgement import out_of_reach, shortened
from liqo.plugin.messages import Pool

PACE = 10.0  # seconds: it cannot tell by itself when something changes
LARGEST_ANSWER = 64 * 1024  # bytes: a hundred resources are a tenth of it


class _Answer(msgspec.Struct, frozen=True):
    resources: dict[str, str | int | float]


_decode = msgspec.json.Decoder(_Answer).decode


class HttpPlugin:
    pace = PACE

    def __init__(self, address: HttpAddress) -> None:
        self._address = address
        self._trust = ssl.create_default_context()  # whom this machine trusts

    async def read(self, consumer: str) -> tuple[Pool, ...]:
        answer = await self._get(f"/resources/{quote(consumer, safe='')}")
        try:
            resources = _decode(answer).resources
        except (msgspec.DecodeError, UnicodeDecodeError) as wrong:
            raise Silent(shortened(f"its answer makes no sense: {wrong}")) from wrong
        return ({name: str(amount) for name, amount in resources.items()},)

    async def remove(self, consumer: str) -> None:
        """Nothing is to be told: it is asked no more."""

    async def notices(self) -> AsyncGenerator[str, None]:
        """It never tells anything by itself."""
        await asyncio.Event().wait()
        yield ""  # pragma: no cover - it makes this an iterator

    async def _get(self, path: str) -> bytes:
        url = URL(f"{self._address.url}{path}", encoded=True)
        try:
            async with (
                aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session,
                session.get(url, allow_redirects=False, ssl=self._trust) as response,
            ):
                if response.status != 200:
                    raise Silent(shortened(f"it answers {response.status} {response.reason or ''}"))
                return await _body(response)
        except Silent:
            raise
        except Exception as wrong:  # bytes without sense end in whatever the library stumbles over
            raise Silent(_reason(wrong)) from wrong


async def _body(response: aiohttp.ClientResponse) -> bytes:
    body = bytearray()
    async for chunk in response.content.iter_any():
        body += chunk
        if len(body) > LARGEST_ANSWER:
            raise Silent(f"its answer is longer than {LARGEST_ANSWER // 1024} KiB")
    return bytes(body)


def _reason(wrong: Exception) -> str:
    match wrong:
        case aiohttp.ClientSSLError():
            return shortened(f"it cannot be trusted: {wrong}")
        case OSError():
            return out_of_reach(wrong)
        case _:
            return shortened(f"it hangs up: {str(wrong) or type(wrong).__name__}")
