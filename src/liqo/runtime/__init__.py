"""Many controllers in one process: what is wanted, when to decide, how it is done."""
