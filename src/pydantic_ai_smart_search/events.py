"""What a run sees of a search that takes a while: progress events in its stream."""

from __future__ import annotations

import math
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from pydantic_ai.messages import CapabilityEvent
from pydantic_ai.tools import RunContext

from pydantic_ai_smart_search.durable import is_detached
from pydantic_ai_smart_search.request import Progress, no_progress

EVENT_SECONDS: Final = 0.25
"""Least time between two events of one stage: four a second look alive and fill no stream."""


@dataclass(kw_only=True)
class SmartSearchProgress(CapabilityEvent, namespace='smart_search'):
    """How far a search has come."""

    stage: str = ''
    """`index` and `screen` count files, `judge` counts snippets."""
    done: int = 0
    """Units of the stage that are done."""
    total: int = 0
    """Units of the stage altogether."""


@asynccontextmanager
async def progress_events(ctx: RunContext[Any]) -> AsyncGenerator[Progress]:
    """Emit what the search in the body reports as events of the run, where the run takes them."""
    if not _takes_events(ctx):
        yield no_progress
        return
    events, waiting = anyio.create_memory_object_stream[SmartSearchProgress](math.inf)
    failure: Exception | None = None
    async with anyio.create_task_group() as emitter:
        emitter.start_soon(_emit, ctx, waiting)
        with events:
            try:
                yield _Reporter(events)
            except Exception as error:  # noqa: BLE001 - raised below, outside the task group
                failure = error
    if failure is not None:
        raise failure


class _Reporter:
    """Turns reports into events: the first and last of a stage, and a few in between."""

    def __init__(self, events: MemoryObjectSendStream[SmartSearchProgress]) -> None:
        self._events = events
        self._stage = ''
        self._last = 0.0

    def __call__(self, stage: str, done: int, total: int) -> None:
        now = time.monotonic()
        if stage == self._stage and done < total and now - self._last < EVENT_SECONDS:
            return
        self._stage, self._last = stage, now
        self._events.send_nowait(SmartSearchProgress(stage=stage, done=done, total=total))


async def _emit(
    ctx: RunContext[Any], events: MemoryObjectReceiveStream[SmartSearchProgress]
) -> None:
    async with events:
        async for event in events:
            await ctx.emit(event)


def _takes_events(ctx: RunContext[Any]) -> bool:
    """Whether this is a tool call of a run that a capability contributed: only those may emit, and
    only within the run.
    """
    if is_detached(ctx):
        return False
    tool = ctx.tools.get(ctx.tool_name or '')
    return tool is not None and tool.capability_id in ctx.capabilities
