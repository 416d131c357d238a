"""The nouns: every kind on the wire, as values."""
