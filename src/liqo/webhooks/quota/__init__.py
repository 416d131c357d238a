"""Quotas: what the users of consumers may take in all, decided by one replica of the webhook."""
