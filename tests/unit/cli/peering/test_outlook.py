"""What `peer --dry-run` prints."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from liqo.cli.call import Deadline
from liqo.cli.objects import Proof
from liqo.cli.peering.outlook import documents
from liqo.cli.peering.parting import Places
from liqo.cli.peering.sides import Pair
from liqo.rules.keys import private_key, private_pem, public_pem
from tests.golden import assert_golden
from tests.unit.cli.peering.pairs import nowhere
from tests.unit.cli.peering.test_making import terms

GOLDEN = Path(__file__).parent / "golden"
# Of nobody: a fixed one, so that what is printed stays the same.
KEY = private_key(b"""-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
-----END PRIVATE KEY-----
""")
NOWHERE = Places("", "")
PROOF = Proof(private_pem(KEY), public_pem(KEY.public_key()), b"")


async def pair() -> Pair:
    return Pair(nowhere("rome", "local"), nowhere("milan", "remote"), Deadline(1))


async def test_every_object_is_there_with_its_cluster() -> None:
    printed = "---\n".join(documents(await pair(), terms(cpu="4"), PROOF, NOWHERE))
    assert_golden(printed, GOLDEN / "outlook.yaml")


@pytest.mark.parametrize(("wanted", "kinds"), [(True, 7), (False, 6)])
async def test_it_is_yaml_that_others_can_read(wanted: bool, kinds: int) -> None:
    asked = terms(create_resource_slice=wanted)
    printed = "---\n".join(documents(await pair(), asked, PROOF, NOWHERE))
    assert len(list(yaml.safe_load_all(printed))) == kinds


async def test_tenant_namespaces_that_are_there_are_used_and_not_made() -> None:
    known = Places("one-of-ours", "one-of-theirs")
    printed = "---\n".join(documents(await pair(), terms(), PROOF, known))
    made = list(yaml.safe_load_all(printed))
    assert [each["kind"] for each in made][:2] == ["Secret", "Secret"]
    assert {each["metadata"]["namespace"] for each in made} == {known.here, known.there}
    [identity] = [each for each in made if each["kind"] == "Identity"]
    assert identity["spec"]["namespace"] == known.there
