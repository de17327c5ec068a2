"""The `SmartSearch` capability: settings in, toolset out."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from pathlib import Path

from pydantic_ai.capabilities import AbstractCapability, durable_operation
from pydantic_ai.tools import AgentDepsT, RunContext

from pydantic_ai_smart_search.judge.model import JudgeModel
from pydantic_ai_smart_search.options import (
    DEFAULT_CONCURRENCY,
    DEFAULT_THRESHOLD,
    OnJudgeError,
    Refresh,
)
from pydantic_ai_smart_search.request import SearchRequest
from pydantic_ai_smart_search.results import SmartSearchDetails, SmartSearchResult
from pydantic_ai_smart_search.toolset import SmartSearchToolset


@dataclass
class SmartSearch(AbstractCapability[AgentDepsT]):
    """Plain-English code search: gives an agent the `smart_search` tool.

    A search lists the files of the run's workspace with ripgrep, cuts them into snippets along
    their structure, shortlists snippets by their words, and has the judge say which act on what
    the query names and do what it describes. Until the judge, nothing leaves the workspace.

    ```python
    from pydantic_ai import Agent
    from pydantic_ai.capabilities import LocalWorkspace
    from pydantic_ai_smart_search import SmartSearch

    agent = Agent(capabilities=[LocalWorkspace('.'), SmartSearch('system-one:clm-latest')])
    ```

    Raises:
        ValueError: A setting is outside its range; raised when built, also from an agent spec.
    """

    model: JudgeModel
    """The judge: a Pydantic AI model, a model's name, or `'local'`. It receives source code.

    `'local'` ranks in this process, needs no key and sends nothing anywhere. A judge given by name
    has 30 seconds for each request; a model instance keeps its own settings.
    """

    _: KW_ONLY

    threshold: float = DEFAULT_THRESHOLD
    """Relevance a snippet needs to be returned, 0 to 1: the product of the judge's two answers."""

    concurrency: int = DEFAULT_CONCURRENCY
    """Snippets judged at once, 1 or more."""

    cache_index: bool = False
    """Keep the index of each searched directory in memory, so that a later search only indexes
    what changed. At most four (directory, glob) pairs, least recently searched dropped first."""

    index_dir: str | Path | None = None
    """A directory to keep indexes in for later runs and other processes, besides in memory. It is
    made private, and never searched."""

    guidance: str | None = None
    """When to use the tool, for the agent's instructions: `None` for ours, `''` for none."""

    on_judge_error: OnJudgeError = 'fail'
    """What a judgment that still fails after its retries does: `'fail'` fails the search, as a tool
    failure; `'partial'` returns what was judged, counts the rest and warns about it."""

    stop_after: int | None = None
    """Judge no further once this many confident matches are found; `None` judges all candidates."""

    deadline_seconds: float | None = None
    """Return what is judged by then, labelled as such; `None` takes as long as it takes."""

    use_embedding: bool = True
    """Shortlist snippets by their meaning too, with the embedding this package brings; `False` goes
    by their words alone. Either way it happens in this process."""

    screen_secrets: bool = True
    """Withhold snippets that hold a credential from the judge and the result."""

    refresh: Refresh = 'state'
    """What tells that a file of a kept index changed: `'state'`, its size and times, where the
    workspace is this machine; `'content'` reads every file each time."""

    screen_files: int = 0
    """Show the judge outlines of up to this many files that would not be judged in full, 24 in a
    request, and judge more snippets of those it finds likely; 0 shows none."""

    def __post_init__(self) -> None:
        """Build the one toolset that every per-run copy of this capability shares."""
        self._toolset = SmartSearchToolset[AgentDepsT](
            model=self.model,
            threshold=self.threshold,
            concurrency=self.concurrency,
            cache_index=self.cache_index,
            index_dir=self.index_dir,
            guidance=self.guidance,
            on_judge_error=self.on_judge_error,
            stop_after=self.stop_after,
            deadline_seconds=self.deadline_seconds,
            use_embedding=self.use_embedding,
            screen_secrets=self.screen_secrets,
            refresh=self.refresh,
            screen_files=self.screen_files,
            id=self.id or 'smart_search',
            perform=self._perform,
        )

    def get_toolset(self) -> SmartSearchToolset[AgentDepsT]:
        """The toolset, the same object each time, so that kept indexes outlive a run."""
        return self._toolset

    async def _perform(
        self, ctx: RunContext[AgentDepsT], request: SearchRequest
    ) -> SmartSearchResult:
        result, details = await self._search(ctx, request)
        return replace(result, details=details)

    @durable_operation(name='search')
    async def _search(
        self, ctx: RunContext[AgentDepsT], request: SearchRequest
    ) -> tuple[SmartSearchResult, SmartSearchDetails]:
        """One search, in one step of a durable workflow: a recovered one does not repeat it.

        The details are apart because a step's result is kept as a model would read it.
        """
        result = await self._toolset.perform(ctx, request)
        return result, result.details
