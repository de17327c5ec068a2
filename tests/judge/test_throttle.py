from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager

import anyio
import pytest
from anyio.lowlevel import checkpoint

from pydantic_ai_smart_search.errors import JudgeUnavailable
from pydantic_ai_smart_search.judge.throttle import Throttle

pytestmark = pytest.mark.anyio


RATE_LIMITED = JudgeUnavailable('scripted', 'slow down', is_rate_limited=True)
BUSY = JudgeUnavailable('scripted', 'busy')


async def refused(throttle: Throttle, error: JudgeUnavailable) -> None:
    async def ask() -> None:
        await checkpoint()
        raise error

    with pytest.raises(JudgeUnavailable):
        async with throttle.turn():
            await ask()


async def test_a_rate_limit_halves_what_may_be_under_way_down_to_one() -> None:
    throttle = Throttle(8)
    allowed: list[int] = []
    for _ in range(5):
        await refused(throttle, RATE_LIMITED)
        allowed.append(throttle.allowed)
    assert allowed == [4, 2, 1, 1, 1]


async def test_requests_refused_in_one_burst_count_once() -> None:
    throttle = Throttle(8)
    await asyncio.gather(*(refused(throttle, RATE_LIMITED) for _ in range(8)))
    assert throttle.allowed == 4


async def test_other_failures_do_not_slow_it_down() -> None:
    throttle = Throttle(8)
    await refused(throttle, BUSY)
    assert throttle.allowed == 8


async def test_a_round_that_went_well_allows_one_more_up_to_the_most() -> None:
    throttle = Throttle(4)
    await refused(throttle, RATE_LIMITED)
    rounds: list[int] = []
    for _ in range(4):
        for _ in range(throttle.allowed + 1):
            async with throttle.turn():
                pass
        rounds.append(throttle.allowed)
    assert rounds == [3, 4, 4, 4]


async def test_nobody_begins_a_turn_while_one_is_alone() -> None:
    throttle = Throttle(8)
    order: list[str] = []

    async def work(name: str, turn: AbstractAsyncContextManager[None]) -> None:
        async with turn:
            order.append(f'{name} begins')
            for _ in range(3):
                await checkpoint()
            order.append(f'{name} ends')

    async with anyio.create_task_group() as group:
        group.start_soon(work, 'one', throttle.alone())
        group.start_soon(work, 'two', throttle.alone())
        group.start_soon(work, 'turn', throttle.turn())
    begun = [entry.removesuffix(' begins') for entry in order[::2]]
    assert [entry.removesuffix(' ends') for entry in order[1::2]] == begun
    assert sorted(begun) == ['one', 'turn', 'two']


async def test_being_alone_waits_for_turns_to_end_but_not_for_one_that_hangs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr('pydantic_ai_smart_search.judge.throttle.DRAIN_SECONDS', 0.01)
    throttle = Throttle(8)
    is_over = False

    async def be_brief() -> None:
        nonlocal is_over
        async with throttle.turn():
            await checkpoint()
        is_over = True

    async with anyio.create_task_group() as group:
        group.start_soon(be_brief)
        await checkpoint()
        async with throttle.alone():
            assert is_over
        async with throttle.turn(), throttle.alone():
            pass


async def test_no_more_are_under_way_than_allowed_and_all_get_their_turn() -> None:
    throttle = Throttle(3)
    under_way: set[int] = set()
    most = 0
    done: list[int] = []

    async def work(number: int) -> None:
        nonlocal most
        async with throttle.turn():
            under_way.add(number)
            most = max(most, len(under_way))
            for _ in range(number % 4):
                await checkpoint()
            under_way.remove(number)
        done.append(number)

    async with anyio.create_task_group() as group:
        for number in range(20):
            group.start_soon(work, number)
    assert most == 3
    assert sorted(done) == list(range(20))


async def test_a_cancelled_turn_is_passed_on() -> None:
    throttle = Throttle(1)
    with anyio.CancelScope() as scope:
        async with throttle.turn():
            scope.cancel()
            await checkpoint()
    with anyio.fail_after(1):
        async with throttle.turn():
            pass
