"""One API server: requests, watches, and caches kept current by them."""
