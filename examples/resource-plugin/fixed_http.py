"""A resource plugin over HTTP that gives every consumer the same: --resource cpu=2 --resource …"""

import argparse
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--port", type=int, default=8080)
parser.add_argument("--resource", action="append", default=[], help="such as memory=4Gi")
told = parser.parse_args()


def resources_of(consumer: str) -> dict[str, str]:
    """Your part: what this consumer gets, as names and quantities of Kubernetes."""
    return dict(each.split("=", 1) for each in told.resource)


class Answer(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        path, _, consumer = self.path.rpartition("/")
        if path != "/resources":
            self.send_error(404)
            return
        body = json.dumps({"resources": resources_of(consumer)}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


ThreadingHTTPServer(("", told.port), Answer).serve_forever()
