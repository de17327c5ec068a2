"""The scores of all snippets of an index for one query, and what they are made of."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pydantic_ai_smart_search.lexical.bm25 import Contribution, Scores
from pydantic_ai_smart_search.lexical.fusion import score_meaning
from pydantic_ai_smart_search.lexical.index import SnippetIndex
from pydantic_ai_smart_search.lexical.postings import Numbers
from pydantic_ai_smart_search.lexical.query import QueryTerms
from pydantic_ai_smart_search.lexical.terms import terms_of
from pydantic_ai_smart_search.source.kinds import FileKind

FILE_WEIGHT: Final = 0.4
"""Share of a whole file's score that each of its snippets is given: a file that is all about the
query says something about every part of it. Chosen by hand. Without it nothing rises, and recall@24
of commits falls from .68 to .63. (This and what follows: `benchmarks/results/
ablation-2026-11-29.json`, 60 queries of a kind, so that one more or less is .017.)
"""

KIND_WEIGHTS: Final[Mapping[FileKind, float]] = {
    FileKind.CODE: 1.0,
    FileKind.TEST: 0.5,
    FileKind.DOCS: 0.4,
    FileKind.DATA: 0.4,
}
"""What a score is multiplied with where the query does not ask for the kind of file: tests and docs
repeat the words of the implementation, and would stand in front of it. With 1 for all of them
recall@24 of commits falls from .68 to .59, and their MRR from .44 to .37.
"""

FILE_NAME_WEIGHT: Final = 0.15
"""What a score gains, as a share of it, where every word of the file's name is one of the query's;
in proportion where some are. `cookiejar.py` is about the cookie jar, whatever a snippet of it says.
Without it the MRR of queries for files falls from .82 to .78; that of queries for lines rises from
.50 to .51.
"""


class Scoring(NamedTuple):
    """The scores of all snippets, and what they are made of."""

    contributions: Mapping[str, Contribution]
    file_of: Numbers
    file_scores: Scores
    """By number of file."""
    kind_weights: Scores
    """By number of file."""
    name_weights: Scores
    """By number of file."""
    by_words: Scores
    """Of its words and its file's, weighted by kind, by number of snippet."""
    meaning: Scores
    """What its meaning adds, by number of snippet."""
    totals: Scores
    """By number of snippet; 0 where nothing of the query is in it."""


def score_snippets(index: SnippetIndex, terms: QueryTerms) -> Scoring:
    """Score every snippet by its own words, those of its whole file, its meaning, and the kind and
    name of its file.
    """
    file_of = index.file_of
    contributions = index.bm25.contributions(terms.weights)
    scores = index.bm25.add_up(contributions)
    files = index.bm25.score_groups(contributions, file_of, len(index.files))
    file_scores = FILE_WEIGHT * files
    by_kind = {**KIND_WEIGHTS, **dict.fromkeys(terms.kinds, 1.0)}
    kind_weights = np.array([by_kind[file.kind] for file in index.files], np.float64)
    weights = kind_weights[file_of]
    by_words = np.where(scores, (scores + file_scores[file_of]) * weights, 0.0)
    meaning = np.zeros(len(by_words))
    if index.vectors is not None:
        # All of them, as a rule: a view then takes the place of copies.
        live = slice(None) if index.snippets == len(by_words) else index.bm25.alive
        cosines = index.vectors.cosines(terms.words)[live]
        meaning[live] = score_meaning(by_words[live], cosines, weights[live], file_of[live])
    name_weights = _weigh_names(index, terms, np.flatnonzero(files))
    totals = (by_words + meaning) * name_weights[file_of]
    return Scoring(
        contributions=contributions,
        file_of=file_of,
        file_scores=file_scores,
        kind_weights=kind_weights,
        name_weights=name_weights,
        by_words=by_words,
        meaning=meaning,
        totals=totals,
    )


def _weigh_names(index: SnippetIndex, terms: QueryTerms, numbers: NDArray[np.int64]) -> Scores:
    """What the score of each file is multiplied with for its name; only `numbers` may match."""
    weights = np.ones(len(index.files))
    matching: list[int] = numbers.tolist()
    asked = frozenset(terms.weights)
    for number in matching:
        name = _terms_of_name(index.files[number].path.rpartition('/')[2])
        if name & asked:
            weights[number] += FILE_NAME_WEIGHT * len(name & asked) / len(name)
    return weights


def _split_name(name: str) -> frozenset[str]:
    """The terms of a file's name without its suffix."""
    return frozenset(terms_of(name.rpartition('.')[0] or name))


_terms_of_name = lru_cache(maxsize=32_768)(_split_name)
"""Names repeat: every package has its `__init__`."""
