from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

class BM25:
    corpus_size: int
    avgdl: float
    idf: dict[str, float]
    doc_len: list[int]
    doc_freqs: list[dict[str, int]]
    def __init__(
        self,
        corpus: Iterable[Sequence[str]],
        tokenizer: Callable[[str], Sequence[str]] | None = ...,
    ) -> None: ...
    def _initialize(self, corpus: Iterable[Sequence[str]]) -> dict[str, int]: ...
    def _calc_idf(self, nd: Mapping[str, int]) -> None: ...
    def get_scores(self, query: Iterable[str]) -> NDArray[np.float64]: ...

class BM25Plus(BM25):
    k1: float
    b: float
    delta: float
    def __init__(
        self,
        corpus: Iterable[Sequence[str]],
        tokenizer: Callable[[str], Sequence[str]] | None = ...,
        k1: float = ...,
        b: float = ...,
        delta: float = ...,
    ) -> None: ...
