"""Where pods of an offloaded namespace may run: what its policy adds to each of them.

A policy only ever narrows what a pod asks for itself. Terms of a node affinity are alternatives, so
two sets of them are joined by pairing each of one with each of the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from liqo.api import labels
from liqo.api.kubernetes import PodSpec
from liqo.api.meta import JSON
from liqo.api.offloading import NamespaceOffloadingSpec
from liqo.rules.selectors import (
    EXPRESSIONS,
    FIELDS,
    NOTHING,
    Candidate,
    Term,
    demands,
    is_in,
    terms_of,
)

VIRTUAL = "virtual-node"
IS_VIRTUAL: JSON = {"key": labels.TYPE, "operator": "In", "values": [VIRTUAL]}
IS_PHYSICAL: JSON = {"key": labels.TYPE, "operator": "NotIn", "values": [VIRTUAL]}
TOLERATION: JSON = {"key": labels.NOT_ALLOWED_TAINT, "operator": "Exists", "effect": "NoExecute"}
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def completed(spec: PodSpec, policy: NamespaceOffloadingSpec, runtime_class: str) -> JSON:
    """What has to change in the spec of a new pod; empty where nothing.

    strategy       | of the RuntimeClass | what is done
    ---------------+---------------------+---------------------------------------------
    Local          | any                 | nothing
    any other      | no                  | it tolerates virtual nodes; the terms below
    any other      | yes                 | the terms below: the class does the rest
    """
    if policy.pod_offloading_strategy == "Local":
        return {}
    change: JSON = {}
    is_classed = bool(runtime_class) and spec.get("runtimeClassName") == runtime_class
    if not is_classed and not tolerates(spec):
        change["tolerations"] = [*(spec.get("tolerations") or ()), TOLERATION]
    wanted = () if is_classed and not terms_of(policy.cluster_selector) else imposed(policy)
    present = required_terms(spec)
    terms = narrowed(present, wanted)
    if terms != list(present):
        change["affinity"] = {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": terms}}}
    return change


def imposed(policy: NamespaceOffloadingSpec) -> list[Term]:
    """
    strategy       | no selector    | with a selector of terms S
    ---------------+----------------+----------------------------------------
    Remote         | a virtual node | each of S, and a virtual node
    LocalAndRemote | nothing        | S as they are, or a physical node
    """
    selected = terms_of(policy.cluster_selector)
    chosen = [term for term in selected if demands(term)]
    if policy.pod_offloading_strategy == "Remote":
        if not selected:
            return [{EXPRESSIONS: [IS_VIRTUAL]}]
        return [_joined(term, {EXPRESSIONS: [IS_VIRTUAL]}) for term in chosen] or [NOTHING]
    return [*chosen, {EXPRESSIONS: [IS_PHYSICAL]}] if selected else []


def narrowed(own: Sequence[Term], wanted: Sequence[Term]) -> list[Term]:
    """The terms of a pod, such that each also fulfils one that is wanted.

    One that does so already stays as it is: whoever completes a pod twice changes it once.
    """
    if not wanted or not own:
        return list(own or wanted)
    terms = []
    for term in own:
        settled = not demands(term) or any(_contains(term, each) for each in wanted)
        terms += [term] if settled else [_joined(term, each) for each in wanted]
    return terms


def strays(spec: PodSpec, policy: NamespaceOffloadingSpec, nodes: Iterable[Candidate]) -> bool:
    """Whether a pod as it is could go to one of these nodes although its policy says no."""
    terms = imposed(policy)
    return any(accepts(spec, node) and terms and not is_in(terms, node) for node in nodes)


def accepts(spec: PodSpec, node: Candidate) -> bool:
    """As far as labels go, and its own wishes."""
    selected = (spec.get("nodeSelector") or {}).items() <= node.labels.items()
    own = required_terms(spec)
    return selected and (not own or is_in(own, node))


def required_terms(spec: PodSpec) -> Sequence[Term]:
    affinity = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    return terms_of(affinity.get(REQUIRED))


def tolerates(spec: PodSpec) -> bool:
    """Virtual nodes, without an end."""
    return any(_covers(each) for each in spec.get("tolerations") or ())


def _covers(toleration: JSON) -> bool:
    if toleration.get("tolerationSeconds") is not None:
        return False
    if toleration.get("effect") not in (None, "", "NoExecute"):
        return False
    key, operator = toleration.get("key"), toleration.get("operator") or "Equal"
    if operator == "Exists":
        return key in (None, "", labels.NOT_ALLOWED_TAINT)
    is_ours = key == labels.NOT_ALLOWED_TAINT and operator == "Equal"
    return is_ours and toleration.get("value") == "true"


def _contains(term: Term, wanted: Term) -> bool:
    return demands(wanted) and all(
        each in (term.get(part) or ())
        for part in (EXPRESSIONS, FIELDS)
        for each in wanted.get(part) or ()
    )


def _joined(one: Term, other: Term) -> Term:
    """Both at once; nothing, if one of them is."""
    if not demands(one) or not demands(other):
        return NOTHING
    parts: Term = {}
    for part in (EXPRESSIONS, FIELDS):
        first, second = one.get(part) or [], other.get(part) or []
        if both := [*first, *(each for each in second if each not in first)]:
            parts[part] = both
    return parts
