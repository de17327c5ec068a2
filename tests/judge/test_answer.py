from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pydantic_ai_smart_search.judge.answer import MalformedAnswer, read_numbers

NAMES = ('entity', 'operation')
IN_RANGE = st.floats(0, 1)


@given(IN_RANGE, IN_RANGE, st.sampled_from(['{}', 'Sure: {} Done.', '```json\n{}\n```', '{{ {}']))
def test_json_is_found_wherever_it_stands_in_a_text(
    entity: float, operation: float, around: str
) -> None:
    answer = json.dumps({'entity': entity, 'operation': operation})
    assert read_numbers(around.format(answer), NAMES) == [entity, operation]


def test_an_object_is_read_as_it_is() -> None:
    assert read_numbers({'entity': 1, 'operation': 0, 'why': 'because'}, NAMES) == [1.0, 0.0]


def test_an_object_that_holds_neither_answer_is_passed_over() -> None:
    assert read_numbers('{"a": 1} {"entity": 0.5, "operation": 1}', NAMES) == [0.5, 1.0]


@pytest.mark.parametrize(
    ('answer', 'reason'),
    [
        ({'entity': 1.2, 'operation': 0.5}, '`entity` is not from 0 to 1'),
        ({'entity': 0.5, 'operation': -0.1}, '`operation` is not from 0 to 1'),
        ({'entity': 0.5, 'operation': float('nan')}, '`operation` is not from 0 to 1'),
        ({'entity': 0.5, 'operation': float('inf')}, '`operation` is not from 0 to 1'),
        ({'entity': 10**400, 'operation': 1}, '`entity` is not from 0 to 1'),
        ({'entity': '90%', 'operation': 0.5}, '`entity` is not a number'),
        ({'entity': '0.9', 'operation': 0.5}, '`entity` is not a number'),
        ({'entity': True, 'operation': 0.5}, '`entity` is not a number'),
        ({'entity': None, 'operation': 0.5}, '`entity` is not a number'),
        ({'entity': 0.9}, '`operation` is missing'),
        ('{"entity": NaN, "operation": 1}', '`entity` is not from 0 to 1'),
        ('It is very relevant, 90%.', 'it holds no object with `entity` and `operation`'),
        ('{"entity": 0.9, "operation', 'it holds no object with `entity` and `operation`'),
        ('[0.9, 0.9]', 'it holds no object with `entity` and `operation`'),
        ('{"a":' * 5_000, 'it holds no object with `entity` and `operation`'),
        ('', 'it holds no object with `entity` and `operation`'),
        ([0.9, 0.9], 'it holds no object with `entity` and `operation`'),
        (None, 'it holds no object with `entity` and `operation`'),
    ],
)
def test_anything_but_numbers_from_zero_to_one_is_malformed(answer: Any, reason: str) -> None:
    with pytest.raises(MalformedAnswer) as raised:
        read_numbers(answer, NAMES)
    assert str(raised.value) == reason


def test_a_single_number_is_named_once() -> None:
    assert read_numbers('{"file_1": 0.5}', ['file_1']) == [0.5]
    with pytest.raises(MalformedAnswer, match=r'^it holds no object with `file_1`$'):
        read_numbers('none of them', ['file_1'])
