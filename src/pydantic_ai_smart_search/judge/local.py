"""The judge that stays in this process: it ranks by what the shortlist found out."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from pydantic_ai_smart_search.judge.judge import Case, Judgment
from pydantic_ai_smart_search.lexical.query import weigh_terms

LOCAL: Final = 'local'
"""The name of the judge that needs no model."""

FULL_COVERAGE: Final = 0.6
"""Share of a short query's weight from which a search counts as having found all of it: a plain
sentence always has words that the code spells another way.
"""

ENOUGH_TERMS: Final = 4
"""Terms of a long query that are as good as `FULL_COVERAGE`: a paragraph is never covered by one
snippet.
"""

WEAKEST: Final = 0.4
"""Share of the best score in a search at which a snippet is no match at all.

With these three, the median query has three to seven matches at a threshold of 0.5, at most 5.6% of
the labelled queries of any source have none (3.8% on the test half), and 61% of queries meant for
another repository in another language have none (`benchmarks/results/local-judge-2026-11-30.json`).
"""


class LocalJudge:
    """Ranks snippets by words and meaning: needs no key, sends nothing anywhere, costs no request.

    It is a ranking in the form of a judgment. `entity` is how much of the query this search has
    found at all, the same for all its snippets; `operation` is how strongly the snippet matches
    beside the best. So the order is that of the shortlist, and a query that has nothing to do with
    the code has no matches.
    """

    @property
    def name(self) -> str:
        """`local`."""
        return LOCAL

    @property
    def is_local(self) -> bool:
        """True."""
        return True

    async def judge(self, query: str, case: Case, complaint: str | None = None) -> Judgment:
        """Answer from the shortlist; more coverage or strength never lowers the answer."""
        candidate = case.candidate
        return Judgment(
            entity=min(1.0, candidate.search_coverage / _needed_coverage(query)),
            operation=max(0.0, (candidate.strength - WEAKEST) / (1 - WEAKEST)),
        )


@lru_cache(maxsize=16)
def _needed_coverage(query: str) -> float:
    """The coverage from which a search counts as having found all of a query."""
    return min(FULL_COVERAGE, ENOUGH_TERMS / max(len(weigh_terms(query).asked), 1))
