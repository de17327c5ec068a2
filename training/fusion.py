"""Put what words say of snippets and what meaning says together: one formula, on arrays."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float32]

MEANING_WEIGHT: Final = 0.4
"""What meaning adds for the nearest snippet, as a share of the best score by words. The best of 0.2
to 1 on the development half: below, docstring queries gain less; above, commits lose their first
places."""


def fuse(by_words: Scores, cosines: Scores, kind_weights: Scores) -> Scores:
    """One score a snippet, at least 0; comparable only within one search.

    Scores are added, not ranks: how far the best is ahead counts, so that a search by an exact name
    stays one, and a snippet far down one list is not lifted by its place there. Words count as a
    share of the best score. Meaning counts from the mean cosine (0) to the best (`MEANING_WEIGHT`),
    because cosines of short texts all lie in a narrow band that moves with the query; what is
    further away than the mean loses nothing, so meaning alone never removes a snippet that words
    have found.

    Args:
        by_words: Scores by words, 0 or more, one a snippet.
        cosines: Cosines of query and snippet, one a snippet; 0 for a text without a vector.
        kind_weights: What the kind of each snippet's file counts for, 0..1; in `by_words` already.
    """
    if not len(by_words):
        return by_words
    words = by_words / (by_words.max() or 1)
    floor = cosines.mean()
    reach = cosines.max() - floor
    meaning = np.maximum(cosines - floor, 0) / (reach or 1)
    return words + np.float32(MEANING_WEIGHT) * meaning * kind_weights
