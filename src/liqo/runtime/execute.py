"""From actions to requests: skips what is already so, sends the rest, learns from the answers.

What is decided here without sending anything lives beside it: `requests` (which request an action
becomes), `memory` (whether it is needed), `events` (what people are told), `pace` (how many at a
time).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass

import structlog

from liqo.api.meta import JSON, OwnerReference, Resource
from liqo.errors import LiqoError
from liqo.kube.cache import Caches
from liqo.kube.cluster import Cluster
from liqo.kube.errors import Conflict, Invalid, KubeError, NotFound, Refused
from liqo.runtime.clock import Clock, Stopwatch, boot_clock, wall_clock
from liqo.runtime.events import Sentences, Told, sentence, telling
from liqo.runtime.memory import Memory, View, Written, digest, is_so, slot_of, standing
from liqo.runtime.pace import Pace
from liqo.runtime.plan import Action, Apply, MintToken, Plan, Record, Side
from liqo.runtime.requests import Request, request_for, with_tokens

MARGIN = 2.0  # seconds of the lease that must be left: a request may take so long to arrive

log = structlog.get_logger()
