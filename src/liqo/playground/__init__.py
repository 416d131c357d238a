"""Real Kubernetes clusters on this machine, for people and for the tests."""
