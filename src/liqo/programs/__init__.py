"""The processes of the product: flags, a frozen Config, a list of controllers, run."""
