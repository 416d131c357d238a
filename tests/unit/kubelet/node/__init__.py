"""The Node that a virtual kubelet shows."""
