"""Every name on the wire that is derived from another one, and how long the other one may be.

Nothing is ever cut to fit: two names would become one. What is too long is refused, early and in
words; of names that users gave to their pods, a digest keeps the shortened ones apart.
"""

from __future__ import annotations

import re
from hashlib import sha256

AUTHENTICATION_KEYS = "authentication-keys"  # Secret with the key pair of this cluster
NONCE_SECRET = "liqo-nonce"  # on the provider
SIGNED_NONCE_SECRET = "liqo-signed-nonce"  # on the consumer
CONTROLLER_MANAGER = "liqo-controller-manager"  # ServiceAccount; its binding for each tenant
CONTROLLER_MANAGER_TENANT_ROLE = "liqo-controller-manager-tenant"  # ClusterRole: all about Secrets
METRIC_AGENT = "liqo-metric-agent"  # ServiceAccount, Deployment, Service
WEBHOOK = "liqo-webhook"  # ServiceAccount; its binding for each tenant
WEBHOOK_TENANT_ROLE = "liqo-webhook-tenant"  # ClusterRole: read a Secret
WITHDRAWAL = "liqo-withdrawal"  # Renew on the provider: its consumer leaves
SHARING = "liqo-sharing"  # ConfigMap: what an administrator decided about shares
PEERING_USER_ROLE = "liqo-peering-user-liqo-ns"  # Role in the namespace of the installation
PEERING_USER_CLUSTER_ROLE = "liqo-peering-user-tenant-ns"  # ClusterRole, for a tenant namespace
CONTROL_PLANES = "liqo.io"  # the group of all control planes, as a provider sees them
PEER_ACCOUNT = "liqo-peer-"  # how users and ServiceAccounts begin that a provider made for peers

NODE_LEASES = "kube-node-lease"  # namespace of Kubernetes' own
# Lease in a tenant namespace: of all kubelets of a provider, the original's too, one reflects.
REFLECTION_LEASE = "virtual-kubelet-leader-election"
ADMISSION_LEASE = "liqo-webhook-admission"  # at home: of all webhooks, one decides on quotas
ROOT_CA = "kube-root-ca.crt"  # ConfigMap that Kubernetes puts into every namespace
NAME = 253  # characters of the name of most objects
LABEL = 63  # characters of a namespace's name or of a label's value
CLUSTER_ID = 50  # characters: liqoctl names a slice after its provider
SLICE_NAME = 50  # characters: the user of a slice, 13 longer, is the value of a label
PEERING_USER = "liqo-peer-user-"  # and the ID of the consumer: together the value of a label
DNS_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")


def tenant_namespace(cluster_id: str) -> str:
    """Of this peer, unless somebody made another with the same labels."""
    return f"liqo-tenant-{cluster_id}"


def controlplane_identity(provider_id: str) -> str:
    """Also the name of the Renew that belongs to it."""
    return f"controlplane-{provider_id}"


def slice_identity(slice_name: str) -> str:
    return f"resourceslice-{slice_name}"


def kubeconfig_secret(identity: str) -> str:
    return f"kubeconfig-{identity}"


def slice_of_kubeconfig(secret: str) -> str:
    """Whose credential it is, by its name; empty: no slice's."""
    prefix = kubeconfig_secret(slice_identity(""))
    return secret.removeprefix(prefix) if secret.startswith(prefix) else ""


def certificate_secret(slice_name: str = "") -> str:
    """Where a provider keeps what it signed: for a slice, or for the control plane."""
    return f"liqo-remote-certificate-{slice_name}" if slice_name else "liqo-remote-certificate"


def claim(random_hex: str) -> str:
    """Of a PeeringClaim, and of the ServiceAccount that may make it."""
    return f"liqo-peer-{random_hex}"


def tombstone(provider_id: str) -> str:
    """Of the Secret that a consumer keeps until its provider knows that it left."""
    return f"liqo-tombstone-{provider_id}"


def user_of(slice_name: str, consumer_id: str) -> str:
    """Who uses a slice, as its provider sees it."""
    return f"{slice_name}-{sha256(consumer_id.encode()).hexdigest()[:12]}"


def quota(slice_name: str, consumer_id: str) -> str:
    return user_of(slice_name, consumer_id)


def peering_user(consumer_id: str) -> str:
    """Who may peer on behalf of this consumer, as its provider sees it."""
    return f"{PEERING_USER}{consumer_id}"


def binding(cluster_role: str) -> str:
    """Of a consumer's control plane, in its tenant namespace."""
    return f"liqo-binding-{cluster_role}"


def cluster_binding(cluster_role: str, consumer_id: str) -> str:
    """Of all users of a consumer, in the whole cluster."""
    return f"liqo-binding-{cluster_role}-{consumer_id}"


def kubelet(virtual_node: str) -> str:
    """Its Deployment."""
    return f"vk-{virtual_node}"


def kubelet_binding(virtual_node: str) -> str:
    """All bindings that give a virtual kubelet its rights, in whichever namespace."""
    return f"liqo-node-{virtual_node}"


def signing_request(*reasons: bytes) -> str:
    """The same for the same reasons: who decides twice still asks once."""
    digest = sha256()
    for reason in reasons:
        digest.update(len(reason).to_bytes(8) + reason)
    return f"liqo-identity-{digest.hexdigest()[:20]}"


def token_secret(pod: str) -> str:
    """Where the provider finds the tokens of a pod's service account."""
    return f"{shortened(pod, NAME - len('-token'))}-token"


def token_field(volume: str, path: str) -> str:
    """Of that Secret, for the token that a volume shows as a file."""
    return f"{volume}-{sha256(path.encode()).hexdigest()[:6]}"


def root_ca(consumer_id: str) -> str:
    """The consumer's ConfigMap of this name, beside the provider's own."""
    name = f"{ROOT_CA}.{consumer_id[:5]}"
    return name if name[-1].isalnum() else f"{name}a"


def shortened(name: str, longest: int) -> str:
    """The name itself where it fits; else its beginning and a digest of it all."""
    if len(name) <= longest:
        return name
    digest = sha256(name.encode()).hexdigest()[:10]
    return f"{name[: longest - len(digest) - 1].rstrip('-.')}-{digest}"


def check_cluster_id(cluster_id: str) -> str:
    """What is wrong with it, as a sentence; empty where nothing is.

    It will be a user and a group of every provider. Those of Kubernetes have a colon in them.
    """
    if cluster_id.startswith(PEER_ACCOUNT):
        return f'the cluster ID "{cluster_id}" is reserved: so begin users that providers make'
    return _check("cluster ID", cluster_id, CLUSTER_ID)


def check_peering_consumer(cluster_id: str) -> str:
    """Whether this cluster can have a peering user."""
    return _check("ID of a cluster with a peering user", cluster_id, LABEL - len(PEERING_USER))


def check_slice_name(slice_name: str) -> str:
    return _check("name of the ResourceSlice", slice_name, SLICE_NAME)


def check_node_name(node_name: str) -> str:
    return _check("name of the virtual node", node_name, LABEL)


def check_namespace(name: str) -> str:
    return _check("namespace", name, LABEL)


def _check(what: str, name: str, longest: int) -> str:
    if not DNS_LABEL.fullmatch(name):
        return (
            f'the {what} "{name}" must consist of lower case letters, digits and hyphens, '
            "and start and end with a letter or a digit"
        )
    if len(name) > longest:
        return f'the {what} "{name}" has {len(name)} characters; at most {longest} are possible'
    return ""
