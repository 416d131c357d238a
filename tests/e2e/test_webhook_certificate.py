"""The webhook's certificate is renewed under traffic, by several replicas, and nobody notices."""

from __future__ import annotations

import asyncio
import ssl
from base64 import b64decode
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest

from liqo.api.admission import MutatingWebhookConfiguration, ValidatingWebhookConfiguration
from liqo.api.authentication import ResourceSlice, Tenant
from liqo.api.core import ForeignCluster
from liqo.api.kubernetes import Secret
from liqo.api.meta import JSON, Key
from liqo.kube.errors import NotFound, ServerFault
from liqo.rules import certificates
from liqo.webhooks.certificate import SECRET
from liqo.webhooks.configuration import NAME
from tests.e2e.asked import LIQO, Asked, a_slice, asked, unique
from tests.e2e.control_plane import free_port
from tests.e2e.eventually import eventually

LIFETIME = 30.0  # seconds: 10 are left when it is renewed
RENEWALS = 2


@pytest.fixture
async def milan(tmp_path: Path) -> AsyncIterator[Asked]:
    async with asked(tmp_path) as made:
        yield made


async def content(milan: Asked) -> dict[str, bytes]:
    secret = await milan.admin.get(Secret, Key(LIQO, SECRET))
    return {name: b64decode(value) for name, value in secret.data.items()}


async def served(port: int, trusted: bytes) -> bytes:
    """What a new connection is shown, in DER; an error where that is not to be trusted."""
    context = ssl.create_default_context(cadata=trusted.decode())
    _, writer = await asyncio.open_connection("localhost", port, ssl=context)
    shown: bytes = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
    writer.close()
    return shown


async def listen(*ports: int) -> bool:
    """Whether all of them do."""
    try:
        for port in ports:
            _, writer = await asyncio.open_connection("localhost", port)
            writer.close()
    except OSError:
        return False
    return True


async def bundles(milan: Asked) -> set[str]:
    """What the API server trusts, of all webhooks together."""
    found = [
        *(await milan.admin.get(MutatingWebhookConfiguration, Key("", NAME))).webhooks,
        *(await milan.admin.get(ValidatingWebhookConfiguration, Key("", NAME))).webhooks,
    ]
    return {entry["clientConfig"].get("caBundle", "") for entry in found}


def a_peer(name: str, number: int) -> JSON:
    return {
        "metadata": {"name": name, "annotations": {"tests/number": str(number)}},
        "spec": {"clusterID": name},
    }


async def ask_all_the_time(milan: Asked, until: asyncio.Event) -> int:
    """How often. One call that fails ends the test."""
    count = 0
    name = unique("turin")
    while not until.is_set():
        made = await milan.put(ForeignCluster.KIND, a_peer(name, count))
        assert made["metadata"]["labels"] == {"liqo.io/remote-cluster-id": name}
        count += 1
    return count


async def renewed(milan: Asked, before: bytes) -> bytes:
    async def now() -> bytes:
        return (await content(milan))["tls.crt"]

    return await eventually(now, lambda found: found != before, within=10 * LIFETIME)


async def test_two_replicas_renew_the_certificate_and_no_call_fails(milan: Asked) -> None:
    ports = [free_port(), free_port()]
    flag = f"--certificate-lifetime={LIFETIME}"
    replicas = [await milan.start(port, flag) for port in ports]
    await milan.ask_at(ports[0])
    await eventually(partial(listen, *ports))
    first = await content(milan)
    enough = asyncio.Event()
    async with asyncio.TaskGroup() as tasks:
        asking = tasks.create_task(ask_all_the_time(milan, enough))
        latest = first["tls.crt"]
        for _ in range(RENEWALS):
            before = (await content(milan))["ca"]
            latest = await renewed(milan, latest)
            shown = ssl.PEM_cert_to_DER_cert(latest[: latest.index(b"-----END") + 25].decode())
            for port in ports:
                # Who has not heard of the new authority yet trusts it: the old one vouches for it.
                await eventually(partial(served, port, before), is_=shown)
                assert await served(port, (await content(milan))["ca"]) == shown
        enough.set()
    assert asking.result() > 0
    assert certificates.expires_at(first["tls.crt"]) < datetime.now(UTC)
    assert [replica.process and replica.process.returncode for replica in replicas] == [None, None]
    await eventually(partial(all_trust, milan))


async def all_trust(milan: Asked) -> bool:
    """Every webhook, and what the Secret says."""
    return {b64decode(bundle) for bundle in await bundles(milan)} == {(await content(milan))["ca"]}


async def test_replicas_that_start_at_once_agree_on_one_certificate(milan: Asked) -> None:
    ports = [free_port() for _ in range(3)]
    for port in ports:
        await milan.start(port)
    await eventually(partial(content, milan), lambda found: "tls.crt" in found)
    trusted = (await content(milan))["ca"]

    async def shown() -> set[bytes]:
        return {await served(port, trusted) for port in ports}

    await eventually(partial(listen, *ports))
    await eventually(shown, lambda seen: len(seen) == 1)
    assert trusted.count(b"BEGIN CERTIFICATE") == 1


async def test_what_leaves_needs_no_webhook(milan: Asked) -> None:
    """An uninstallation has no server left to ask: neither for a deletion nor for a finalizer."""
    port = free_port()
    server = await milan.start(port)
    await milan.ask_at(port)
    rome = unique("rome")
    home = await milan.tenant_namespace(rome)
    held = {"finalizers": ["liqo.io/test"]}
    tenant = {"metadata": {"name": rome, "namespace": home, **held}, "spec": {"clusterID": rome}}
    asked_for = a_slice(home, unique("pool"))
    key = Key(home, asked_for["metadata"]["name"])
    await milan.put(Tenant.KIND, tenant)
    await milan.put(
        ResourceSlice.KIND, {**asked_for, "metadata": {**asked_for["metadata"], **held}}
    )
    await server.kill()
    with pytest.raises(ServerFault, match="failed calling webhook"):
        await milan.put(ForeignCluster.KIND, a_peer(rome, 1))
    released = {"metadata": {"finalizers": None}}
    for kind, gone in ((Tenant, Key(home, rome)), (ResourceSlice, key)):
        await milan.admin.delete(kind.KIND, gone)
        await milan.admin.patch(kind.KIND, gone, released, how="merge")
        with pytest.raises(NotFound):
            await milan.admin.get(kind, gone)
