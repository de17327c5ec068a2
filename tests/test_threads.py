from __future__ import annotations

import asyncio
import gc
import threading

import pytest
from anyio.lowlevel import checkpoint

from pydantic_ai_smart_search.threads import collection_paused, run_in_thread

pytestmark = pytest.mark.anyio


async def test_what_the_work_returns_or_raises_arrives() -> None:
    def divide(stop: threading.Event, dividend: int, divisor: int) -> float:
        return dividend / divisor

    assert await run_in_thread(divide, 6, 3) == 2
    with pytest.raises(ZeroDivisionError):
        await run_in_thread(divide, 6, 0)


@pytest.mark.parametrize('error', [None, RuntimeError('nobody wants to know')])
async def test_a_cancellation_waits_for_the_work_to_stop_however_often_it_comes(
    error: Exception | None, caplog: pytest.LogCaptureFixture
) -> None:
    loop = asyncio.get_running_loop()
    is_under_way = asyncio.Event()
    may_end = threading.Event()
    has_ended = False

    def work(stop: threading.Event) -> None:
        nonlocal has_ended
        loop.call_soon_threadsafe(is_under_way.set)
        stop.wait()
        may_end.wait()
        has_ended = True
        if error:
            raise error

    task = asyncio.create_task(run_in_thread(work))
    await is_under_way.wait()
    for _ in range(3):
        task.cancel()
        await checkpoint()
        await checkpoint()
        assert not task.done()
    may_end.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert has_ended
    assert caplog.records == []


@pytest.mark.parametrize('is_enabled', [True, False])
def test_the_collector_is_as_it_was_once_a_pause_is_over(is_enabled: bool) -> None:
    was_enabled = gc.isenabled()
    (gc.enable if is_enabled else gc.disable)()
    try:
        with collection_paused():
            assert not gc.isenabled()
        assert gc.isenabled() == is_enabled
    finally:
        (gc.enable if was_enabled else gc.disable)()
