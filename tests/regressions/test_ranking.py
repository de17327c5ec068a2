"""Rows K1 to K4 of the inputs that break code search in the field, one test a behaviour."""

from __future__ import annotations

import pytest

from pydantic_ai_smart_search.lexical.index import Content, SnippetIndex, digest_of
from pydantic_ai_smart_search.lexical.query import weigh_terms
from pydantic_ai_smart_search.lexical.shortlist import shortlist_candidates
from pydantic_ai_smart_search.lines import LineSpan, split_lines
from pydantic_ai_smart_search.snippets.snippet import Cut, Snippet


def best_file(query: str, files: dict[str, str]) -> str:
    """The file of the best candidate; each file is one snippet."""
    index = SnippetIndex()
    for path, text in files.items():
        lines = split_lines(text)
        content = Content(digest_of(text.encode()))
        index.add(path, content, Cut(lines, [Snippet(LineSpan(1, len(lines)))]))
    best, *_ = shortlist_candidates(index, weigh_terms(query), 1).candidates
    assert best.score > 0
    return best.path


OTHERS = {f'other{n}.py': f'def other{n}(): ...' for n in range(20)}


@pytest.mark.parametrize(
    ('query', 'code'),
    [
        ('http server', 'class HTTPServer: ...'),  # OpenLore#221
        ('HTTPServer', 'class http_server: ...'),
        ('parse html', 'function parseHTMLResponse() {}'),
        ('parseHTMLResponse', 'def parse_html_response(): ...'),
        ('user id', 'x.user_id'),
        ('userId', 'x.user_id'),
        ('user_id', 'x.userId'),
    ],
)
def test_an_identifier_is_found_by_its_parts_and_by_its_whole(query: str, code: str) -> None:
    assert best_file(query, {**OTHERS, 'this.py': code}) == 'this.py'


@pytest.mark.parametrize(
    ('query', 'code'),
    [
        ('expired sessions', 'session.expire()'),  # sigmap#395
        ('retrying', 'def retry(): ...'),
        ('emits', 'bus.emit(event)'),
        ('retries', 'self.retried += 1'),
    ],
)
def test_a_word_is_found_in_its_other_forms(query: str, code: str) -> None:
    assert best_file(query, {**OTHERS, 'this.py': code}) == 'this.py'


@pytest.mark.parametrize('count', [2, 3, 4])
def test_a_term_in_half_of_a_few_files_counts(count: int) -> None:  # rank_bm25#39
    files = {f'{n}.py': 'rotate' if n % 2 else 'refuse' for n in range(count)}
    assert best_file('rotate', files) == '1.py'
    assert best_file('refuse', files) == '0.py'


def test_a_query_of_stop_words_only_has_no_terms() -> None:
    assert not weigh_terms('how does it do this and that?').weights
