"""The root of every error that is meant for a person.

    LiqoError
    ├── PlaygroundError   liqo.playground: this machine cannot, or nobody could
    ├── KubeError         liqo.kube: an API server answered no, or did not answer
    └── NotLeading, LeaseLost   liqo.runtime: another copy of the program may be at work

Its text is a whole sentence: what is wrong, with what, and what to do next.
"""


class LiqoError(Exception):
    """Shown to a person as it is, without a stack trace."""
