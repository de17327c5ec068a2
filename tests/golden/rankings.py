"""The first candidates of some queries in a tree of our own, as a file to review.

`python -m tests.golden.rankings` writes the file anew: a change of the ranking is a diff of it.
"""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pydantic_ai.workspaces import LocalWorkspaceBackend, Workspace

from pydantic_ai_smart_search import LocalJudge
from pydantic_ai_smart_search.judge.budget import RequestBudget
from pydantic_ai_smart_search.lexical.cache import IndexCache
from pydantic_ai_smart_search.options import SearchOptions
from pydantic_ai_smart_search.pipeline import search
from pydantic_ai_smart_search.request import SearchRequest
from pydantic_ai_smart_search.results import CandidateDetails
from tests.docs.markdown import REPOSITORY

HERE: Final = REPOSITORY / 'tests/golden'
TREE: Final = HERE / 'trees/parcels.txt'
"""The files of the tree in one, each below a line `-- path --`: as files, its tests would be run
with ours."""
RANKING: Final = HERE / 'rankings/parcels.txt'

QUERIES: Final = (
    'refuse a token that has expired',
    'how the price of a heavy parcel is worked out',
    'send a request again when the network fails',
    'quickest way between two depots',
    'evict the least recently used route',
    'check the last digit of a barcode',
    'tests for the price of a parcel',
    'documentation about retries',
    'mail a customer whose shipment is late',
    'sendWithRetries',
    'which table stores the events of scans',
    'undo a failed deployment',
    'add the same product to the cart twice',
    'sort scans although clocks are wrong',
)

SHOWN: Final = 10
"""Candidates of each query."""


def rank_queries() -> str:
    """The file as it should be: for each query a line, and its first candidates."""
    with tempfile.TemporaryDirectory() as folder:
        write_tree(Path(folder))
        rankings = asyncio.run(rank_in(Path(folder)))
    return '\n'.join(line for query, found in rankings.items() for line in lines_of(query, found))


def write_tree(folder: Path) -> None:
    _, *parts = re.split(r'^-- (.+) --\n', TREE.read_text(), flags=re.MULTILINE)
    for path, text in zip(parts[::2], parts[1::2], strict=True):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)


async def rank_in(folder: Path) -> dict[str, list[CandidateDetails]]:
    workspace, indexes = Workspace(LocalWorkspaceBackend(folder)), IndexCache(1)
    rankings: dict[str, list[CandidateDetails]] = {}
    for query in QUERIES:
        result = await search(
            workspace,
            # As many as a run with the default request limit judges.
            SearchRequest(query=query, candidates=24, explain=True),
            LocalJudge(),
            indexes=indexes,
            budget=RequestBudget(),
            options=SearchOptions(),
        )
        rankings[query] = result.details.candidates[:SHOWN]
    return rankings


def lines_of(query: str, candidates: list[CandidateDetails]) -> Iterator[str]:
    yield query
    for one in candidates:
        symbol = f'  {one.symbol}' if one.symbol else ''
        yield f'{one.score:8.2f}  {one.path}:{one.start_line}-{one.end_line}{symbol}'
    yield ''


if __name__ == '__main__':
    RANKING.write_text(rank_queries())
