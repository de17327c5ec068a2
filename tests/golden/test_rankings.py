from __future__ import annotations

import re

import pytest

from tests.golden.rankings import RANKING, rank_queries

SCORE = re.compile(r'^ *(\d+\.\d\d)  ', re.MULTILINE)


def test_the_ranking_of_our_own_tree_is_the_reviewed_one() -> None:
    reviewed, ranked = RANKING.read_text(), rank_queries()
    remedy = 'if the change is meant, run `python -m tests.golden.rankings`'
    assert SCORE.sub('', ranked) == SCORE.sub('', reviewed), remedy
    # Floating-point libraries differ in their last digits, which may be rounded either way.
    scores = [float(score) for score in SCORE.findall(reviewed)]
    assert [float(score) for score in SCORE.findall(ranked)] == pytest.approx(scores, abs=0.011), (
        remedy
    )
