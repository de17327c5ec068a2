from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pydantic_ai_smart_search.judge.judge import Judgment
from pydantic_ai_smart_search.judge.local import LocalJudge
from pydantic_ai_smart_search.options import DEFAULT_THRESHOLD
from tests.judge.cases import a_case

SHARE = st.floats(0, 1)


async def judge(coverage: float, strength: float) -> Judgment:
    case = a_case(coverage=coverage, strength=strength)
    return await LocalJudge().judge('reject an expired session', case)


@pytest.mark.anyio
async def test_the_best_snippet_that_covers_the_query_is_fully_relevant() -> None:
    assert await judge(1, 1) == Judgment(entity=1, operation=1)


@pytest.mark.anyio
async def test_a_snippet_that_covers_little_of_the_query_is_no_match_however_strong() -> None:
    assert (await judge(0.25, 1)).relevance < DEFAULT_THRESHOLD


@pytest.mark.anyio
@given(SHARE, SHARE, SHARE, SHARE)
async def test_more_coverage_or_strength_never_lowers_the_relevance(
    coverage: float, strength: float, more_coverage: float, more_strength: float
) -> None:
    less = await judge(min(coverage, more_coverage), min(strength, more_strength))
    more = await judge(max(coverage, more_coverage), max(strength, more_strength))
    assert 0 <= less.relevance <= more.relevance <= 1
