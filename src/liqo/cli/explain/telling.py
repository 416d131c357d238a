"""The capacity of a virtual node: found out, and told in the form that was asked for."""

from __future__ import annotations

from typing import Literal

from liqo.cli.call import Call
from liqo.cli.explain import layout
from liqo.cli.explain.facts import find
from liqo.cli.explain.report import report


async def tell(call: Call, node: str, namespace: str, form: Literal["json", "yaml"] | None) -> None:
    async with call.cluster() as cluster:
        told = report(await find(cluster, node, namespace))
    if form:
        call.out.document(told, form)
        return
    call.out.text(layout.text(told))
    for table in (layout.amounts(told), layout.misfits(told)):
        if table.rows:
            call.out.text("\n")
            call.out.table(table.columns, table.rows)
    for warning in layout.warnings(told):
        call.out.warning(warning)
