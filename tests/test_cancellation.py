"""Searches that are cancelled in the middle: everything stops, and nothing is left behind or spoilt."""

from __future__ import annotations

import asyncio
import os
import select
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import anyio.to_thread
import pytest
from pydantic_ai import Agent
from pydantic_ai.capabilities import LocalWorkspace
from pydantic_ai.usage import RunUsage

from pydantic_ai_smart_search import SmartSearch, SmartSearchToolset, indexing
from pydantic_ai_smart_search.judge.model import JudgeModel
from pydantic_ai_smart_search.snippets.snippet import Cut
from pydantic_ai_smart_search.testing import ScriptedJudge, searches_once
from tests.project import run_context, write_project
from tests.servers import STALL, Asked, Reply, SystemOneServer, score

pytestmark = pytest.mark.anyio

QUERY = 'reject an expired session'


def agent_for(root: Path, judge: JudgeModel) -> Agent[object, str]:
    return Agent(
        searches_once(QUERY),
        capabilities=[LocalWorkspace(root), SmartSearch(judge, cache_index=True)],
    )


@contextmanager
def no_task_left() -> Generator[None]:
    tasks = asyncio.all_tasks()
    yield
    assert asyncio.all_tasks() == tasks


async def cancel_task(search: Coroutine[Any, Any, Any], is_under_way: asyncio.Event) -> None:
    """Cancel the task of the search, as asyncio does."""
    task = asyncio.create_task(search)
    await is_under_way.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def cancel_scope(search: Coroutine[Any, Any, Any], is_under_way: asyncio.Event) -> None:
    """Cancel a scope around the search, as anyio does."""
    scope = anyio.CancelScope()

    async def cancel() -> None:
        await is_under_way.wait()
        scope.cancel()

    async with anyio.create_task_group() as group:
        group.start_soon(cancel)
        with scope:
            await search
    assert scope.cancelled_caught


Cancel = Callable[[Coroutine[Any, Any, Any], asyncio.Event], Coroutine[Any, Any, None]]
cancelled_either_way = pytest.mark.parametrize('cancel', [cancel_task, cancel_scope])


# Listing


@cancelled_either_way
async def test_a_search_cancelled_while_it_lists_ends_rg(cancel: Cancel, tmp_path: Path) -> None:
    """A pipe for an ignore file holds `rg` up for as long as nobody writes into it."""
    root = write_project(tmp_path)
    os.mkfifo(root / '.ignore')
    agent = agent_for(root, ScriptedJudge({'refusing': 0.9}))
    usage = RunUsage()
    is_listing = asyncio.Event()

    async def hold() -> int:
        """The writing end, open once `rg` reads."""
        pipe = await anyio.to_thread.run_sync(os.open, root / '.ignore', os.O_WRONLY)
        is_listing.set()
        return pipe

    with no_task_left():
        holding = asyncio.create_task(hold())
        await cancel(agent.run('where?', usage=usage), is_listing)
        pipe = await holding
    poll = select.poll()
    poll.register(pipe, 0)
    await anyio.to_thread.run_sync(poll.poll)  # until nobody reads any more
    os.close(pipe)
    assert usage.requests == 1

    (root / '.ignore').unlink()
    assert 'app/sessions.py' in (await agent.run('where?')).output


# Indexing


class Cutting:
    """Holds up the cutting of files, and counts."""

    def __init__(self) -> None:
        self.files: list[str] = []
        self.most_at_once = 0
        self.may_go_on = threading.Event()
        self.is_under_way = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._at_once = 0
        self._cut_file = indexing.cut_file

    def cut_file(self, path: str, text: str) -> Cut:
        self.files.append(path)
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        self._loop.call_soon_threadsafe(self.is_under_way.set)
        self.may_go_on.wait()
        try:
            return self._cut_file(path, text)
        finally:
            self._at_once -= 1


@pytest.fixture
async def cutting(monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[Cutting]:
    cutting = Cutting()
    monkeypatch.setattr(indexing, 'cut_file', cutting.cut_file)
    yield cutting
    cutting.may_go_on.set()


@cancelled_either_way
async def test_a_search_cancelled_while_it_indexes_stops_after_the_file_under_way(
    cancel: Cancel, cutting: Cutting, tmp_path: Path
) -> None:
    context = run_context(write_project(tmp_path))
    toolset = SmartSearchToolset[None](model=ScriptedJudge({'refusing': 0.9}), cache_index=True)
    ended = asyncio.create_task(cancel(toolset.smart_search(context, QUERY), cutting.is_under_way))
    await cutting.is_under_way.wait()
    # Another search of the same directory may begin only when the first has let go of the index.
    following = asyncio.create_task(toolset.smart_search(context, QUERY))
    for _ in range(100):
        await anyio.lowlevel.checkpoint()
    assert not ended.done()
    assert len(cutting.files) == 1
    cutting.may_go_on.set()
    await ended
    result = await following
    assert cutting.most_at_once == 1
    assert sorted(cutting.files) == sorted({*cutting.files})
    assert (result.coverage.files, result.details.indexed_files) == (4, 3)
    assert result.matches[0].file_path == 'app/sessions.py'


# Judging


@cancelled_either_way
async def test_a_search_cancelled_while_it_judges_gives_back_what_it_claimed(
    cancel: Cancel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop = asyncio.get_running_loop()
    is_judging = asyncio.Event()
    does_stall = True

    def script(asked: Asked) -> Reply:
        loop.call_soon_threadsafe(is_judging.set)
        return STALL if does_stall else score()

    usage = RunUsage()
    with SystemOneServer(script) as server:
        monkeypatch.setenv('SYSTEM_ONE_BASE_URL', server.url)
        agent = agent_for(write_project(tmp_path), 'system-one:test')
        with no_task_left():
            await cancel(agent.run('where?', usage=usage), is_judging)
        await server.until_idle()
        assert usage.requests == 1

        does_stall = False
        assert 'app/sessions.py' in (await agent.run('where?')).output
