"""Cases to judge, and a judge that answers as a test tells it to."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from anyio.lowlevel import checkpoint

from pydantic_ai_smart_search.judge.budget import RequestBudget
from pydantic_ai_smart_search.judge.judge import Case, Judge, Judgment
from pydantic_ai_smart_search.judge.judging import Judged, judge_cases
from pydantic_ai_smart_search.judge.memory import JudgmentMemory
from pydantic_ai_smart_search.lexical.candidate import Candidate
from pydantic_ai_smart_search.lines import LineSpan
from pydantic_ai_smart_search.options import SearchOptions
from pydantic_ai_smart_search.source.kinds import FileKind

RELEVANT = Judgment(entity=0.9, operation=0.95, input_tokens=100, output_tokens=2)
IRRELEVANT = Judgment(entity=0.1, operation=0.1, input_tokens=100, output_tokens=2)


def a_case(
    text: str = 'def f(): ...',
    *,
    path: str = 'a.py',
    symbol: str | None = None,
    context: str = '',
    imports: str = '',
    rank: int = 1,
    coverage: float = 1.0,
    strength: float = 1.0,
) -> Case:
    candidate = Candidate(
        path=path,
        span=LineSpan(1, 1),
        symbol=symbol,
        kind=FileKind.CODE,
        digest=b'',
        rank=rank,
        score=strength,
        coverage=coverage,
        search_coverage=coverage,
        strength=strength,
        parts=(),
    )
    return Case(candidate=candidate, path=path, text=text, context=context, imports=imports)


def some_cases(count: int) -> list[Case]:
    """Cases with texts of their own, `0`, `1`, ..., best candidates first."""
    return [a_case(str(number), path=f'{number}.py', rank=number + 1) for number in range(count)]


Script = Callable[[Case, str | None], Judgment | Exception]


def always(answer: Judgment | Exception) -> Script:
    return lambda case, complaint: answer


class ScriptedJudge:
    """Answers, or raises, as `script` says for a case and the complaint it is asked with."""

    name = 'scripted'
    is_local = False

    def __init__(self, script: Script = lambda case, complaint: RELEVANT) -> None:
        self._script = script
        self.asked: list[str] = []
        """Texts of the cases put to it, in that order."""
        self.cancelled = 0
        self.under_way: int = 0
        self.most_under_way = 0

    async def judge(self, query: str, case: Case, complaint: str | None = None) -> Judgment:
        self.asked.append(case.text)
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        try:
            await checkpoint()
        except BaseException:
            self.cancelled += 1
            raise
        finally:
            self.under_way -= 1
        answer = self._script(case, complaint)
        if isinstance(answer, Exception):
            raise answer
        return answer


class Naps:
    """Sleeps without waiting, and remembers for how long."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)
        await checkpoint()


async def judge_all(
    judge: Judge,
    cases: Sequence[Case],
    *,
    budget: RequestBudget | None = None,
    options: SearchOptions | None = None,
    memory: JudgmentMemory | None = None,
    progress: Callable[[str, int, int], None] = lambda stage, done, total: None,
    sleep: Callable[[float], Awaitable[None]] | None = None,
) -> Judged:
    return await judge_cases(
        judge,
        'reject an expired session',
        cases,
        budget=budget or RequestBudget(),
        options=options or SearchOptions(),
        memory=memory,
        progress=progress,
        sleep=sleep or Naps(),
    )
