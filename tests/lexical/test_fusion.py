import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pydantic_ai_smart_search.lexical.fusion import (
    FILE_MEANING_WEIGHT,
    MEANING_WEIGHT,
    Scores,
    score_meaning,
)


def fuse(
    by_words: list[float],
    cosines: list[float],
    kinds: list[float] | None = None,
    files: list[int] | None = None,
) -> Scores:
    """Of files with a snippet each, unless `files` are given."""
    words, weights = np.array(by_words), np.array(kinds or [1.0] * len(by_words))
    file_of = np.array(files or range(len(by_words)), np.uint32)
    return words + score_meaning(words, np.array(cosines, np.float32), weights, file_of)


def test_meaning_counts_less_in_a_file_of_lesser_kind() -> None:
    fused = fuse([0, 0, 0], [0.8, 0.8, 0], [1, 0.5, 1])
    assert fused[0] == 2 * fused[1] > 0


def test_best_by_both_is_best() -> None:
    assert fuse([3, 1, 0], [0.9, 0.1, 0.2]).argmax() == 0


def test_snippet_without_a_word_of_the_query_is_found_by_its_meaning() -> None:
    assert np.allclose(
        fuse([3, 0, 0], [0.1, 0.8, 0.1]), [3, 3 * (MEANING_WEIGHT + FILE_MEANING_WEIGHT), 0]
    )


def test_without_vectors_the_order_is_that_of_the_words() -> None:
    assert fuse([3, 1, 0], [0, 0, 0]).tolist() == [3, 1, 0]


def test_without_words_the_order_is_that_of_the_meaning() -> None:
    assert np.argsort(-fuse([0, 0, 0], [0.1, 0.7, 0.5])).tolist() == [1, 2, 0]


def test_a_file_that_means_it_lifts_its_snippets() -> None:
    fused = fuse([0, 0, 0, 0], [0.9, 0.2, 0.2, 0.1], files=[0, 0, 1, 1])
    assert fused[1] > fused[2]


def test_nothing_to_fuse_is_no_error() -> None:
    assert fuse([], []).tolist() == []


@given(st.lists(st.tuples(st.floats(0, 50), st.floats(-1, 1, width=32)), min_size=1))
def test_more_of_either_never_scores_less(pairs: list[tuple[float, float]]) -> None:
    words, cosines = np.array([w for w, _ in pairs]), np.array([c for _, c in pairs])
    fused = fuse(words.tolist(), cosines.tolist())
    assert (fused >= 0).all()
    for i in range(len(pairs)):
        worse = (words <= words[i]) & (cosines <= cosines[i])
        assert (fused[worse] <= fused[i] + 1e-9).all()
