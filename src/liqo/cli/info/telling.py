"""An installation and its peers: found out, and told in the form that was asked for."""

from __future__ import annotations

from typing import Any

from liqo.api.meta import JSON
from liqo.cli.call import Call
from liqo.cli.documents import in_order
from liqo.cli.info import Form, facts, layout, local, query
from liqo.cli.info import peer as peers
from liqo.cli.info.boxes import draw


async def tell_local(call: Call, liqo_namespace: str, form: Form | None, path: str) -> None:
    async with call.cluster(facts.IMPATIENT) as cluster:
        found = await facts.local(cluster, liqo_namespace)
    told = local.report(found, with_network=call.settings.verbose or bool(path))
    for warning in told.warnings:
        call.out.warning(warning)
    if path:
        _value(call, query.get_local(told.values, path), form)
    elif form:
        _document(call, told.values, form)
    else:
        call.out.text(draw(layout.local(told.values)))


async def tell_peers(
    call: Call, ids: tuple[str, ...], liqo_namespace: str, form: Form | None, path: str
) -> None:
    async with call.cluster(facts.IMPATIENT) as cluster:
        found = await facts.peers(cluster, liqo_namespace)
    for warning in found.refused:
        call.out.warning(warning)
    chosen = peers.chosen(found.peers, ids)
    reports = {each.spec.cluster_id: peers.report(found, each) for each in chosen}
    if path:
        _value(call, query.get_of_peers(reports, path), form)
    elif form:
        _document(call, reports, form)
    elif reports:
        call.out.text("\n\n".join(draw(layout.peer(each)) for each in reports.values()))
    else:
        call.out.info("there are no peers yet; make one with: liqoctl peer")


def _value(call: Call, value: Any, form: Form | None) -> None:
    text = query.scalar(value)
    if text is None:
        _document(call, value, form or "yaml")
    else:
        call.out.result(text)


def _document(call: Call, value: JSON, form: Form) -> None:
    """YAML has its keys in order, JSON the fields of an object as they are told."""
    call.out.document(in_order(value) if form == "yaml" else value, form)
