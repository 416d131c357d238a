"""Our requests go out to a provider, its answers come back."""
