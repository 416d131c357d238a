"""One market for all journeys of capacity."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator

import pytest

from liqo.cli.playground.installing import install_all
from liqo.playground.layout import Options, Simulated
from liqo.playground.playground import Playground
from tests.audit import Audit
from tests.e2e.audited import read
from tests.e2e.capacity.market import Market
from tests.e2e.loans import Loan

HUNDRED = Simulated(count=1, cpu="100", memory="400Gi")


@pytest.fixture(scope="package")
async def market(audit: Audit) -> AsyncIterator[Market]:
    """A hundred cores that nobody uses, and a peering that asks for a share of them."""
    playground = Playground(f"test-{os.getpid()}-market", print)
    try:
        options = Options(flat=True, audit=True, simulated=HUNDRED)
        rome, milan = made = await playground.up(["rome", "milan"], options)
        for site in made:  # what is installed must run, and on these nothing does
            await site.kubectl("cordon", f"{site.cluster.name}-kwok-0")
        await install_all(made, print)
        await milan.kubectl("cordon", "milan")
        await milan.kubectl("uncordon", "milan-kwok-0")
        loan = Loan(rome, milan)
        await loan.peer("--resource-slice-class=share")
        await loan.works()
        yield Market(loan)
        await loan.unpeer("--delete-namespaces")
        read(audit, made)
    finally:
        await playground.down()
