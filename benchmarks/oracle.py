"""Measures a whole search by a judge that knows the answers, beside plain BM25 over windows.

    python -m benchmarks.oracle --queries FILE --trees DIRECTORY [--half development|test]
        [--sample N] [--screen-files N ...] [--fallible] [--json TABLE.json]

Queries and trees are those of `benchmarks/quality.py`. Every search has the default request limit
of a run, so it spends 24 requests: the judge says yes to what overlaps an answer, and no to all
else, so that only what it is shown decides. `success@5` is the share of queries of which one of the
first five matches overlaps an answer, and recall the share of the answers that it was shown.

The baseline has the same judge, shown the first 24 windows of 60 lines that plain BM25 finds, by
the words of text and path as this package splits and stems them, and nothing else.
`--screen-files` measures each of several settings; `--fallible` draws the judge's answers as
`early_answer.py` does, so that it errs both ways.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from pydantic_ai.usage import RunUsage
from pydantic_ai.workspaces import LocalWorkspaceBackend, Workspace

from benchmarks.early_answer import draw
from benchmarks.quality import FIRST_BUDGET, Query, by_tree, choose, read_texts
from pydantic_ai_smart_search.errors import NoSearchableWords
from pydantic_ai_smart_search.judge.budget import RequestBudget
from pydantic_ai_smart_search.judge.judge import Case, Judgment, Outline, Screening
from pydantic_ai_smart_search.lexical.bm25 import SnippetBM25
from pydantic_ai_smart_search.lexical.cache import IndexCache
from pydantic_ai_smart_search.lexical.terms import find_words, split_word, terms_of
from pydantic_ai_smart_search.lexical.words import Bag
from pydantic_ai_smart_search.lines import LineSpan, split_lines
from pydantic_ai_smart_search.options import DEFAULT_LIMIT, DEFAULT_THRESHOLD, SearchOptions
from pydantic_ai_smart_search.pipeline import search
from pydantic_ai_smart_search.request import SearchRequest
from pydantic_ai_smart_search.snippets.windows import cut_windows

REQUEST_LIMIT: Final = 50
"""Pydantic AI's default."""

BASELINE: Final = 'windows of 60 lines, plain BM25'

Answer = Callable[[bool], float]
"""What a judge answers about something that is right, or is not, 0..1."""


class Place(NamedTuple):
    """Where something was found."""

    path: str
    """Relative to the root of its query."""
    span: LineSpan


def answered_by(place: Place, query: Query) -> set[int]:
    """The numbers of the query's answers that a place overlaps."""
    path = f'{query["root"] or ""}/{place.path}'.removeprefix('/')
    return {
        number
        for number, answer in enumerate(query['relevant'])
        if path == answer['path']
        and place.span.overlaps(
            LineSpan(answer.get('start_line', 1), answer.get('end_line', place.span.last))
        )
    }


def is_right(place: Place, query: Query) -> bool:
    """Whether a place overlaps one that answers the query."""
    return bool(answered_by(place, query))


def recall_of(places: Iterable[Place], query: Query) -> float:
    """The share of the query's answers that the places overlap."""
    found = set[int]().union(*(answered_by(place, query) for place in places))
    return len(found) / len(query['relevant'])


class Oracle:
    """Answers from what is known of one query."""

    name = 'oracle'
    is_local = False

    def __init__(self, query: Query, answer: Answer) -> None:
        self._query, self._answer = query, answer
        self._files = {place['path'] for place in query['relevant']}

    async def judge(self, query: str, case: Case, complaint: str | None = None) -> Judgment:
        """Relevant if the snippet overlaps an answer."""
        known = is_right(Place(case.path, case.candidate.span), self._query)
        return Judgment(entity=self._answer(known), operation=1.0)

    async def screen(
        self, query: str, outlines: Sequence[Outline], complaint: str | None = None
    ) -> Screening:
        """Likely if the file has an answer."""
        root = self._query['root'] or ''
        paths = [f'{root}/{outline.path}'.removeprefix('/') for outline in outlines]
        return Screening(likelihoods=[self._answer(path in self._files) for path in paths])


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one search came to."""

    is_found: bool
    """Whether one of the first five matches is right."""
    recall: float
    """Share of the answers that the judge was shown."""
    requests: int


def judge_windows(shown: Sequence[Place], query: Query, answer: Answer) -> Outcome:
    """What a judge makes of the first places."""
    scored = [(answer(is_right(place, query)), place) for place in shown]
    matches = sorted(
        (one for one in scored if one[0] >= DEFAULT_THRESHOLD), key=lambda one: -one[0]
    )
    return Outcome(
        any(is_right(place, query) for _, place in matches[:DEFAULT_LIMIT]),
        recall_of(shown, query),
        len(shown),
    )


class Windows:
    """Plain BM25 over windows."""

    def __init__(self) -> None:
        self._places: list[Place] = []
        self._bm25 = SnippetBM25(split_word, k1=1.5, b=0.75)

    def add(self, path: str, text: str) -> None:
        """Add the windows of a file."""
        lines = split_lines(text)
        spans = [snippet.span for snippet in cut_windows(lines)]
        self._places += [Place(path, span) for span in spans]
        names = find_words(path)
        self._bm25.add([Bag(find_words('\n'.join(span.slice(lines))), names) for span in spans])

    def find(self, query: str, k: int) -> list[Place]:
        """The best `k`."""
        scores = self._bm25.get_scores(terms_of(query))
        return [self._places[number] for number in (-scores).argsort(kind='stable')[:k].tolist()]


async def search_for(
    workspace: Workspace, query: Query, indexes: IndexCache, answer: Answer, screen_files: int
) -> Outcome:
    """One search, as the first of a run."""
    usage = RunUsage(requests=1)
    try:
        result = await search(
            workspace,
            SearchRequest(query=query['query'], explain=True),
            Oracle(query, answer),
            indexes=indexes,
            budget=RequestBudget(usage, REQUEST_LIMIT),
            options=SearchOptions(screen_files=screen_files),
        )
    except NoSearchableWords:
        return Outcome(is_found=False, recall=0.0, requests=0)
    judged = [one for one in result.details.candidates if one.entity is not None]
    return Outcome(
        any(
            is_right(
                Place(one.file_path, LineSpan(one.snippet_start_line, one.snippet_end_line)), query
            )
            for one in result.matches
        ),
        recall_of(
            (Place(one.path, LineSpan(one.start_line, one.end_line)) for one in judged), query
        ),
        result.details.requests,
    )


def run(
    queries: Sequence[Query], trees: Path, settings: Sequence[int], *, is_fallible: bool
) -> Iterator[tuple[str, Query, Outcome]]:
    """Each query with what each way of searching came to, tree by tree."""

    def answer_for(query: Query) -> Answer:
        chance = random.Random(query['id'])
        return (lambda known: draw(known, chance)) if is_fallible else float

    for path, rows in by_tree(queries, trees):
        windows = Windows()
        for name, text in asyncio.run(read_texts(path)):
            windows.add(name, text)
        indexes = IndexCache(1)
        workspace = Workspace(LocalWorkspaceBackend(path))
        for query in rows:
            shown = windows.find(query['query'], FIRST_BUDGET)
            yield BASELINE, query, judge_windows(shown, query, answer_for(query))
            for number in settings:
                found = search_for(workspace, query, indexes, answer_for(query), number)
                yield f'screen_files={number}', query, asyncio.run(found)


def main() -> None:
    """Run the queries and print the table."""
    parser = argparse.ArgumentParser(description='Measures a search by a judge that knows.')
    parser.add_argument('--queries', type=Path, required=True)
    parser.add_argument('--trees', type=Path, required=True)
    parser.add_argument('--half', choices=('development', 'test'))
    parser.add_argument('--sample', type=int, help='queries of each source')
    parser.add_argument('--screen-files', type=int, nargs='+', default=[0])
    parser.add_argument('--fallible', action='store_true', help='a judge that errs')
    parser.add_argument('--json', type=Path, help='where to keep the table')
    args = parser.parse_args()
    queries = [json.loads(line) for line in args.queries.read_text().splitlines()]
    chosen = choose(queries, args.half, args.sample)
    outcomes: defaultdict[str, defaultdict[str, list[Outcome]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for way, query, outcome in run(
        chosen, args.trees, args.screen_files, is_fallible=args.fallible
    ):
        for source in (query['source'], 'all'):
            outcomes[way][source].append(outcome)
    tables = {
        way: {
            source: {
                'n': len(rows),
                'success_5': round(sum(one.is_found for one in rows) / len(rows), 3),
                'recall': round(sum(one.recall for one in rows) / len(rows), 3),
                'requests': round(sum(one.requests for one in rows) / len(rows), 1),
            }
            for source, rows in sorted(by_source.items())
        }
        for way, by_source in outcomes.items()
    }
    for way, table in tables.items():
        print(f'\n{way}')
        for source, figures in table.items():
            print(f'{source:<20}', *(f'{name} {value:<8}' for name, value in figures.items()))
    if args.json:
        args.json.write_text(json.dumps(tables, indent=2) + '\n')


if __name__ == '__main__':
    main()
