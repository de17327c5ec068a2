"""Files of which a shortlist leaves something out, nearest first, and bringing in more of some."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import chain, zip_longest
from typing import Final

import numpy as np

from pydantic_ai_smart_search.lexical.candidate import Candidate, Shortlist
from pydantic_ai_smart_search.lexical.index import IndexedFile, SnippetIndex
from pydantic_ai_smart_search.lexical.query import QueryTerms
from pydantic_ai_smart_search.lexical.scoring import Scoring, score_snippets
from pydantic_ai_smart_search.lexical.shortlist import Chosen, describe
from pydantic_ai_smart_search.lines import LineSpan

MAX_RESCUED: Final = 8
"""Most snippets rescued in one search, of all files together: a third of the 24 that a run with the
default request limit judges. A judge that knows the answers found .909 of those of the development
half with 8, .898 with 6 and with 12, which take more places of the shortlist.
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class MissedFile:
    """A file of the index of which not everything is judged."""

    path: str
    """Relative to the root."""
    digest: bytes
    """Digest of what was indexed."""
    symbols: Sequence[str]
    """Those of its snippets, each once, those nearest to the query first."""
    candidates: Sequence[Candidate]
    """Its snippets nearest to the query of those not judged, at most `MAX_RESCUED`, best first."""


def find_missed(
    index: SnippetIndex, terms: QueryTerms, judged: Sequence[Candidate], count: int
) -> list[MissedFile]:
    """At most `count` files that have more snippets than those `judged`, best first; ties by path.

    A file is as near to a query as the best of its snippets, by words and by meaning. Files of
    which some snippets are judged are not left out: the right one may be another.
    """
    if not count:
        return []
    scoring = score_snippets(index, terms)
    best = np.zeros(len(index.files))
    np.maximum.at(best, scoring.file_of, scoring.totals)
    spans: defaultdict[str, set[LineSpan]] = defaultdict(set)
    for candidate in judged:
        spans[candidate.path].add(candidate.span)
    files = [file for file in index.indexed_files() if len(file.snippets) > len(spans[file.path])]
    nearness = best[[int(scoring.file_of[file.snippets.start]) for file in files]]
    order: list[int] = np.argsort(-nearness, kind='stable')[:count].tolist()
    return [_describe_file(index, terms, scoring, files[at], spans[files[at].path]) for at in order]


def _describe_file(
    index: SnippetIndex,
    terms: QueryTerms,
    scoring: Scoring,
    file: IndexedFile,
    judged: Collection[LineSpan],
) -> MissedFile:
    numbers = sorted(file.snippets, key=lambda number: (-scoring.totals[number], number))
    symbols = (index.symbols[number] for number in numbers)
    others = [number for number in numbers if index.snippet(number).span not in judged]
    chosen = [Chosen(number, float(scoring.totals[number])) for number in others[:MAX_RESCUED]]
    return MissedFile(
        path=file.path,
        digest=file.content.digest,
        symbols=list(dict.fromkeys(symbol for symbol in symbols if symbol)),
        candidates=describe(index, terms, scoring, chosen),
    )


def rescue(shortlist: Shortlist, files: Sequence[MissedFile], k: int) -> Shortlist:
    """The shortlist with the best snippets of `files`, the most promising first, in turn with its
    own, and at most `k` of all.

    Every file has its best snippet rescued before any has its second, at most `MAX_RESCUED`
    altogether.
    """
    by_turn = zip_longest(*(file.candidates for file in files))
    rescued = [candidate for candidate in chain(*by_turn) if candidate][:MAX_RESCUED]
    places = {(candidate.path, candidate.span) for candidate in rescued}
    others = [one for one in shortlist.candidates if (one.path, one.span) not in places]
    merged = [one for pair in zip_longest(others, rescued) for one in pair if one][:k]
    return replace(
        shortlist,
        candidates=[replace(one, rank=rank) for rank, one in enumerate(merged, 1)],
        rescued_files=len({one.path for one in merged if (one.path, one.span) in places}),
    )
