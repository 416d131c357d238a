"""The Node that a virtual kubelet shows: what it offers, whether it can be reached, its lease."""
