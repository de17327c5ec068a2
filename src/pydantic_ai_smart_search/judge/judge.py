"""The judge as the pipeline knows it: one method that answers two questions about one case, and
for one that is asked over a distance another, about the outlines of many files at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

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
    """The first lines of the declarations around the snippet, outermost first, the last with what
    is said of it; empty if none.
    """
    imports: str = ''
    """The imports above the snippet whose names it uses; empty if none."""

    @property
    def evidence(self) -> str:
        """All the source the judge reads: cases with the same are judged as one."""
        return f'{self.context}\n{self.imports}\n{self.text}'


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


@dataclass(frozen=True, kw_only=True, slots=True)
class Outline:
    """What a file is about, in a few lines, as it is put before the judge."""

    path: str
    """The file as the caller would spell it."""
    text: str
    """How it begins, and what it defines."""

    @property
    def evidence(self) -> str:
        """All the judge reads of the file; never that of a snippet, which has no such mark."""
        return f'\0{self.path}\n{self.text}'


@dataclass(frozen=True, kw_only=True, slots=True)
class Screening:
    """The judge's answer to one question about several outlines, and what it cost."""

    likelihoods: Sequence[float]
    """How likely each file holds what is looked for, 0..1, in the order of the outlines."""
    input_tokens: int = 0
    output_tokens: int = 0


@runtime_checkable
class Screener(Judge, Protocol):
    """A judge that can tell from outlines which files to look into."""

    async def screen(
        self, query: str, outlines: Sequence[Outline], complaint: str | None = None
    ) -> Screening:
        """Answer for all `outlines`, one or more, at once; `complaint` says what was wrong with the
        previous answer for them.

        Raises:
            JudgeFailed: It could not answer, or not with a number from 0 to 1 for each.
        """
        ...
