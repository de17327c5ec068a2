"""Puts what words say of snippets and what meaning says together: one formula, on arrays."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from pydantic_ai_smart_search.embedding.encoder import Vectors

Scores = NDArray[np.float64]

MEANING_WEIGHT: Final = 0.3
"""What meaning adds for the nearest snippet, as a share of the best score by words. The best of 0.2
to 0.7 on the development half of the labelled queries: above, commits lose their first places.
"""


def score_meaning(by_words: Scores, cosines: Vectors, kind_weights: Scores) -> Scores:
    """What meaning adds to the score of each snippet, 0 or more.

    Scores are added, not ranks: how far the best is ahead counts, so that a search by an exact name
    stays one, and a snippet far down one list is not lifted by its place there. Meaning counts from
    the mean cosine (0) to the best (`MEANING_WEIGHT` of the best score by words), because cosines
    of short texts all lie in a narrow band that moves with the query; what is further away than the
    mean loses nothing, so meaning alone never removes a snippet that words have found.

    Args:
        by_words: Scores by words, 0 or more, one a snippet.
        cosines: Cosines of query and snippet, one a snippet; 0 for a text without a vector.
        kind_weights: What the kind of each snippet's file counts for, 0..1; in `by_words` already.
    """
    if not len(cosines):
        return np.zeros(0)
    floor = float(cosines.mean())
    reach = float(cosines.max()) - floor
    nearness = np.maximum(cosines - floor, 0) / (reach or 1.0)
    return MEANING_WEIGHT * (float(by_words.max()) or 1.0) * nearness * kind_weights
