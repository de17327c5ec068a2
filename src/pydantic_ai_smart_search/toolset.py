"""The `smart_search` tool in its host: its workspace, its span, the errors a run knows."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from importlib import import_module
from pathlib import Path
from typing import Final, NoReturn

import anyio.to_thread
from pydantic_ai.exceptions import ModelRetry, ToolFailed, UserError
from pydantic_ai.messages import InstructionPart
from pydantic_ai.tools import AgentDepsT, RunContext
from pydantic_ai.toolsets import FunctionToolset, ToolsetTool
from pydantic_ai.workspaces import (
    SupportsCommands,
    UnavailableWorkspace,
    Workspace,
    WorkspaceBackend,
    WorkspaceError,
    WorkspaceUnavailableError,
    WrapperWorkspace,
)

from pydantic_ai_smart_search.durable import check_counted, tracer_of
from pydantic_ai_smart_search.errors import USE_REGULAR_SEARCH, InvalidSearch, SearchUnavailable
from pydantic_ai_smart_search.events import progress_events
from pydantic_ai_smart_search.guidance import (
    TOOL_DESCRIPTION,
    TOOL_NAME,
    AlternativesArgument,
    CandidatesArgument,
    DirectoryArgument,
    GlobArgument,
    LimitArgument,
    QueryArgument,
    guidance_for,
)
from pydantic_ai_smart_search.judge.budget import RequestBudget
from pydantic_ai_smart_search.judge.memory import JudgmentMemory
from pydantic_ai_smart_search.judge.model import JudgeModel, is_local, judge_name, make_judge
from pydantic_ai_smart_search.lexical.cache import open_indexes
from pydantic_ai_smart_search.options import (
    DEFAULT_CANDIDATES,
    DEFAULT_CONCURRENCY,
    DEFAULT_LIMIT,
    DEFAULT_THRESHOLD,
    MAX_REMEMBERED_JUDGMENTS,
    OnJudgeError,
    Refresh,
    SearchOptions,
)
from pydantic_ai_smart_search.request import Progress, SearchRequest
from pydantic_ai_smart_search.results import SmartSearchResult

MAX_RETRIES: Final = 3
"""Corrected calls in a row a model gets before the run ends: a wrong directory, then a wrong glob.
"""

Perform = Callable[[RunContext[AgentDepsT], SearchRequest], Awaitable[SmartSearchResult]]
"""Carries a search out and raises as the tool does."""


class SmartSearchToolset(FunctionToolset[AgentDepsT]):
    """Offers `smart_search` over the run's workspace, wherever that workspace can run commands.

    Usable without the capability: `await toolset.smart_search(ctx, 'query')` returns the typed
    result. One toolset may serve many runs; with `cache_index` or `index_dir` it keeps their
    indexes. `perform` is
    how a search is carried out, if not by the toolset's own method of that name.
    """

    def __init__(
        self,
        *,
        model: JudgeModel,
        threshold: float = DEFAULT_THRESHOLD,
        concurrency: int = DEFAULT_CONCURRENCY,
        cache_index: bool = False,
        index_dir: str | Path | None = None,
        guidance: str | None = None,
        on_judge_error: OnJudgeError = 'fail',
        stop_after: int | None = None,
        deadline_seconds: float | None = None,
        use_embedding: bool = True,
        screen_secrets: bool = True,
        refresh: Refresh = 'state',
        screen_files: int = 0,
        id: str | None = None,  # noqa: A002 - the host's name for it
        perform: Perform[AgentDepsT] | None = None,
    ) -> None:
        self._options = SearchOptions(
            threshold=threshold,
            concurrency=concurrency,
            on_judge_error=on_judge_error,
            stop_after=stop_after,
            deadline_seconds=deadline_seconds,
            use_embedding=use_embedding,
            screen_secrets=screen_secrets,
            refresh=refresh,
            screen_files=screen_files,
        )
        super().__init__(id=id, max_retries=MAX_RETRIES)
        self._model = model
        self._perform = perform or self.perform
        self._guidance = guidance_for(model) if guidance is None else guidance
        self._memory = JudgmentMemory(MAX_REMEMBERED_JUDGMENTS)
        self._indexes = open_indexes(index_dir, in_memory=cache_index)
        self.add_function(self.smart_search, name=TOOL_NAME, description=TOOL_DESCRIPTION)

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """The tool, or none where the workspace cannot run commands.

        Raises:
            UserError: The run has no workspace at all.
        """
        _require_workspace(ctx.workspace)
        return await super().get_tools(ctx) if _can_run_commands(ctx.workspace) else {}

    async def get_instructions(self, ctx: RunContext[AgentDepsT]) -> list[InstructionPart] | None:
        """The guidance, wherever the tool is offered and the guidance is not empty."""
        if not self._guidance or not _can_run_commands(ctx.workspace):
            return None
        return [InstructionPart(self._guidance)]

    async def smart_search(
        self,
        ctx: RunContext[AgentDepsT],
        query: QueryArgument,
        directory: DirectoryArgument = '.',
        glob: GlobArgument = None,
        limit: LimitArgument = DEFAULT_LIMIT,
        candidates: CandidatesArgument = DEFAULT_CANDIDATES,
        alternatives: AlternativesArgument = None,
    ) -> SmartSearchResult:
        """Search the run's workspace; `TOOL_DESCRIPTION` is what a model reads about it.

        Raises:
            ModelRetry: The call can be corrected; the message says how.
            ToolFailed: It cannot; the message names regular search as the fallback.
            WorkspaceUnavailableError: The workspace is gone, which ends the run.
            UsageLimitExceeded: A token or cost limit of the run is reached, which ends the run.
        """
        attributes = {'smart_search.judge_model': judge_name(self._model)}
        if ctx.trace_include_content:
            attributes['smart_search.query'] = query
        # The enclosing tool span records failures, and redacts them where the run says so; a
        # message here could carry the arguments or what a provider answered.
        with tracer_of(ctx).start_as_current_span(
            'smart search',
            attributes=attributes,
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            request = SearchRequest(
                query=query,
                directory=directory,
                glob=glob,
                limit=limit,
                candidates=candidates,
                alternatives=alternatives,
            )
            result = await self._perform(ctx, request)
            span.set_attributes(_span_attributes(result))
            return result

    async def perform(
        self, ctx: RunContext[AgentDepsT], request: SearchRequest
    ) -> SmartSearchResult:
        """Carry a search out right here, with no span around it; raises as `smart_search` does."""
        try:
            async with progress_events(ctx) as progress:
                return await self._search(ctx, request, progress)
        except (InvalidSearch, SearchUnavailable, WorkspaceError) as error:
            _raise_for_host(error)

    async def _search(
        self, ctx: RunContext[AgentDepsT], request: SearchRequest, progress: Progress
    ) -> SmartSearchResult:
        limits = ctx.usage_limits
        if not is_local(self._model):
            check_counted(ctx)
        # With the first search, and not in the event loop: it brings numpy, which takes its time.
        await anyio.to_thread.run_sync(import_module, 'pydantic_ai_smart_search.pipeline')
        from pydantic_ai_smart_search.pipeline import search

        return await search(
            ctx.workspace,
            request,
            make_judge(self._model, usage=ctx.usage, usage_limits=limits),
            indexes=self._indexes,
            budget=RequestBudget(ctx.usage, limits.request_limit if limits else None),
            options=self._options,
            memory=self._memory,
            progress=progress,
        )


def _raise_for_host(error: InvalidSearch | SearchUnavailable | WorkspaceError) -> NoReturn:
    """Every error a search ends with, as the host knows it."""
    match error:
        case InvalidSearch():
            raise ModelRetry(str(error)) from error
        case SearchUnavailable():
            raise ToolFailed(str(error)) from error
        case WorkspaceUnavailableError():
            raise error
        case _:
            raise ToolFailed(f'The workspace failed: {error} {USE_REGULAR_SEARCH}') from error


def _span_attributes(result: SmartSearchResult) -> dict[str, int | bool]:
    coverage = result.coverage
    return {
        'smart_search.files': coverage.files,
        'smart_search.skipped_files': coverage.skipped_files,
        'smart_search.snippets': coverage.snippets,
        'smart_search.evaluated': coverage.evaluated,
        'smart_search.indexed_files': result.details.indexed_files,
        'smart_search.selection_complete': coverage.selection_complete,
        'smart_search.matches': len(result.matches),
        'smart_search.omitted_matches': result.omitted_matches,
    }


def _innermost(workspace: Workspace) -> WorkspaceBackend:
    """The backend under every wrapper. Wrappers are opened by `wrapped`: a durable one refuses
    `backend`.
    """
    layer: WorkspaceBackend = workspace
    while isinstance(layer, Workspace):
        layer = layer.wrapped if isinstance(layer, WrapperWorkspace) else layer.backend
    return layer


def _can_run_commands(workspace: Workspace) -> bool:
    return (
        workspace.attached
        and not workspace.read_only
        and isinstance(_innermost(workspace), SupportsCommands)
    )


def _require_workspace(workspace: Workspace) -> None:
    if workspace.attached:
        return
    backend = _innermost(workspace)
    reason = backend.reason if isinstance(backend, UnavailableWorkspace) else 'none is attached'
    raise UserError(
        f'`SmartSearch` needs a workspace to search: {reason} '
        "For this machine, add `LocalWorkspace('.')` from `pydantic_ai.capabilities` to the "
        "agent's capabilities, or pass `workspace=` to the run."
    )
