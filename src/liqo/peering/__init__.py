"""Work of both sides."""
