"""Labels and annotations of what is reflected: which travel, and what they tell of its origin."""

from __future__ import annotations

from liqo.api import labels
from liqo.api.meta import Meta
from liqo.kubelet.site import Site

# Of a Secret with tokens. An ordinary object that happens to have them (it came to us from another
# consumer) must not look like one of ours over there.
OF_TOKENS = frozenset(
    {
        labels.NODE_NAME,
        labels.SERVICE_ACCOUNT_NAME,
        labels.SERVICE_ACCOUNT_POD_NAME,
        labels.SERVICE_ACCOUNT_POD_UID,
        labels.SERVICE_ACCOUNT_EXPIRATION,
        labels.SERVICE_ACCOUNT_ISSUED,
    }
)


def origin(site: Site) -> dict[str, str]:
    """The labels of everything that is ours there."""
    return {labels.ORIGIN: site.home, labels.DESTINATION: site.provider}


def travelling_labels(local: Meta, site: Site) -> dict[str, str]:
    return {**_kept(local.labels, site.patch.labels_not_reflected), **origin(site)}


def travelling_annotations(local: Meta, site: Site) -> dict[str, str]:
    kept = _kept(local.annotations, site.patch.annotations_not_reflected)
    return {**kept, labels.LOCAL_UID: local.uid}


def is_copy_of(there: Meta, local: Meta) -> bool:
    """Of this very object, and of no earlier one of its name.

    What another implementation made tells nothing, and is believed.
    """
    return there.annotations.get(labels.LOCAL_UID, local.uid) == local.uid


def holds_tokens(there: Meta) -> bool:
    """Whether this Secret was made for a pod's service account, by us or by our like."""
    marks = there.labels.keys() | there.annotations.keys()
    return {labels.SERVICE_ACCOUNT_POD_NAME, labels.SERVICE_ACCOUNT_NAME} <= marks


def _kept(marks: dict[str, str], left_out: tuple[str, ...]) -> dict[str, str]:
    return {
        name: value
        for name, value in marks.items()
        if name not in OF_TOKENS and name not in left_out
    }
