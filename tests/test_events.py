"""Progress of a search in the event stream of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import Agent
from pydantic_ai.capabilities import LocalWorkspace
from pydantic_ai.exceptions import ModelRetry
from pydantic_ai.usage import UsageLimits
from pydantic_ai.workspaces import LocalWorkspaceBackend

from pydantic_ai_smart_search import SmartSearch, SmartSearchToolset
from pydantic_ai_smart_search.events import SmartSearchProgress, progress_events
from pydantic_ai_smart_search.testing import ScriptedJudge, searches_once
from tests.project import run_context, write_project

pytestmark = pytest.mark.anyio


async def progress_of(agent: Agent[Any, str], **options: Any) -> list[SmartSearchProgress]:
    async with agent.run_stream_events('find it', **options) as stream:
        events: list[object] = [event async for event in stream]
    return [event for event in events if isinstance(event, SmartSearchProgress)]


async def test_a_run_sees_each_stage_begin_and_end(tmp_path: Path) -> None:
    write_project(tmp_path)
    agent = Agent(
        searches_once('expired session'),
        capabilities=[LocalWorkspace(tmp_path), SmartSearch(ScriptedJudge({}))],
    )
    events = await progress_of(agent)
    assert [event.stage for event in events if event.done == event.total] == ['index', 'judge']
    assert {event.tool_name for event in events} == {'smart_search'}
    assert next(event for event in events if event.stage == 'index').total == 4


async def test_reports_in_quick_succession_are_thinned_out(tmp_path: Path) -> None:
    write_project(tmp_path, {f'm{n}.py': f'def session_{n}(): ...\n' for n in range(64)})
    agent = Agent(
        searches_once('expired session'),
        capabilities=[LocalWorkspace(tmp_path), SmartSearch(ScriptedJudge({}))],
    )
    events = await progress_of(agent, usage_limits=UsageLimits(request_limit=None))
    judged = [event.done for event in events if event.stage == 'judge']
    assert judged[0] == 1
    assert len(judged) < judged[-1] == 64


async def test_a_toolset_without_the_capability_emits_nothing_and_works(tmp_path: Path) -> None:
    write_project(tmp_path)
    toolset = SmartSearchToolset[object](model=ScriptedJudge({'refusing': 0.9}))
    agent = Agent(searches_once('reject expired sessions'), toolsets=[toolset])
    assert await progress_of(agent, workspace=LocalWorkspaceBackend(tmp_path)) == []


async def test_a_failure_in_the_body_arrives_as_itself(tmp_path: Path) -> None:
    with pytest.raises(ModelRetry, match='again'):
        async with progress_events(run_context(tmp_path)):
            raise ModelRetry('again')
