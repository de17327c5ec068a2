"""Reading a judge's answer: two numbers, from a tool call's arguments or from JSON in a text.

Nothing is repaired. A value that is out of range, not a number or missing says nothing, and
rounding it to a judgment would make the search lie.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final, NamedTuple, cast

FIELDS: Final = ('entity', 'operation')
"""The two numbers of an answer, as the questions are named."""

_DECODER: Final = json.JSONDecoder()


class Answer(NamedTuple):
    """What the judge said of one snippet."""

    entity: float
    operation: float


class MalformedAnswer(ValueError):
    """The answer is not two numbers from 0 to 1; the message says why, and repeats none of it."""


def read_answer(answer: object) -> Answer:
    """The two numbers of `answer`: an object, or a text that holds one, even amid prose.

    Raises:
        MalformedAnswer: It does not hold both, as finite numbers from 0 to 1.
    """
    fields = _find_object(answer) if isinstance(answer, str) else answer
    if not isinstance(fields, Mapping):
        raise MalformedAnswer('it holds no object with `entity` and `operation`')
    return Answer(*(_read_number(cast('Mapping[str, object]', fields), name) for name in FIELDS))


def _find_object(text: str) -> dict[str, object] | None:
    """The first JSON object in `text` with one of the fields, or `None`."""
    start = text.find('{')
    while start >= 0:
        try:
            found: dict[str, object] = _DECODER.raw_decode(text, start)[0]
        except (ValueError, RecursionError):
            found = {}
        if not found.keys().isdisjoint(FIELDS):
            return found
        start = text.find('{', start + 1)
    return None


def _read_number(fields: Mapping[str, object], name: str) -> float:
    if name not in fields:
        raise MalformedAnswer(f'`{name}` is missing')
    value = fields[name]
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise MalformedAnswer(f'`{name}` is not a number')
    # Also false for NaN.
    if not 0 <= value <= 1:
        raise MalformedAnswer(f'`{name}` is not from 0 to 1')
    return float(value)
