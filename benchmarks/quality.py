"""Measures how well the shortlist finds the places that answer labelled queries.

    python benchmarks/quality.py --queries FILE --trees DIRECTORY --out RUN.jsonl
        [--sample N] [--half development|test] [--k N] [--scan] [--words] [--json TABLE.json]
        [--set MODULE.NAME=VALUE ...] [--each MODULE.NAME=VALUE ...]

`FILE` has one query a line: `{"id", "source", "repo", "dir", "root", "query", "relevant",
"secondary"}`. `relevant` and `secondary` are places, `{"path"}` or `{"path", "start_line",
"end_line"}`, 1-based and inclusive; `dir` is the tree below `DIRECTORY`, and `root` the folder of
it that is searched. `RUN.jsonl` gets a row a query, `{"id", "results": [place, ...]}`, best first.

Each tree is indexed once; with `--scan`, instead, it is scanned for each query, as a first search
of a big tree is. The table has, by source, recall at 24 and 128, MRR, nDCG@10 and the mean
length of the first 24 snippets: a longer snippet is hit more easily. `--words` leaves the embedding
out. `--set` overrides constants of the lexical stage, such as `scoring.FILE_WEIGHT=0`, all
together; `--each` measures what each is worth, by a table for each override alone after the one
without. A value is JSON without spaces; an override may set several, with spaces between. `--json`
keeps the tables as data.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import json
import math
import random
from collections import defaultdict
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from pydantic_ai.workspaces import LocalWorkspaceBackend, Workspace

from pydantic_ai_smart_search.lexical.candidate import Candidate
from pydantic_ai_smart_search.lexical.choice import choose_files
from pydantic_ai_smart_search.lexical.index import Content, SnippetIndex, digest_of
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


def by_tree(queries: Sequence[Query], trees: Path) -> Iterator[tuple[str, list[Query]]]:
    """The real path of each directory that queries search, below `trees`, and those queries."""

    def tree_of(query: Query) -> str:
        return f'{query["dir"]}/{query["root"] or ""}'

    for tree, rows in groupby(sorted(queries, key=tree_of), key=tree_of):
        yield str((trees / tree).resolve()), list(rows)


async def read_texts(tree: str, paths: Sequence[str] | None = None) -> list[tuple[str, str]]:
    """The paths and the text of what a search of the directory `tree` would read, or of `paths`."""
    workspace = Workspace(LocalWorkspaceBackend(tree))
    root = Root(path=tree, shown='.')
    if paths is None:
        paths = (await list_files(workspace, root, None)).paths
    return [
        (file.path, text.text)
        async for batch in read_files(workspace, root, paths)
        for file in batch
        if isinstance(file, SourceFile) and isinstance(text := decode_file(file), SourceText)
    ]


async def index_tree(
    tree: str, *, use_embedding: bool, terms: QueryTerms | None = None
) -> SnippetIndex:
    """Index what a search of the directory `tree`, a real path, would: for `terms`, the best."""
    workspace = Workspace(LocalWorkspaceBackend(tree))
    root = Root(path=tree, shown='.')
    listing = await list_files(workspace, root, None)
    index = SnippetIndex(use_embedding=use_embedding)
    paths = listing.paths
    if terms is not None:
        scan = await scan_files(await ripgrep_in(workspace, root), tuple(terms.weights))
        assert scan is not None, 'this machine has the tools'
        choice = choose_files(scan, paths, terms)
        if choice is not None:
            paths = choice.paths
            index.bm25.population = choice.population
    for path, text in await read_texts(tree, paths):
        index.add(path, Content(digest_of(text.encode())), cut_file(path, text))
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


@dataclass(frozen=True, kw_only=True, slots=True)
class Setup:
    """How the queries are run."""

    trees: Path
    k: int
    """Length of a shortlist."""
    is_scanned: bool
    use_embedding: bool

    async def index(self, tree: str, terms: QueryTerms | None = None) -> SnippetIndex:
        """The index of a tree; a part of it that fits `terms` where it is scanned for them."""
        return await index_tree(tree, use_embedding=self.use_embedding, terms=terms)


def run(
    queries: Sequence[Query], setup: Setup, overrides: Sequence[str]
) -> Iterator[tuple[str, Query, list[Candidate]]]:
    """Each override with each query and its shortlist, tree by tree; `''` changes nothing."""
    for path, asked in by_tree(queries, setup.trees):
        whole = None if setup.is_scanned else asyncio.run(setup.index(path))
        for override in overrides:
            with overridden(override):
                index = whole
                if whole and 'index.' in override:
                    index = asyncio.run(setup.index(path))
                for query in asked:
                    terms = weigh_terms(query['query'])
                    searched = index or asyncio.run(setup.index(path, terms))
                    found = shortlist_candidates(searched, terms, setup.k).candidates
                    yield override, query, list(found)


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


Table = dict[str, dict[str, float]]
"""The means of what queries scored, by source, with the number `n` of queries."""


def tabulate(scored: dict[str, list[Scored]]) -> Table:
    """The means by source."""
    return {
        source: {
            'n': len(rows),
            **{
                name: round(sum(getattr(one, name) for one in rows) / len(rows), 3)
                for name in Scored.__slots__
            },
        }
        for source, rows in sorted(scored.items())
    }


def show(name: str, table: Table) -> None:
    """Print the means by source."""
    print(f'\n{name}')
    print(f'{"source":<20}{"n":>5}  recall@24  recall@128    MRR  nDCG@10  lines')
    for source, means in table.items():
        print(
            f'{source:<20}{means["n"]:>5}{means["recall_24"]:>11.3f}{means["recall_128"]:>12.3f}'
            f'{means["mrr"]:>7.3f}{means["ndcg_10"]:>9.3f}{means["lines"]:>7.1f}'
        )


@contextmanager
def overridden(override: str) -> Generator[None]:
    """Set constants of the lexical stage meanwhile: `MODULE.NAME=VALUE`, separated by spaces."""
    with ExitStack() as stack:
        for setting in override.split():
            name, _, value = setting.partition('=')
            module, _, constant = name.rpartition('.')
            where = importlib.import_module(f'pydantic_ai_smart_search.lexical.{module}')
            stack.callback(setattr, where, constant, getattr(where, constant))
            setattr(where, constant, json.loads(value))
        yield


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
    parser.add_argument('--words', action='store_true', help='without the embedding')
    parser.add_argument('--json', type=Path, help='where to keep the tables')
    parser.add_argument('--set', action='append', default=[], metavar='MODULE.NAME=VALUE')
    parser.add_argument('--each', action='append', default=[], metavar='MODULE.NAME=VALUE')
    args = parser.parse_args()
    setup = Setup(trees=args.trees, k=args.k, is_scanned=args.scan, use_embedding=not args.words)
    queries = [json.loads(line) for line in args.queries.read_text().splitlines()]
    chosen = choose(queries, args.half, args.sample)
    scored: dict[str, defaultdict[str, list[Scored]]] = defaultdict(lambda: defaultdict(list))
    with ExitStack() as stack, args.out.open('w') as out:
        for override in args.set:
            stack.enter_context(overridden(override))
        for override, query, candidates in run(chosen, setup, ['', *args.each]):
            scored[override][query['source']].append(score(query, candidates))
            if not override:
                print(row(query, candidates), file=out)
    tables = {name or 'as it is': tabulate(by_source) for name, by_source in scored.items()}
    for name, table in tables.items():
        show(name, table)
    if args.json:
        args.json.write_text(json.dumps(tables, indent=2) + '\n')


if __name__ == '__main__':
    main()
