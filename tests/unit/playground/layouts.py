"""Playgrounds that exist on paper only."""

from pathlib import Path

from liqo.playground.cluster import Site
from liqo.playground.layout import Cluster, Layout, Options

GOLDEN = Path(__file__).parent / "golden"


def a_layout(**clusters: Options) -> Layout:
    layout = Layout("default", "172.30.0.0/24")
    for name, options in clusters.items():
        layout = layout.with_cluster(name, options)
    return layout


def a_cluster(**options: object) -> Cluster:
    """Venice, with these options."""
    return a_layout(venice=Options(**options)).cluster("venice")  # type: ignore[arg-type]  # named


def a_site(folder: Path, **options: object) -> Site:
    layout = a_layout(venice=Options(**options))  # type: ignore[arg-type]  # named by the caller
    return Site(layout, layout.cluster("venice"), folder, {"kubectl": Path("/opt/bin/kubectl")})
