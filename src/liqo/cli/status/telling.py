"""The facts of info, told under older headings."""

from __future__ import annotations

from liqo.cli.call import Call
from liqo.cli.info import facts
from liqo.cli.info import local as report
from liqo.cli.info.boxes import draw
from liqo.cli.info.peer import chosen
from liqo.cli.status import layout


async def tell_local(call: Call, liqo_namespace: str) -> None:
    async with call.cluster(facts.IMPATIENT) as cluster:
        found = await facts.local(cluster, liqo_namespace)
    told = report.report(found, with_network=bool(found.networks))
    for warning in told.warnings:
        call.out.warning(warning)
    call.out.text(draw(layout.local(found, told.values, images=call.settings.verbose)))


async def tell_peers(call: Call, ids: tuple[str, ...], liqo_namespace: str) -> None:
    async with call.cluster(facts.IMPATIENT) as cluster:
        found = await facts.peers(cluster, liqo_namespace)
    for warning in found.refused:
        call.out.warning(warning)
    boxes = [layout.peer(found, each) for each in chosen(found.peers, ids)]
    if boxes:
        call.out.text(draw(boxes))
    else:
        call.out.info("there are no peers yet; make one with: liqoctl peer")
