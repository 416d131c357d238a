"""Amounts that a node may have, as Kubernetes judges them: no half pods, and no half devices.

It refuses all that a node reports where one amount is half a pod or less than nothing, and that the
node is ready with it. So whoever writes one is told, and what is there all the same is cut. A tenth
of a byte is no fault: `1.1Gi` is some.
"""

from __future__ import annotations

from collections.abc import Mapping

from liqo.rules.quantity import LARGEST_BINARY, NANO, QUOTED, ZERO, Quantity, parse

PARTS = {"cpu"}  # of these half a one is something; memory and storage count bytes
KUBERNETES = "kubernetes.io/"  # whose resources have parts, as those without a domain have
MOST = Quantity(LARGEST_BINARY - NANO)  # of anything


def check_amount(name: str, written: str | int) -> str:
    """What is wrong with it, as a sentence; empty where nothing is."""
    try:
        amount = parse(written)
    except ValueError as wrong:
        return str(wrong)
    shown = str(written)[:QUOTED]
    if amount < ZERO:
        return f"{name} cannot be negative, and {shown} is"
    if amount > MOST:
        return f"{shown} of {name} is more than Kubernetes can count"
    if comes_whole(name) and amount != amount.whole():
        return f"{name} comes in whole numbers, and {shown} is none"
    return ""


def comes_whole(name: str) -> bool:
    """Pods, and what others than Kubernetes define: its own API server takes no parts of them."""
    return name == "pods" or ("/" in name and KUBERNETES not in name)


def whole(name: str, amount: Quantity) -> Quantity:
    """What of it is no part of one."""
    return amount if name in PARTS else amount.whole()


def readable(amount: str | int) -> Quantity:
    """Whatever else people write is none: a webhook refuses it, where there is one."""
    try:
        return max(ZERO, parse(amount))
    except ValueError:
        return ZERO


def counted(resources: Mapping[str, str | int]) -> dict[str, str | int]:
    """What of them a node may have; what is right stays as it was written."""
    return {
        name: str(whole(name, min(MOST, readable(written))))
        if check_amount(name, written)
        else written
        for name, written in resources.items()
    }
