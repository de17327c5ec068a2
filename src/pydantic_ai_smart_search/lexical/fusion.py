"""Puts what words say of snippets and what meaning says together: one formula, on arrays."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from pydantic_ai_smart_search.embedding.encoder import Vectors
from pydantic_ai_smart_search.lexical.postings import Numbers

Scores = NDArray[np.float64]

MEANING_WEIGHT: Final = 0.2
"""What its own meaning adds to the nearest snippet, as a share of the best score by words. The best
of 0.1 to 0.7 on the development half of the labelled queries: above, commits lose their first
places. Without it their recall@24 falls from .68 to .65, and their MRR from .44 to .41
(`benchmarks/results/ablation-2026-11-29.json`).
"""

FILE_MEANING_WEIGHT: Final = 0.1
"""What the mean meaning of a file adds to its snippets, likewise. Short texts say little of what
they are for. With it recall@128 of queries for lines rises from .79 to .81, and every MRR falls by
.01 (`benchmarks/results/ablation-2026-11-29.json`).
"""


def score_meaning(
    by_words: Scores, cosines: Vectors, kind_weights: Scores, file_of: Numbers
) -> Scores:
    """What meaning adds to the score of each snippet, 0 or more.

    Scores are added, not ranks: how far the best is ahead counts, so that a search by an exact name
    stays one, and a snippet far down one list is not lifted by its place there. Meaning counts from
    the mean cosine (0) to the best (1), because cosines of short texts all lie in a narrow band
    that moves with the query; what is further away than the mean loses nothing, so meaning alone
    never removes a snippet that words have found.

    Args:
        by_words: Scores by words, 0 or more, one a snippet.
        cosines: Cosines of query and snippet, one a snippet; 0 for a text without a vector.
        kind_weights: What the kind of each snippet's file counts for, 0..1; in `by_words` already.
        file_of: The number of each snippet's file.
    """
    if not len(cosines):
        return np.zeros(0)
    sizes = np.bincount(file_of)
    of_files = np.bincount(file_of, cosines) / np.maximum(sizes, 1)
    nearness = MEANING_WEIGHT * _above_mean(cosines.astype(np.float64))
    nearness += FILE_MEANING_WEIGHT * _above_mean(of_files[file_of])
    return (float(by_words.max()) or 1.0) * nearness * kind_weights


def _above_mean(values: Scores) -> Scores:
    """0 up to the mean, 1 at the best, and in a line between."""
    above = np.maximum(values - values.mean(), 0)
    return above / (float(above.max()) or 1.0)
