"""Remote pods: nobody keeps a list of who wrote which of their fields.

The API server works that list out anew at every later write, of their kubelet above all: without it
a change of a pod's status costs it a third. It is made before mutating webhooks are asked, and what
they leave empty stays so until somebody applies the pod server-side, which we never do.
"""

from __future__ import annotations

from liqo.api.kubernetes import Pod
from liqo.webhooks.review import Patch, Request, Verdict

STRIPPED = Patch({"metadata": {"managedFields": []}})


def mutate(_: Request[Pod], __: None) -> Verdict:
    return STRIPPED
