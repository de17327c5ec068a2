"""Reading a judge's answer: numbers by name, from a tool call's arguments or from JSON in a text.

Nothing is repaired. A value that is out of range, not a number or missing says nothing, and
rounding it to a judgment would make the search lie.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final, cast

_DECODER: Final = json.JSONDecoder()


class MalformedAnswer(ValueError):
    """The answer is not numbers from 0 to 1; the message says why, and repeats none of it."""


def read_numbers(answer: object, names: Sequence[str]) -> list[float]:
    """The numbers under `names`, one or more, in `answer`: an object, or a text that holds one,
    even amid prose.

    Raises:
        MalformedAnswer: It does not hold them all, as finite numbers from 0 to 1.
    """
    fields = _find_object(answer, names) if isinstance(answer, str) else answer
    if not isinstance(fields, Mapping):
        ends = dict.fromkeys((names[0], names[-1]))
        raise MalformedAnswer(f'it holds no object with {" and ".join(f"`{end}`" for end in ends)}')
    return [_read_number(cast('Mapping[str, object]', fields), name) for name in names]


def _find_object(text: str, names: Sequence[str]) -> dict[str, object] | None:
    """The first JSON object in `text` with one of the names, or `None`."""
    start = text.find('{')
    while start >= 0:
        try:
            found: dict[str, object] = _DECODER.raw_decode(text, start)[0]
        except (ValueError, RecursionError):
            found = {}
        if not found.keys().isdisjoint(names):
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
