from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from pydantic_ai_smart_search.judge.judge import Case, JudgedCase, Judgment
from pydantic_ai_smart_search.lexical.candidate import Candidate
from pydantic_ai_smart_search.lines import LineSpan
from pydantic_ai_smart_search.options import EXCERPT_CHARS, EXCERPT_LINES
from pydantic_ai_smart_search.rank.excerpt import cut_excerpt
from pydantic_ai_smart_search.rank.ranking import drop_overlaps, rank_cases
from pydantic_ai_smart_search.source.kinds import FileKind


def case(text: str, *, path: str = 'a.py', first: int = 1, rank: int = 1) -> Case:
    span = LineSpan.of_length(first, text.count('\n') + 1)
    candidate = Candidate(
        path=path,
        span=span,
        symbol=None,
        kind=FileKind.CODE,
        digest=b'',
        rank=rank,
        score=1.0,
        coverage=1.0,
        search_coverage=1.0,
        strength=1.0,
        parts=(),
    )
    return Case(candidate=candidate, path=path, text=text)


def judged(relevance: float, *, path: str = 'a.py', first: int = 1, lines: int = 1, rank: int = 1):
    text = '\n'.join(['x'] * lines)
    return JudgedCase(
        case(text, path=path, first=first, rank=rank), Judgment(entity=relevance, operation=1.0)
    )


def test_the_threshold_itself_is_relevant_enough() -> None:
    ranking = rank_cases([judged(0.5), judged(0.49, first=9)], {}, threshold=0.5, limit=5)
    assert [match.judged.judgment.relevance for match in ranking.matches] == [0.5]


def test_of_overlapping_snippets_the_best_is_kept_whatever_their_order() -> None:
    good, better = judged(0.6, first=1, lines=10, rank=1), judged(0.9, first=10, lines=5, rank=2)
    elsewhere = judged(0.7, path='b.py', first=10, lines=5, rank=3)
    ranking = rank_cases([good, better, elsewhere], {}, threshold=0.5, limit=5)
    assert [match.judged for match in ranking.matches] == [better, elsewhere]


def test_matches_beyond_the_limit_are_counted() -> None:
    cases = [judged(0.9, first=n * 10, rank=n) for n in range(1, 5)]
    ranking = rank_cases(cases, {}, threshold=0.5, limit=3)
    assert (len(ranking.matches), ranking.omitted) == (3, 1)


judged_cases = st.lists(
    st.builds(
        judged,
        st.floats(0, 1),
        path=st.sampled_from(['a.py', 'b.py']),
        first=st.integers(1, 30),
        lines=st.integers(1, 10),
    ),
    max_size=12,
).map(
    lambda cases: [
        judged(
            one.judgment.relevance,
            path=one.case.path,
            first=one.case.candidate.span.first,
            lines=one.case.candidate.span.length,
            rank=rank,
        )
        for rank, one in enumerate(cases, 1)
    ]
)


@given(judged_cases)
def test_dropping_overlaps_keeps_the_best_and_is_idempotent(cases: Sequence[JudgedCase]) -> None:
    kept = drop_overlaps(cases)
    assert drop_overlaps(kept) == kept
    assert kept[:1] == list(cases[:1])
    spans = [(one.case.path, one.case.candidate.span) for one in kept]
    assert not any(
        a[0] == b[0] and a[1].overlaps(b[1]) for i, a in enumerate(spans) for b in spans[:i]
    )


@given(judged_cases, st.randoms())
def test_the_ranking_does_not_depend_on_the_order_judgments_finish_in(
    cases: list[JudgedCase], random: object
) -> None:
    shuffled = list(cases)
    random.shuffle(shuffled)  # type: ignore[attr-defined] # Hypothesis types `randoms` as object-like
    assert rank_cases(shuffled, {}, threshold=0.3, limit=4) == rank_cases(
        cases, {}, threshold=0.3, limit=4
    )


def test_a_short_snippet_is_shown_whole() -> None:
    excerpt = cut_excerpt(case('def f():\n    return 1', first=7), {})
    assert (excerpt.span, excerpt.text) == (LineSpan(7, 8), 'def f():\n    return 1')


def test_a_long_snippet_is_cut_around_the_lines_that_name_what_was_asked() -> None:
    lines = ['def handle():', *['    pass'] * 30, '    session.expire()', *['    pass'] * 30]
    excerpt = cut_excerpt(case('\n'.join(lines), first=101), {'session': 1.0, 'expir': 1.0})
    assert 'session.expire()' in excerpt.text
    assert excerpt.span.length == EXCERPT_LINES
    assert excerpt.text == '\n'.join(lines[excerpt.span.first - 101 : excerpt.span.last - 100])


def test_without_a_query_term_an_excerpt_starts_at_the_declaration() -> None:
    lines = ['def handle():', *['    pass'] * 30]
    assert cut_excerpt(case('\n'.join(lines), first=5), {'x': 1.0}).span == LineSpan(5, 16)


def test_an_excerpt_of_wide_lines_keeps_to_its_characters() -> None:
    excerpt = cut_excerpt(case('\n'.join(['x' * 500] * 8)), {})
    assert len(excerpt.text) <= EXCERPT_CHARS
    assert excerpt.span == LineSpan(1, 2)


def test_a_single_line_longer_than_an_excerpt_is_clipped() -> None:
    excerpt = cut_excerpt(case('y' * 5000), {})
    assert (excerpt.span, excerpt.text) == (LineSpan(1, 1), 'y' * EXCERPT_CHARS)
