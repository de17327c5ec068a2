"""What a search may rely on where the host runs its tool apart from the run, with a copy of the
run's context: in a Temporal activity, for example, which may be on another machine.
"""

from __future__ import annotations

from typing import Any

from opentelemetry.trace import NoOpTracer, Tracer
from pydantic_ai.durable_exec import DurableRunContext
from pydantic_ai.tools import RunContext
from pydantic_ai.usage import UsageLimits

from pydantic_ai_smart_search.errors import RequestsNotCounted


def is_detached(ctx: RunContext[Any]) -> bool:
    """Whether `ctx` is a copy: its usage counts for nobody, and nothing live can be reached."""
    return isinstance(ctx, DurableRunContext)


def tracer_of(ctx: RunContext[Any]) -> Tracer:
    """The run's tracer, or one that records nothing where that is out of reach."""
    return NoOpTracer() if is_detached(ctx) else ctx.tracer


def check_counted(ctx: RunContext[Any]) -> None:
    """Fail where what a judge costs is limited and cannot be counted.

    Raises:
        RequestsNotCounted: The run has limits that judging would have to keep, and is out of reach.
    """
    if is_detached(ctx) and _limits_costs(ctx.usage_limits):
        raise RequestsNotCounted


def _limits_costs(limits: UsageLimits | None) -> bool:
    return limits is not None and (
        limits.request_limit is not None
        or limits.cost_limit is not None
        or limits.has_token_limits()
    )
