"""offload namespace: what is asked for, what is waited for, and in which words it is told."""

from __future__ import annotations

import json

import pytest
import yaml

from liqo.cli.offload.verbs import offload_namespace
from liqo.errors import LiqoError
from tests.unit.cli.answers import thing, things
from tests.unit.cli.calling import called
from tests.unit.cli.liqoctl import Client, transcript
from tests.unit.cli.offload.things import (
    HOME,
    NONE,
    a_namespace,
    an_offloading,
    offloading_of_shop,
    selected,
)
from tests.unit.kube.scripted import Answer, a_watch, an_event, refuses

READY = an_offloading("Ready", milan=selected())
Capture = pytest.CaptureFixture[str]


async def test_it_says_what_the_original_says(capsys: Capture) -> None:
    stock = transcript("offload")
    script = offloading_of_shop(things(READY))
    await called(offload_namespace, " ".join(stock.words[2:]), *script)
    said = capsys.readouterr()
    assert said.out == stock.said.out
    assert said.err.splitlines() == [line for line in stock.said.err.splitlines() if line]


async def test_every_field_is_written_so_that_the_last_word_counts() -> None:
    words = "shop --pod-offloading-strategy Remote -l region=south,!gpu -l tier=gold"
    requests = await called(offload_namespace, words, *offloading_of_shop(things(READY)))
    [write] = [asked for asked in requests if asked.method == "PATCH"]
    assert "/namespaces/shop/namespaceoffloadings/offloading?" in write.path
    south = {"key": "region", "operator": "In", "values": ["south"]}
    gold = {"key": "tier", "operator": "In", "values": ["gold"]}
    assert json.loads(write.body)["spec"] == {
        "clusterSelector": {
            "nodeSelectorTerms": [
                {"matchExpressions": [south, {"key": "gpu", "operator": "DoesNotExist"}]},
                {"matchExpressions": [gold]},
            ]
        },
        "namespaceMappingStrategy": "DefaultName",
        "podOffloadingStrategy": "Remote",
    }


def test_a_manifest_is_printed_as_the_original_prints_it(client: Client) -> None:
    stock = transcript("offload-yaml")
    assert client.say(*stock.words) == stock.said


def test_several_manifests_are_several_documents(client: Client) -> None:
    said = client.say("offload", "ns", "shop", "market", "shop", "-o", "yaml")
    documents = [each for each in yaml.safe_load_all(said.out) if each]
    assert [each["metadata"]["namespace"] for each in documents] == ["shop", "market"]
    assert documents[0]["spec"]["clusterSelector"] == {"nodeSelectorTerms": []}
    said = client.say("offload", "namespace", "shop", "-o", "json")
    assert json.loads(said.out) == documents[0]


async def test_manifests_of_those_that_a_selector_finds_are_printed(capsys: Capture) -> None:
    words = "--ns-selector team=a -o yaml"
    await called(offload_namespace, words, things(a_namespace("shop")))
    [found, _] = yaml.safe_load_all(capsys.readouterr().out)
    assert found["metadata"]["namespace"] == "shop"
    await called(offload_namespace, words, things())
    assert capsys.readouterr().err == "INFO: No namespaces can be offloaded\n"


async def test_until_all_of_it_is_there(capsys: Capture) -> None:
    coming = an_offloading("InProgress", milan=selected("False", "being created"))
    stale = {**READY, "status": {**READY["status"], "observedGeneration": 1}}
    events = (an_event("MODIFIED", coming), an_event("MODIFIED", READY))
    await called(
        offload_namespace, "shop", *offloading_of_shop(things(stale), a_watch(*events, stays=True))
    )
    assert capsys.readouterr().err.endswith("INFO: Offloading completed successfully\n")


@pytest.mark.parametrize(
    ("found", "advice"),
    [
        (
            an_offloading("NoClusterSelected"),
            "there is no cluster to select; borrow from one first, with: liqoctl peer",
        ),
        (
            an_offloading("NoClusterSelected", milan=[], turin=[]),
            'the labels of no virtual node match, of "milan", "turin"; see: kubectl get nodes',
        ),
    ],
)
async def test_no_cluster_at_all_is_a_warning(
    found: dict[str, object], advice: str, capsys: Capture
) -> None:
    await called(offload_namespace, "shop", *offloading_of_shop(things(found)))
    said = capsys.readouterr().err
    assert f"WARN: Offloading completed, but no cluster was selected\nWARN: {advice}" in said


async def test_a_cluster_that_fails_is_named_with_its_reason() -> None:
    failed = an_offloading("SomeFailed", milan=selected("False", "it is taken"), turin=selected())
    with pytest.raises(LiqoError) as wrong:
        await called(offload_namespace, "shop", *offloading_of_shop(things(failed)))
    said = str(wrong.value)
    assert said.startswith(
        'the offloading is in "SomeFailed" state: namespace "shop": cluster "milan": it is taken; '
    )
    assert "turin" not in said
    assert "liqoctl unoffload namespace shop" in said


async def test_a_time_out_tells_who_has_not_answered() -> None:
    coming = an_offloading("InProgress", milan=selected("False", "The remote … is being created"))
    script = offloading_of_shop(things(coming), a_watch(stays=True), thing(coming))
    with pytest.raises(LiqoError) as wrong:
        await called(offload_namespace, "shop --timeout 1s", *script)
    assert str(wrong.value) == (
        'timed out waiting for the condition: the offloading of namespace "shop" is not complete: '
        'cluster "milan": The remote … is being created (waited 1 s)'
    )


async def test_a_stricter_strategy_is_warned_of(capsys: Capture) -> None:
    script = offloading_of_shop(things(READY), present=READY)
    await called(offload_namespace, "shop --pod-offloading-strategy Local", *script)
    said = capsys.readouterr().err
    assert "WARN: The PodOffloadingStrategy was mutated to a more restrictive setting\n" in said
    assert "WARN: Existing pods violating this policy might still be running\n" in said


@pytest.mark.parametrize(
    ("namespace", "present", "words", "why"),
    [
        (NONE, NONE, "shop", 'there is no namespace "shop" in the cluster, http'),
        (
            thing(a_namespace("kube-system")),
            NONE,
            "kube-system",
            '"kube-system" belongs to Kubernetes',
        ),
        (thing(a_namespace("liqo")), NONE, "liqo", "Liqo itself runs in the namespace"),
        (thing(a_namespace(going=True)), NONE, "shop", '"shop" is being deleted'),
        (
            thing(a_namespace()),
            thing(READY),
            "shop --namespace-mapping-strategy EnforceSameName",
            "is offloaded with the NamespaceMappingStrategy DefaultName, which cannot be changed; "
            "take it back first, with: liqoctl unoffload namespace shop",
        ),
        (thing(a_namespace("n" * 60)), NONE, "n" * 60, "has 65 characters; at most 63"),
    ],
)
async def test_what_cannot_work_is_refused_before_anything_is_written(
    namespace: Answer, present: Answer, words: str, why: str
) -> None:
    with pytest.raises(LiqoError) as wrong:
        await called(offload_namespace, words, HOME, namespace, present)
    assert why in str(wrong.value)


async def test_where_liqo_is_not_installed_it_says_so() -> None:
    with pytest.raises(LiqoError, match='Liqo is not installed in the namespace "liqo"'):
        await called(offload_namespace, "shop", things())


async def test_of_those_that_a_selector_finds_some_are_left_out(capsys: Capture) -> None:
    found = things(a_namespace("kube-system"), a_namespace("shop"))
    script = (HOME, found, NONE, NONE, thing(an_offloading()), things(READY))
    requests = await called(offload_namespace, "--ns-selector team=a", *script)
    assert "labelSelector=team%3Da" in requests[1].path
    said = capsys.readouterr().err
    assert 'WARN: the namespace "kube-system" belongs to Kubernetes' in said
    assert 'INFO: Offloading of namespace "shop" correctly enabled' in said


async def test_nothing_to_offload_is_told(capsys: Capture) -> None:
    await called(offload_namespace, "", HOME)
    assert capsys.readouterr().err == "INFO: No namespaces can be offloaded\n"


async def test_one_that_fails_does_not_keep_the_others(capsys: Capture) -> None:
    both = things(a_namespace("market"), a_namespace("shop"))
    script = (HOME, both, NONE, NONE, refuses(422, "no"), thing(an_offloading()), things(READY))
    with pytest.raises(LiqoError, match='NamespaceOffloading "market/offloading" of the cluster'):
        await called(offload_namespace, "--ns-selector team", *script)
    assert 'INFO: Offloading of namespace "shop" completed successfully' in capsys.readouterr().err
