"""Every label, annotation and finalizer on the wire, in one table.

The comment says where it is found and what its value means. `consumer` and `provider` are clusters.
"""

# Labels: who is who.
REMOTE_CLUSTER_ID = "liqo.io/remote-cluster-id"  # nearly everything of one peer: the other's ID
TENANT_NAMESPACE = "liqo.io/tenant-namespace"  # namespace that holds what two peers share: true
TYPE = "liqo.io/type"  # Node: virtual-node
PROVIDER = "liqo.io/provider"  # Node, by way of the cluster labels: kind, eks, gke …
NAMESPACE_NAME = "kubernetes.io/metadata.name"  # Namespace: its name
HOSTNAME = "kubernetes.io/hostname"  # Node: its name
REGION = "topology.liqo.io/region"  # Node, by way of the cluster labels: any word

# Labels: handshake and credentials.
NONCE = "liqo.io/nonce"  # Secret on the provider: true
SIGNED_NONCE = "liqo.io/signed-nonce"  # Secret on the consumer: true
IDENTITY_TYPE = "liqo.io/identity-type"  # Secret with a kubeconfig: ControlPlane, ResourceSlice
REMOTE_TENANT_CSR = "liqo.io/remote-tenant-csr"  # CertificateSigningRequest of a consumer: true
PEERING_USER_NAME = "liqo.io/peering-user-name"  # what one peering user owns: its name
PEERING_CLAIM = "liqo.io/peering-claim"  # all that one PeeringClaim brought about: its name
TOMBSTONE = "liqo.io/tombstone"  # Secret of a consumer that left unheard: true
RESOURCE_SLICE_NAME = "liqo.io/resourceslice-name"  # VirtualNode, Identity: its ResourceSlice

# Labels: replication, of an object to the peer.
REPLICATION = "liqo.io/replication"  # true: it must be copied; false on the copy
REMOTE_ID = "liqo.io/remoteID"  # the cluster it goes to
REPLICATED = "liqo.io/replicated"  # the copy: true
ORIGIN_ID = "liqo.io/originID"  # the copy: the cluster it comes from
OWNERSHIP = "liqo.io/ownership"  # never copied: who may write what

# Labels: pods and namespaces that go out.
SCHEDULING_ENABLED = "liqo.io/scheduling-enabled"  # Namespace whose pods may go out: true
ENABLED = "liqo.io/enabled"  # Namespace: true makes a NamespaceOffloading with defaults
SHADOW_POD = "liqo.io/shadowPod"  # Pod of the consumer that went out: true
REMOTE_UNAVAILABLE = "liqo.io/remote-unavailable"  # the same, while its Node is not ready: true
CREATOR_USER = "liqo.io/creator-user"  # ShadowPod and its Pod: the user whose Quota it uses
MANAGED_BY = "liqo.io/managed-by"  # of the provider: shadowpod, shadowendpointslice
ORIGIN = "offloading.liqo.io/origin"  # every reflected object: the consumer's ID
DESTINATION = "offloading.liqo.io/destination"  # every reflected object: the provider's ID
NODE_NAME = "offloading.liqo.io/nodename"  # ShadowPod, its Pod, token Secret: the virtual node
SERVICE_ACCOUNT_NAME = "offloading.liqo.io/service-account-name"  # token Secret: whose token
POD_NAME = "offloading.liqo.io/pod-name"  # IP made for a pod that went out
POD_NAMESPACE = "offloading.liqo.io/pod-namespace"  # the same
SERVICE_NAME = "kubernetes.io/service-name"  # EndpointSlice: whose endpoints, Kubernetes' own
ENDPOINT_SLICE_MANAGED_BY = "endpointslice.kubernetes.io/managed-by"  # ShadowEndpointSlice

# Labels: components.
VIRTUAL_NODE = "liqo.io/virtual-node"  # kubelet Deployment and its pods: their VirtualNode
OFFLOADING_COMPONENT = "offloading.liqo.io/component"  # the same: virtual-kubelet
ADDED_TO = "offloading.liqo.io/added-to"  # ClusterRole: the role of kubelets that it is bound with
MAPPED = "offloading.liqo.io/mapped"  # RoleBinding of a kubelet in a namespace that goes out: true
NETWORKING_COMPONENT = "networking.liqo.io/component"  # gateway Deployment and its pods: gateway
WEBHOOK = "liqo.io/webhook"  # webhook configurations and the Secret of their certificate: true
WEBHOOK_SKIP = "liqo.io/webhook-skip"  # true: our webhooks leave it alone
MANAGED = "liqo.io/managed"  # most of what we create: true
APP_MANAGED_BY = "app.kubernetes.io/managed-by"  # bindings of the offloading controllers: liqo
APP_NAME = "app.kubernetes.io/name"  # ConfigMap of the cluster ID: clusterid-configmap
APP_COMPONENT = "app.kubernetes.io/component"  # roles of a peering user: peering-user
LEADER = "leaderelection.liqo.io/leader"  # the pod that leads: true

# Labels: storage.
STORAGE_AVAILABLE = "storage.liqo.io/available"  # Node: does its provider offer storage?
STORAGE_PROVISIONER = "liqo.io/storage-provisioner"  # the namespace of real volumes: true
VIRTUAL_PVC_NAME = "storage.liqo.io/virtual-pvc-name"  # real volume claim: the one it stands for
VIRTUAL_PVC_NAMESPACE = "storage.liqo.io/virtual-pvc-namespace"  # the same

# Labels: networks and addresses.
IP_TYPE = "ipam.liqo.io/ip-type"  # IP: api-server, api-server-proxy
NETWORK_TYPE = "ipam.liqo.io/network-type"  # Network: pod-cidr, external-cidr …
NETWORK_NAME = "ipam.liqo.io/network-name"  # IP: the Network it is taken from
NETWORK_NAMESPACE = "ipam.liqo.io/network-namespace"  # the same
NETWORK_NOT_REMAPPED = "ipam.liqo.io/network-not-remapped"  # Network that keeps its CIDR
NETWORK_SHARED = "ipam.liqo.io/network-shared"  # Network that may be used by others too: true
CIDR_TYPE = "configuration.liqo.io/cidr-type"  # Network of a Configuration: pod, external
GATEWAY_TEMPLATE = "networking.liqo.io/gatewaytemplate"  # CRD of gateway templates: true

# Annotations: peering.
REMOTE_TENANT_NAMESPACE = "liqo.io/remote-tenant-namespace"  # Secret with a kubeconfig: where to
EXPIRES_AT = "liqo.io/expires-at"  # ServiceAccount of a peering command: when its token ends
WITHDRAWAL = "liqo.io/withdrawal"  # Renew: true means that its consumer leaves
IDENTITY_UID = "liqo.io/identity-uid"  # tombstone: the Identity whose credential it keeps
REFUSED_SINCE = "liqo.io/refused-since"  # tombstone: since when its provider does not let us in
OUT_OF_BAND = "liqo.io/out-of-band"  # tenant namespace on a consumer: made by that command: true
CREATE_VIRTUAL_NODE = "liqo.io/create-virtual-node"  # ResourceSlice: set, and not false
CORDON = "liqo.io/cordon"  # ResourceSlice on the provider: its Quota takes no more pods
CORDON_TENANT = "liqo.io/cordon-tenant"  # the same, because its Tenant is cordoned
EXPLANATION = "liqo.io/explanation"  # Quota: the sum that its amounts come from
CLASS_ASKED = "liqo.io/class-asked"  # ResourceSlice on the provider: since when, and which class
PERMANENTLY_UNREACHABLE = "liqo.io/foreign-cluster-permanently-unreachable"  # ForeignCluster: true
RENEW = "liqo.io/renew"  # Identity: true asks for a new certificate now
UNINSTALLING = "liqo.io/uninstalling"  # Deployment of the controllers: true
PREINSTALLED = "liqo.io/preinstalled"  # IP, Network made at installation: not false
WEBHOOK_SERVICE_NAME = "liqo.io/webhook-service-name"  # Secret of the webhooks' certificate

# Annotations: namespaces and virtual nodes.
MANAGED_BY_NAMESPACE_MAP = "liqo.io/managed-by-namespace-map"  # remote Namespace: namespace/name
ORIGINAL_NAME = "liqo.io/original-name"  # remote Namespace: its name on the consumer
OFFLOADING_PATCH_HASH = "liqo.io/offloading-patch-hash"  # pods of a kubelet: restart on change
LARGEST_POD = "offloading.liqo.io/largest-pod"  # virtual Node: cpu=4,memory=8Gi fit on one node
OPENED = "offloading.liqo.io/opened"  # Namespace, for seconds: its strategy, and since when
PODS_STAY = "offloading.liqo.io/pods-stay"  # our NamespaceMap: namespaces whose pods stay at home

# Annotations: wishes of a user, on the object that goes out. "set": any value but false.
SKIP_REFLECTION = "liqo.io/skip-reflection"  # set: stays home
ALLOW_REFLECTION = "liqo.io/allow-reflection"  # set: goes out, where that must be asked for
API_SERVER_SUPPORT = "liqo.io/api-server-support"  # Pod: remote, disabled
REMOTE_SERVICE_ACCOUNT_NAME = "liqo.io/remote-service-account-name"  # Pod
REMOTE_RUNTIME_CLASS_NAME = "liqo.io/remote-runtime-class-name"  # Pod
ANTI_AFFINITY_PRESET = "liqo.io/anti-affinity-preset"  # Pod: propagate, soft, hard
ANTI_AFFINITY_LABELS = "liqo.io/anti-affinity-labels"  # Pod: keys of labels, comma-separated
REMOTE_STORAGE_CLASS = "liqo.io/remote-storage-class"  # PersistentVolumeClaim
REMOTE_ACCESS_MODES = "liqo.io/remote-access-modes"  # PersistentVolumeClaim: comma-separated
FORCE_REMOTE_NODE_PORT = "liqo.io/force-remote-node-port"  # Service: true
USE_DIRECT_CONNECTIONS = "liqo.io/use-direct-connections"  # Service: true
DIRECT_CONNECTIONS_DATA = "liqo.io/direct-connections-data"  # ShadowEndpointSlice: JSON

# Annotations: the Secret with the tokens of a pod's service account.
SERVICE_ACCOUNT_POD_NAME = "offloading.liqo.io/service-account-for-pod-name"
SERVICE_ACCOUNT_POD_UID = "offloading.liqo.io/service-account-for-pod-uid"
SERVICE_ACCOUNT_EXPIRATION = "offloading.liqo.io/service-account-expiration"  # the earliest of all
SERVICE_ACCOUNT_ISSUED = "offloading.liqo.io/service-account-issued"  # when we asked for them

# Annotations: an object and its copy.
APPLIED = "offloading.liqo.io/applied"  # the same: a digest of what we said
LOCAL_UID = "offloading.liqo.io/local-uid"  # every reflected object: the one that it is a copy of

# Annotations: a pod and its twin, told apart from namesakes.
LOCAL_POD_UID = "offloading.liqo.io/local-pod-uid"  # ShadowPod and its Pod: the pod they are for
LOCAL_NAMESPACE = "offloading.liqo.io/local-namespace"  # the same, where it has another name here
REMOTE_POD_UID = "offloading.liqo.io/remote-pod-uid"  # Pod of the consumer: whose status it shows
EARLIER_RESTARTS = "offloading.liqo.io/earlier-restarts"  # the same: those before that remote pod
MADE_OF = "offloading.liqo.io/made-of"  # remote Pod: what its ShadowPod said when it was made
END_WITHIN = "offloading.liqo.io/end-within"  # ShadowPod whose pod is to go: seconds
STILL_TAKES = "offloading.liqo.io/still-takes"  # ShadowPod that shrank: what its pod had before
RENEWED_AT = "offloading.liqo.io/renewed-at"  # Lease of a virtual Node: when, by our own clock
OWN_TAINTS = "offloading.liqo.io/taints"  # virtual Node: which of its taints are the kubelet's

# Finalizers.
TENANT_FINALIZER = "tenant.liqo.io/finalizer"
REPLICATOR_FINALIZER = "crdreplicator.liqo.io/operator"  # Secret with a kubeconfig
REPLICATED_RESOURCE_FINALIZER = "crdreplicator.liqo.io/resource"  # object that has a copy
TENANT_BINDING_FINALIZER = "tenantnamespace-controller.liqo.io/finalizer"  # our own RoleBinding
API_SERVER_CHECKER_FINALIZER = "api-server-checker.liqo.io/finalizer"  # ForeignCluster
NAMESPACE_OFFLOADING_FINALIZER = "namespaceoffloading-controller.liqo.io/finalizer"
NAMESPACE_MAP_FINALIZER = "namespacemap-controller.liqo.io/finalizer"  # the copy, on the provider
VIRTUAL_NODE_FINALIZER = "virtualnode-controller.liqo.io/finalizer"
NETWORK_FINALIZER = "network.ipam.liqo.io/finalizer"
IP_FINALIZER = "ip.ipam.liqo.io/finalizer"
IP_MAPPING_FINALIZER = "ipmapping-nat-controller.liqo.io/finalizer"  # IP of a pod that went out

# Taint of every virtual node: value true, effect NoExecute.
NOT_ALLOWED_TAINT = "virtual-node.liqo.io/not-allowed"
