"""Who may do what: one row per right, with its reason where the row does not tell.

Verbs are one text, separated by spaces. `only` names the objects it is limited to.
"""

from __future__ import annotations

from dataclasses import dataclass

from liqo.api import metrics
from liqo.api.meta import JSON
from liqo.kube import authentication
from liqo.rules import names

READ = "get list watch"
FOLLOW = "list watch"  # what a cache needs: nobody gets a single object that it follows
KEEP = "create delete list patch watch"  # what a controller needs for objects it makes
ALL = "create delete deletecollection get list patch update watch"
ALL_SINGLE = "create delete get list patch update watch"

CORE = ""
APPROVAL = "certificates.k8s.io"
AUTHENTICATION = "authentication.liqo.io"
OFFLOADING = "offloading.liqo.io"
NETWORKING = "networking.liqo.io"
ADMISSION = "admissionregistration.k8s.io"
CONFIGURATIONS = "mutatingwebhookconfigurations validatingwebhookconfigurations"
RBAC = "rbac.authorization.k8s.io"
LEASES = "coordination.k8s.io"

REMOTE_CONTROL_PLANE = "liqo-remote-controlplane"
REMOTE_KUBELET = "liqo-virtual-kubelet-remote"
REMOTE_KUBELET_EVERYWHERE = "liqo-virtual-kubelet-remote-clusterwide"
LOCAL_KUBELET = "liqo-virtual-kubelet-local"
TENANT_KUBELET = "liqo-virtual-kubelet-tenant"
NAMESPACE_KUBELET = "liqo-virtual-kubelet-namespace"
NODE_KUBELET = "liqo-virtual-kubelet-node"
PEERING_USER = "liqo-peering-user-tenant-ns"
WEBHOOK_CERTIFICATE = "liqo-webhook-certs"

# What the controllers give to others. To give it they hold `bind` on it, not the rights themselves.
HANDED_OUT = (
    REMOTE_CONTROL_PLANE,
    REMOTE_KUBELET,
    REMOTE_KUBELET_EVERYWHERE,
    LOCAL_KUBELET,
    TENANT_KUBELET,
    NAMESPACE_KUBELET,
    NODE_KUBELET,
    PEERING_USER,
    names.CONTROLLER_MANAGER_TENANT_ROLE,
    names.WEBHOOK_TENANT_ROLE,
)


@dataclass(frozen=True)
class Right:
    group: str
    resources: str  # separated by spaces, like the verbs
    verbs: str
    only: tuple[str, ...] = ()

    @property
    def rule(self) -> JSON:
        rule: JSON = {
            "apiGroups": [self.group],
            "resources": self.resources.split(),
            "verbs": self.verbs.split(),
        }
        return {**rule, "resourceNames": list(self.only)} if self.only else rule


# The controllers, in the whole cluster. No Secrets: see CONTROLLERS_IN_TENANTS.
CONTROLLERS = (
    # Of tenants and of consumers' pods; offloaded ones of our own are labelled.
    Right(CORE, "namespaces", f"{FOLLOW} create delete patch"),
    Right(CORE, "nodes", f"{FOLLOW} delete patch"),  # virtual ones are cordoned, and go
    Right(CORE, "pods", f"{FOLLOW} create delete patch"),  # a provider makes those of consumers
    Right(CORE, "pods/ephemeralcontainers pods/resize", "patch"),  # as consumers change theirs
    Right(CORE, "pods/eviction", "create"),  # from virtual nodes that go
    Right("apps", "deployments", FOLLOW),  # virtual kubelets; is the metric agent available?
    Right(CORE, "events", "create patch"),
    Right(APPROVAL, "certificatesigningrequests", "create delete list watch"),
    Right(APPROVAL, "certificatesigningrequests/approval", "patch"),
    Right(
        APPROVAL,
        "signers",
        "approve",
        # certificates of consumers, and those with which virtual kubelets serve
        only=("kubernetes.io/kube-apiserver-client", "kubernetes.io/kubelet-serving"),
    ),
    Right(RBAC, "clusterrolebindings rolebindings", KEEP),
    Right(RBAC, "clusterroles", FOLLOW),  # roles to hand out are found by their label
    Right(RBAC, "clusterroles", "bind", only=HANDED_OUT),
    Right(AUTHENTICATION, "tenants", f"{FOLLOW} delete patch"),  # people make them; some withdraw
    Right(AUTHENTICATION, "resourceslices", f"{FOLLOW} delete patch"),
    Right(AUTHENTICATION, "identities renews", KEEP),
    Right(
        AUTHENTICATION,
        "identities/status renews/status resourceslices/status tenants/status",
        "patch",
    ),
    Right(OFFLOADING, "quotas virtualnodes", f"{FOLLOW} create patch"),  # they go with their slice
    Right(OFFLOADING, "namespacemaps", f"{FOLLOW} create delete patch"),
    Right(OFFLOADING, "namespaceoffloadings", f"{FOLLOW} create delete patch"),
    Right(OFFLOADING, "shadowendpointslices shadowpods vkoptionstemplates", FOLLOW),
    # A provider makes those of consumers' endpoints; they go with what they are made of.
    Right("discovery.k8s.io", "endpointslices", f"{FOLLOW} create delete patch"),
    Right(
        OFFLOADING,
        "namespacemaps/status namespaceoffloadings/status shadowpods/status virtualnodes/status",
        "patch",
    ),
    Right("core.liqo.io", "foreignclusters", KEEP),
    Right("core.liqo.io", "foreignclusters/status", "patch"),
    # What is applied is also created by its name; nobody could register another API with this.
    Right("apiregistration.k8s.io", "apiservices", KEEP, only=(metrics.REGISTRATION,)),
)

# The controllers, in the namespace of the installation.
CONTROLLERS_AT_HOME = (
    Right(CORE, "secrets", KEEP),  # the key pair of this cluster; tombstones
    Right(CORE, "configmaps", FOLLOW, only=(names.SHARING,)),
    Right("ipam.liqo.io", "networks", FOLLOW),  # what virtual kubelets are told
    # A token that may claim a peering: what is given to it, and taken away again.
    # To change its Role, one must hold what stays in it: to read its claim.
    Right(AUTHENTICATION, "peeringclaims", f"{READ} delete"),
    Right(AUTHENTICATION, "peeringclaims/status", "patch"),
    Right(CORE, "serviceaccounts", f"{FOLLOW} delete patch"),
    Right(RBAC, "roles", f"{FOLLOW} delete patch"),
    Right(RBAC, "roles", "bind", only=(names.PEERING_USER_ROLE,)),
    Right(LEASES, "leases", "create get patch"),
)

# The controllers, in the namespace `default`: the Service of the API server lives there.
CONTROLLERS_AT_THE_API_SERVER = (Right("discovery.k8s.io", "endpointslices", FOLLOW),)

# The controllers, in each tenant namespace: nonces, certificates, kubeconfigs; virtual kubelets.
# To let a kubelet read its credential and hold its leases, one must have these rights oneself.
CONTROLLERS_IN_TENANTS = (
    Right(CORE, "secrets", f"{READ} create patch"),
    Right("apps", "deployments", "create delete patch"),
    Right(CORE, "serviceaccounts", "create patch"),
    Right(RBAC, "roles", "create patch"),
    Right(LEASES, "leases", "create get patch"),
)

# The webhooks, in each tenant namespace: does the kubeconfig that a VirtualNode names exist?
WEBHOOKS_IN_TENANTS = (Right(CORE, "secrets", "get"),)

# The webhooks, in the whole cluster: what an answer depends on, and who calls them.
WEBHOOKS = (
    Right(CORE, "namespaces", f"{READ} patch"),  # offloaded ones are labelled
    Right(CORE, "nodes", "get"),
    Right(AUTHENTICATION, "resourceslices tenants", "list"),
    Right(OFFLOADING, "vkoptionstemplates", "get"),
    Right(OFFLOADING, "quotas shadowpods", FOLLOW),  # what is free, for who comes next
    Right(OFFLOADING, "namespaceoffloadings", f"{READ} create"),  # which is only ever tried
    Right(ADMISSION, CONFIGURATIONS, FOLLOW),  # by their label, which cannot be said here
    Right(ADMISSION, CONFIGURATIONS, "patch", only=(names.WEBHOOK,)),
)

# The webhooks, in the namespace of the installation: their certificate, who of them decides on
# quotas, and what kubelets need.
WEBHOOKS_AT_HOME = (
    Right("ipam.liqo.io", "networks", "list"),
    Right(CORE, "secrets", "create"),  # which cannot be limited to a name
    Right(CORE, "secrets", f"{FOLLOW} patch", only=(WEBHOOK_CERTIFICATE,)),
    Right(LEASES, "leases", "create"),  # the same
    Right(LEASES, "leases", "get patch", only=(names.ADMISSION_LEASE,)),
)

# The metric agent: whose pods are where, and what the kubelets of their nodes tell.
METRIC_AGENTS = (
    Right(CORE, "namespaces nodes pods", "list"),
    Right(CORE, "nodes/proxy", "get"),
)

# The metric agent, where Kubernetes says by which certificates its API server is known.
METRIC_AGENTS_AT_THE_API_SERVER = (
    Right(CORE, "configmaps", FOLLOW, only=(authentication.TOLD.name,)),
)

# A consumer, in its tenant namespace on the provider. This one and all below: fixed by the wire.
REMOTE_CONTROL_PLANES = (
    Right(AUTHENTICATION, "renews renews/status resourceslices resourceslices/status", ALL),
    Right(OFFLOADING, "namespacemaps namespacemaps/status", ALL),
)

# The kubelets of a consumer, in each namespace that it extends to the provider.
REMOTE_KUBELETS = (
    Right(CORE, "configmaps events persistentvolumeclaims secrets services", ALL_SINGLE),
    Right(CORE, "pods/attach pods/exec", "create"),
    Right(CORE, "pods/log", "get list"),
    Right(CORE, "pods/portforward", "create get"),
    Right(CORE, "pods", READ),
    Right("metrics.k8s.io", "pods", READ),
    Right("networking.k8s.io", "ingresses", ALL_SINGLE),
    Right(OFFLOADING, "shadowendpointslices shadowpods", ALL_SINGLE),
)

# The same, in the whole cluster of the provider.
REMOTE_KUBELETS_EVERYWHERE = (Right("metrics.liqo.io", "scrape/metrics", READ),)

# A virtual kubelet, at home: its node, and the pods on it.
LOCAL_KUBELETS = (
    Right(CORE, "nodes", "create get list patch watch"),
    Right(CORE, "nodes/status pods/status", "patch"),
    Right(CORE, "pods", "delete get list watch"),
    Right(CORE, "events", "create patch"),
    Right("core.liqo.io", "foreignclusters", READ),
    Right(OFFLOADING, "vkoptionstemplates", FOLLOW),  # whose policies it reads as they are now
    # What leads to pods, and is no secret: one watch each, however many namespaces go out.
    Right(CORE, "services", FOLLOW),
    Right("discovery.k8s.io", "endpointslices", FOLLOW),
    Right("networking.k8s.io", "ingresses", FOLLOW),
    # What it serves on: its certificate, and who may ask it for what.
    Right(APPROVAL, "certificatesigningrequests", "create list watch"),
    Right(CORE, "configmaps", FOLLOW, only=(authentication.TOLD.name,)),
    Right("authentication.k8s.io", "tokenreviews", "create"),
    Right("authorization.k8s.io", "subjectaccessreviews", "create"),
)

# The same, among the leases of nodes. By name it could not be said without a role for each.
NODE_KUBELETS = (Right(LEASES, "leases", f"{FOLLOW} create patch"),)

# The same, beside its VirtualNode. Its credential it may read, and its leases it may hold, by
# their names: consumer/kubelet/forge.py
TENANT_KUBELETS = (Right(OFFLOADING, "namespacemaps virtualnodes", READ),)

# The same, in each namespace that goes out through it.
NAMESPACE_KUBELETS = (
    Right(CORE, "configmaps secrets", READ),
    Right(CORE, "serviceaccounts/token", "create"),
)

# The owner of another cluster, with the kubeconfig of `generate peering-user`.
PEERING_USERS_AT_HOME = (
    Right(CORE, "configmaps", READ),
    Right("ipam.liqo.io", "networks", "get list"),
    Right("ipam.liqo.io", "ips", "get"),
    Right(NETWORKING, "wggatewayclienttemplates wggatewayservertemplates", "get list"),
)
PEERING_USERS_IN_TENANTS = (
    Right(CORE, "namespaces services", "get"),
    Right(CORE, "secrets", "create delete get list"),
    Right("apps", "deployments", "get"),
    Right(AUTHENTICATION, "tenants", "create delete get list update"),
    Right("ipam.liqo.io", "ips", "create delete get update"),
    Right(
        NETWORKING,
        "configurations gatewayclients gatewayservers publickeies",
        "create delete get list update",
    ),
    Right(NETWORKING, "connections", "get list"),
    Right(NETWORKING, "gatewayclients/status gatewayservers/status", "get"),
)
