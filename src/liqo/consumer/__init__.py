"""Work of the side that borrows."""
