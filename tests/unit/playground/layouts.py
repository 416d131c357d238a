"""Playgrounds that exist on paper only."""

from pathlib import Path
from typing import Any

from liqo.playground.cluster import Site
from liqo.playground.layout import Cluster, Layout, Options

NAME = "on-paper"  # nobody runs one of this name, so none of its nodes is ever found
GOLDEN = Path(__file__).parent / "golden"


def a_layout(**clusters: Options) -> Layout:
    layout = Layout(NAME, "172.30.0.0/24")
    for name, options in clusters.items():
        layout = layout.with_cluster(name, options)
    return layout


def a_cluster(**options: Any) -> Cluster:
    """Venice, with these options."""
    return a_layout(venice=Options(**options)).cluster("venice")


def a_site(folder: Path, **options: Any) -> Site:
    layout = a_layout(venice=Options(**options))
    return Site(layout, layout.cluster("venice"), folder, {"kubectl": Path("/opt/bin/kubectl")})
