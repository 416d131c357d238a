"""The product in a cluster, or what is missing of it: what `liqoctl install` does."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any, TypeAlias

import yaml

from liqo.api.meta import JSON
from liqo.cli.call import Call
from liqo.cli.documents import as_yaml
from liqo.cli.objects import Stamp
from liqo.errors import LiqoError
from liqo.install import (
    applying,
    assignments,
    checks,
    providers,
    sharing,
    surroundings,
    values,
    words,
)
from liqo.install.render import render
from liqo.install.settings import Settings
from liqo.install.values import Values
from liqo.install.wish import ADDRESS, ID, LABELS, Place, Wish, settle
from liqo.kube.cluster import Cluster

PERCENTAGE = "controllerManager.config.resourceSharingPercentage"

Said: TypeAlias = Mapping[str, Any]
"""What the flags say, by their names."""


async def install(call: Call, provider: str, timeout: float, said: Said) -> None:
    out = call.out
    with out.step("Initializing installer", "Installer initialized"):
        wish = wished(provider, said)
    async with call.cluster() as cluster:
        with out.step(
            "Retrieving cluster configuration", "Cluster configuration correctly retrieved"
        ):
            place = await surveyed(cluster, wish)
        with out.step("Generating parameters", "Installation parameters correctly generated"):
            settings = settle(wish, place, metadata.version("liqo"), new_name)
            check(settings, place, said)
        for warning in warnings(wish, place, settings):
            out.warning(warning)
        if said["only_output_values"]:
            dump(call, wish, place, settings, said["dump_values_path"])
            return
        stamp = Stamp.of(call.settings)
        manifests = [stamp.on(each) for each in render(settings)]
        if said["dry_run"] or said["form"]:
            show(call, manifests, said["form"])
            return
        await applying.installed(cluster, manifests, timeout, out.step)
    out.info(
        "All Set! You can now proceed establishing a peering "
        "(liqoctl peer --help for more information)"
    )
    out.info("Make sure to use the same version of Liqo on all remote clusters")


def wished(provider: str, said: Said) -> Wish:
    providers.check(provider)
    if said["dump_values_path"] and not said["only_output_values"]:
        raise LiqoError(
            "--dump-values-path can only be used in conjunction with --only-output-values"
        )
    sets = (
        values.flattened(assignments.parsed(said["set"]), "--set"),
        values.flattened(assignments.parsed(said["set_string"], as_text=True), "--set-string"),
    )
    files = [values.flattened(read(name), name) for name in said["values"]]
    return Wish(provider, said["liqo_namespace"], from_flags(said), files, sets)


def from_flags(said: Said) -> Values:
    """The same as values, as far as something was said."""
    subnets = [cidr for text in said["reserved_subnets"] for cidr in text.split(",")]
    told = {
        ID: said["cluster_id"] or said["cluster_name"],
        LABELS: {name: value for pairs in said["cluster_labels"] for name, value in pairs.items()},
        ADDRESS: said["api_server_url"],
        "ipam.podCIDRs": [cidr for text in said["pod_cidr"] for cidr in text.split(",")],
        "ipam.serviceCIDR": said["service_cidr"],
        "ipam.reservedSubnets": subnets,
        "metrics.enabled": said["enable_metrics"],
    }
    shared = said["sharing_percentage"]  # 0 is said, too, and wrong
    percentage = {PERCENTAGE: shared} if shared is not None else {}
    return {**{key: value for key, value in told.items() if value}, **percentage}


def read(name: str) -> JSON:
    try:
        text = sys.stdin.read() if name == "-" else Path(name).read_text()
        tree = yaml.safe_load(text) or {}
    except OSError as wrong:
        raise LiqoError(f"cannot read the values in {name}: {wrong.strerror}") from wrong
    except yaml.YAMLError as wrong:
        raise LiqoError(f"{name} is not YAML: {' '.join(str(wrong).split())}") from wrong
    if not isinstance(tree, dict):
        raise LiqoError(f"{name} is not a file of values: it must hold keys and values")
    return tree


async def surveyed(cluster: Cluster, wish: Wish) -> Place:
    facts = await providers.PROVIDERS[wish.provider](cluster)
    seen = await surroundings.look(cluster, wish.namespace)
    return Place(facts, seen, cluster.access.server)


def new_name() -> str:
    return words.two_words(random.SystemRandom().choice)


def check(settings: Settings, place: Place, said: Said) -> None:
    """The first thing that is wrong; there is rarely a second."""
    found = [*checks.refusals(settings, place.seen)]
    if not said["skip_validation"]:
        found += checks.problems(settings, place.seen)
        if not said["disable_api_server_sanity_check"] and place.facts.is_reachable:
            found += checks.differs(said["api_server_url"], place.server)
    found += checks.renumbered(settings, place.seen)
    if found:
        raise LiqoError(found[0])


def warnings(wish: Wish, place: Place, settings: Settings) -> Iterator[str]:
    given = wish.given(place.facts)
    for key in values.idle(given):
        yield f'"{key}" has no effect: what it is about does not exist in this version'
    yield from sharing.forgotten(place.seen.sharing, given, settings)
    if wish.provider == "playground" and settings.image not in place.seen.images:
        yield (
            f"no node has reported the image {settings.image} yet, and there is no registry; "
            "put it there with: make image && liqoctl playground load build/liqo.tar"
        )


def dump(call: Call, wish: Wish, place: Place, settings: Settings, path: str) -> None:
    target = Path(path or "values.yaml")
    given = {**wish.given(place.facts), ID: settings.cluster_id, ADDRESS: settings[ADDRESS]}
    target.write_text(as_yaml(values.tree(given)))
    call.out.info(f'All Set! Chart values written to "{path or "./values.yaml"}"')


def show(call: Call, manifests: Sequence[JSON], form: str | None) -> None:
    """As kubectl apply takes them: YAML in one stream, JSON as a list."""
    if form == "json":
        call.out.document({"apiVersion": "v1", "kind": "List", "items": list(manifests)}, "json")
    else:
        call.out.text("---\n".join(map(as_yaml, manifests)))
    call.out.info("Installation completed (dry-run)")
