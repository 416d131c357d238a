"""What a provider tells a consumer about the use of its pods."""
