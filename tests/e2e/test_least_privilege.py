"""Controllers that may read Secrets of their tenants, and no others, do all that is needed."""

from __future__ import annotations

import pytest

from liqo.api.authentication import ResourceSlice
from liqo.api.kubernetes import Namespace, RoleBinding, Secret
from liqo.api.meta import Key
from liqo.api.offloading import Quota, VirtualNode
from liqo.kube.errors import NotFound
from liqo.rules import names
from tests.e2e.account import may_list
from tests.e2e.controllers import Pair
from tests.e2e.eventually import ENDING, eventually
from tests.e2e.peering import Peering, Side, ask, authenticate, unpeer

QUOTA = names.quota("milan", "rome")
ELSEWHERE = ("kube-system", "default", "")


@pytest.fixture
def peering(strangers: Pair) -> Peering:
    return strangers.peering


async def names_of(side: Side, kind: type[RoleBinding | Secret], namespace: str) -> set[str]:
    listing = await side.cluster.list(kind, resource_version="")
    return {each.metadata.name for each in listing.items if each.metadata.namespace == namespace}


async def is_there(side: Side, kind: type[Quota | VirtualNode], namespace: str, name: str) -> bool:
    return await side.find(kind, namespace, name) is not None


async def test_a_peering_comes_and_goes_without_the_right_to_read_all_secrets(
    peering: Peering,
) -> None:
    consumer, provider = peering.consumer, peering.provider
    for _ in range(2):
        await authenticate(peering)
        await ask(peering, "milan")
        await eventually(lambda: is_there(provider, Quota, peering.there, QUOTA))
        await eventually(lambda: is_there(consumer, VirtualNode, peering.here, "milan"))
        for side, home in ((consumer, peering.here), (provider, peering.there)):
            allowed = [await may_list(side.cluster, "secrets", name) for name in (home, *ELSEWHERE)]
            assert allowed == [True, False, False, False]
        await unpeer(peering)
        await eventually(lambda: names_of(consumer, Secret, peering.here), is_=set())
    bound = {names.CONTROLLER_MANAGER, names.WEBHOOK}
    await eventually(lambda: names_of(consumer, RoleBinding, peering.here), is_=bound)


async def test_a_tenant_namespace_may_be_deleted_in_the_middle_of_a_peering(
    peering: Peering,
) -> None:
    """Kubernetes deletes our RoleBinding first; the kubeconfig waits for us to let it go."""
    consumer = peering.consumer
    await authenticate(peering)
    await ask(peering, "milan")
    await eventually(lambda: is_there(consumer, VirtualNode, peering.here, "milan"))
    await consumer.cluster.delete(Namespace.KIND, Key("", peering.here))

    async def is_gone() -> bool:
        try:
            await consumer.cluster.get(Namespace, Key("", peering.here))
        except NotFound:
            return True
        return False

    await eventually(is_gone, within=ENDING)
    assert await peering.provider.find(ResourceSlice, peering.there, "milan") is None
