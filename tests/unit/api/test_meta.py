"""What every object has: names on the wire."""

import pytest

from liqo.api.meta import wire_name


@pytest.mark.parametrize(
    ("field", "name"),
    [
        ("uid", "uid"),
        ("cluster_id", "clusterID"),
        ("aws_access_key_id", "awsAccessKeyID"),
        ("aws_user_arn", "awsUserArn"),
        ("signed_crt", "signedCRT"),
        ("remote_cidrs", "remoteCIDRs"),
        ("api_version", "apiVersion"),
        ("class_", "class"),
    ],
)
def test_a_field_has_the_name_that_the_wire_gives_it(field: str, name: str) -> None:
    assert wire_name(field) == name
