"""Secret: a peer may ask for a nonce in its tenant namespace, and write no other Secret there.

Whatever else it could put there is taken for something: a kubeconfig for our credential towards
that peer, a certificate for one that we signed, a Secret of the type of tokens for a wish that
Kubernetes fulfils with the rights of any ServiceAccount beside it.
"""

from __future__ import annotations

from liqo.api import labels
from liqo.api.kubernetes import Secret
from liqo.rules import names
from liqo.webhooks.review import ALLOW, Deny, Request, Verdict

PLAIN = ("", "Opaque")
OF_A_NONCE = frozenset({labels.NONCE, labels.REMOTE_CLUSTER_ID, labels.MANAGED})
REFUSED = (
    f'a peer may ask for a nonce, with an empty Secret "{names.NONCE_SECRET}" that has no labels '
    f'but "{labels.NONCE}" and "{labels.REMOTE_CLUSTER_ID}"; no other Secret is its to write'
)


def validate(request: Request[Secret], _: None) -> Verdict:
    """
    asked by | operation | of                     | verdict
    ---------+-----------+------------------------+--------
    others   | any       | anything               | allowed
    a peer   | CREATE    | a question for a nonce | allowed
    a peer   | DELETE    | a nonce                | allowed
    a peer   | any       | anything else          | refused
    """
    asked = request.object
    if not request.user.is_peer:
        return ALLOW
    if request.operation == "DELETE" and asked.metadata.name == names.NONCE_SECRET:
        return ALLOW
    return ALLOW if request.is_creation and is_question(asked) else Deny(REFUSED)


def is_question(asked: Secret) -> bool:
    """The nonce itself is its provider's to choose."""
    metadata = asked.metadata
    return (
        metadata.name == names.NONCE_SECRET
        and asked.type in PLAIN
        and not asked.data
        and metadata.labels.keys() <= OF_A_NONCE
        and not metadata.finalizers
        and not metadata.owner_references
    )
