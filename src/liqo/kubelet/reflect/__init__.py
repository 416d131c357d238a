"""What pods need beside themselves: what of it follows them to the provider."""
