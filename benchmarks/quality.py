"""Measures how well the shortlist finds the places that answer labelled queries.

    python benchmarks/quality.py --queries FILE --trees DIRECTORY --out RUN.jsonl
        [--sample N] [--half development|test] [--k N] [--scan] [--set MODULE.NAME=VALUE ...]

`FILE` has one query a line: `{"id", "source", "repo", "dir", "root", "query", "relevant",
"secondary"}`. `relevant` and `secondary` are places, `{"path"}` or `{"path", "start_line",
"end_line"}`, 1-based and inclusive; `dir` is the tree below `DIRECTORY`, and `root` the folder of
it that is searched. `RUN.jsonl` gets a row a query, `{"id", "results": [place, ...]}`, best first.

Each tree is indexed once; with `--scan`, instead, it is scanned for each query, as a first search
of a big tree is. The table has, by source, recall at 24 and 128, MRR, nDCG@10 and the mean
length of the first 24 snippets: a longer snippet is hit more easily. `--set` overrides a constant
of the lexical stage, such as `shortlist.FILE_WEIGHT=0`, to measure what it is worth.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import json
import math
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from pydantic_ai.workspaces import LocalWorkspaceBackend, Workspace

from pydantic_ai_smart_search.lexical.candidate import Candidate
from pydantic_ai_smart_search.lexical.choice import choose_files
from pydantic_ai_smart_search.lexical.index import Content, SnippetIndex
from pydantic_ai_smart_search.lexical.query import QueryTerms, weigh_terms
from pydantic_ai_smart_search.lexical.shortlist import shortlist_candidates
from pydantic_ai_smart_search.lines import LineSpan
from pydantic_ai_smart_search.options import DEFAULT_CANDIDATES
from pydantic_ai_smart_search.snippets.cutting import cut_file
from pydantic_ai_smart_search.source.decoding import decode_file
from pydantic_ai_smart_search.source.files import Root, SourceFile, SourceText
from pydantic_ai_smart_search.source.listing import list_files, ripgrep_in
from pydantic_ai_smart_search.source.reading import read_files
from pydantic_ai_smart_search.source.scan import scan_files

Query = dict[str, Any]

FIRST_BUDGET: Final = 24
"""Snippets that a first search judges under the default request limit."""

_DEVELOPMENT = """
BurntSushi/ripgrep DapperLib/Dapper MinishLab/model2vec aio-libs/aiohttp apache/commons-lang
babel/babel celery/celery conan-io/conan django/django encode/httpx expressjs/express
fastapi/fastapi getsentry/sentry-python gin-gonic/gin pydantic/pydantic-ai redis/redis scikit-
learn/scikit-learn scrapy/scrapy serde-rs/serde sympy/sympy
"""

DEVELOPMENT: Final = frozenset(_DEVELOPMENT.split())
"""The repositories that weights are tuned on, drawn by lot; all others are the test half."""


@dataclass(frozen=True, slots=True)
class Scored:
    """What one query scored."""

    recall_24: float
    recall_128: float
    mrr: float
    ndcg_10: float
    lines: float
    """Mean length of the first 24 snippets."""


def is_development(query: Query) -> bool:
    """Whether a query belongs to the half that weights are tuned on."""
    return query['repo'] in DEVELOPMENT


def choose(queries: Sequence[Query], half: str | None, sample: int | None) -> list[Query]:
    """The queries of a half, at most `sample` of each source, the same each time."""
    chosen = [q for q in queries if half is None or is_development(q) == (half == 'development')]
    if sample is None:
        return chosen
    by_source: defaultdict[str, list[Query]] = defaultdict(list)
    for query in chosen:
        by_source[query['source']].append(query)
    return [
        query
        for _, rows in sorted(by_source.items())
        for query in random.Random(0).sample(rows, min(sample, len(rows)))
    ]


async def index_tree(tree: str, terms: QueryTerms | None = None) -> SnippetIndex:
    """Index what a search of the directory `tree`, a real path, would: for `terms`, the best."""
    workspace = Workspace(LocalWorkspaceBackend(tree))
    root = Root(path=tree, shown='.')
    listing = await list_files(workspace, root, None)
    index = SnippetIndex()
    paths = listing.paths
    if terms is not None:
        scan = await scan_files(await ripgrep_in(workspace, root), tuple(terms.weights))
        assert scan is not None, 'this machine has the tools'
        choice = choose_files(scan, paths, terms)
        if choice is not None:
            paths = choice.paths
            index.bm25.population = choice.population
    async for batch in read_files(workspace, root, paths):
        for file in batch:
            text = decode_file(file) if isinstance(file, SourceFile) else file
            if isinstance(file, SourceFile) and isinstance(text, SourceText):
                index.add(file.path, Content.of(file), cut_file(file.path, text.text))
    return index


def is_hit(candidate: Candidate, root: str, place: Query) -> bool:
    """Whether a candidate is in the file of a place, and shares a line with it if it has lines."""
    if f'{root}/{candidate.path}'.removeprefix('/') != place['path']:
        return False
    lines = LineSpan(place.get('start_line', 1), place.get('end_line', candidate.span.last))
    return candidate.span.overlaps(lines)


def first_ranks(candidates: Sequence[Candidate], root: str, places: Sequence[Query]) -> list[float]:
    """The rank of the first candidate that hits each place, infinite where none does."""
    return [
        next((c.rank for c in candidates if is_hit(c, root, place)), math.inf) for place in places
    ]


def score(query: Query, candidates: Sequence[Candidate]) -> Scored:
    """Measure one shortlist, with binary gains and each place counted once."""
    ranks = first_ranks(candidates, query['root'], query['relevant'])
    secondary = first_ranks(candidates, query['root'], query['secondary'])
    gains = {rank for rank in (*ranks, *secondary) if rank <= 10}
    ideal = range(2, min(10, len(ranks) + len(secondary)) + 2)
    first = candidates[:FIRST_BUDGET]
    return Scored(
        recall_24=sum(rank <= FIRST_BUDGET for rank in ranks) / len(ranks),
        recall_128=sum(rank <= 128 for rank in ranks) / len(ranks),
        mrr=1 / min(ranks),
        ndcg_10=sum(1 / math.log2(rank + 1) for rank in gains)
        / sum(1 / math.log2(rank) for rank in ideal),
        lines=sum(candidate.span.length for candidate in first) / max(len(first), 1),
    )


def run(
    queries: Sequence[Query], trees: Path, k: int, *, is_scanned: bool
) -> Iterator[tuple[Query, list[Candidate]]]:
    """Each query with its shortlist, tree by tree."""

    def tree_of(query: Query) -> str:
        return f'{query["dir"]}/{query["root"]}'

    for tree, rows in groupby(sorted(queries, key=tree_of), key=tree_of):
        path = str((trees / tree).resolve())
        whole = None if is_scanned else asyncio.run(index_tree(path))
        for query in rows:
            terms = weigh_terms(query['query'])
            index = asyncio.run(index_tree(path, terms)) if whole is None else whole
            yield query, list(shortlist_candidates(index, terms, k).candidates)


def row(query: Query, candidates: Sequence[Candidate]) -> str:
    """A row of the run."""
    results = [
        {
            'path': f'{query["root"]}/{candidate.path}'.removeprefix('/'),
            'start_line': candidate.span.first,
            'end_line': candidate.span.last,
        }
        for candidate in candidates
    ]
    return json.dumps({'id': query['id'], 'results': results})


def show(scored: dict[str, list[Scored]]) -> None:
    """Print the means by source."""
    print(f'{"source":<20}{"n":>5}  recall@24  recall@128    MRR  nDCG@10  lines')
    for source, rows in sorted(scored.items()):
        recall_24, recall_128, mrr, ndcg, lines = (
            sum(getattr(one, name) for one in rows) / len(rows) for name in Scored.__slots__
        )
        print(
            f'{source:<20}{len(rows):>5}{recall_24:>11.3f}{recall_128:>12.3f}'
            f'{mrr:>7.3f}{ndcg:>9.3f}{lines:>7.1f}'
        )


def override(setting: str) -> None:
    """Set a constant of the lexical stage, `MODULE.NAME=VALUE` with a value in JSON."""
    name, _, value = setting.partition('=')
    module, _, constant = name.rpartition('.')
    where = importlib.import_module(f'pydantic_ai_smart_search.lexical.{module}')
    assert hasattr(where, constant), f'{module} has no {constant}'
    setattr(where, constant, json.loads(value))


def main() -> None:
    """Run the queries, write the run and print the table."""
    parser = argparse.ArgumentParser(description='Measures the shortlist on labelled queries.')
    parser.add_argument('--queries', type=Path, required=True)
    parser.add_argument('--trees', type=Path, required=True)
    parser.add_argument('--out', type=Path, required=True)
    parser.add_argument('--sample', type=int, help='queries of each source')
    parser.add_argument('--half', choices=('development', 'test'))
    parser.add_argument('--k', type=int, default=DEFAULT_CANDIDATES)
    parser.add_argument('--scan', action='store_true', help='as a first search of a big tree')
    parser.add_argument('--set', action='append', default=[], metavar='MODULE.NAME=VALUE')
    args = parser.parse_args()
    for setting in args.set:
        override(setting)
    queries = [json.loads(line) for line in args.queries.read_text().splitlines()]
    scored: defaultdict[str, list[Scored]] = defaultdict(list)
    with args.out.open('w') as out:
        chosen = choose(queries, args.half, args.sample)
        for query, candidates in run(chosen, args.trees, args.k, is_scanned=args.scan):
            scored[query['source']].append(score(query, candidates))
            print(row(query, candidates), file=out)
    show(scored)


if __name__ == '__main__':
    main()
