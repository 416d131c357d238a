"""What must not work: each is refused with its reason, gives no rights, and leaves nothing made."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from uuid import uuid4

import pytest
import yaml
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from liqo.api import labels
from liqo.api.authentication import Tenant
from liqo.api.meta import JSON
from liqo.kube.cluster import Cluster
from liqo.kube.http import Request
from liqo.kube.kubeconfig import from_kubeconfig
from liqo.playground.cluster import Site
from liqo.rules import certificates, handshake, keys, names
from tests.e2e import controllers
from tests.e2e.borrower import Borrower
from tests.e2e.eventually import eventually
from tests.e2e.installation import of
from tests.e2e.liqoctl import liqoctl
from tests.e2e.loans import SLICES, Loan, done, end_all, parting, refusal
from tests.e2e.snapshot import is_again, settled

TENANTS = "tenants.authentication.liqo.io"
QUOTAS = "quotas.offloading.liqo.io"
LIE = {"type": "Resources", "status": "Accepted", "reason": "Mine", "message": "mine"}


@pytest.fixture
async def loan(installed: dict[str, Site]) -> AsyncIterator[Loan]:
    async with parting(Loan(installed["rome"], installed["milan"])) as made:
        yield made


@pytest.fixture
async def stranger(installed: dict[str, Site]) -> AsyncIterator[Borrower]:
    """A consumer of the test's own, who writes to Milan what it wants."""
    site = installed["milan"]
    async with Cluster(from_kubeconfig(str(site.kubeconfig)), name="milan") as milan:
        made = Borrower(f"rome-{uuid4().hex[:8]}", keys.new_key(tls_compatible=False), milan)
        try:
            yield made
        finally:
            await made.leave()


@pytest.fixture
async def peering_user(loan: Loan, tmp_path: Path) -> AsyncIterator[Path]:
    """What the provider gives to its consumer's administrator, who has no other rights there."""
    words = ("peering-user", "--consumer-cluster-id", loan.borrower, of(loan.provider))
    file = tmp_path / "peering-user"
    file.write_text(done(await liqoctl("generate", *words)).stdout)
    try:
        yield file
    finally:
        await liqoctl("delete", *words)


def changed(site: Site, file: Path, cluster: JSON, user: JSON | None = None) -> Path:
    """A kubeconfig that leads to the site, but for what is given."""
    known = yaml.safe_load(site.kubeconfig.read_text())
    known["clusters"][0]["cluster"].update(cluster)
    if user is not None:
        known["users"][0]["user"] = user
    file.write_text(yaml.safe_dump(known))
    return file


def authority(site: Site) -> JSON:
    cluster = yaml.safe_load(site.kubeconfig.read_text())["clusters"][0]["cluster"]
    return {"certificate-authority-data": cluster["certificate-authority-data"]}


async def test_a_kubeconfig_that_leads_nowhere_is_told_before_anything_is_made(
    loan: Loan, tmp_path: Path
) -> None:
    before = await loan.settled()
    no_yaml = tmp_path / "text"
    no_yaml.write_text("not: [a kubeconfig")
    there = loan.provider
    for wrong, words in (
        (tmp_path / "none", "No such file or directory"),
        (no_yaml, "is not YAML"),
        (
            changed(there, tmp_path / "dead", {"server": "https://127.0.0.1:1"}),
            "refused the connection",
        ),
        (changed(there, tmp_path / "ca", authority(loan.consumer)), "no reason to trust"),
        (changed(there, tmp_path / "token", {}, {"token": "x"}), "does not accept the credentials"),
        (changed(there, tmp_path / "nobody", {}, {}), "system:anonymous"),
        (loan.consumer.kubeconfig, "local and remote clusters must be different"),
    ):
        ended = await liqoctl("peer", of(loan.consumer), "--remote-kubeconfig", wrong)
        assert ended.code == 1
        assert words in ended.told[-1]
    await loan.is_as(before)


async def test_a_cluster_without_the_product_is_told_how_to_get_it(rome: Site, milan: Site) -> None:
    async with controllers.installed(rome):
        before = [await settled(site) for site in (rome, milan)]
        for consumer, provider, which in ((rome, milan, "remote"), (milan, rome, "local")):
            ended = await liqoctl(*Loan(consumer, provider).making)
            assert ended.code == 1
            assert ended.told[-1].startswith(
                f'ERRO: Liqo is not installed in the namespace "liqo" of the {which} cluster'
            )
            assert "liqoctl install" in ended.told[-1]
        await is_again((rome, milan), before)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("r" * 51, "has 51 characters; at most 50 are possible"),
        ("Rome", "lower"),
        ("rome.it", "lower"),
        ("-rome", "lower"),
    ],
)
async def test_an_id_that_makes_no_names_is_refused_at_the_installation(
    milan: Site, wrong: str, words: str
) -> None:
    before = await settled(milan)
    ended = await liqoctl("install", "playground", of(milan), f"--cluster-id={wrong}")
    assert ended.code == 1
    assert wrong in ended.told[-1]
    assert words in ended.told[-1]
    await is_again([milan], [before])


async def test_R1_two_clusters_with_one_id_are_told_apart(
    loan: Loan, installed: dict[str, Site]
) -> None:
    """The second Rome cannot borrow from the first, nor in its name."""
    await loan.peer()
    await loan.appears()
    tenant = await decided(loan)
    async with an_impostor(installed["turin"], "rome") as impostor:
        ended = await liqoctl(*Loan(impostor, loan.consumer).making)
        assert ended.code == 1
        assert ended.told[-1].startswith('ERRO: both clusters have the ID "rome"')
        ended = await liqoctl(*Loan(impostor, loan.provider).making)
        assert ended.code == 1
        assert 'the Tenant "liqo-tenant-rome/rome" of the remote cluster' in ended.told[-1]
        assert "another" in ended.told[-1]
    assert (await decided(loan))["status"] == tenant["status"]
    await is_renewed(loan)
    await loan.ask("more")
    await loan.appears("more")


async def is_renewed(loan: Loan) -> None:
    """As if it was due: what was signed is lost, and what it was signed for is not."""
    before = await certified(loan)
    which = ("-l", f"{labels.REMOTE_TENANT_CSR}=true,{labels.REMOTE_CLUSTER_ID}={loan.borrower}")
    await loan.provider.kubectl("delete", "csr", *which)
    lost = json.dumps({"data": {"certificate": ""}})
    kept = ("secret", names.certificate_secret(), "-n", loan.there)
    await loan.provider.kubectl("patch", *kept, "--type=merge", "-p", lost)
    after = await eventually(partial(certified, loan), lambda seen: seen != before)
    assert keys.same_key(*map(certificates.certified_key, (before, after)))


async def certified(loan: Loan) -> bytes:
    """The certificate of the consumer's control plane, as its provider tells it."""
    return b64decode((await decided(loan))["status"]["authParams"]["signedCRT"])


@asynccontextmanager
async def an_impostor(site: Site, cluster_id: str) -> AsyncIterator[Site]:
    """A cluster that says it is another one, in its papers and with its controllers."""
    deployment = ("deployment/liqo-controller-manager", "-n", "liqo")
    await site.kubectl("scale", *deployment, "--replicas=0")
    papers = partial(site.kubectl, "patch", "configmap", "liqo-clusterid-configmap", "-n", "liqo")
    try:
        await papers("-p", json.dumps({"data": {"CLUSTER_ID": cluster_id}}))
        beside = controllers.Controllers(site, site.kubeconfig, id=cluster_id)
        await beside.start()
        try:
            yield site
        finally:
            await end_all([site])
            await beside.kill()
    finally:
        await papers("-p", json.dumps({"data": {"CLUSTER_ID": site.cluster.name}}))
        await site.kubectl("scale", *deployment, "--replicas=1")
        await site.kubectl("rollout", "status", *deployment)


async def decided(loan: Loan) -> JSON:
    words = ("get", TENANTS, loan.borrower, "-n", loan.there, "-o", "json")
    found: JSON = json.loads(await loan.provider.kubectl(*words))
    return found


@pytest.mark.parametrize("wrong", ["signature", "organisations"])
async def test_who_does_not_show_who_it_is_gets_no_rights(stranger: Borrower, wrong: str) -> None:
    nonce = await stranger.nonce()
    good = handshake.sign(stranger.pem, nonce)
    signature = bytes([good[0] ^ 1]) + good[1:] if wrong == "signature" else good
    organisations = (names.CONTROL_PLANES, "system:masters")[: 1 if wrong == "signature" else 2]
    spec = {
        "clusterID": stranger.id,
        "publicKey": encoded(keys.public_pem(stranger.key.public_key())),
        "csr": encoded(request(stranger, *organisations)),
        "signature": encoded(signature),
    }
    await stranger.apply(Tenant, stranger.id, spec=spec)
    reason, text = {
        "signature": ("SignatureVerificationFailed", "did not sign the nonce"),
        "organisations": ("InvalidCSR", "its subject is O=liqo.io + O=system:masters + CN="),
    }[wrong]
    said = await eventually(partial(warnings, stranger), lambda seen: reason in seen)
    assert text in said[reason]
    tenant = await stranger.get(Tenant, stranger.id)
    assert tenant.status.auth_params is None
    assert await rights(stranger) == []


def request(stranger: Borrower, *organisations: str) -> bytes:
    """A CSR for as many organisations as are named."""
    parts = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, each) for each in organisations]
    subject = x509.Name([*parts, x509.NameAttribute(NameOID.COMMON_NAME, stranger.id)])
    asked = x509.CertificateSigningRequestBuilder().subject_name(subject)
    return asked.sign(stranger.key, None).public_bytes(Encoding.PEM)


def encoded(content: bytes) -> str:
    return b64encode(content).decode()


async def test_S7_a_consumer_accepts_its_own_slice_in_vain(loan: Loan, tmp_path: Path) -> None:
    """With the very credential of its control plane, and while its provider said no."""
    await loan.peer()
    cordon = ("cordon", "tenant", "rome", "--skip-confirm", of(loan.provider))
    done(await liqoctl(*cordon))
    assert (await loan.ask("greedy")).told[-1].startswith("WARN: ResourceSlice resources not")
    file = tmp_path / "rome"
    words = ("controlplane-milan", "--remote-cluster-id", "milan", of(loan.consumer))
    file.write_text(done(await liqoctl("get", "kubeconfig", *words)).stdout)
    mine = (f"--kubeconfig={file}", "-n", loan.there)
    change = json.dumps({"status": {"conditions": [LIE], "resources": {"cpu": "1000"}}})
    said = await refusal(
        loan.provider,
        *("patch", SLICES, "greedy", *mine, "--subresource=status", "--type=merge", "-p", change),
    )
    assert "can't write the status" in said
    for kind in (TENANTS, QUOTAS, "secrets", "rolebindings"):
        assert "orbidden" in await refusal(loan.provider, "get", kind, *mine)
    left = await loan.provider.kubectl("get", QUOTAS, "-n", loan.there, "-o", "name")
    assert "greedy" not in left


async def test_S4_who_peers_again_stays_cordoned(loan: Loan, peering_user: Path) -> None:
    again = ("peer", "--networking-disabled", of(loan.consumer))
    remote = f"--remote-kubeconfig={peering_user}"
    for _ in range(2):
        done(await liqoctl(*again, remote))
    done(await liqoctl("cordon", "tenant", "rome", "--skip-confirm", of(loan.provider)))
    peered = done(await liqoctl(*again, remote))
    assert any("the provider has cordoned this cluster" in line for line in peered.told)
    tenant = await decided(loan)
    assert tenant["spec"]["tenantCondition"] == "Cordoned"
    tenant["spec"]["tenantCondition"] = "Active"
    mine = (f"--kubeconfig={peering_user}", "-f", "-")
    await loan.provider.kubectl("replace", *mine, text=json.dumps(tenant))
    assert (await decided(loan))["spec"]["tenantCondition"] == "Cordoned"
    assert (await loan.ask("more")).told[-1].startswith("WARN: ResourceSlice resources not")
    done(await liqoctl("uncordon", "tenant", "rome", of(loan.provider)))
    await loan.appears("more")


async def test_S2_what_was_signed_for_one_tenant_opens_no_other(
    loan: Loan, peering_user: Path
) -> None:
    await loan.peer()
    used = await decided(loan)
    await loan.unpeer()
    kept = {key: used["metadata"][key] for key in ("name", "namespace", "labels")}
    replayed = json.dumps({**used, "metadata": kept, "status": None})
    mine = (f"--kubeconfig={peering_user}", "-f", "-")
    await loan.provider.kubectl("create", *mine, text=replayed)
    async with Cluster(from_kubeconfig(str(loan.provider.kubeconfig)), name="milan") as milan:
        rome = Borrower("rome", keys.new_key(tls_compatible=False), milan)
        reason = "SignatureVerificationFailed"
        said = await eventually(partial(warnings, rome), lambda seen: reason in seen)
        assert "did not sign the nonce that is valid now" in said[reason]
        assert await rights(rome) == []
    assert "authParams" not in (await decided(loan)).get("status", {})
    await loan.peer()  # honestly
    await loan.appears()


async def warnings(who: Borrower) -> dict[str, str]:
    """What its Tenant is told, by reason."""
    items = await listed(who, f"/api/v1/namespaces/{who.home}/events")
    return {item["reason"]: item["message"] for item in items if item["type"] == "Warning"}


async def rights(who: Borrower) -> list[str]:
    """Bindings that name it, here or in the whole cluster."""
    group = "/apis/rbac.authorization.k8s.io/v1"
    found = [
        *await listed(who, f"{group}/rolebindings"),
        *await listed(who, f"{group}/clusterrolebindings"),
    ]
    return [
        each["metadata"]["name"]
        for each in found
        if any(subject["name"] == who.id for subject in each.get("subjects", ()))
    ]


async def listed(who: Borrower, path: str) -> list[JSON]:
    items: list[JSON] = json.loads(await who.milan.request(Request("GET", path)))["items"]
    return items
