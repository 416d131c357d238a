"""Write the controller of a ResourceSlice class of your own: one function, and `serve`.

    from liqo.classes import Answer, Request, serve

    def half(asked: Request) -> Answer:
        return {name: amount.percent(50) for name, amount in asked.resources.items()}

    serve("half", grant=half)

A whole one, with its rights and its Deployment, is in examples/resourceslice-class.
"""

from liqo.classes.answer import Answer, Refusal, Request
from liqo.classes.program import serve
from liqo.rules.quantity import Quantity, parse

__all__ = ["Answer", "Quantity", "Refusal", "Request", "parse", "serve"]
