"""The root of every error that is meant for a person.

    LiqoError
    ├── PlaygroundError   liqo.playground: this machine cannot, or nobody could
    ├── KubeError         liqo.kube: an API server answered no, or did not answer
    ├── Silent            liqo.plugin: a resource plugin gives no answer that can be read
    └── NotLeading, LeaseLost   liqo.runtime: another copy of the program may be at work

Its text is a whole sentence: what is wrong, with what, and what to do next.
"""


class LiqoError(Exception):
    """Shown to a person as it is, without a stack trace."""


def first_error(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """Of what failed side by side: a person needs to read of one."""
    error = group.exceptions[0]
    return first_error(error) if isinstance(error, BaseExceptionGroup) else error
