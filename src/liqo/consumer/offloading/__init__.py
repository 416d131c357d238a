"""Namespaces that go out: which, to where, and what is said about it."""
