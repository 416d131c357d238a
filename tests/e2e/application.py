"""A small shop of parts that need each other: pages, a till that counts sales, and who buys."""

from __future__ import annotations

from base64 import b64encode

from liqo.api.meta import JSON
from tests.e2e.artifacts import config_map, ingress, service
from tests.e2e.workloads import ABROAD, SILENT, controlled, pod

TILL, PAGES = 9000, 8080

# Counts for whoever knows its password, which may change while it runs.
COUNTS = """
import hashlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

sales = 0

class Till(BaseHTTPRequestHandler):
    def do_GET(self):
        global sales
        password = open("/secret/password").read()
        sales += 1
        self.send_response(200 if self.headers["Authorization"] == password else 403)
        self.end_headers()
        self.wfile.write(hashlib.sha256(password.encode()).hexdigest()[:8].encode())

    def log_message(self, *_): ...

ThreadingHTTPServer(("", 9000), Till).serve_forever()
"""

# Says who it is, what it was told, and what the till said, whose address it finds by name.
SELLS = """
import json, os, urllib.error, urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

def till(name):
    password = open("/secret/password").read()
    asked = urllib.request.Request(f"http://{name}:9000/", headers={"Authorization": password})
    try:
        return urllib.request.urlopen(asked, timeout=5).read().decode()
    except (urllib.error.URLError, OSError) as error:
        return str(error)

class Page(BaseHTTPRequestHandler):
    def do_GET(self):
        said = {
            "who": os.environ["HOSTNAME"],
            "version": os.environ["VERSION"],
            "greeting": open("/config/greeting").read(),
            "till": till("till"),
            "first": till("till-0.till"),
        }
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(said).encode())

    def log_message(self, *_): ...

ThreadingHTTPServer(("", 8080), Page).serve_forever()
"""

# What pages say, asked often enough to have met them all.
BUYS = """
import json, sys, urllib.request
for _ in range(int(sys.argv[2])):
    print(urllib.request.urlopen(f"http://{sys.argv[1]}/", timeout=20).read().decode())
"""

WAITS = "import signal; signal.pause()"
TAKES = "wanted = bytearray(b'x') * 10**9"  # a gigabyte


def secret(password: str) -> JSON:
    content = {"password": b64encode(password.encode()).decode()}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "till"}, "data": content}


def everything(image: str, password: str) -> tuple[JSON, ...]:
    """Half of the pods at home, half of them abroad; the till stays where the money is."""
    here = {"nodeSelector": {"kubernetes.io/hostname": "rome"}, "terminationGracePeriodSeconds": 0}
    till = {**here, **parts(image, COUNTS, TILL)}
    pages = parts(image, SELLS, PAGES)
    return (
        config_map("shop", greeting="welcome"),
        secret(password),
        service("pages", selector={"part": "pages"}, ports=[{"port": 80, "targetPort": PAGES}]),
        service("till", selector={"app": "till"}, ports=[{"port": TILL}], clusterIP="None"),
        ingress("pages"),
        controlled("StatefulSet", "till", till, replicas=1, serviceName="till"),
        _pages("pages-here", {**here, **pages}),
        _pages("pages-there", {**ABROAD, **pages}),
        pod("buyer-here", {**here, **_buyer(image)}),
        pod("buyer-there", {**ABROAD, **_buyer(image)}),
    )


def parts(image: str, script: str, port: int) -> JSON:
    """A pod that runs this, sees what is configured, and is ready once it answers."""
    container = {
        "name": "main",
        "image": image,
        "command": ["python3", "-c", script],
        "env": [{"name": "VERSION", "value": "1"}],
        "readinessProbe": {"tcpSocket": {"port": port}, "periodSeconds": 1},
        "volumeMounts": [
            {"name": "config", "mountPath": "/config"},
            {"name": "secret", "mountPath": "/secret"},
        ],
    }
    volumes = [
        {"name": "config", "configMap": {"name": "shop"}},
        {"name": "secret", "secret": {"secretName": "till"}},
    ]
    return {**SILENT, "containers": [container], "volumes": volumes}


def _pages(name: str, pod_spec: JSON) -> JSON:
    careful = {"rollingUpdate": {"maxUnavailable": 0, "maxSurge": 1}}
    made = controlled("Deployment", name, pod_spec, replicas=2, strategy=careful)
    made["spec"]["template"]["metadata"]["labels"]["part"] = "pages"
    return made


def _buyer(image: str) -> JSON:
    waiting = {"name": "main", "image": image, "command": ["python3", "-c", WAITS]}
    return {**SILENT, "containers": [waiting]}
