"""The names that every kind of networking.liqo.io shares."""

GROUP = "networking.liqo.io"
VERSION = "v1beta1"
