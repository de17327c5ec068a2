"""The class of the library `rank_bm25` that the index extends, with the types it does not have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:

    class BM25Plus:
        """What the index and its tests use of it."""

        corpus_size: int
        avgdl: float
        idf: dict[str, float]
        k1: float
        b: float
        delta: float

        def __init__(
            self,
            corpus: Iterable[Sequence[str]],
            *,
            k1: float = ...,
            b: float = ...,
            delta: float = ...,
        ) -> None: ...
        def _initialize(self, corpus: Iterable[Sequence[str]]) -> dict[str, int]: ...
        def _calc_idf(self, nd: Mapping[str, int]) -> None: ...
        def get_scores(self, query: Iterable[str]) -> NDArray[np.float64]:
            """The score of every document."""
            ...

else:
    from rank_bm25 import BM25Plus

__all__ = ['BM25Plus']
