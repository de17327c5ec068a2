"""One search, from a query to a result: the stages in order. Nothing else calls them.

    list -> read -> cut -> shortlist -> judge -> rank

A whole search runs with no agent: it takes a workspace, a judge and a budget, and returns a value.
What a stage finds out on its way (files skipped, snippets left unjudged) travels inside the values,
never beside them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic_ai.workspaces import Workspace

from pydantic_ai_smart_search.errors import NoSearchableWords
from pydantic_ai_smart_search.evidence import read_evidence, read_outlines
from pydantic_ai_smart_search.judge.budget import RequestBudget
from pydantic_ai_smart_search.judge.judge import Judge
from pydantic_ai_smart_search.judge.judging import judge_cases
from pydantic_ai_smart_search.judge.memory import JudgmentMemory
from pydantic_ai_smart_search.judge.screening import plan_screening, screen_outlines
from pydantic_ai_smart_search.lexical.cache import IndexCache
from pydantic_ai_smart_search.lexical.index import SnippetIndex
from pydantic_ai_smart_search.lexical.missed import find_missed, rescue
from pydantic_ai_smart_search.lexical.phrasings import shortlist_phrasings
from pydantic_ai_smart_search.lexical.query import merge_phrasings, weigh_terms
from pydantic_ai_smart_search.options import SearchOptions
from pydantic_ai_smart_search.rank.ranking import rank_cases
from pydantic_ai_smart_search.refreshing import choose_part, refresh_index
from pydantic_ai_smart_search.report import SearchFacts, StageClock, write_result
from pydantic_ai_smart_search.request import Progress, SearchRequest, no_progress
from pydantic_ai_smart_search.results import SmartSearchResult
from pydantic_ai_smart_search.source.files import Skipped
from pydantic_ai_smart_search.source.listing import find_root, list_files
from pydantic_ai_smart_search.source.reading import identify
from pydantic_ai_smart_search.threads import run_in_thread


async def search(
    workspace: Workspace,
    request: SearchRequest,
    judge: Judge,
    *,
    indexes: IndexCache,
    budget: RequestBudget,
    options: SearchOptions,
    memory: JudgmentMemory | None = None,
    progress: Progress = no_progress,
) -> SmartSearchResult:
    """Find the snippets of `workspace` that `judge` finds relevant to the request.

    Raises:
        InvalidSearch: The caller can change the call so that it works.
        SearchUnavailable: It cannot; code has to be found another way.
    """
    query, *alternatives = request.checked_phrasings()
    phrasings = [weigh_terms(query), *map(weigh_terms, alternatives)]
    terms = merge_phrasings(phrasings)
    if not terms.weights:
        raise NoSearchableWords(query)
    if not judge.is_local and not (memory and memory.knows(query)):
        budget.check()
    clock = StageClock()

    with clock.time('list'):
        root = await find_root(workspace, request.directory)
        listing = await list_files(workspace, root, request.glob)
    async with indexes.use(
        root, request.glob, identify(workspace), use_embedding=options.use_embedding
    ) as index:
        with clock.time('index'):
            part = listing
            if not indexes.is_keeping:
                part = await choose_part(index, workspace, root, listing, terms)
            refreshed = await refresh_index(index, workspace, root, part, options.refresh, progress)
            cut_files = 0 if part is listing else len(index.indexed_files())
        with clock.time('shortlist'):
            by_words = await run_in_thread(
                lambda stop: shortlist_phrasings(index, phrasings, request.candidates)
            )
            plan = plan_screening(judge, budget, options)
            sure = by_words.candidates[: plan.snippets]
            missed = await run_in_thread(lambda stop: find_missed(index, terms, sure, plan.files))
    with clock.time('screen'):
        outlined = await read_outlines(workspace, root, missed, options)
        screened = await screen_outlines(
            judge,
            query,
            outlined.outlines,
            budget=budget,
            options=options,
            memory=memory,
            progress=progress,
        )
        rescued = [outlined.files[place] for place in screened.likely]
        shortlist = rescue(by_words, rescued, request.candidates)
    with clock.time('judge'):
        evidence = await read_evidence(workspace, root, shortlist.candidates, options)
        judged = await judge_cases(
            judge,
            query,
            evidence.cases,
            budget=budget,
            options=options,
            memory=memory,
            progress=progress,
        )
    with clock.time('rank'):
        ranking = rank_cases(
            judged.cases, terms.weights, threshold=options.threshold, limit=request.limit
        )
    return write_result(
        ranking,
        SearchFacts(
            judge=judge,
            options=options,
            is_explained=request.explain,
            root=root,
            listing=listing,
            skipped=[*refreshed.skipped, *outlined.withheld, *evidence.withheld],
            indexed_files=refreshed.indexed_files,
            uncut_files=len(listing.paths) - len(part.paths),
            cut_files=cut_files,
            storage_problem=index.problem,
            shortlist=shortlist,
            screened=screened,
            cases=evidence.cases,
            withheld=len(evidence.withheld),
            judged=judged,
            seconds=clock.seconds,
        ),
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Survey:
    """What a search of a directory would cover."""

    searched: Sequence[str]
    """Files that would be searched, as a match would show them, sorted."""
    skipped: Sequence[Skipped]
    """Files that would not be searched, or not in full; paths relative to the directory."""
    snippets: int
    """Snippets the searched files were cut into."""


async def survey(
    workspace: Workspace, directory: str, glob: str | None, progress: Progress = no_progress
) -> Survey:
    """List, read and cut what a search of `directory` would, and say what it would leave out.

    Raises:
        InvalidSearch: The caller can change the call so that it works.
        SearchUnavailable: The files cannot be listed.
    """
    root = await find_root(workspace, directory)
    listing = await list_files(workspace, root, glob)
    index = SnippetIndex()
    refreshed = await refresh_index(index, workspace, root, listing, 'content', progress)
    unsearched = {file.path for file in refreshed.skipped if not index.lines_of(file.path)}
    return Survey(
        searched=[root.display(path) for path in listing.paths if path not in unsearched],
        skipped=refreshed.skipped,
        snippets=index.snippets,
    )
