"""Runs the benchmarks, prints a table, writes bench/results.json: python -m bench [NAME…]"""

import asyncio
import json
import sys
from dataclasses import asdict
from pathlib import Path

from bench.figure import Figure
from bench.process import in_a_process_of_its_own, module
from liqo.playground.layout import Options
from liqo.playground.playground import Playground

RESULTS = Path(__file__).parent / "results.json"
PLAYGROUND = "bench"

# Each is a module here with `async def measure(kubeconfig) -> list[Figure]`, of a cluster that
# does nothing else; those that stand alone take no kubeconfig and make their clusters themselves.
ON_A_CLUSTER = ("client", "watch", "cache", "reconcile")
ALONE = (
    "playground",
    "peer",
    "node",
    "restart",
    "namespaces",
    "latency",
    "throughput",
    "enforcement",
    "writes",
    "reflection",
    "idle",
    "exec",
    "streams",
    "capacity",
)


def main(names: list[str]) -> int:
    unknown = set(names) - {*ALONE, *ON_A_CLUSTER}
    if unknown:
        known = ", ".join((*ALONE, *ON_A_CLUSTER))
        print(f"there is no benchmark {', '.join(sorted(unknown))} (there: {known})")
        return 1
    figures = asyncio.run(measure(names or [*ALONE, *ON_A_CLUSTER]))
    return 0 if all(figure.holds for figure in figures) else 1


async def measure(names: list[str]) -> list[Figure]:
    figures: list[Figure] = []
    for name in names:
        if name in ALONE:
            figures += kept(name, await module(name).measure())
    on_cluster = [name for name in names if name in ON_A_CLUSTER]
    if on_cluster:
        playground = Playground(PLAYGROUND, lambda said: print(f"  {said}", flush=True))
        try:
            [site] = await playground.up(["rome"], Options())
            for name in on_cluster:
                figures += kept(name, await in_a_process_of_its_own(name, str(site.kubeconfig)))
        finally:
            await playground.down()
    return figures


def kept(name: str, figures: list[Figure]) -> list[Figure]:
    """Shown, and written in place of what this benchmark found last; those of others stay."""
    known = json.loads(RESULTS.read_text()) if RESULTS.exists() else []
    others = [each for each in known if each.get("of", name) != name]
    found = [{"of": name, **asdict(figure)} for figure in figures]
    RESULTS.write_text(json.dumps([*others, *found], indent=2, ensure_ascii=False) + "\n")
    return show(figures)


def show(figures: list[Figure]) -> list[Figure]:
    for figure in figures:
        verdict = "" if not figure.budget else "holds" if figure.holds else "MISSED"
        value = f"{figure.value:,.2f} {figure.unit}"
        print(f"{figure.name:58} {value:>20}  {figure.budget:>10}  {verdict}", flush=True)
    return figures


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
