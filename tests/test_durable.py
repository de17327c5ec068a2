"""Searches in runs that a durable execution engine carries on after a crash."""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

import pytest
from dbos import DBOS
from pydantic_ai import Agent, RunContext
from pydantic_ai.capabilities import LocalWorkspace
from pydantic_ai.durable_exec import DurableRunContext
from pydantic_ai.durable_exec.dbos import DBOSDurability
from pydantic_ai.durable_exec.temporal import TemporalDurability, TemporalRunContext
from pydantic_ai.exceptions import ToolFailed, UserError
from pydantic_ai.usage import UsageLimits

from pydantic_ai_smart_search import SmartSearch, SmartSearchToolset
from pydantic_ai_smart_search.judge.model import JudgeModel
from pydantic_ai_smart_search.testing import ScriptedJudge, searches_once
from tests import temporal
from tests.project import run_context, write_project
from tests.servers import SystemOneServer
from tests.temporal_search import Search

pytestmark = pytest.mark.anyio

QUERY = 'reject an expired session'
UNLIMITED = UsageLimits(request_limit=None)


# DBOS runs a tool inside its workflow, and a durable operation of a capability as one step.


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[None]:
    """DBOS with its state in a file."""
    database = f'sqlite:///{tmp_path}/dbos.sqlite'
    DBOS(config={'name': 'smart-search', 'system_database_url': database})
    DBOS.launch()
    yield
    DBOS.destroy()


class Searches:
    """An agent that searches a project once, in a workflow of its own."""

    def __init__(self, name: str, root: Path, judge: JudgeModel, **arguments: Any) -> None:
        agent = Agent(
            searches_once(QUERY, **arguments),
            name=name,
            capabilities=[
                LocalWorkspace(write_project(root / 'project')),
                SmartSearch(judge, id='code_search'),
                DBOSDurability(),
            ],
        )

        @DBOS.workflow(name=name)
        async def workflow() -> tuple[str, int]:
            result = await agent.run('where do we reject expired sessions?')
            return result.output, result.usage.requests

        self.start = workflow


# What `dbos` and its database driver warn about is theirs.
@pytest.mark.filterwarnings('default')
@pytest.mark.usefixtures('engine')
@pytest.mark.skipif(
    sys.version_info >= (3, 12) and sqlite3.sqlite_version_info < (3, 42),
    reason="from Python 3.12 on, dbos takes it that SQLite knows unixepoch('subsec')",
)
class TestDBOS:
    @pytest.mark.parametrize('by_name', [True, False])
    async def test_a_search_inside_a_workflow_is_judged_and_counted(
        self, by_name: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        judge = 'system-one:test' if by_name else ScriptedJudge({'session': 1.0})
        searches = Searches(f'counted-{by_name}', tmp_path, judge)
        with SystemOneServer() as server:
            monkeypatch.setenv('SYSTEM_ONE_BASE_URL', server.url)
            output, requests = await searches.start()
        found = json.loads(output)
        assert 'app/sessions.py' in {match['file_path'] for match in found['matches']}
        assert requests == 2 + found['coverage']['evaluated'] > 2

    async def test_a_recovered_workflow_does_not_repeat_a_search_and_counts_it(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        searches = Searches('recovered', tmp_path, 'system-one:test')
        with SystemOneServer() as server:
            monkeypatch.setenv('SYSTEM_ONE_BASE_URL', server.url)
            handle = await DBOS.start_workflow_async(searches.start)
            first = await handle.get_result()
            steps = await DBOS.list_workflow_steps_async(handle.workflow_id)
            asked = len(server.requests)
            last = steps[-1]['function_id']
            fork = await DBOS.fork_workflow_async(handle.workflow_id, last)
            assert await fork.get_result() == first
            assert len(server.requests) == asked > 0
        names = [step['function_name'] for step in steps]
        assert sum('code_search' in name for name in names) == 1

    async def test_a_call_to_be_corrected_goes_back_to_the_model(self, tmp_path: Path) -> None:
        searches = Searches('corrected', tmp_path, 'local', directory='nowhere')
        output, _ = await searches.start()
        assert "There is no 'nowhere' in the workspace" in output

    async def test_a_judge_that_fails_is_a_failed_tool_call(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv('SYSTEM_ONE_BASE_URL', raising=False)
        output, _ = await Searches('failed', tmp_path, 'system-one:test').start()
        assert 'it is not set up' in output
        assert 'Use regular text search' in output


def test_a_capability_without_an_id_is_refused_by_the_engine(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"`SmartSearch\(id='...'\)`"):
        Agent(
            searches_once(QUERY),
            name='nameless',
            capabilities=[LocalWorkspace(tmp_path), SmartSearch('local'), DBOSDurability()],
        )


async def test_without_an_engine_a_program_gets_the_details_too(tmp_path: Path) -> None:
    context = run_context(write_project(tmp_path))
    toolset = SmartSearch[None](ScriptedJudge({'refusing': 0.9})).get_toolset()
    result = await toolset.smart_search(context, QUERY)
    assert len(result.details.matches) == len(result.matches) > 0


# Temporal runs a tool in an activity, with a copy of the run's context.


async def search_in_workflow(
    root: Path, judge: JudgeModel, request_limit: int | None
) -> tuple[str, int]:
    """What a run of an agent in a workflow answers, and the requests it counted."""
    agent = temporal.agents['searcher'] = Agent(
        searches_once(QUERY),
        name='searcher',
        capabilities=[
            LocalWorkspace(write_project(root)),
            SmartSearch(judge, id='code_search'),
            TemporalDurability(),
        ],
    )
    bound = TemporalDurability.from_agent(agent)
    assert bound is not None
    result = await temporal.run_workflow(Search, request_limit, bound.temporal_activities)
    assert isinstance(result, tuple | list)
    output, requests = cast('tuple[str, int]', result)
    return output, requests


async def test_a_search_in_a_temporal_workflow_finds_and_judges(tmp_path: Path) -> None:
    output, _ = await search_in_workflow(tmp_path, ScriptedJudge({'refusing': 0.9}), None)
    found = json.loads(output)
    assert found['matches'][0]['file_path'] == 'app/sessions.py'
    assert found['coverage']['evaluated'] > 1


async def test_a_temporal_workflow_with_a_request_limit_is_told_to_lift_it(tmp_path: Path) -> None:
    output, requests = await search_in_workflow(tmp_path, ScriptedJudge({'refusing': 0.9}), 50)
    assert '`UsageLimits(request_limit=None)`' in output
    assert requests == 2


async def test_the_local_judge_searches_in_a_temporal_workflow_with_any_limit(
    tmp_path: Path,
) -> None:
    output, requests = await search_in_workflow(tmp_path, 'local', 50)
    assert json.loads(output)['matches'][0]['file_path'] == 'app/sessions.py'
    assert requests == 2


def in_activity(root: Path, limits: UsageLimits | None = UNLIMITED) -> RunContext[None]:
    """The context of a run over `root` as a Temporal activity rebuilds it."""
    context = run_context(root, limits=limits, tool_name='smart_search')
    crossed = TemporalRunContext[None].serialize_run_context(context)
    return TemporalRunContext[None].deserialize_run_context(
        {**crossed, 'workspace': context.workspace}, None
    )


async def test_a_search_in_a_temporal_activity_finds_and_judges(tmp_path: Path) -> None:
    context = in_activity(write_project(tmp_path))
    toolset = SmartSearchToolset[None](model=ScriptedJudge({'refusing': 0.9}))
    result = await toolset.smart_search(context, QUERY)
    assert result.matches[0].file_path == 'app/sessions.py'
    assert result.details.requests == result.coverage.evaluated > 1


@pytest.mark.parametrize(
    'limits',
    [
        UsageLimits(),
        UsageLimits(request_limit=None, total_tokens_limit=1_000_000),
        UsageLimits(request_limit=None, cost_limit=Decimal(1)),
    ],
)
async def test_a_limit_that_an_activity_could_not_keep_fails_the_search_before_it_spends(
    limits: UsageLimits, tmp_path: Path
) -> None:
    with SystemOneServer() as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv('SYSTEM_ONE_BASE_URL', server.url)
        toolset = SmartSearchToolset[None](model='system-one:test')
        with pytest.raises(ToolFailed, match=r'`UsageLimits\(request_limit=None\)`.*regular'):
            await toolset.smart_search(in_activity(write_project(tmp_path), limits), QUERY)
        assert server.requests == []


@pytest.mark.parametrize('limits', [UsageLimits(), None])
async def test_the_local_judge_needs_no_counting(
    limits: UsageLimits | None, tmp_path: Path
) -> None:
    context = in_activity(write_project(tmp_path), limits)
    result = await SmartSearchToolset[None](model='local').smart_search(context, QUERY)
    assert result.matches[0].file_path == 'app/sessions.py'


async def test_a_run_without_limits_needs_no_counting(tmp_path: Path) -> None:
    context = in_activity(write_project(tmp_path), None)
    toolset = SmartSearchToolset[None](model=ScriptedJudge({'refusing': 0.9}))
    assert (await toolset.smart_search(context, QUERY)).coverage.evaluated > 1


async def test_any_engine_that_detaches_tools_is_recognised(tmp_path: Path) -> None:
    class OtherContext(DurableRunContext[Any]):
        """As another engine would have it."""

    context = run_context(write_project(tmp_path), limits=UsageLimits())
    crossed = OtherContext.serialize_run_context(context)
    detached = OtherContext(None, **{**crossed, 'workspace': context.workspace})
    toolset = SmartSearchToolset[Any](model=ScriptedJudge({'refusing': 0.9}))
    with pytest.raises(ToolFailed, match='apart from its run'):
        await toolset.smart_search(detached, QUERY)
