"""What kubectl does to a pod, row by row: on a pod at home and on one elsewhere it is the same.

POD and NODE stand for what differs, LONG for a word of 100 kB. What comes later is one line more.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from liqo.playground import images

LARGER = json.dumps(
    {"spec": {"containers": [{"name": "main", "resources": {"requests": {"cpu": "20m"}}}]}}
)
SIZE = "-o jsonpath={.spec.containers[0].resources}"
GUESTS = "-o jsonpath={.spec.ephemeralContainers[*].name}"
IMAGE = "-o jsonpath={.spec.containers[0].image}"

# The pod stays as it is.
READING: Mapping[str, str] = {
    "its log": "logs POD -c main",
    "the last line": "logs POD -c main --tail=1",
    "no line": "logs POD -c main --tail=0",
    "lines of the last hour": "logs POD -c main --since=1h",
    "lines since a time": "logs POD -c main --since-time=2020-01-01T00:00:00Z",
    "lines since a time to come": "logs POD -c main --since-time=2100-01-01T00:00:00Z",
    "five bytes": "logs POD -c main --limit-bytes=5",
    "no such limit": "logs POD -c main --limit-bytes=-1",
    "followed, up to a limit": "logs POD -c main --follow --limit-bytes=5",
    "with times": "logs POD -c main --timestamps",
    "of a life before": "logs POD -c twice --previous",
    "of no life before": "logs POD -c main --previous",
    "of a container that is over": "logs POD -c first",
    "of no container": "logs POD -c none",
    "of no pod": "logs nonesuch",
    "waited for": "wait --for=condition=Ready pod/POD",
    "waited for in vain": "wait --for=condition=Nonesuch --timeout=1s pod/POD",
    "described": "describe pod POD",
    "its events": "events --for=pod/POD",
}

# So it does here; by SPDY and by WebSocket.
STREAMING: Mapping[str, str] = {
    "a command": "exec POD -- echo 'a b' '' c",
    "a command that fails": "exec POD -- sh -c 'echo out; echo no >&2; exit 7'",
    "a signal": "exec POD -- sh -c 'kill -9 $$'",
    "in another container": "exec POD -c twice -- cat /lives/first",
    "input": "exec -i POD -- tr a-z A-Z",
    "input that nobody reads": "exec -i POD -- true",
    "much output": "exec POD -- sh -c 'seq 100000 | md5sum; seq 100000'",
    "no such command": "exec POD -- nonesuch",
    "no such folder": "exec POD -- /none/such",
    "no such container": "exec POD -c none -- true",
    "a container that is over": "exec POD -c first -- true",
    "no such pod": "exec nonesuch -- true",
    "900 kB of words": f"exec POD -- sh -c 'echo $# ${{#9}}' -{' LONG' * 9}",
    "more words than HTTP takes": f"exec POD -- true{' LONG' * 12}",
    "attached to no container": "attach POD -c none",
    "attached to what is over": "attach POD -c first",
    "a port of no pod": "port-forward nonesuch 8080",
}

# Each on a pod of its own, which it changes.
CHANGING: Mapping[str, tuple[str, ...]] = {
    "deleted": ("delete pod POD", "get pod POD"),
    "drained": ("drain NODE --pod-selector=app=POD --force", "uncordon NODE", "get pod POD"),
    "hurried": ("delete pod POD --grace-period=1", "get pod POD"),
    "forced": ("delete pod POD --grace-period=0 --force", "get pod POD"),
    "resized": (f"patch pod POD --subresource=resize -p '{LARGER}'", f"get pod POD {SIZE}"),
    "debugged": (f"debug POD --image={images.DEMO} -c look -- true", f"get pod POD {GUESTS}"),
    "renewed": (f"set image pod/POD main={images.DEMO}", f"get pod POD {IMAGE}"),
}

# And on a Deployment.
ROLLING: Mapping[str, tuple[str, ...]] = {
    "restarted": ("rollout restart deployment POD", "rollout status deployment POD"),
}
