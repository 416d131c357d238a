"""Asks an API server how it writes quantities: `python -m tests.wire.quantities`, with kubectl.

It writes each spelling of `quantities.json` into the status of a HorizontalPodAutoscaler, which
takes every quantity, negative ones included, and puts beside it what it reads back: null where the
API server refused.
"""

import json
import subprocess
from pathlib import Path

TABLE = Path(__file__).with_name("quantities.json")
ASKED = {
    "apiVersion": "autoscaling/v2",
    "kind": "HorizontalPodAutoscaler",
    "metadata": {"name": "quantities"},
    "spec": {
        "maxReplicas": 1,
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "none"},
    },
}


def kubectl(*arguments: str, given: str = "") -> str | None:
    ran = subprocess.run(
        ["kubectl", "--namespace=default", *arguments],
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )
    return ran.stdout if ran.returncode == 0 else None


def read_back(written: str) -> str | None:
    metric = {
        "type": "External",
        "external": {"metric": {"name": "asked"}, "current": {"value": written}},
    }
    status = {"currentMetrics": [metric], "desiredReplicas": 0}
    return kubectl(
        "patch",
        "hpa/quantities",
        "--subresource=status",
        "--type=merge",
        f"--patch={json.dumps({'status': status})}",
        "--output=jsonpath={.status.currentMetrics[0].external.current.value}",
    )


def main() -> None:
    assert kubectl("apply", "--filename=-", given=json.dumps(ASKED)) is not None
    spellings = json.loads(TABLE.read_text())
    answers = {written: read_back(written) for written in spellings}
    TABLE.write_text(json.dumps(answers, indent=0, ensure_ascii=False) + "\n")
    kubectl("delete", "hpa/quantities")


if __name__ == "__main__":
    main()
