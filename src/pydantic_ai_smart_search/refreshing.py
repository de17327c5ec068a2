"""Bringing an index up to date with a listing: what to read, to cut and to forget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

import anyio.to_thread
from pydantic_ai.workspaces import Workspace

from pydantic_ai_smart_search.errors import LimitExceeded
from pydantic_ai_smart_search.lexical.choice import CUT_ALL_BYTES, choose_files
from pydantic_ai_smart_search.lexical.index import SnippetIndex
from pydantic_ai_smart_search.lexical.query import QueryTerms
from pydantic_ai_smart_search.options import MAX_TOTAL_BYTES, MAX_TOTAL_LINES, Refresh
from pydantic_ai_smart_search.processes import Indexer
from pydantic_ai_smart_search.source.bulk import can_only_run_commands, find_digests
from pydantic_ai_smart_search.source.files import Listing, Root, Skipped, SourceFile
from pydantic_ai_smart_search.source.listing import ripgrep_in
from pydantic_ai_smart_search.source.reading import find_states, read_files
from pydantic_ai_smart_search.source.scan import scan_files
from pydantic_ai_smart_search.threads import run_in_thread


async def choose_part(
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
class Refreshed:
    """What bringing an index up to date took, and left out."""

    indexed_files: int
    """Files cut and indexed."""
    skipped: Sequence[Skipped]
    """Files of the listing that are not in the index, or not in full."""


async def refresh_index(
    index: SnippetIndex,
    workspace: Workspace,
    root: Root,
    listing: Listing,
    refresh: Refresh,
    progress: Callable[[str, int, int], None],
) -> Refreshed:
    """Read the listed files, cut and index those that changed, forget those no longer listed."""
    skipped = list(listing.skipped)
    await run_in_thread(lambda stop: index.keep_only(set(listing.paths)))
    unsure = await _find_unsure(index, workspace, root, listing, refresh)
    indexed_files = 0
    done = len(listing.paths) - len(unsure)
    with closing(Indexer(index, listing.named, len(unsure))) as indexer:
        async for batch in read_files(workspace, root, unsure):
            files = [file for file in batch if isinstance(file, SourceFile)]
            skipped += [file for file in batch if isinstance(file, Skipped)]
            indexed_files += await run_in_thread(indexer.take, files)
            _check_limits(index)
            done += len(batch)
            progress('index', done, len(listing.paths))
        await run_in_thread(indexer.finish)
    _check_limits(index)
    unread = {file.path for file in skipped}
    await run_in_thread(lambda stop: index.keep_only(set(listing.paths) - unread))
    return Refreshed(indexed_files=indexed_files, skipped=[*skipped, *index.skipped()])


def _check_limits(index: SnippetIndex) -> None:
    if index.size > MAX_TOTAL_BYTES:
        raise LimitExceeded('bytes of source', MAX_TOTAL_BYTES)
    if index.lines > MAX_TOTAL_LINES:
        raise LimitExceeded('lines of source', MAX_TOTAL_LINES)


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
