"""Measures the local judge: its order, its matches, and what its relevance means.

    python -m benchmarks.local_judge --queries FILE --trees DIRECTORY --out RESULT.json [--sample N]

The files are those of `benchmarks/quality.py`; queries whose `commit_exact` is false are left out.
`RESULT.json` has, by half of the repositories and source of the queries:

| figure | what |
|---|---|
| orders | nDCG@10 and recall@24 by words alone, by meaning alone, and by both as the judge orders |
| matches | at the default threshold: queries without one, their median number, how many are right |
| calibration | by tenth of relevance: candidates, and how many of them are right |
| foreign | queries meant for a repository of another language, and how many have no match |

A match is right if it is at a labelled place. Most right places are not labelled, so the share of
right ones is a lower bound, and its growth with relevance is what counts.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import platform
import statistics
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.meaning import VARIANTS, setting
from benchmarks.quality import (
    Query,
    Scored,
    by_tree,
    choose,
    index_tree,
    is_development,
    is_hit,
    score,
)
from pydantic_ai_smart_search.judge.judge import Case
from pydantic_ai_smart_search.judge.local import LocalJudge
from pydantic_ai_smart_search.lexical.candidate import Candidate
from pydantic_ai_smart_search.lexical.index import SnippetIndex
from pydantic_ai_smart_search.lexical.query import weigh_terms
from pydantic_ai_smart_search.lexical.scoring import score_snippets
from pydantic_ai_smart_search.lexical.shortlist import Chosen, describe, shortlist_candidates
from pydantic_ai_smart_search.options import DEFAULT_CANDIDATES, DEFAULT_THRESHOLD

SMALL_TREE: Final = 9_000
"""Snippets of a tree up to which foreign queries are asked of it: they are many."""

EVERY_FOREIGN: Final = 9
"""One in so many of the queries of other languages is asked."""

BINS: Final = 10
"""Steps of relevance: a few hundred candidates are in the rarest."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What the local judge made of one query."""

    orders: dict[str, Scored]
    """What each order scored, by its name."""
    relevance: Sequence[float]
    """Of each candidate."""
    is_right: Sequence[bool]
    """Whether each is at a labelled place."""

    @property
    def matches(self) -> list[bool]:
        """Whether each match is right."""
        return [
            right
            for right, relevance in zip(self.is_right, self.relevance, strict=True)
            if relevance >= DEFAULT_THRESHOLD
        ]


def by_meaning(index: SnippetIndex, text: str) -> list[Candidate]:
    """The snippets nearest to a query, best first."""
    assert index.vectors is not None, 'it was asked for'
    terms = weigh_terms(text)
    scoring = score_snippets(index, terms)
    cosines = np.where(index.bm25.alive, index.vectors.cosines(terms.words), -1)
    nearest = np.argsort(-cosines, kind='stable')[:DEFAULT_CANDIDATES]
    chosen = [Chosen(int(number), 1 + float(cosines[number])) for number in nearest]
    return describe(index, terms, scoring, chosen)


async def judge_query(text: str, candidates: Sequence[Candidate]) -> list[float]:
    """The relevance of each candidate."""
    judge = LocalJudge()
    judgments = [
        await judge.judge(text, Case(candidate=candidate, path=candidate.path, text=''))
        for candidate in candidates
    ]
    return [judgment.relevance for judgment in judgments]


def judge_one(index: SnippetIndex, query: Query) -> Judged:
    """Ask one query of the index of its tree."""
    text = query['query']
    candidates = shortlist_candidates(index, weigh_terms(text), DEFAULT_CANDIDATES).candidates
    relevance = asyncio.run(judge_query(text, candidates))
    order = sorted(range(len(candidates)), key=lambda place: -relevance[place])
    judged = [replace(candidates[place], rank=rank + 1) for rank, place in enumerate(order)]
    with setting(VARIANTS['words alone']):
        words = shortlist_candidates(index, weigh_terms(text), DEFAULT_CANDIDATES).candidates
    places = [*query['relevant'], *query['secondary']]
    return Judged(
        {
            'words alone': score(query, words),
            'meaning alone': score(query, by_meaning(index, text)),
            'local judge': score(query, judged),
        },
        relevance,
        [any(is_hit(one, query['root'], place) for place in places) for one in candidates],
    )


def count_foreign(index: SnippetIndex, queries: Sequence[Query]) -> Iterator[int]:
    """How many matches each of some queries has that are meant for other code."""
    for query in queries:
        text = query['query']
        candidates = shortlist_candidates(index, weigh_terms(text), DEFAULT_CANDIDATES).candidates
        relevance = asyncio.run(judge_query(text, candidates))
        yield sum(one >= DEFAULT_THRESHOLD for one in relevance)


def summarise(rows: Sequence[Judged]) -> dict[str, Any]:
    """The figures of one source."""
    matches = [row.matches for row in rows]
    counts = [len(of_query) for of_query in matches]
    return {
        'queries': len(rows),
        'orders': {
            name: {
                'ndcg_10': round(statistics.fmean(row.orders[name].ndcg_10 for row in rows), 4),
                'recall_24': round(statistics.fmean(row.orders[name].recall_24 for row in rows), 4),
            }
            for name in rows[0].orders
        },
        'matches': {
            'median': statistics.median(counts),
            'queries_without': round(sum(not count for count in counts) / len(rows), 4),
            'right': round(sum(map(sum, matches)) / max(sum(counts), 1), 4),
            'queries_with_a_right_one': round(sum(map(any, matches)) / len(rows), 4),
        },
    }


def calibrate(rows: Sequence[Judged]) -> list[dict[str, float]]:
    """How many candidates are right, by tenth of relevance."""
    right: defaultdict[int, list[bool]] = defaultdict(list)
    for row in rows:
        for is_right, relevance in zip(row.is_right, row.relevance, strict=True):
            right[min(int(relevance * BINS), BINS - 1)].append(is_right)
    return [
        {
            'relevance_from': bin_number / BINS,
            'candidates': len(right[bin_number]),
            'right': round(statistics.fmean(right[bin_number]), 4),
        }
        for bin_number in sorted(right)
    ]


def run(queries: Sequence[Query], trees: Path) -> tuple[dict[str, Judged], list[int]]:
    """What became of each query, by its id, and the matches of foreign ones."""
    judged: dict[str, Judged] = {}
    foreign: list[int] = []
    for tree, of_tree in by_tree(queries, trees):
        index = asyncio.run(index_tree(tree, use_embedding=True))
        for query in of_tree:
            judged[query['id']] = judge_one(index, query)
        if index.snippets < SMALL_TREE:
            language = of_tree[0]['language']
            others = [query for query in queries[::EVERY_FOREIGN] if query['language'] != language]
            foreign += count_foreign(index, others)
        print(f'{tree}: {index.snippets} snippets, {len(of_tree)} queries', flush=True)
    return judged, foreign


def main() -> None:
    """Measure and write the result."""
    parser = argparse.ArgumentParser(description='Measures the local judge.')
    parser.add_argument('--queries', type=Path, required=True)
    parser.add_argument('--trees', type=Path, required=True)
    parser.add_argument('--out', type=Path, required=True)
    parser.add_argument('--sample', type=int, help='queries of each source')
    args = parser.parse_args()
    rows = [json.loads(line) for line in args.queries.read_text().splitlines()]
    queries = choose([row for row in rows if row['commit_exact']], None, args.sample)
    judged, foreign = run(queries, args.trees)
    groups: defaultdict[str, defaultdict[str, list[Judged]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for query in queries:
        half = 'development' if is_development(query) else 'test'
        groups[half][query['source']].append(judged[query['id']])
    result = {
        'python': platform.python_version(),
        'queries': len(queries),
        'by_source': {
            half: {source: summarise(some) for source, some in sorted(of_half.items())}
            for half, of_half in sorted(groups.items())
        },
        'calibration': {
            half: calibrate([row for some in of_half.values() for row in some])
            for half, of_half in sorted(groups.items())
        },
        'foreign': {
            'queries': len(foreign),
            'without_match': round(sum(not count for count in foreign) / max(len(foreign), 1), 4),
        },
    }
    args.out.write_text(json.dumps(result, indent=2) + '\n')
    print(json.dumps(result, indent=2))


if __name__ == '__main__':
    main()
