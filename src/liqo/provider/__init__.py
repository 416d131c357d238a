"""Work of the side that lends."""
