"""From a query to weighted terms, and to the kinds of file it asks for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from pydantic_ai_smart_search.lexical.synonyms import RELATIVES
from pydantic_ai_smart_search.lexical.terms import find_words, split_word
from pydantic_ai_smart_search.source.kinds import FileKind, kind_of

_STOP_WORDS = """
a about above after again against all also am an and any are aren as at be because been before
being below between both but by can cannot could couldn did didn do does doesn doing don down
during each else ever every few for from further get gets got had has hasn have haven having he
her here hers him his how however i if in into is isn it its itself just like may me might more
most much must my no nor not now of off often on once one only or other our out over own per
rather same she should shouldn since so some such than that the their them then there these they
this those though through to too under until up upon us use used uses using very via was wasn we
were what when where whether which while who whom why will with within without won would wouldn
yet you your
"""

STOP_WORDS: Final = frozenset(_STOP_WORDS.split())
"""English function words, and how questions begin; left out of queries only. What little code says
them says them by chance. Longer lists, with the verbs of commit messages or of analysis, changed
nothing on the labelled queries.
"""

_KIND_WORDS: Final[Mapping[str, FileKind]] = {
    **dict.fromkeys(
        ('test', 'tests', 'unittest', 'unittests', 'testcase', 'testsuite'), FileKind.TEST
    ),
    **dict.fromkeys(('doc', 'docs', 'documentation', 'readme', 'changelog'), FileKind.DOCS),
    **dict.fromkeys(('dataset', 'datasets'), FileKind.DATA),
}
"""Words that ask for files of a kind."""


JOINED_WEIGHT: Final = 0.3
"""Weight of two words in a row as one name, such as `keepalive` for "keep alive": few snippets have
it, and those that do are meant. It raises the MRR of queries for files from .78 to .79, and that of
queries for lines from .505 to .515; at 0.6 and 1 the first gains less
(`benchmarks/results/shortlist-test-2026-11-30.json`).
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class QueryTerms:
    """A query as the lexical stage sees it."""

    words: Sequence[bytes]
    """All of its raw words, in order."""
    asked: Sequence[str]
    """The query's own terms, each once, in its order; empty when it holds only stop words."""
    weights: Mapping[str, float]
    """Term -> weight: 1 for those asked, less for two of them joined and for their relatives, which
    follow them.
    """
    kinds: frozenset[FileKind]
    """Kinds of file it asks for besides code, by a word or by the name of a file."""


def weigh_terms(query: str) -> QueryTerms:
    """The terms of `query`, what each weighs, and the kinds of file it asks for."""
    words = find_words(query)
    telling = [word for word in words if word.decode().lower() not in STOP_WORDS]
    asked = dict.fromkeys(term for word in telling for term in split_word(word))
    weights = dict.fromkeys(asked, 1.0)
    for term in _joined(words):
        weights.setdefault(term, JOINED_WEIGHT)
    for term in asked:
        for relative, weight in RELATIVES.get(term, {}).items():
            weights[relative] = max(weights.get(relative, 0.0), weight)
    return QueryTerms(
        words=words, asked=tuple(asked), weights=weights, kinds=_kinds_asked(query, words)
    )


def _joined(words: Sequence[bytes]) -> Iterator[str]:
    """The terms of neighbours that may be one name in the code."""
    for pair in pairwise(words):
        if all(word.isalpha() and word.decode().lower() not in STOP_WORDS for word in pair):
            yield from split_word(b''.join(pair).lower())


def merge_phrasings(phrasings: Sequence[QueryTerms]) -> QueryTerms:
    """The terms of a query and of its other phrasings as one; those of the others weigh half."""
    query, *others = phrasings
    weights = dict(query.weights)
    for other in others:
        for term, weight in other.weights.items():
            weights[term] = max(weights.get(term, 0.0), weight / 2)
    return QueryTerms(
        words=query.words,
        asked=query.asked,
        weights=weights,
        kinds=query.kinds.union(*(other.kinds for other in others)),
    )


def _kinds_asked(query: str, words: Sequence[bytes]) -> frozenset[FileKind]:
    names = [name for name in query.split() if '.' in name.strip('.')]
    named = {kind_of(name.strip('`\'"(),;:?!')) for name in names}
    said = {_KIND_WORDS.get(word.decode().lower(), FileKind.CODE) for word in words}
    return frozenset(named | said)
