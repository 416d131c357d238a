"""How packets get from one cluster to another: networking.liqo.io."""

from liqo.api.networking import configuration, fabric, firewall, gateway, routes, wireguard

CRDS = (
    *configuration.CRDS,
    *fabric.CRDS,
    *firewall.CRDS,
    *gateway.CRDS,
    *routes.CRDS,
    *wireguard.CRDS,
)
