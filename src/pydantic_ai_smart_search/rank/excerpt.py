"""The part of a relevant snippet that a model reads first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic_ai_smart_search.judge.judge import Case
from pydantic_ai_smart_search.lexical.terms import terms_of
from pydantic_ai_smart_search.lines import LineSpan, split_lines
from pydantic_ai_smart_search.options import EXCERPT_CHARS, EXCERPT_LINES


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Consecutive lines of a snippet."""

    span: LineSpan
    """The lines of the file that `text` holds."""
    text: str
    """At most 12 lines and 1,200 characters, without the last line's end."""


def cut_excerpt(case: Case, weights: Mapping[str, float]) -> Excerpt:
    """The lines of the case that say most about the query, `weights` being its terms.

    A snippet that is short enough is shown whole. Of a longer one, the window of lines whose
    distinct query terms weigh most; the first of equals, as declarations say what follows.
    """
    lines = split_lines(case.text)
    shown = _heaviest_window(lines, weights)
    while shown.length > 1 and _chars(shown.slice(lines)) > EXCERPT_CHARS:
        shown = shown.without_last()
    return Excerpt(
        span=shown.within(case.candidate.span),
        text='\n'.join(shown.slice(lines))[:EXCERPT_CHARS],
    )


def _heaviest_window(lines: Sequence[str], weights: Mapping[str, float]) -> LineSpan:
    whole = LineSpan.of_length(1, len(lines))
    found = [{term for term in terms_of(line) if term in weights} for line in lines]
    windows = whole.windows(EXCERPT_LINES, 1) if whole.length > EXCERPT_LINES else [whole]
    return max(
        windows,
        key=lambda window: (
            sum(weights[term] for term in set[str]().union(*window.slice(found))),
            sum(weights[term] for terms in window.slice(found) for term in terms),
            -window.first,
        ),
    )


def _chars(lines: Sequence[str]) -> int:
    return len('\n'.join(lines))
