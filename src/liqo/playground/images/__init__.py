from pathlib import Path

PAUSE = "localhost/playground/pause:1"
COREDNS = "localhost/playground/coredns:1"
METRICS_SERVER = "localhost/playground/metrics-server:1"
LOCAL_PATH = "localhost/playground/local-path:1"
HELPER = "localhost/playground/helper:1"
DEMO = "localhost/playground/demo:1"


async def addons(binaries, say):
    return Path("/tmp/w/addons.tar")
