"""Measures what meaning adds to words in the shortlist, and what a query takes.

    python -m benchmarks.meaning --queries FILE --trees DIRECTORY --out RESULT.json [--sample N]

The files are those of `benchmarks/quality.py`; queries whose `commit_exact` is false, for their
tree is not quite the one that was labelled, are left out. Each tree is indexed once, and every
query is ranked with and without meaning. `RESULT.json` has the means by half and source, and by
half and language; the difference that meaning makes on the test half, with 95% bootstrap intervals
over repositories; and what a query took.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import json
import platform
import random
import statistics
import time
from collections import defaultdict
from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from benchmarks.quality import Query, Scored, by_tree, choose, index_tree, is_development, score
from pydantic_ai_smart_search.lexical.query import weigh_terms
from pydantic_ai_smart_search.lexical.shortlist import shortlist_candidates
from pydantic_ai_smart_search.options import DEFAULT_CANDIDATES

VARIANTS: Final[Mapping[str, Mapping[str, object]]] = {
    'with meaning': {},
    'words alone': {'fusion.MEANING_WEIGHT': 0.0, 'fusion.FILE_MEANING_WEIGHT': 0.0},
}
"""Constants of the lexical stage and what they are set to."""

BIG_TREE: Final = 50_000
"""Snippets of a tree from which on the time of a query is reported."""

RESAMPLES: Final = 1_000
"""Times the repositories are drawn again, with replacement."""

Key = tuple[str, str]
"""A query's id, and a variant."""


@contextmanager
def setting(constants: Mapping[str, object]) -> Generator[None]:
    """Set constants of the lexical stage, `module.NAME`, for a while."""
    with ExitStack() as stack:
        for name, value in constants.items():
            module_name, _, constant = name.rpartition('.')
            module = importlib.import_module(f'pydantic_ai_smart_search.lexical.{module_name}')
            stack.callback(setattr, module, constant, getattr(module, constant))
            setattr(module, constant, value)
        yield


def measure(queries: Sequence[Query], trees: Path) -> tuple[dict[Key, Scored], list[float]]:
    """Scores of each query in each variant, and CPU milliseconds of queries in big trees."""
    scored: dict[Key, Scored] = {}
    milliseconds: list[float] = []
    for tree, of_tree in by_tree(queries, trees):
        index = asyncio.run(index_tree(tree, use_embedding=True))
        for name, constants in VARIANTS.items():
            with setting(constants):
                for query in of_tree:
                    started = time.process_time()
                    terms = weigh_terms(query['query'])
                    candidates = shortlist_candidates(index, terms, DEFAULT_CANDIDATES).candidates
                    if index.snippets >= BIG_TREE and not constants:
                        milliseconds.append(1e3 * (time.process_time() - started))
                    scored[query['id'], name] = score(query, candidates)
        print(f'{tree}: {index.snippets} snippets, {len(of_tree)} queries', flush=True)
    return scored, milliseconds


def means(rows: Sequence[Scored]) -> dict[str, float]:
    """The mean of each figure, and how many rows there are."""
    return {'queries': len(rows)} | {
        name: round(statistics.fmean(getattr(row, name) for row in rows), 4)
        for name in Scored.__slots__
    }


def grouped(
    queries: Sequence[Query], scored: Mapping[Key, Scored], variant: str, field: str
) -> dict[str, dict[str, dict[str, float]]]:
    """Means by half and by a field of the queries."""
    rows: defaultdict[str, defaultdict[str, list[Scored]]] = defaultdict(lambda: defaultdict(list))
    for query in queries:
        half = 'development' if is_development(query) else 'test'
        rows[half][query[field]].append(scored[query['id'], variant])
    return {
        half: {value: means(some) for value, some in sorted(by_value.items())}
        for half, by_value in sorted(rows.items())
    }


def gains(queries: Sequence[Query], scored: Mapping[Key, Scored]) -> dict[str, dict[str, Any]]:
    """What meaning adds on the test half: mean and 95% interval of each figure, by source."""
    by_source: defaultdict[str, defaultdict[str, list[dict[str, float]]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for query in queries:
        if not is_development(query):
            ours = asdict(scored[query['id'], 'with meaning'])
            theirs = asdict(scored[query['id'], 'words alone'])
            difference = {name: ours[name] - theirs[name] for name in ours}
            by_source[query['source']][query['repo']].append(difference)
    drawn = random.Random(0)
    found: dict[str, dict[str, Any]] = {}
    for source, by_repo in sorted(by_source.items()):
        repos = list(by_repo.values())
        found[source] = {'repositories': len(repos)}
        for name in ('recall_24', 'recall_128', 'mrr', 'ndcg_10'):
            resampled = sorted(
                statistics.fmean(row[name] for rows in some for row in rows)
                for some in (drawn.choices(repos, k=len(repos)) for _ in range(RESAMPLES))
            )
            low, high = resampled[int(0.025 * RESAMPLES)], resampled[int(0.975 * RESAMPLES)]
            mean = statistics.fmean(row[name] for rows in repos for row in rows)
            found[source][name] = [round(value, 4) for value in (mean, low, high)]
    return found


def main() -> None:
    """Measure, print a table and write the result."""
    parser = argparse.ArgumentParser(description='Measures what meaning adds to words.')
    parser.add_argument('--queries', type=Path, required=True)
    parser.add_argument('--trees', type=Path, required=True)
    parser.add_argument('--out', type=Path, required=True)
    parser.add_argument('--sample', type=int, help='queries of each source')
    args = parser.parse_args()
    rows = [json.loads(line) for line in args.queries.read_text().splitlines()]
    queries = choose([row for row in rows if row['commit_exact']], None, args.sample)
    scored, milliseconds = measure(queries, args.trees)
    by_source = {name: grouped(queries, scored, name, 'source') for name in VARIANTS}
    for half in ('development', 'test'):
        for source in sorted({query['source'] for query in queries}):
            print(f'\n{half}, {source}')
            for name, halves in by_source.items():
                figures = halves.get(half, {}).get(source, {})
                print(f'{name:<14}', *(f'{key} {value:<8}' for key, value in figures.items()))
    result: dict[str, object] = {
        'python': platform.python_version(),
        'machine': platform.machine(),
        'queries': len(queries),
        'by_source': by_source,
        'by_language': {name: grouped(queries, scored, name, 'language') for name in VARIANTS},
        'gain_by_meaning': gains(queries, scored),
    }
    if milliseconds:
        result['query_milliseconds'] = {
            'snippets_at_least': BIG_TREE,
            'p50': round(statistics.median(milliseconds), 1),
            'p95': round(statistics.quantiles(milliseconds, n=20)[-1], 1),
        }
    args.out.write_text(json.dumps(result, indent=2) + '\n')


if __name__ == '__main__':
    main()
