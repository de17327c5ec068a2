"""A Temporal workflow that searches, as an application would have it in a module of its own."""

from __future__ import annotations

from pydantic_ai.durable_exec.temporal import PydanticAIWorkflow
from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from pydantic_ai.usage import UsageLimits

    from pydantic_ai_smart_search import SmartSearch
    from tests.temporal import agents

CAPABILITY = SmartSearch
"""Used here so that the sandbox has to load it."""


@workflow.defn
class Search(PydanticAIWorkflow):
    """Runs the agent that the test put into `agents`."""

    @workflow.run
    async def run(self, request_limit: int | None) -> tuple[str, int]:
        result = await agents['searcher'].run(
            'where do we reject expired sessions?',
            usage_limits=UsageLimits(request_limit=request_limit),
        )
        return result.output, result.usage.requests
