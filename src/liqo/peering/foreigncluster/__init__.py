"""ForeignCluster: how things stand with a peer, for people to read."""

from liqo.peering.foreigncluster.plan import Surroundings, controller

__all__ = ["Surroundings", "controller"]
