"""How hypothesis looks for counterexamples."""

from hypothesis import settings

# No deadline for one example: on a busy machine it would only measure the neighbours.
settings.register_profile("unit", deadline=None)
settings.load_profile("unit")
