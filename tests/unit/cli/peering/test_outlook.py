"""What `peer --dry-run` prints."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from liqo.cli.call import Deadline
from liqo.cli.objects import Proof
from liqo.cli.peering.outlook import documents
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
PROOF = Proof(private_pem(KEY), public_pem(KEY.public_key()), b"")


async def pair() -> Pair:
    return Pair(nowhere("rome", "local"), nowhere("milan", "remote"), Deadline(1))


async def test_every_object_is_there_with_its_cluster() -> None:
    printed = "---\n".join(documents(await pair(), terms(cpu="4"), PROOF))
    assert_golden(printed, GOLDEN / "outlook.yaml")


@pytest.mark.parametrize(("wanted", "kinds"), [(True, 7), (False, 6)])
async def test_it_is_yaml_that_others_can_read(wanted: bool, kinds: int) -> None:
    asked = terms(create_resource_slice=wanted)
    printed = "---\n".join(documents(await pair(), asked, PROOF))
    assert len(list(yaml.safe_load_all(printed))) == kinds
