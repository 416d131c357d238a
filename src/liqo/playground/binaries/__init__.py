from pathlib import Path

NEEDED = ()


async def obtain(names, *, version="", say):
    return {p.name: p for p in Path("/tmp/w/bin").iterdir()}
