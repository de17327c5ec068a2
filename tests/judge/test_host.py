"""The judge under an agent's run: limited, and asked again."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic_ai import Agent
from pydantic_ai.capabilities import LocalWorkspace
from pydantic_ai.exceptions import ToolFailed, UsageLimitExceeded
from pydantic_ai.usage import UsageLimits

from pydantic_ai_smart_search.capability import SmartSearch
from pydantic_ai_smart_search.testing import ScriptedJudge, searches_once
from pydantic_ai_smart_search.toolset import SmartSearchToolset
from tests.project import run_context, write_project

pytestmark = pytest.mark.anyio

QUERY = 'reject an expired session'


async def test_a_token_limit_that_a_judgment_crosses_ends_the_run(tmp_path: Path) -> None:
    agent = Agent(
        searches_once(QUERY),
        capabilities=[
            LocalWorkspace(write_project(tmp_path)),
            SmartSearch(ScriptedJudge({'session': 1.0})),
        ],
    )
    with pytest.raises(UsageLimitExceeded, match='total_tokens_limit'):
        await agent.run('where?', usage_limits=UsageLimits(total_tokens_limit=300))


async def test_a_rerun_that_memory_answers_needs_no_request_to_be_left(tmp_path: Path) -> None:
    context = run_context(write_project(tmp_path), limits=UsageLimits(request_limit=100))
    toolset = SmartSearchToolset[None](model=ScriptedJudge({'refusing': 0.9}))
    first = await toolset.smart_search(context, QUERY)
    context.usage.requests = 99
    again = await toolset.smart_search(context, QUERY, limit=20)
    assert again.matches == first.matches
    assert (again.details.requests, context.usage.requests) == (0, 99)
    assert again.details.remembered == again.coverage.evaluated == first.coverage.evaluated
    assert again.details.unjudged == {}

    with pytest.raises(ToolFailed, match='no requests left'):
        await toolset.smart_search(context, 'retry a request')


async def test_what_memory_does_not_hold_is_left_out_when_no_request_is_left(
    tmp_path: Path,
) -> None:
    context = run_context(write_project(tmp_path), limits=UsageLimits(request_limit=100))
    toolset = SmartSearchToolset[None](model=ScriptedJudge({'refusing': 0.9}))
    await toolset.smart_search(context, QUERY, candidates=2)
    context.usage.requests = 99
    again = await toolset.smart_search(context, QUERY)
    assert (again.coverage.evaluated, again.details.remembered) == (2, 2)
    assert again.details.unjudged == {'no requests left': 4}
