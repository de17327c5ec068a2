import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from training.fusion import MEANING_WEIGHT, Scores
from training.fusion import fuse as fuse_kinds


def scores(*values: float) -> Scores:
    return np.array(values, np.float32)


def fuse(by_words: Scores, cosines: Scores) -> Scores:
    return fuse_kinds(by_words, cosines, np.ones_like(by_words))


def test_meaning_counts_less_in_a_file_of_lesser_kind():
    fused = fuse_kinds(scores(0, 0, 0), scores(0.8, 0.8, 0), scores(1, 0.5, 1))
    assert fused[0] == 2 * fused[1] > 0


def test_best_by_both_is_best():
    assert fuse(scores(3, 1, 0), scores(0.9, 0.1, 0.2)).argmax() == 0


def test_snippet_without_a_word_of_the_query_is_found_by_its_meaning():
    fused = fuse(scores(3, 0, 0), scores(0.1, 0.8, 0.1))
    assert np.allclose(fused, [1, MEANING_WEIGHT, 0])


def test_without_vectors_the_order_is_that_of_the_words():
    assert np.allclose(fuse(scores(3, 1, 0), scores(0, 0, 0)), [1, 1 / 3, 0])


def test_without_words_the_order_is_that_of_the_meaning():
    assert np.argsort(-fuse(scores(0, 0, 0), scores(0.1, 0.7, 0.5))).tolist() == [1, 2, 0]


def test_nothing_to_fuse_is_no_error():
    assert fuse(scores(), scores()).tolist() == []


@given(st.lists(st.tuples(st.floats(0, 50, width=32), st.floats(-1, 1, width=32)), min_size=1))
def test_more_of_either_never_scores_less(pairs: list[tuple[float, float]]):
    words, cosines = scores(*(w for w, _ in pairs)), scores(*(c for _, c in pairs))
    fused = fuse(words, cosines)
    assert (fused >= 0).all()
    for i in range(len(pairs)):
        worse = (words <= words[i]) & (cosines <= cosines[i])
        assert (fused[worse] <= fused[i]).all()
