"""Joins Kubernetes clusters into one: a consumer borrows resources from providers."""
