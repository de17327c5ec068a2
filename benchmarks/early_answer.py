"""What `stop_after` saves and loses, on labelled queries and a judge that is drawn, not asked.

    python -m benchmarks.early_answer --queries queries.jsonl --trees DIRECTORY
        [--only flask gin] [--out FILE]

Each query's shortlist is judged by chance: snippets at the labelled places mostly high, others
mostly low, a few of them confidently wrong. Judging everything is compared with stopping early:
the share of requests made, and by how much fewer of the first five are right.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import anyio
from pydantic_ai.workspaces import LocalWorkspaceBackend, Workspace

from pydantic_ai_smart_search.errors import InvalidSearch
from pydantic_ai_smart_search.judge.budget import RequestBudget
from pydantic_ai_smart_search.judge.judge import Case, Judgment
from pydantic_ai_smart_search.judge.judging import Judged, judge_cases
from pydantic_ai_smart_search.judge.local import LocalJudge
from pydantic_ai_smart_search.lexical.cache import IndexCache
from pydantic_ai_smart_search.options import DEFAULT_LIMIT, DEFAULT_THRESHOLD, SearchOptions
from pydantic_ai_smart_search.pipeline import search
from pydantic_ai_smart_search.request import SearchRequest

STOPS: Final = (1, 3, 5, 8)
SURELY_WRONG: Final = 0.02
UNSURELY_WRONG: Final = 0.05

Row = dict[str, Any]


class Recorder(LocalJudge):
    """Keeps the cases it is given."""

    def __init__(self) -> None:
        self.cases: list[Case] = []

    async def judge(self, query: str, case: Case, complaint: str | None = None) -> Judgment:
        """Record, then rank."""
        self.cases.append(case)
        return await super().judge(query, case, complaint)


class DrawnJudge:
    """Answers what was drawn for a case."""

    name = 'drawn'
    is_local = False

    def __init__(self, relevance: Callable[[Case], float]) -> None:
        self._relevance = relevance

    async def judge(self, query: str, case: Case, complaint: str | None = None) -> Judgment:
        """The drawn relevance, as one of the two answers."""
        return Judgment(entity=1.0, operation=self._relevance(case))


def is_labelled(case: Case, row: Row) -> bool:
    """Whether the case overlaps a place that answers the query."""
    span = case.candidate.span
    return any(
        case.path == place['path']
        and (
            place.get('start_line') is None
            or (place['start_line'] <= span.last and span.first <= place['end_line'])
        )
        for place in (*row['relevant'], *row['secondary'])
    )


def draw(is_right: bool, chance: random.Random) -> float:
    """A relevance as a good but fallible judge gives it."""
    if is_right:
        return min(1.0, max(0.0, chance.gauss(0.85, 0.12)))
    luck = chance.random()
    if luck < SURELY_WRONG:
        return chance.uniform(0.8, 1.0)
    if luck < SURELY_WRONG + UNSURELY_WRONG:
        return chance.uniform(DEFAULT_THRESHOLD, 0.8)
    return chance.uniform(0.0, DEFAULT_THRESHOLD)


async def shortlist(workspace: Workspace, row: Row, indexes: IndexCache) -> list[Case]:
    """The query's shortlist, with its text."""
    recorder = Recorder()
    await search(
        workspace,
        SearchRequest(query=row['query'], directory=row['root'] or '.'),
        recorder,
        indexes=indexes,
        budget=RequestBudget(),
        options=SearchOptions(),
    )
    return recorder.cases


async def compare(row: Row, cases: Sequence[Case]) -> dict[int, tuple[float, float]] | None:
    """Share judged and share lost for each of `STOPS`; `None` if there is nothing to lose."""
    chance = random.Random(row['id'])
    right = {case.text: is_labelled(case, row) for case in cases}
    relevance = {text: draw(is_right, chance) for text, is_right in right.items()}
    judge = DrawnJudge(lambda case: relevance[case.text])

    async def found(stop_after: int | None) -> tuple[int, int]:
        judged = await judge_cases(
            judge,
            row['query'],
            cases,
            budget=RequestBudget(),
            options=SearchOptions(stop_after=stop_after),
            progress=lambda stage, done, total: None,
        )
        return judged.requests, sum(right[text] for text in best(judged))

    requests, everything = await found(None)
    if not everything:
        return None
    early = {stop: await found(stop) for stop in STOPS}
    return {
        stop: (made / requests, max(0, everything - kept) / everything)
        for stop, (made, kept) in early.items()
    }


def best(judged: Judged) -> list[str]:
    """Texts of the first five matches."""
    ranked = sorted(judged.cases, key=lambda each: -each.judgment.relevance)
    return [
        each.case.text
        for each in ranked[:DEFAULT_LIMIT]
        if each.judgment.relevance >= DEFAULT_THRESHOLD
    ]


def read_rows(queries: Path, only: Sequence[str]) -> dict[str, list[Row]]:
    """The labelled queries by tree."""
    rows: defaultdict[str, list[Row]] = defaultdict(list)
    for line in queries.read_text().splitlines():
        row: Row = json.loads(line)
        if row['commit_exact'] and any(name in row['dir'] for name in only):
            rows[row['dir']].append(row)
    return rows


async def run(rows: dict[str, list[Row]], trees: Path) -> list[dict[str, float]]:
    """Print a line for each of `STOPS`, and return the same figures."""
    outcomes: defaultdict[int, list[tuple[float, float]]] = defaultdict(list)
    for directory, of_tree in rows.items():
        workspace = Workspace(LocalWorkspaceBackend(trees / directory))
        indexes = IndexCache(1)
        for row in of_tree:
            try:
                cases = await shortlist(workspace, row, indexes)
            except InvalidSearch:
                continue
            for stop, outcome in (await compare(row, cases) or {}).items():
                outcomes[stop].append(outcome)
    figures: list[dict[str, float]] = []
    for stop, of_stop in outcomes.items():
        judged, lost = (statistics.mean(each) for each in zip(*of_stop, strict=True))
        print(f'stop_after={stop}: {len(of_stop)} queries, {judged:.0%} judged, {lost:.1%} lost')
        figures.append(
            {
                'stop_after': stop,
                'queries': len(of_stop),
                'requests_share': round(judged, 3),
                'right_matches_lost_share': round(lost, 3),
            }
        )
    return figures


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--queries', type=Path, required=True)
    parser.add_argument('--trees', type=Path, required=True)
    parser.add_argument(
        '--only', nargs='*', default=[''], help='trees whose name holds one of these'
    )
    parser.add_argument('--out', type=Path, help='a JSON file for the figures')
    arguments = parser.parse_args()
    rows = read_rows(arguments.queries, arguments.only)
    figures = anyio.run(run, rows, arguments.trees)
    if arguments.out:
        arguments.out.write_text(json.dumps(figures, indent=2) + '\n')


if __name__ == '__main__':
    main()
