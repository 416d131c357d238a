"""The decision that all reflected kinds share, row by row."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec
import pytest

from liqo.api import labels
from liqo.api.kubernetes import ConfigMap, Secret
from liqo.api.meta import JSON, Key
from liqo.api.offloading import MappingPhase, OffloadingPatch, VkOptionsTemplate
from liqo.kube.cache import Caches
from liqo.kube.cluster import Cluster
from liqo.kube.errors import Conflict, Forbidden, KubeError, Unreachable
from liqo.kube.listing import Listing
from liqo.kube.reading import ManagedMeta, metadata
from liqo.kubelet.reflect.around import Around
from liqo.kubelet.reflect.configmaps import CONFIG_MAPS
from liqo.kubelet.reflect.policy import DEFAULT, Policies
from liqo.kubelet.reflect.reflection import (
    MANAGER,
    State,
    controller,
    failed,
    forge,
    home,
    is_on_its_way,
    observe,
    plan,
)
from liqo.kubelet.reflect.secrets import SECRETS
from liqo.runtime.execute import Author, Executor
from liqo.runtime.plan import NOTHING, Apply, Delete, Manifest, Plan, Record, do
from tests.unit.kube.scripted import says, scripted
from tests.unit.kubelet.pods.things import PLACE, SITE, raw
from tests.unit.kubelet.reflect.things import (
    GOING,
    a_config_map,
    a_copy,
    a_map,
    a_secret,
    there,
    token_marks,
    views,
)

KEY = Key("shop", "settings")
LOCAL = a_config_map()
REMOTE = there(ConfigMap)
FOREIGN = there(ConfigMap, labels={labels.ORIGIN: "naples", labels.DESTINATION: "milan"})
EARLIER = there(ConfigMap, annotations={labels.LOCAL_UID: "local-0"})
LEAVING = there(ConfigMap, deletion_timestamp=GOING)
SKIPPED = a_config_map(annotations={labels.SKIP_REFLECTION: "true"})
APPLY = Apply(forge(CONFIG_MAPS, LOCAL, PLACE, SITE), on="remote", whole=CONFIG_MAPS.whole)
STAYS = Record(
    SKIPPED,
    "ReflectionDisabled",
    'Reflection to cluster "milan" disabled for the current object (policy: "DenyList")',
    component="liqo-configmap-reflection",
)


def state(
    local: ConfigMap | None, remote: ConfigMap | None = None, **more: Any
) -> State[ConfigMap]:
    return State(SITE, PLACE, local, remote, **more)


def warned(words: str, about: ConfigMap = LOCAL) -> Plan:
    message = f'Error reflecting object to cluster "milan": {words}'
    component = "liqo-configmap-reflection"
    return do(Record(about, "FailedReflection", message, type="Warning", component=component))


TAKEN = warned(
    "remote object already exists: ConfigMap shop-rome/settings is not a copy of this one. Delete "
    "it there, or set the annotation liqo.io/skip-reflection=true on this one"
)


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        pytest.param(state(LOCAL, is_followed=False), NOTHING, id="P-RACE12 not followed yet"),
        pytest.param(state(None, REMOTE, is_followed=False), NOTHING, id="an orphan, perhaps"),
        pytest.param(state(None, REMOTE), do(Delete(REMOTE, on="remote")), id="gone at home"),
        pytest.param(state(None, LEAVING), NOTHING, id="gone at home, leaving there"),
        pytest.param(state(None, FOREIGN), NOTHING, id="gone at home, foreign there"),
        pytest.param(
            state(SKIPPED, REMOTE), do(Delete(REMOTE, on="remote"), STAYS), id="skipped since"
        ),
        pytest.param(state(SKIPPED), do(STAYS), id="skipped"),
        pytest.param(state(SKIPPED, FOREIGN), do(STAYS), id="skipped, foreign there"),
        pytest.param(
            state(LOCAL, REMOTE, policy="Off"), do(Delete(REMOTE, on="remote")), id="L15 kind off"
        ),
        pytest.param(state(LOCAL, FOREIGN, policy="Off"), NOTHING, id="off, foreign there"),
        pytest.param(state(LOCAL, FOREIGN), TAKEN, id="the name is taken"),
        pytest.param(state(LOCAL, there(ConfigMap, labels={})), TAKEN, id="taken by milan's own"),
        pytest.param(state(LOCAL, LEAVING), NOTHING, id="somebody deletes it there"),
        pytest.param(
            state(LOCAL, EARLIER), do(Delete(EARLIER, on="remote")), id="of an earlier object"
        ),
        pytest.param(state(LOCAL), do(APPLY), id="new, or deleted there"),
        pytest.param(state(LOCAL, REMOTE), do(APPLY), id="to be kept as it is here"),
        pytest.param(
            state(LOCAL, there(ConfigMap, annotations={})), do(APPLY), id="made by another kubelet"
        ),
    ],
)
def test_what_is_done(seen: State[ConfigMap], expected: Plan) -> None:
    assert plan(CONFIG_MAPS, seen) == expected


def test_an_object_whose_owner_wants_two_things_is_left_alone() -> None:
    both = {labels.SKIP_REFLECTION: "true", labels.ALLOW_REFLECTION: "true"}
    torn = a_config_map("kube-root-ca.crt", annotations=both)
    words = (
        "the annotations liqo.io/skip-reflection and liqo.io/allow-reflection contradict each "
        "other: remove one"
    )
    assert plan(CONFIG_MAPS, state(torn, REMOTE)) == warned(words, torn)


def test_a_copy_says_whose_it_is_and_has_nothing_of_the_rest_of_its_metadata() -> None:
    local = a_config_map(labels={"app": "web"}, finalizers=("example.org/hold",))
    manifest = forge(CONFIG_MAPS, local, PLACE, SITE)
    assert manifest.kind == ConfigMap.KIND
    digest = manifest.body["metadata"]["annotations"].pop(labels.APPLIED)
    assert len(digest) == 16
    assert manifest.body == {
        "metadata": {
            "name": "settings",
            "namespace": "shop-rome",
            "labels": {"app": "web", labels.ORIGIN: "rome", labels.DESTINATION: "milan"},
            "annotations": {labels.LOCAL_UID: "local-1"},
        },
        "data": {"colour": "red"},
    }


def as_it_was_left(**more: Any) -> ConfigMap:
    """With what the API server notes of who wrote it."""
    said = APPLY.object
    assert isinstance(said, Manifest)
    marks = said.body["metadata"]
    fields = {
        "f:data": {"f:colour": {}},
        "f:metadata": {
            part: {f"f:{name}": {} for name in marks[part.removeprefix("f:")]}
            for part in ("f:labels", "f:annotations")
        },
    }
    entry = {"manager": MANAGER, "operation": "Apply", "fieldsV1": fields, **more}
    metadata = ManagedMeta(
        **{
            **msgspec.structs.asdict(REMOTE.metadata),
            "labels": marks["labels"],
            "annotations": marks["annotations"],
        },
        raw_managed_fields=msgspec.Raw(msgspec.json.encode([entry])),
    )
    return ConfigMap(metadata=metadata)


def test_a_kubelet_that_has_just_begun_writes_nothing_where_nothing_has_changed() -> None:
    assert plan(CONFIG_MAPS, state(LOCAL, as_it_was_left())) == NOTHING


@pytest.mark.parametrize(
    "seen",
    [
        state(LOCAL, as_it_was_left(manager="kubectl", operation="Update")),
        state(LOCAL, as_it_was_left(fieldsV1={"f:metadata": {}})),
        state(a_config_map(labels={"app": "web"}), as_it_was_left()),
        state(a_config_map(fields={"raw_data": raw({"colour": "blue"})}), as_it_was_left()),
    ],
    ids=["edited there", "taken from there", "another label here", "other content here"],
)
def test_what_has_changed_on_either_side_is_written(seen: State[ConfigMap]) -> None:
    [action] = plan(CONFIG_MAPS, seen).actions
    assert isinstance(action, Apply)


def test_a_copy_that_somebody_made_immutable_is_made_anew() -> None:
    ended = as_it_was_left(manager="kubectl", operation="Update", fieldsV1={"f:immutable": {}})
    assert plan(CONFIG_MAPS, state(LOCAL, ended)) == do(Delete(ended, on="remote"))


@pytest.mark.parametrize(
    ("seen", "error", "expected"),
    [
        (state(LOCAL), Forbidden("milan: quota"), warned("quota")),
        (state(LOCAL), Conflict("milan: changed"), NOTHING),
        (state(LOCAL), Unreachable("milan: nobody there"), NOTHING),
        (state(None, REMOTE), Forbidden("milan: no"), NOTHING),
    ],
)
def test_who_is_told_of_a_refusal(seen: State[ConfigMap], error: KubeError, expected: Plan) -> None:
    assert failed(CONFIG_MAPS, seen, error) == expected


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        pytest.param(state(None, is_followed=False), True, id="nobody knows yet"),
        pytest.param(state(None, REMOTE), False, id="gone at home"),
        pytest.param(state(SKIPPED), False, id="it stays"),
        pytest.param(state(LOCAL), True, id="not there yet"),
        pytest.param(state(LOCAL, REMOTE), False, id="there"),
        pytest.param(state(LOCAL, FOREIGN), False, id="something else is there"),
        pytest.param(state(LOCAL, EARLIER), True, id="an earlier one is there"),
    ],
)
def test_P_RACE9_what_is_worth_waiting_for(seen: State[ConfigMap], expected: bool) -> None:
    assert is_on_its_way(CONFIG_MAPS, seen) == expected


async def test_an_object_is_seen_with_its_copy() -> None:
    seen = await views(ConfigMap, [LOCAL], [REMOTE])
    assert observe(seen, SITE, CONFIG_MAPS, DEFAULT, KEY) == state(LOCAL, REMOTE)
    beside = replace(seen, around=lambda _: Around(is_mentioned=True))
    assert observe(beside, SITE, CONFIG_MAPS, DEFAULT, KEY) == state(
        LOCAL, REMOTE, around=Around(is_mentioned=True)
    )


async def test_an_orphan_is_seen() -> None:
    seen = await views(ConfigMap, [], [REMOTE])
    assert observe(seen, SITE, CONFIG_MAPS, DEFAULT, KEY) == state(None, REMOTE)


async def test_what_is_nowhere_needs_no_decision() -> None:
    assert observe(await views(ConfigMap), SITE, CONFIG_MAPS, DEFAULT, KEY) is None


@pytest.mark.parametrize("phase", ["CreationLoopBackOff", "Terminating", None])
async def test_in_a_namespace_that_left_the_map_nothing_is_deleted(
    phase: MappingPhase | None,
) -> None:
    seen = await views(ConfigMap, [], [REMOTE], known=a_map(phase))
    assert observe(seen, SITE, CONFIG_MAPS, DEFAULT, KEY) is None


async def test_P_RACE12_what_one_side_has_not_told_yet_is_not_missing() -> None:
    unlisted_here = await views(ConfigMap, None, [REMOTE])
    unlisted_there = await views(ConfigMap, [LOCAL], None)
    neither = await views(ConfigMap, None, None)
    for seen, expected in (
        (unlisted_here, state(None, REMOTE, is_followed=False)),
        (unlisted_there, state(LOCAL, is_followed=False)),
        (neither, state(None, is_followed=False)),
    ):
        assert observe(seen, SITE, CONFIG_MAPS, DEFAULT, KEY) == expected


async def test_the_policy_of_the_moment_counts() -> None:
    seen = await views(ConfigMap, [LOCAL])
    allowed = observe(seen, SITE, CONFIG_MAPS, Policies(lambda _: "AllowList"), KEY)
    assert allowed == state(LOCAL, policy="AllowList")


async def test_what_is_withheld_at_the_moment_counts() -> None:
    seen = await views(ConfigMap, [LOCAL])
    withheld = replace(SITE, patch=OffloadingPatch(labels_not_reflected=("internal",)))
    found = observe(seen, SITE, CONFIG_MAPS, Policies(at=lambda _: withheld), KEY)
    assert found is not None
    assert found.site == withheld


async def test_what_would_take_the_name_of_our_root_ca_stays_home() -> None:
    seen = await views(ConfigMap, [a_config_map("kube-root-ca.crt.rome")])
    key = Key("shop", "kube-root-ca.crt.rome")
    assert observe(seen, SITE, CONFIG_MAPS, DEFAULT, key) is None


async def test_P_RACE6_a_copy_leads_to_the_key_at_home_even_when_nothing_is_left_there() -> None:
    seen = await views(ConfigMap)
    copy = there(ConfigMap, "kube-root-ca.crt.rome")
    assert home(seen, SITE, CONFIG_MAPS, copy) == (Key("shop", "kube-root-ca.crt"),)
    assert home(seen, SITE, CONFIG_MAPS, there(ConfigMap, namespace="other")) == ()


def as_milan_has_it(version: str) -> JSON:
    manifest = forge(CONFIG_MAPS, LOCAL, PLACE, SITE)
    metadata = {**manifest.body["metadata"], "uid": "remote-1", "resourceVersion": version}
    return {**manifest.body, "metadata": metadata}


async def test_what_was_edited_or_deleted_there_is_written_again_and_nothing_else_is() -> None:
    answers = [says(as_milan_has_it(version)) for version in ("5", "7", "9")]
    async with scripted(*answers) as milan, Cluster(milan.access, name="milan") as cluster:
        caches = Caches(cluster)
        copies = caches.of(metadata(ConfigMap))
        await copies.adopt(Listing([], "1"))
        executor, author = Executor({"remote": caches}), Author(CONFIG_MAPS.name, MANAGER)
        decided = plan(CONFIG_MAPS, state(LOCAL))
        for _ in range(3):
            await executor.execute(author, decided)
        assert len(milan.asked) == 1, "it stands as we left it"
        caches.take(ConfigMap.KIND, {**as_milan_has_it("6"), "data": {"colour": "blue"}})
        for _ in range(3):
            await executor.execute(author, decided)
        assert len(milan.asked) == 2, "somebody edited it, which its metadata does not show"
        await copies.adopt(Listing([], "8"))
        for _ in range(3):
            await executor.execute(author, decided)
        assert len(milan.asked) == 3, "somebody deleted it"
        assert {asked.method for asked in milan.asked} == {"PATCH"}
        assert all("fieldManager=reflection.liqo.io" in asked.path for asked in milan.asked)


async def test_G03_what_somebody_adds_to_a_copy_is_taken_out_again() -> None:
    edited = {**as_milan_has_it("5"), "data": {"colour": "red", "more": "x"}, "binaryData": None}
    async with (
        scripted(says(edited), says(as_milan_has_it("6"))) as milan,
        Cluster(milan.access, name="milan") as cluster,
    ):
        caches = Caches(cluster)
        await caches.of(metadata(ConfigMap)).adopt(Listing([], "1"))
        executor, author = Executor({"remote": caches}), Author(CONFIG_MAPS.name, MANAGER)
        for _ in range(3):
            await executor.execute(author, plan(CONFIG_MAPS, state(LOCAL)))
        assert [asked.method for asked in milan.asked] == ["PATCH", "PATCH"]
        taken = msgspec.json.decode(milan.asked[1].body)
        assert taken == {"data": {"more": None}, "metadata": {"uid": "remote-1"}}


async def test_a_copy_of_which_only_the_metadata_is_known_can_be_deleted() -> None:
    async with scripted(says({})) as milan, Cluster(milan.access, name="milan") as cluster:
        executor = Executor({"remote": Caches(cluster)})
        await executor.execute(
            Author(CONFIG_MAPS.name, MANAGER), plan(CONFIG_MAPS, state(None, REMOTE))
        )
        (asked,) = milan.asked
        path = "/api/v1/namespaces/shop-rome/configmaps/settings"
        assert (asked.method, asked.path.partition("?")[0]) == ("DELETE", path)
        assert b"remote-1" in asked.body


def test_the_secret_with_a_pods_tokens_is_nobodys_copy() -> None:
    tokens = there(Secret, "web-0-token", **token_marks())
    local = a_secret("web-0-token")
    gone: State[Secret] = State(SITE, PLACE, None, tokens)
    assert plan(SECRETS, gone) == NOTHING
    (told,) = plan(SECRETS, replace(gone, local=local)).actions
    assert isinstance(told, Record)
    assert "remote object already exists" in told.message


async def test_P_RACE7_it_reflects_without_being_elected() -> None:
    templates = await a_copy(VkOptionsTemplate, [])
    seen = await views(ConfigMap, [LOCAL])
    policies = replace(DEFAULT, sources=(templates,))
    made = controller(seen, SITE, CONFIG_MAPS, policies)
    assert (made.name, made.manager) == ("kubelet/reflect/configmaps", "reflection.liqo.io")
    assert set(made.watches) == {seen.locals, seen.atlas, seen.remotes, templates}
    assert list(made.watches[seen.locals](LOCAL)) == [KEY]
    assert list(made.watches[seen.atlas]("shop")) == [KEY]
    assert list(made.watches[seen.remotes](REMOTE)) == [KEY]
    assert list(made.watches[templates](a_map())) == [KEY]
    observed = made.observe(KEY)
    assert observed is not None
    assert made.plan(observed) == do(APPLY)
    assert made.failed is not None
    assert made.failed(observed, Forbidden("milan: quota")) == warned("quota")
