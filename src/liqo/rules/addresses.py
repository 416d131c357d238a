"""Addresses that cross from one cluster to another: what they are called on the other side.

The one place where they are translated. There is no network module yet, so an address means the
same everywhere, or nothing. With one, whose networks may overlap, each of these functions has to be
told how they are mapped.
"""

from __future__ import annotations


def of_remote_pod(address: str) -> str:
    """A pod's on the provider, as its consumer reaches it."""
    return address


def of_endpoint(address: str) -> str:
    """An endpoint's at home, as it is told to a provider. It may be a name: then it stays so."""
    return address


def of_consumer(address: str) -> str:
    """What a consumer told of an endpoint, as the pods of the provider reach it."""
    return address
