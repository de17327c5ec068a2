"""What judging adds to the judge's own time: 128 judgments of one that answers at once, and of one
that takes 50 ms.

    python -m benchmarks.judging [--out benchmarks/results/judging-DATE.json]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.settings import ModelSettings

from pydantic_ai_smart_search.judge.budget import RequestBudget
from pydantic_ai_smart_search.judge.judge import Case
from pydantic_ai_smart_search.judge.judging import judge_cases
from pydantic_ai_smart_search.judge.model import make_judge
from pydantic_ai_smart_search.lexical.candidate import Candidate
from pydantic_ai_smart_search.lines import LineSpan
from pydantic_ai_smart_search.options import DEFAULT_CANDIDATES, DEFAULT_CONCURRENCY, SearchOptions
from pydantic_ai_smart_search.source.kinds import FileKind

REPEATS: Final = 11
"""Of which the median is taken: odd, and done in seconds."""

JUDGE_SECONDS: Final = 0.05
"""What a fast decision model takes."""


@dataclass(init=False)
class SlowModel(Model):
    """Takes `seconds` for an answer, and nothing else."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._seconds = seconds

    @property
    def model_name(self) -> str:
        """Any name without a price."""
        return 'slow'

    @property
    def system(self) -> str:
        """No provider."""
        return 'benchmark'

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Call the answer tool."""
        if self._seconds:
            await asyncio.sleep(self._seconds)
        return ModelResponse([ToolCallPart('answer', {'entity': 0.9, 'operation': 0.9})])


def some_cases(count: int) -> list[Case]:
    """Cases of 40 lines each."""
    return [
        Case(
            candidate=Candidate(
                path=f'{number}.py',
                span=LineSpan(1, 40),
                symbol=f'f{number}',
                kind=FileKind.CODE,
                digest=b'',
                rank=number + 1,
                score=1.0,
                coverage=1.0,
                search_coverage=1.0,
                strength=1.0,
                parts=(),
            ),
            path=f'{number}.py',
            text=f'def f{number}():\n' + '    value = compute(value, other, 1 < 2)\n' * 39,
        )
        for number in range(count)
    ]


class Seconds(NamedTuple):
    """Of several runs: what is usual, and what it takes where nothing else runs meanwhile."""

    median: float
    fastest: float


def seconds_to_judge(judge_seconds: float, concurrency: int) -> Seconds:
    """Wall-clock seconds for the default number of candidates."""

    async def once() -> float:
        cases = some_cases(DEFAULT_CANDIDATES)
        judge = make_judge(SlowModel(judge_seconds))
        started = time.perf_counter()
        await judge_cases(
            judge,
            'compute the value',
            cases,
            budget=RequestBudget(),
            options=SearchOptions(concurrency=concurrency),
            progress=lambda stage, done, total: None,
        )
        return time.perf_counter() - started

    async def repeat() -> list[float]:
        return [await once() for _ in range(REPEATS + 1)][1:]

    seconds = asyncio.run(repeat())
    return Seconds(statistics.median(seconds), min(seconds))


def measure() -> dict[str, float]:
    """Medians, fastest runs, and how busy the machine was."""
    figures = {'load': os.getloadavg()[0], 'judgments': DEFAULT_CANDIDATES, 'runs': REPEATS}
    at_once = seconds_to_judge(0, DEFAULT_CONCURRENCY)
    figures['milliseconds_if_judge_answers_at_once'] = at_once.median * 1_000
    figures['milliseconds_if_judge_answers_at_once_fastest'] = at_once.fastest * 1_000
    for concurrency in (32, DEFAULT_CONCURRENCY):
        ideal = JUDGE_SECONDS * DEFAULT_CANDIDATES / concurrency
        took = seconds_to_judge(JUDGE_SECONDS, concurrency)
        figures[f'times_the_ideal_at_{concurrency}_at_once'] = took.median / ideal
        figures[f'times_the_ideal_at_{concurrency}_at_once_fastest'] = took.fastest / ideal
    return {name: round(figure, 3) for name, figure in figures.items()}


def main() -> None:
    """Print the figures, and keep them if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--out', type=Path, help='a JSON file for the figures')
    out: Path | None = parser.parse_args().out
    text = json.dumps(measure(), indent=2)
    print(text)
    if out:
        out.write_text(f'{text}\n')


if __name__ == '__main__':
    main()
