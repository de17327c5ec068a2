"""The index of one root: files come, change and go."""

from __future__ import annotations

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from pydantic_ai_smart_search.lexical import bm25
from pydantic_ai_smart_search.lexical.index import Content, SnippetIndex, digest_of
from pydantic_ai_smart_search.lexical.query import weigh_terms
from pydantic_ai_smart_search.lexical.shortlist import shortlist_candidates
from pydantic_ai_smart_search.lines import LineSpan
from pydantic_ai_smart_search.source.files import FileState, Skipped, SkipReason, SourceFile
from tests.lexical.trees import add, cut, index_of


def test_a_digest_has_sixteen_bytes_and_tells_contents_apart() -> None:
    assert len(digest_of(b'')) == 16
    assert digest_of(b'a') != digest_of(b'b')


STATE = FileState(7, 1, 2, 3)


def test_a_file_is_known_by_its_digest_and_lines() -> None:
    index = index_of({'a.py': 'one\n\ntwo'})
    assert index.confirm(SourceFile('a.py', b'one\n\ntwo'))
    assert not index.confirm(SourceFile('a.py', b'three'))
    assert index.lines_of('a.py') == 3
    assert index.snippets == 2


def test_an_unknown_file_has_no_content_no_state_and_no_lines() -> None:
    index = SnippetIndex()
    assert not index.confirm(SourceFile('a.py', b''))
    assert not index.is_in_state('a.py', STATE)
    assert index.lines_of('a.py') == 0


def test_a_file_is_known_by_the_state_it_was_last_found_unchanged_in() -> None:
    index = SnippetIndex()
    index.add('a.py', Content.of(SourceFile('a.py', b'one two')), cut('one two'))
    assert not index.is_in_state('a.py', None), 'a state nobody vouches for tells nothing'
    assert index.confirm(SourceFile('a.py', b'one two', STATE))
    assert index.is_in_state('a.py', STATE)
    assert not index.is_in_state('a.py', STATE._replace(changed_ns=9))


def test_the_lines_and_bytes_of_all_files_follow_what_is_added_and_forgotten() -> None:
    index = SnippetIndex()
    for path in ('a.py', 'b.py', 'a.py'):
        index.add(path, Content(b'', size=10), cut('one\n\ntwo'))
    index.add_skipped(Skipped('c.bin', SkipReason.BINARY), Content(b'', size=5))
    assert (index.lines, index.size) == (6, 25)
    index.keep_only({'b.py'})
    assert (index.lines, index.size) == (3, 10)


def test_a_snippet_is_found_where_it_was_cut() -> None:
    index = SnippetIndex()
    add(index, 'a.py', 'one\n\ntwo\nthree', 'Cache.get')
    file, span, symbol = index.snippet(1)
    assert (file.path, span, symbol) == ('a.py', LineSpan(3, 4), 'Cache.get')


def test_a_changed_file_replaces_what_was_known_of_it() -> None:
    index = index_of({'a.py': 'apple\n\nbanana'})
    add(index, 'a.py', 'cherry')
    assert index.snippets == 1
    assert not index.bm25.postings('appl').snippets.size
    assert index.bm25.postings('cherri').snippets.size == 1


def test_a_file_without_snippets_is_kept_with_the_reason() -> None:
    index = index_of({'a.bin': 'apple'})
    skipped = Skipped('a.bin', SkipReason.BINARY)
    index.add_skipped(skipped, Content(digest_of(b'digest')))
    assert index.skipped() == [skipped]
    assert index.confirm(SourceFile('a.bin', b'digest'))
    assert (index.lines_of('a.bin'), index.snippets) == (0, 0)


def test_an_empty_file_is_known_though_it_has_no_snippets() -> None:
    index = index_of({'a.py': ''})
    assert index.confirm(SourceFile('a.py', b''))
    assert index.snippets == 0
    assert index.indexed_files() == []


def test_lines_left_out_and_doubts_are_noted_beside_the_snippets() -> None:
    index = SnippetIndex()
    doubt = Skipped('a.py', SkipReason.ENCODING, 'guessed')
    index.add('a.py', Content(b''), cut('one', long_lines=2), doubt)
    assert [(note.reason, note.detail) for note in index.skipped()] == [
        (SkipReason.ENCODING, 'guessed'),
        (SkipReason.LONG_LINE, '2 lines'),
    ]
    assert index.snippets == 1


def test_files_that_are_no_longer_listed_are_forgotten() -> None:
    index = index_of({'a.py': 'apple', 'b.py': 'banana', 'c.bin': ''})
    index.add_skipped(Skipped('c.bin', SkipReason.BINARY), Content(b''))
    index.keep_only({'b.py'})
    assert index.lines_of('a.py') == 0
    assert index.skipped() == []
    assert [file.path for file in index.indexed_files()] == ['b.py']


def test_vectors_follow_files_that_change_and_go() -> None:
    texts = {f'{n}.py': f'open file {n}\n\nread header' for n in range(5)}
    index = index_of(texts, use_embedding=True)
    texts['1.py'] = 'draw a circle'
    add(index, '1.py', texts['1.py'])
    del texts['0.py'], texts['4.py']
    index.keep_only(set(texts))
    index.absorb(index_of({'6.py': 'draw', '7.py': ''}, use_embedding=True).hand_over())
    texts['6.py'] = 'draw'
    fresh = index_of(texts, use_embedding=True)
    assert nearness(index) == pytest.approx(nearness(fresh), abs=0.01)


def nearness(index: SnippetIndex) -> dict[str, float]:
    """How near each live snippet is to a query."""
    index.bm25.settle()
    assert index.vectors is not None
    cosines = index.vectors.cosines([b'draw', b'circle'])
    snippets = [index.snippet(number) for number in range(len(cosines))]
    return {
        f'{snippet.file.path}:{snippet.span.first}': float(cosine)
        for snippet, cosine, is_live in zip(snippets, cosines, index.bm25.alive, strict=True)
        if is_live
    }


PATHS = ['a.py', 'b/c.py', 'tests/test_d.py', 'docs/e.md']
TEXTS = st.lists(
    st.lists(st.sampled_from(['ant', 'bee_cat', 'dogEel', 'x']), min_size=1, max_size=5).map(
        ' '.join
    ),
    max_size=5,
).map('\n\n'.join)


class Refreshes(RuleBasedStateMachine):
    """However the files of a root came and went, it is searched like a root indexed afresh."""

    def __init__(self) -> None:
        super().__init__()
        self.index = SnippetIndex()
        self.files: dict[str, str] = {}

    @rule(path=st.sampled_from(PATHS), text=TEXTS)
    def write(self, path: str, text: str) -> None:
        add(self.index, path, text)
        self.files[path] = text

    @rule(texts=st.dictionaries(st.sampled_from(PATHS), TEXTS))
    def absorb(self, texts: dict[str, str]) -> None:
        self.index.absorb(index_of(texts).hand_over())
        self.files.update(texts)

    @rule(path=st.sampled_from(PATHS))
    def skip(self, path: str) -> None:
        self.index.add_skipped(Skipped(path, SkipReason.BINARY), Content(b''))
        self.files[path] = ''

    @rule(paths=st.sets(st.sampled_from(PATHS)))
    def keep(self, paths: set[str]) -> None:
        self.index.keep_only(paths)
        self.files = {path: text for path, text in self.files.items() if path in paths}

    @invariant()
    def it_is_searched_like_a_fresh_index(self) -> None:
        terms = weigh_terms('ants, bees and cats')
        ours = shortlist_candidates(self.index, terms, 6)
        theirs = shortlist_candidates(index_of(self.files), terms, 6)
        assert [(c.path, c.span, c.score, c.coverage, c.parts) for c in ours.candidates] == [
            (c.path, c.span, c.score, c.coverage, c.parts) for c in theirs.candidates
        ]
        assert ours.snippets == theirs.snippets


TestRefreshes = Refreshes.TestCase
TestRefreshes.settings = settings(max_examples=30, stateful_step_count=15, deadline=None)


@pytest.fixture(autouse=True)
def drop_removed_snippets_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that small examples reach it, too."""
    monkeypatch.setattr(bm25, 'MIN_DEAD', 2)
