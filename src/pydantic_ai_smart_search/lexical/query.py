"""From a query to weighted terms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic_ai_smart_search.lexical.terms import terms_of
from pydantic_ai_smart_search.source.kinds import FileKind

STOP_WORDS = frozenset(
    'a an the is are was were to of in on for from with where how does do this that it and or code function '
    'files file find which'.split()
)


@dataclass(frozen=True, kw_only=True, slots=True)
class QueryTerms:
    """A query as the shortlist sees it."""

    weights: Mapping[str, float]
    """Term -> weight, in the order of the query; empty when it holds only stop words."""
    kinds: frozenset[FileKind]
    """Kinds of file the query asks for."""


def weigh_terms(query: str) -> QueryTerms:
    """The terms of `query` and their weights."""
    words = ' '.join(word for word in query.split() if word.lower().strip('?.,!') not in STOP_WORDS)
    return QueryTerms(weights=dict.fromkeys(terms_of(words), 1.0), kinds=frozenset())
