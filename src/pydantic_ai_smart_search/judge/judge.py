"""The judge as the pipeline knows it: one method that answers two questions about one case."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from pydantic_ai_smart_search.lexical.candidate import Candidate


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """A candidate with its text, as it is put before the judge."""

    candidate: Candidate
    path: str
    """The file as the caller would spell it."""
    text: str
    """The snippet's lines, joined with newlines."""
    context: str = ''
    """The first lines of the declarations around the snippet, outermost first; empty if none."""

    @property
    def evidence(self) -> str:
        """All the source the judge reads: cases with the same are judged as one."""
        return f'{self.context}\n{self.text}'


@dataclass(frozen=True, kw_only=True, slots=True)
class Judgment:
    """The judge's two answers, and what they cost."""

    entity: float
    """Does the snippet act on what the query names? 0..1."""
    operation: float
    """Does the snippet itself perform the action the query describes? 0..1."""
    input_tokens: int = 0
    output_tokens: int = 0

    @property
    def relevance(self) -> float:
        """Both have to hold: the product, 0..1."""
        return self.entity * self.operation


@dataclass(frozen=True, slots=True)
class JudgedCase:
    """A case and what the judge made of it."""

    case: Case
    judgment: Judgment


class Judge(Protocol):
    """Answers the two questions for one case at a time; timeouts, retries and memory are wrapped
    around it.
    """

    @property
    def name(self) -> str:
        """What the result and the span call it: `provider:model`, or `local`."""
        ...

    @property
    def is_local(self) -> bool:
        """Whether it answers in this process: costs no request, and its scores are a ranking rather
        than a judgment.
        """
        ...

    async def judge(self, query: str, case: Case, complaint: str | None = None) -> Judgment:
        """Answer for one case; `complaint` says what was wrong with the previous answer for it.

        Raises:
            JudgeFailed: It could not answer, or what it answered is not two numbers from 0 to 1.
        """
        ...
