"""What the verbs of peering share: two sides, the handshake between them, and its end."""
