"""What judging adds to the judge's own time: 128 judgments of one that answers at once, and of one
that takes 50 ms.

    python -m benchmarks.judging
"""

from __future__ import annotations

import asyncio
import statistics
import time
from dataclasses import dataclass
from typing import Final

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
                strength=1.0,
                parts=(),
            ),
            path=f'{number}.py',
            text=f'def f{number}():\n' + '    value = compute(value, other, 1 < 2)\n' * 39,
        )
        for number in range(count)
    ]


def seconds_to_judge(judge_seconds: float, concurrency: int) -> float:
    """Median wall-clock seconds for the default number of candidates."""

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

    return statistics.median(asyncio.run(repeat()))


def main() -> None:
    """Print one line for each setting: seconds, and beside what the judge alone would take."""
    at_once = seconds_to_judge(0, DEFAULT_CONCURRENCY)
    print(f'{DEFAULT_CANDIDATES} judgments, judge answers at once: {at_once * 1e3:.1f} ms')
    for judge_seconds, concurrency in ((0.05, 32), (0.05, DEFAULT_CONCURRENCY)):
        ideal = judge_seconds * DEFAULT_CANDIDATES / concurrency
        took = seconds_to_judge(judge_seconds, concurrency)
        print(
            f'{DEFAULT_CANDIDATES} judgments, {judge_seconds * 1e3:.0f} ms each, '
            f'{concurrency} at once: {took:.3f} s, {took / ideal:.2f}x of {ideal:.2f} s'
        )


if __name__ == '__main__':
    main()
