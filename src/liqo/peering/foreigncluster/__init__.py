"""ForeignCluster: how things stand with a peer, for people to read."""
