"""The class `share`: a percentage of what is free here, whatever that is at the moment."""
