"""The best candidates of an index for one query."""

from __future__ import annotations

from pydantic_ai_smart_search.lexical.candidate import Candidate, ScorePart, Shortlist
from pydantic_ai_smart_search.lexical.index import SnippetIndex
from pydantic_ai_smart_search.lexical.query import QueryTerms
from pydantic_ai_smart_search.lines import LineSpan
from pydantic_ai_smart_search.source.kinds import FileKind, kind_of


def shortlist_candidates(index: SnippetIndex, terms: QueryTerms, k: int) -> Shortlist:
    """At most `k` snippets, best first; unmatched ones in path order fill what matching ones leave."""
    scores = index.bm25.get_scores(terms.weights)
    alive = index.bm25.alive

    def order(number: int) -> tuple[float, str, int, int]:
        return (
            -float(scores[number]),
            index.files[index.file_numbers[number]].path,
            index.first_lines[number],
            number,
        )

    best = sorted((number for number in range(len(alive)) if alive[number]), key=order)[:k]
    top = float(scores[best[0]]) if best else 0.0
    candidates: list[Candidate] = []
    for rank, number in enumerate(best, 1):
        file = index.files[index.file_numbers[number]]
        score = float(scores[number])
        candidates.append(
            Candidate(
                path=file.path,
                span=LineSpan(index.first_lines[number], index.last_lines[number]),
                symbol=index.symbols[number],
                kind=kind_of(file.path),
                digest=file.digest,
                rank=rank,
                score=score,
                coverage=0.0,
                strength=score / top if top else 0.0,
                parts=(ScorePart('bm25', score),),
            )
        )
    return Shortlist(candidates=candidates, snippets=index.snippets)
