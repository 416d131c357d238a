"""What a provider does not take is told at home in its own words, and hinders nothing else."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from liqo.api.meta import JSON
from liqo.errors import LiqoError
from liqo.playground.cluster import Site
from tests.e2e.artifacts import config_map, secret, service
from tests.e2e.eventually import eventually
from tests.e2e.kubelets import REFLECTION, kubelets, own_options, taken_over
from tests.e2e.offloaded import read
from tests.e2e.pods.test_reflected_kinds import offer
from tests.e2e.workloads import Shop

POLICY, WORDS = "admissionregistration.k8s.io/v1", "milan takes nothing that is called forbidden"
ROOT_CAS = ("kube-root-ca.crt", "kube-root-ca.crt.rome")  # of Milan, and of Rome
MUCH = b64encode(b"x" * 1_000_000).decode()  # with all that is around it, just below the limit


async def warned(trade: Shop, name: str) -> str:
    about = f"involvedObject.name={name},reason=FailedReflection"
    found = await read(trade.rome, "events", *trade.here, "--field-selector", about)
    return " ".join(each["message"] for each in found["items"])


async def follows(trade: Shop, name: str) -> None:
    """What comes afterwards goes out as ever."""
    await trade.put(config_map(name))
    await eventually(partial(trade.theirs, f"configmap/{name}"), bool)


@asynccontextmanager
async def put(site: Site, *objects: JSON) -> AsyncIterator[None]:
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": [*objects]})
    await site.kubectl("create", "-f", "-", text=text)
    try:
        yield
    finally:
        await site.kubectl("delete", "-f", "-", text=text)


async def test_a_secret_of_a_megabyte_arrives_whole(trade: Shop) -> None:
    large = {**secret("large"), "data": {"word": MUCH}}
    await trade.put(large)
    theirs = await eventually(partial(trade.theirs, "secret/large"), bool)
    assert theirs["data"] == {"word": MUCH}
    await trade.rome.kubectl("label", "secret/large", *trade.here, "size=big")
    await eventually(partial(size, trade), is_="big")
    assert (await trade.theirs("secret/large"))["data"] == {"word": MUCH}


async def size(trade: Shop) -> str:
    marks: dict[str, str] = (await trade.theirs("secret/large"))["metadata"]["labels"]
    return marks.get("size", "")


async def test_a_config_map_that_differs_in_binary_data_alone_changes_there(trade: Shop) -> None:
    await trade.put({**config_map("bytes"), "binaryData": {"a": "AAE="}})
    await eventually(partial(binary, trade), is_={"a": "AAE="})
    words = '-p={"binaryData":{"a":"AAI="}}'
    await trade.rome.kubectl("patch", "configmap/bytes", *trade.here, "--type=merge", words)
    await eventually(partial(binary, trade), is_={"a": "AAI="})


async def binary(trade: Shop) -> JSON:
    found: JSON = (await trade.theirs("configmap/bytes"))["binaryData"]
    return found


async def test_a_class_that_no_service_can_have_is_told_of_those_that_would_have_it(
    trade: Shop,
) -> None:
    """One of the owner's own stays at home; this is what a provider says that it offers."""
    own = service("own", type="LoadBalancer", loadBalancerClass="no.such/class")
    await trade.put(own)
    theirs = await eventually(partial(trade.theirs, "service/own"), bool)
    assert "loadBalancerClass" not in theirs["spec"]
    async with own_options(trade.rome) as options:
        before = await kubelets(trade.rome)
        await offer(trade.rome, options, load_balancer="_not a class_")
        await taken_over(trade.rome, before, REFLECTION)
        await trade.put(service("odd", type="LoadBalancer"), service("plain"))
        said = await eventually(partial(warned, trade, "odd"), bool, within=120)
        assert "spec.loadBalancerClass" in said
        await eventually(partial(trade.theirs, "service/plain"), bool)
        await follows(trade, "later")
    await eventually(partial(trade.theirs, "service/odd"), bool, within=120)


async def test_what_the_provider_refuses_is_told_in_its_words_and_comes_once_it_may(
    trade: Shop,
) -> None:
    async with put(trade.milan, *refusing(trade)):
        await eventually(partial(is_refused, trade))
        await trade.put(config_map("forbidden"), config_map("welcome"))
        await eventually(partial(trade.theirs, "configmap/welcome"), bool)
        said = await eventually(partial(warned, trade, "forbidden"), bool)
        assert WORDS in said
        assert said.startswith('Error reflecting object to cluster "milan": ')
        await follows(trade, "later")
    await eventually(partial(trade.theirs, "configmap/forbidden"), bool, within=150)


def refusing(trade: Shop) -> tuple[JSON, JSON]:
    """A policy of Milan's, in that one namespace."""
    name, where = f"refusing-{trade.name}", f"{trade.name}-rome"
    chosen = {
        "apiGroups": [""],
        "apiVersions": ["v1"],
        "operations": ["CREATE", "UPDATE"],
        "resources": ["configmaps"],
    }
    rule = {"expression": "object.metadata.name != 'forbidden'", "message": WORDS}
    policy = {
        "apiVersion": POLICY,
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": name},
        "spec": {"matchConstraints": {"resourceRules": [chosen]}, "validations": [rule]},
    }
    inside = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": where}}}
    binding = {
        "apiVersion": POLICY,
        "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": {"name": name},
        "spec": {
            "policyName": name,
            "validationActions": ["Deny"],
            "matchResources": inside,
        },
    }
    return policy, binding


async def is_refused(trade: Shop) -> bool:
    """A policy counts a moment after it was made."""
    asked = ("create", "configmap", "forbidden", *trade.there, "--dry-run=server")
    try:
        await trade.milan.kubectl(*asked)
    except LiqoError as error:
        return WORDS in str(error)
    return False


async def test_a_quota_that_is_full_is_told_and_what_is_there_is_kept_up(trade: Shop) -> None:
    await trade.put(config_map("early"))
    await eventually(partial(trade.theirs, "configmap/early"), bool)
    # Beside this one those that Kubernetes itself puts there, and here, a moment later.
    present = len(await eventually(partial(config_maps, trade), is_={"early", *ROOT_CAS}))
    quota = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "small", "namespace": f"{trade.name}-rome"},
        "spec": {"hard": {"count/configmaps": str(present)}},
    }
    async with put(trade.milan, quota):
        await eventually(partial(counted, trade), is_=str(present))
        await trade.put(config_map("late"), secret("beside"))
        said = await eventually(partial(warned, trade, "late"), bool)
        assert "exceeded quota: small" in said
        await eventually(partial(trade.theirs, "secret/beside"), bool)
        words = '-p={"data":{"colour":"blue"}}'
        await trade.rome.kubectl("patch", "configmap/early", *trade.here, "--type=merge", words)
        await eventually(partial(colour, trade), is_="blue")
    await eventually(partial(trade.theirs, "configmap/late"), bool, within=150)


async def config_maps(trade: Shop) -> set[str]:
    found = (await read(trade.milan, "configmaps", *trade.there))["items"]
    return {each["metadata"]["name"] for each in found}


async def counted(trade: Shop) -> str:
    used = (await read(trade.milan, "resourcequota/small", *trade.there))["status"].get("used", {})
    return str(used.get("count/configmaps", ""))


async def colour(trade: Shop) -> str:
    return str((await trade.theirs("configmap/early"))["data"]["colour"])
