"""One search, from a query to a result: the stages in order. Nothing else calls them.

    list -> read -> cut -> shortlist -> judge -> rank

A whole search runs with no agent: it takes a workspace, a judge and a budget, and returns a value.
What a stage finds out on its way (files skipped, snippets left unjudged) travels inside the values,
never beside them.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import anyio.to_thread
from pydantic_ai.workspaces import Workspace

from pydantic_ai_smart_search.errors import (
    ArgumentOutOfRange,
    InvalidQuery,
    LimitExceeded,
    NoSearchableWords,
)
from pydantic_ai_smart_search.judge.budget import RequestBudget
from pydantic_ai_smart_search.judge.judge import Case, Judge
from pydantic_ai_smart_search.judge.judging import judge_cases
from pydantic_ai_smart_search.judge.memory import JudgmentMemory
from pydantic_ai_smart_search.lexical.cache import IndexCache
from pydantic_ai_smart_search.lexical.candidate import Candidate
from pydantic_ai_smart_search.lexical.choice import CUT_ALL_BYTES, choose_files
from pydantic_ai_smart_search.lexical.index import Content, SnippetIndex, digest_of
from pydantic_ai_smart_search.lexical.phrasings import shortlist_phrasings
from pydantic_ai_smart_search.lexical.query import QueryTerms, merge_phrasings, weigh_terms
from pydantic_ai_smart_search.lines import split_lines
from pydantic_ai_smart_search.options import (
    DEFAULT_CANDIDATES,
    DEFAULT_LIMIT,
    MAX_ALTERNATIVES,
    MAX_CANDIDATES,
    MAX_LIMIT,
    MAX_QUERY_CHARS,
    MAX_TOTAL_BYTES,
    MAX_TOTAL_LINES,
    Refresh,
    SearchOptions,
)
from pydantic_ai_smart_search.rank.ranking import rank_cases
from pydantic_ai_smart_search.report import SearchFacts, StageClock, write_result
from pydantic_ai_smart_search.results import SmartSearchResult
from pydantic_ai_smart_search.snippets.cutting import cut_file
from pydantic_ai_smart_search.source.bulk import can_only_run_commands, find_digests
from pydantic_ai_smart_search.source.decoding import decode_file
from pydantic_ai_smart_search.source.files import (
    Listing,
    Root,
    Skipped,
    SkipReason,
    SourceFile,
    SourceText,
)
from pydantic_ai_smart_search.source.listing import find_root, list_files, ripgrep_in
from pydantic_ai_smart_search.source.reading import find_states, identify, read_files
from pydantic_ai_smart_search.source.scan import scan_files
from pydantic_ai_smart_search.source.screen import find_secret
from pydantic_ai_smart_search.threads import run_in_thread


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchRequest:
    """What one call asks for."""

    query: str
    """The behaviour to find, in plain English; 1 to 2,000 characters once stripped."""
    directory: str = '.'
    """What to search: a directory or a file inside the working directory."""
    glob: str | None = None
    """Narrows the listing; `None` for every file."""
    limit: int = DEFAULT_LIMIT
    """Matches to return, 1..100."""
    candidates: int = DEFAULT_CANDIDATES
    """Snippets to judge, 1..256."""
    alternatives: Sequence[str] | None = None
    """Other phrasings of the query, at most 5; the shortlist is that of all of them together."""
    explain: bool = False
    """Whether the details of the result list every candidate with the parts of its score."""

    def checked_phrasings(self) -> list[str]:
        """The stripped query and then its alternatives, once every argument is in range.

        Raises:
            InvalidQuery: The query or an alternative is empty or too long.
            ArgumentOutOfRange: `limit`, `candidates` or the number of alternatives is.
        """
        alternatives = self.alternatives or ()
        phrasings = [phrasing.strip() for phrasing in (self.query, *alternatives)]
        for phrasing in phrasings:
            if not 1 <= len(phrasing) <= MAX_QUERY_CHARS:
                raise InvalidQuery(phrasing)
        if len(alternatives) > MAX_ALTERNATIVES:
            raise ArgumentOutOfRange(
                'alternatives', len(alternatives), minimum=0, maximum=MAX_ALTERNATIVES
            )
        if not 1 <= self.limit <= MAX_LIMIT:
            raise ArgumentOutOfRange('limit', self.limit, minimum=1, maximum=MAX_LIMIT)
        if not 1 <= self.candidates <= MAX_CANDIDATES:
            raise ArgumentOutOfRange(
                'candidates', self.candidates, minimum=1, maximum=MAX_CANDIDATES
            )
        return phrasings


class Progress(Protocol):
    """Told how far a search has come; called from the event loop, so it must return at once."""

    def __call__(self, stage: str, done: int, total: int) -> None:
        """`done` of `total` units of `stage` (`index`: files; `judge`: snippets)."""
        ...


def no_progress(stage: str, done: int, total: int) -> None:
    """Tell nobody."""


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
                part = await _choose_part(index, workspace, root, listing, terms)
            refreshed = await _refresh_index(
                index, workspace, root, part, options.refresh, progress
            )
        with clock.time('shortlist'):
            shortlist = await run_in_thread(
                lambda stop: shortlist_phrasings(index, phrasings, request.candidates)
            )
    with clock.time('judge'):
        evidence = await _read_evidence(workspace, root, shortlist.candidates, options)
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
            skipped=[*refreshed.skipped, *evidence.withheld],
            indexed_files=refreshed.indexed_files,
            uncut_files=len(listing.paths) - len(part.paths),
            storage_problem=index.problem,
            shortlist=shortlist,
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
    refreshed = await _refresh_index(index, workspace, root, listing, 'content', progress)
    unsearched = {file.path for file in refreshed.skipped if not index.lines_of(file.path)}
    return Survey(
        searched=[root.display(path) for path in listing.paths if path not in unsearched],
        skipped=refreshed.skipped,
        snippets=index.snippets,
    )


async def _choose_part(
    index: SnippetIndex, workspace: Workspace, root: Root, listing: Listing, terms: QueryTerms
) -> Listing:
    """The part of a listing that is worth cutting for one query: of a small tree, all of it."""
    states = await find_states(workspace, root, listing.paths)
    sizes = {path: state.size for path, state in states.items()}
    if root.only or (sizes and sum(sizes.values()) <= CUT_ALL_BYTES):
        return listing
    rg = await ripgrep_in(workspace, root, ignores_above=listing.ignores_above)
    scan = await scan_files(rg, tuple(terms.weights), sizes or None)
    if scan is None:
        return listing
    choice = await anyio.to_thread.run_sync(choose_files, scan, listing.paths, terms)
    if choice is None:
        return listing
    index.bm25.population = choice.population
    return replace(listing, paths=choice.paths)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Refreshed:
    indexed_files: int
    skipped: Sequence[Skipped]


async def _refresh_index(
    index: SnippetIndex,
    workspace: Workspace,
    root: Root,
    listing: Listing,
    refresh: Refresh,
    progress: Progress,
) -> _Refreshed:
    """Read the listed files, cut and index those that changed, forget those no longer listed."""
    skipped = list(listing.skipped)
    await run_in_thread(lambda stop: index.keep_only(set(listing.paths)))
    unsure = await _find_unsure(index, workspace, root, listing, refresh)
    indexed_files = 0
    done = len(listing.paths) - len(unsure)
    async for batch in read_files(workspace, root, unsure):
        files = [file for file in batch if isinstance(file, SourceFile)]
        skipped += [file for file in batch if isinstance(file, Skipped)]
        indexed_files += await run_in_thread(_index_files, index, files, listing.named)
        if index.size > MAX_TOTAL_BYTES:
            raise LimitExceeded('bytes of source', MAX_TOTAL_BYTES)
        if index.lines > MAX_TOTAL_LINES:
            raise LimitExceeded('lines of source', MAX_TOTAL_LINES)
        done += len(batch)
        progress('index', done, len(listing.paths))
    unread = {file.path for file in skipped}
    await run_in_thread(lambda stop: index.keep_only(set(listing.paths) - unread))
    return _Refreshed(indexed_files=indexed_files, skipped=[*skipped, *index.skipped()])


async def _find_unsure(
    index: SnippetIndex, workspace: Workspace, root: Root, listing: Listing, refresh: Refresh
) -> Sequence[str]:
    """The files that have to be read to know whether they have changed."""
    if not index.snippets:
        return listing.paths
    if can_only_run_commands(workspace):
        rg = await ripgrep_in(workspace, root, ignores_above=listing.ignores_above)
        digests = await find_digests(rg)
        return [path for path in listing.paths if not index.has_digest(path, digests.get(path))]
    if refresh == 'content':
        return listing.paths
    states = await find_states(workspace, root, listing.paths)
    return [path for path in listing.paths if not index.is_in_state(path, states.get(path))]


def _index_files(
    stop: threading.Event,
    index: SnippetIndex,
    files: Sequence[SourceFile],
    named: Collection[str],
) -> int:
    """Cut and index the files whose text the index does not hold yet, and count them."""
    changed = 0
    for file in files:
        if stop.is_set():
            break
        content = Content.of(file)
        if index.confirm(file.path, content):
            continue
        changed += 1
        source = decode_file(file, is_named=file.path in named)
        if isinstance(source, Skipped):
            index.add_skipped(source, content)
        else:
            index.add(file.path, content, cut_file(file.path, source.text), source.note)
    return changed


@dataclass(frozen=True, kw_only=True, slots=True)
class _Evidence:
    cases: Sequence[Case]
    withheld: Sequence[Skipped]
    """One for each candidate that holds a credential."""


async def _read_evidence(
    workspace: Workspace, root: Root, candidates: Sequence[Candidate], options: SearchOptions
) -> _Evidence:
    """Put each candidate's text back, read afresh; those whose file has changed are left out."""
    digests = {candidate.path: candidate.digest for candidate in candidates}
    files = [
        file
        async for batch in read_files(workspace, root, list(digests))
        for file in batch
        if isinstance(file, SourceFile)
    ]
    return await anyio.to_thread.run_sync(_present, files, root, candidates, options)


def _present(
    files: Sequence[SourceFile], root: Root, candidates: Sequence[Candidate], options: SearchOptions
) -> _Evidence:
    """The cases that may be put before the judge."""
    digests = {candidate.path: candidate.digest for candidate in candidates}
    lines: dict[str, list[str]] = {}
    for file in files:
        if digest_of(file.raw) == digests[file.path]:
            source = decode_file(file, is_named=True)
            assert isinstance(source, SourceText), 'it was decoded when it was indexed'
            lines[file.path] = split_lines(source.text)
    cases: list[Case] = []
    withheld: list[Skipped] = []
    for candidate in candidates:
        if candidate.path not in lines:
            continue
        in_file = lines[candidate.path]
        secret = find_secret(in_file, candidate.span) if options.screen_secrets else None
        if secret is not None:
            withheld.append(Skipped(candidate.path, SkipReason.SECRET, secret))
            continue
        text = '\n'.join(candidate.span.slice(in_file))
        cases.append(Case(candidate=candidate, path=root.display(candidate.path), text=text))
    return _Evidence(cases=cases, withheld=withheld)
