"""What a virtual kubelet is made of."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import structlog

from liqo.api import labels
from liqo.api.kubernetes import Secret
from liqo.api.meta import Key, Kind, Meta
from liqo.api.offloading import (
    MappingPhase,
    NamespaceMap,
    NamespaceMapSpec,
    NamespaceMapStatus,
    RemoteNamespace,
    VirtualNode,
)
from liqo.kube.access import Access
from liqo.kube.cache import Caches
from liqo.kube.cluster import Cluster
from liqo.kube.errors import NotFound
from liqo.kube.namespaced import Namespaced
from liqo.kube.paths import Scope
from liqo.kubelet.api.figures import Figures
from liqo.kubelet.figures import REFLECTORS
from liqo.kubelet.node.face import Face
from liqo.kubelet.node.probe import Probe
from liqo.kubelet.reflect.customs import Offer
from liqo.kubelet.site import ApiServer, Site
from liqo.programs.kubelet import (
    Known,
    _api_server,
    _custom_kinds,
    _follow_credential,
    _platform,
    _shown,
    _supports_api_server,
    controllers,
    kubelet_api,
    main,
    reflecting,
    serve,
    user_of,
)
from liqo.programs.kubeletconfig import Config, read
from tests.unit.kube.scripted import CUT, a_list, refuses, says, scripted
from tests.unit.provider.things import secret_data

LEAST = (
    "--foreign-cluster-id=milan",
    "--home-cluster-id=rome",
    "--foreign-kubeconfig-secret-name=credential",
    "--tenant-namespace=liqo-tenant-milan",
    "--nodename=milan",
)
KNOWN = Known(
    Site("rome", "milan", "milan", "liqo-tenant-milan"), Face("milan", "milan", "", 10250, "v1")
)
KUBECONFIG = b"""\
current-context: one
clusters: [{name: one, cluster: {server: "https://new.invalid"}}]
contexts: [{name: one, context: {cluster: one}}]
"""


def made(told: Config) -> tuple[list[str], list[str]]:
    """Its controllers, and those of which one kubelet of all works."""
    here, there = (Caches(Cluster(Access(f"http://{each}.invalid"))) for each in ("rome", "milan"))
    probe = Probe(there.cluster, "milan", told.patience)
    own = controllers(here, there, told, KNOWN, probe)
    shared = reflecting(here, there, told, KNOWN.site)
    return [each.name for each in own], [each.name for each in shared]


NODE = ["kubelet/node/show", "kubelet/node/lease"]
REFLECTING = [
    f"kubelet/reflect/{kinds}"
    for kinds in (
        "configmaps",
        "secrets",
        "services",
        "endpointslices",
        "ingresses",
        "events/others",
    )
]


def test_a_kubelet_has_a_node_its_lease_and_its_pods() -> None:
    for_pods = [f"kubelet/reflect/{what}" for what in ("tokens", "volumes", "events")]
    own = [*NODE, "kubelet/pods", "kubelet/node/shrink", *for_pods]
    assert made(read(LEAST)) == (own, REFLECTING)


def test_of_every_kind_of_the_wire_it_is_counted_what_is_reflected() -> None:
    own, shared = made(read(LEAST))
    reflectors = {each for each in (*own, *shared) if each.startswith("kubelet/reflect/")}
    assert reflectors - set(REFLECTORS) == {"kubelet/reflect/volumes"}  # which are only told of


def test_D08_without_a_node_it_only_reflects() -> None:
    assert made(read((*LEAST, "--create-node=false"))) == ([], REFLECTING)


def test_all_that_it_follows_is_within_its_watches() -> None:
    """12, and 2 for each mapped namespace; abroad 3 for each, beside metadata (ADR 0025)."""
    here, there = (Caches(Cluster(Access(f"http://{each}.invalid"))) for each in ("rome", "milan"))
    told, site = read(LEAST), replace(KNOWN.site, node_ip="10.71.0.7")
    known = replace(KNOWN, site=site)
    controllers(here, there, told, known, Probe(there.cluster, "milan", told.patience))
    reflecting(here, there, told, site)
    kubelet_api(here, there.cluster, told, Figures(there.cluster, site))
    _follow_credential(here, there.cluster, told)
    each = [copy.reading.kind.name for copy in here if isinstance(copy, Namespaced)]
    assert sorted(each) == ["ConfigMap", "Secret"]
    assert len([copy for copy in here if not isinstance(copy, Namespaced)]) <= 12
    assert all(isinstance(copy, Namespaced) for copy in there), "we have rights in our namespaces"
    whole = [copy.reading.kind.name for copy in there if not copy.reading.metadata_only]
    assert sorted(whole) == ["Event", "Pod", "ShadowPod"]


WIDGETS = Kind("example.org", "v1", "Widget", "widgets")


def test_whatever_it_follows_is_followed_once_the_provider_answers_and_while_it_is_there() -> None:
    here, there = (Caches(Cluster(Access(f"http://{each}.invalid"))) for each in ("rome", "milan"))
    told, offer = read(LEAST), Offer(served=(WIDGETS,))
    controllers(here, there, told, KNOWN, Probe(there.cluster, "milan", told.patience))
    reflecting(here, there, told, KNOWN.site, offer)
    maps = here.of(NamespaceMap, Scope("liqo-tenant-milan"))

    def followed(name: str) -> set[bool]:
        return {
            copy.chooses(Key(name if copies is there else "shop", "any"))
            for copies in (here, there)
            for copy in copies
            if isinstance(copy, Namespaced)
        }

    maps.take(a_map("1", shop="shop-rome", phase=None))
    assert followed("shop-rome") == {False}
    maps.take(a_map("2", shop="shop-rome"))
    assert followed("shop-rome") == {True}
    maps.take(a_map("3", shop="shop-2"))
    assert followed("shop-2") == {True}
    assert not any(copy.chooses(Key("shop-rome", "any")) for copy in there)
    maps.take(a_map("4", shop="shop-2", phase="Terminating"))
    assert followed("shop-2") == {False}


def a_map(version: str, shop: str, phase: MappingPhase | None = "Accepted") -> NamespaceMap:
    answer = {"shop": RemoteNamespace(shop, phase)} if phase is not None else {}
    return NamespaceMap(
        metadata=Meta(
            name="milan",
            namespace="liqo-tenant-milan",
            labels={labels.REMOTE_CLUSTER_ID: "milan"},
            resource_version=version,
        ),
        spec=NamespaceMapSpec(desired_mapping={"shop": shop}),
        status=NamespaceMapStatus(current_mapping=answer),
    )


def test_pods_without_workers_are_not_its_business() -> None:
    assert made(read((*LEAST, "--pod-reflection-workers=0"))) == (NODE, REFLECTING)


def test_L15_a_kind_without_workers_is_looked_at_so_that_what_went_is_taken_back() -> None:
    assert made(read((*LEAST, "--secret-reflection-workers=0")))[1] == REFLECTING


def test_without_tokens_no_pod_talks_to_its_home_api_server() -> None:
    supported = read((*LEAST, "--enable-apiserver-support"))
    assert _supports_api_server(supported)
    off = (*LEAST, "--enable-apiserver-support", "--serviceaccount-reflection-workers=0")
    assert not _supports_api_server(read(off))
    assert not _supports_api_server(read(LEAST))


async def test_kinds_that_one_side_does_not_serve_are_not_followed() -> None:
    told = read((*LEAST, "--custom-resources=widgets.v1.example.org/Widget,jobs.v1.a.org/Job"))
    widgets, jobs = told.customs
    served = {"resources": [{"name": "widgets", "kind": "Widget", "namespaced": True}]}
    here, there = (says(served), refuses(500)), (says(served),)
    async with (
        scripted(*here) as rome,
        scripted(*there) as milan,
        Cluster(rome.access, name="rome") as home,
        Cluster(milan.access, name="milan") as provider,
    ):
        rest = replace(told, customs=(widgets,))
        assert await _custom_kinds(rest, home, provider) == Offer(served=(widgets,))
    async with (
        scripted(refuses(404), says({"resources": []})) as milan,
        Cluster(milan.access, name="milan") as provider,
    ):
        both = replace(told, customs=(jobs,))
        assert await _custom_kinds(both, provider, provider) == Offer(missing=((jobs, "milan"),))


async def test_the_platform_is_the_providers() -> None:
    told = says({"gitVersion": "v1", "platform": "linux/arm64"})
    async with scripted(told, refuses(403)) as server, Cluster(server.access) as provider:
        assert await _platform(provider) == ("linux", "arm64")
        assert await _platform(provider) is None


async def test_while_a_provider_says_nothing_its_node_goes_on_saying_what_it_said() -> None:
    shown = {"operatingSystem": "linux", "architecture": "arm64"}
    node = {"metadata": {"name": "milan"}, "status": {"nodeInfo": shown}}
    bare = {"metadata": {"name": "milan"}}
    answers = (says(node), says(bare), refuses(404))
    async with scripted(*answers) as server, Cluster(server.access) as home:
        assert await _shown(home, "milan") == ("linux", "arm64")
        assert await _shown(home, "milan") == ("linux", "amd64")
        assert await _shown(home, "milan") == ("linux", "amd64")


async def test_pods_are_told_an_address_that_leads_home_from_there() -> None:
    node = {
        "metadata": {"name": "one"},
        "status": {"addresses": [{"type": "InternalIP", "address": "172.30.0.16"}]},
    }
    lists = (
        a_list(node, version="1"),
        a_list(version="1"),
        a_list(version="1"),
        a_list(version="1"),
    )
    async with scripted(*lists) as server, Cluster(server.access) as home:
        assert await _api_server(read(LEAST), home) == ApiServer("172.30.0.16", 6443)
        assert await _api_server(read(LEAST), home) is None
        told = read((*LEAST, "--home-api-server-host=h", "--home-api-server-port=1"))
        assert await _api_server(told, home) == ApiServer("h", 1)


@pytest.fixture
def logs_apart() -> Iterator[None]:
    """Other tests log as before."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    structlog.reset_defaults()
    root.handlers[:], root.level = handlers, level


@pytest.mark.usefixtures("logs_apart")
async def test_it_waits_for_a_home_that_does_not_answer_and_ends_without_its_credential(
    tmp_path: Path,
) -> None:
    tried = 3  # by who reads, each time
    async with scripted(*((CUT,) * tried), *((refuses(503),) * tried), refuses(404)) as home:
        kubeconfig = tmp_path / "kubeconfig"
        kubeconfig.write_bytes(
            KUBECONFIG.replace(b"https://new.invalid", home.access.server.encode())
        )
        with pytest.raises(NotFound):
            await serve(read((*LEAST, f"--home-kubeconfig={kubeconfig}")))
    assert len(home.asked) == 2 * tried + 1


def test_who_has_a_node_and_an_address_serves_the_api_of_a_kubelet() -> None:
    home, there = (Cluster(Access(f"http://{each}.invalid")) for each in ("rome", "milan"))
    here = Caches(home)

    def running(site: Site, *flags: str) -> int:
        measured = Figures(there, site)
        return len(kubelet_api(here, there, read((*LEAST, *flags)), measured))

    addressed = replace(KNOWN.site, node_ip="10.71.0.7")
    assert running(addressed) == 2
    assert running(addressed, "--create-node=false") == 0
    assert running(KNOWN.site) == 0


def a_credential(content: bytes, version: str) -> Secret:
    return Secret(
        metadata=Meta(name="credential", namespace="liqo-tenant-milan", resource_version=version),
        raw_data=secret_data(kubeconfig=content),
    )


def test_new_credentials_are_used_and_broken_ones_are_not() -> None:
    here = Caches(Cluster(Access("http://rome.invalid")))
    provider = Cluster(Access("https://old.invalid"))
    told = read(LEAST)
    _follow_credential(here, provider, told)
    followed = here.of(Secret, Scope("liqo-tenant-milan", fields="metadata.name=credential"))
    followed.take(a_credential(KUBECONFIG, "1"))
    assert provider.access.server == "https://new.invalid"
    followed.take(a_credential(b"broken", "2"))
    assert provider.access.server == "https://new.invalid"


def test_what_is_wrong_with_its_flags_is_one_sentence() -> None:
    assert main(["--nodename=milan"]) == 1


def test_a_node_that_is_made_of_a_slice_tells_who_its_kubelet_is_there() -> None:
    made = Meta(name="pool", labels={"liqo.io/resourceslice-name": "mypool"})
    assert user_of(VirtualNode(metadata=made), "wispy-firefly") == "mypool-c34af51dd912"
    assert user_of(VirtualNode(metadata=Meta(name="pool")), "wispy-firefly") == ""
