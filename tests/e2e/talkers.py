"""Pods that one can talk to; at home and elsewhere they differ in nothing that is shown of them."""

from __future__ import annotations

import json

from liqo.api import labels
from liqo.api.meta import JSON
from liqo.playground import images

SCRIPT = """\
for word in one two three; do echo $word; done
mkdir /tmp/www; echo "this is $HOSTNAME" > /tmp/www/index.html; httpd -p 8080 -h /tmp/www
exec cat
"""
TWICE = "[ -e /lives/first ] && exec sleep 100000; echo a first life | tee /lives/first; exit 3"


def _going(operator: str) -> JSON:
    term = {"key": labels.TYPE, "operator": operator, "values": ["virtual-node"]}
    terms = [{"matchExpressions": [term]}]
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    return {
        "affinity": {"nodeAffinity": required},
        "tolerations": [{"key": labels.NOT_ALLOWED_TAINT, "operator": "Exists"}],
    }


AT_HOME, ELSEWHERE = _going("NotIn"), _going("In")


def a_talker(name: str, spec: JSON) -> str:
    """With a shell, a web server on 8080, and ears; the spec says where it goes."""
    return json.dumps(a_pod(name, {"containers": [_shell("main", SCRIPT, stdin=True)], **spec}))


def a_twin(name: str, spec: JSON) -> JSON:
    """A talker with more past: a container that is over, and one that lives for the second time."""
    lives = {"volumeMounts": [{"name": "lives", "mountPath": "/lives"}]}
    whole = {
        "initContainers": [_shell("first", "echo of old")],
        "containers": [_shell("main", SCRIPT, stdin=True), _shell("twice", TWICE, **lives)],
        "volumes": [{"name": "lives", "emptyDir": {}}],
    }
    return a_pod(name, {**whole, **spec})


def a_listener(name: str, spec: JSON) -> JSON:
    """It does nothing, and ends when it is told."""
    ending = "trap 'exit 0' TERM; sleep 100000 & wait"
    little = {"resources": {"requests": {"cpu": "10m"}}}
    return a_pod(name, {"containers": [{**_shell("main", ending), **little}], **spec})


def a_latecomer(name: str, spec: JSON) -> JSON:
    """What comes before it does not end."""
    before, later = _shell("before", "sleep 100000"), _shell("main", "true")
    return a_pod(name, {"initContainers": [before], "containers": [later], **spec})


def a_pod(name: str, spec: JSON) -> JSON:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": {"app": name}},
        "spec": {"terminationGracePeriodSeconds": 0, **spec},
    }


def a_deployment(pod: JSON) -> JSON:
    """Of one such pod."""
    name, marks = pod["metadata"]["name"], pod["metadata"]["labels"]
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name},
        "spec": {
            "selector": {"matchLabels": marks},
            "template": {"metadata": {"labels": marks}, "spec": pod["spec"]},
        },
    }


def _shell(name: str, script: str, **more: object) -> JSON:
    return {"name": name, "image": images.HELPER, "command": ["sh", "-c", script], **more}
