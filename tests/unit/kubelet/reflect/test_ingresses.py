"""What of an Ingress travels, and of which class it is there."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from liqo.api import labels
from liqo.api.kubernetes import Ingress
from liqo.api.meta import JSON, Meta
from liqo.kubelet.reflect.ingresses import CLASS, INGRESSES, content, controller, judge
from liqo.kubelet.reflect.reflection import forge
from tests.unit.kubelet.pods.things import PLACE, SITE, raw
from tests.unit.kubelet.reflect.things import caches, followed

BACKEND: JSON = {"service": {"name": "web", "port": {"number": 80}}}
RULE: JSON = {"host": "a.example.org", "http": {"paths": [{"path": "/", "backend": BACKEND}]}}
SPEC: JSON = {"defaultBackend": BACKEND, "rules": [RULE], "tls": [{"secretName": "tls"}]}


def an_ingress(spec: JSON | None = None, **more: Any) -> Ingress:
    given = {"name": "web", "namespace": "shop", "uid": "local-1", "resource_version": "1"}
    said = {**SPEC, "ingressClassName": "home", **(spec or {})}
    return Ingress(metadata=Meta(**{**given, **more}), raw_spec=raw(said))


def test_L19_all_but_its_class_travels() -> None:
    assert content(an_ingress(), SITE) == {"spec": SPEC}


def test_L19_it_is_of_the_class_that_the_provider_offers() -> None:
    offering = replace(SITE, ingress_class="milans")
    assert content(an_ingress(), offering) == {"spec": {**SPEC, "ingressClassName": "milans"}}


def test_L19_neither_does_the_class_that_is_said_in_the_old_way() -> None:
    local = an_ingress(annotations={CLASS: "home", "kept": "yes"})
    metadata = forge(INGRESSES, local, PLACE, SITE).body["metadata"]
    assert metadata["annotations"].keys() == {"kept", labels.LOCAL_UID, labels.APPLIED}


def test_it_goes_by_the_policy() -> None:
    assert judge(an_ingress(), "DenyList") == "goes"
    assert judge(an_ingress(), "AllowList") == "stays"


def test_ingresses_are_followed_on_both_sides() -> None:
    made = controller(caches("rome"), caches("milan"), SITE)
    assert made.name == INGRESSES.name
    assert followed(made) == ["Ingress", "atlas", "Ingress", "arrivals"]
