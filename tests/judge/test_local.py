from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pydantic_ai_smart_search.judge.judge import Judgment
from pydantic_ai_smart_search.judge.local import LocalJudge
from pydantic_ai_smart_search.options import DEFAULT_THRESHOLD
from tests.judge.cases import a_case

SHARE = st.floats(0, 1)


LONG_QUERY = (
    'sessions tokens expiry refusing clock storage cookies headers requests users roles audits'
)


async def judge(
    coverage: float, strength: float, query: str = 'reject an expired session'
) -> Judgment:
    case = a_case(coverage=coverage, strength=strength)
    return await LocalJudge().judge(query, case)


@pytest.mark.anyio
async def test_the_best_snippet_that_covers_the_query_is_fully_relevant() -> None:
    assert await judge(1, 1) == Judgment(entity=1, operation=1)


@pytest.mark.anyio
async def test_where_little_of_a_query_is_found_nothing_is_a_match() -> None:
    assert (await judge(0.25, 1)).relevance < DEFAULT_THRESHOLD


@pytest.mark.anyio
async def test_a_few_words_of_a_long_query_are_enough() -> None:
    assert (await judge(0.25, 1, LONG_QUERY)).relevance > DEFAULT_THRESHOLD


@pytest.mark.anyio
async def test_what_is_much_weaker_than_the_best_is_no_match() -> None:
    assert (await judge(1, 0.6)).relevance < DEFAULT_THRESHOLD
    assert (await judge(1, 0.3)).relevance == 0


@pytest.mark.anyio
@given(SHARE, SHARE, SHARE, SHARE)
async def test_more_coverage_or_strength_never_lowers_the_relevance(
    coverage: float, strength: float, more_coverage: float, more_strength: float
) -> None:
    less = await judge(min(coverage, more_coverage), min(strength, more_strength))
    more = await judge(max(coverage, more_coverage), max(strength, more_strength))
    assert 0 <= less.relevance <= more.relevance <= 1
