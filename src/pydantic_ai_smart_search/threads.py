"""Work in a thread that ends before whoever waits for it goes on, cancelled or not."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import TypeVar, TypeVarTuple

import anyio
import anyio.to_thread

ResultT = TypeVar('ResultT')
ArgumentTs = TypeVarTuple('ArgumentTs')


async def run_in_thread(
    work: Callable[[threading.Event, *ArgumentTs], ResultT], *arguments: *ArgumentTs
) -> ResultT:
    """Run `work` in a worker thread. When the caller is cancelled, the event that `work` is given
    is set, and the cancellation goes on once `work` has ended.

    `anyio.to_thread` waits for its thread when a scope is cancelled, but not when asyncio cancels
    the task: what the thread changes would then be used by others while it still does.
    """
    stop = threading.Event()
    thread = asyncio.ensure_future(anyio.to_thread.run_sync(work, stop, *arguments))
    try:
        return await asyncio.shield(thread)
    except asyncio.CancelledError:
        # Nobody wants to know how the work ends; asyncio complains of errors nobody looked at.
        thread.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
        stop.set()
        with anyio.CancelScope(shield=True):
            while not thread.done():
                with suppress(asyncio.CancelledError):  # one is on its way already
                    await asyncio.wait([thread])
        raise


@contextmanager
def collection_paused() -> Generator[None]:
    """Pause the search for garbage in cycles, where much is made and hardly any of it in cycles.

    Indexing makes a million small objects, and the collector goes through them time and again: a
    tenth of the time. Threads that do this at once may resume it early, which costs nothing else.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
