"""Indexes on disk: what comes back is what was saved, or nothing."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from pydantic_ai_smart_search.lexical import bm25, store
from pydantic_ai_smart_search.lexical.database import SUFFIX, connect
from pydantic_ai_smart_search.lexical.index import Content, SnippetIndex
from pydantic_ai_smart_search.lexical.inventory import drop_index, list_indexes
from pydantic_ai_smart_search.lexical.query import weigh_terms
from pydantic_ai_smart_search.lexical.shortlist import shortlist_candidates
from pydantic_ai_smart_search.lexical.store import About, DiskIndex, fingerprint
from pydantic_ai_smart_search.source.files import FileState, Skipped, SkipReason
from tests.lexical.trees import add, cut, index_of

ABOUT = About(place='this machine', path='/project', only=None, glob='*.py')


def disk(directory: Path, version: str = 'v1') -> DiskIndex:
    """The copy on disk as another process sees it."""
    return DiskIndex(directory, ABOUT, version)


def found(index: SnippetIndex, query: str = 'ants, bees and cats') -> list[object]:
    """What a search finds, with every part of its score."""
    shortlist = shortlist_candidates(index, weigh_terms(query), 20)
    return [(c.path, c.span, c.symbol, c.digest, c.score, c.parts) for c in shortlist.candidates]


def save(directory: Path, files: dict[str, str]) -> SnippetIndex:
    """Save an index of files in a fresh process's way."""
    index = index_of(files)
    disk(directory).save(index)
    return index


def database(directory: Path) -> Path:
    return directory / ABOUT.file_name


def test_an_index_comes_back_as_it_was_saved(tmp_path: Path) -> None:
    index = SnippetIndex()
    state = FileState(7, 1, 2, 3)
    index.add('a.py', Content(b'one', 7, state), cut('ant\n\nbee', 'Cache.get'))
    doubt = Skipped('caf\udce9.py', SkipReason.ENCODING, 'guessed')
    index.add('caf\udce9.py', Content(b'two', 3), cut('cat', long_lines=1), doubt)
    index.add_skipped(Skipped('logo.png', SkipReason.BINARY), Content(b'three', 9))
    disk(tmp_path).save(index)
    back = disk(tmp_path).load(None)
    assert back is not index
    assert found(back) == found(index)
    assert back.contents() == index.contents()
    assert back.skipped() == index.skipped()
    assert (back.lines, back.size, back.snippets) == (index.lines, index.size, index.snippets)
    assert back.is_in_state('a.py', state)


def test_meaning_comes_back_too(tmp_path: Path) -> None:
    about = About(place='p', path='/a', only=None, glob=None, use_embedding=True)
    kept = DiskIndex(tmp_path, about, 'v1')
    index = kept.load(None)
    add(index, 'a.py', 'ant\n\nexpired session')
    kept.save(index)
    add(index, 'b.py', 'cache')
    kept.save(index)
    back = DiskIndex(tmp_path, about, 'v1').load(None)
    assert found(back, 'session') == found(index, 'session')
    spoil_rows("DELETE FROM part WHERE kind = 'vector'")(tmp_path / about.file_name)
    assert DiskIndex(tmp_path, about, 'v1').load(None).snippets == 0


def test_there_is_an_empty_index_where_none_was_saved(tmp_path: Path) -> None:
    assert disk(tmp_path / 'new').load(None).snippets == 0


def test_the_directory_and_its_files_are_private_and_listed_nowhere(tmp_path: Path) -> None:
    directory = tmp_path / 'deep' / 'indexes'
    before = os.umask(0)
    try:
        index = save(directory, {'a.py': 'ant'})
        kept = disk(directory)
        index = kept.load(None)
        add(index, 'b.py', 'bee')
        kept.save(index)
    finally:
        os.umask(before)
    assert directory.stat().st_mode & 0o777 == 0o700
    assert {
        file.stat().st_mode & 0o777 for file in directory.glob('*.*') if file.name[0] != '.'
    } == {0o600}
    assert (directory / '.gitignore').read_text() == '*\n'


def test_what_looks_like_a_key_is_not_written(tmp_path: Path) -> None:
    key = 'ghp_' + '9aF3k2Lq' * 4
    save(tmp_path, {'a.py': f'TOKEN = {key!r}', 'b.py': 'get_user_by_email_address_2'})
    raw = b''.join(file.read_bytes() for file in tmp_path.iterdir() if file.is_file()).lower()
    assert key.lower().encode() not in raw
    assert b'address' in raw
    back = disk(tmp_path).load(None)
    assert found(back, 'token')
    add(back, 'c.py', 'token')
    disk(tmp_path).save(back)
    assert len(found(disk(tmp_path).load(None), 'token')) == len(found(back, 'token'))


def test_an_unchanged_index_is_neither_written_nor_read_again(tmp_path: Path) -> None:
    kept = disk(tmp_path)
    index = index_of({'a.py': 'ant'})
    kept.save(index)
    before = database(tmp_path).stat()
    kept.save(index)
    assert kept.load(index) is index
    after = database(tmp_path).stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_process_takes_over_what_another_one_saved(tmp_path: Path) -> None:
    ours, theirs = disk(tmp_path), disk(tmp_path)
    index = index_of({'a.py': 'ant'})
    ours.save(index)
    other = theirs.load(None)
    add(other, 'b.py', 'bee')
    theirs.save(other)
    assert found(ours.load(index)) == found(other)


def test_who_was_overtaken_leaves_the_disk_alone_and_reads_it_next_time(tmp_path: Path) -> None:
    ours, theirs = disk(tmp_path), disk(tmp_path)
    index = index_of({'a.py': 'ant'})
    ours.save(index)
    other = theirs.load(None)
    add(other, 'b.py', 'bee')
    theirs.save(other)
    add(index, 'c.py', 'cat')
    ours.save(index)
    assert found(disk(tmp_path).load(None)) == found(other)
    assert found(ours.load(index)) == found(other)


@pytest.mark.parametrize('damage', ['version', 'schema'])
def test_an_index_of_another_version_is_built_again(tmp_path: Path, damage: str) -> None:
    save(tmp_path, {'a.py': 'ant'})
    kept = disk(tmp_path, 'v2' if damage == 'version' else 'v1')
    if damage == 'schema':
        with sqlite3.connect(database(tmp_path)) as connection:
            connection.execute('PRAGMA user_version = 0')
        connection.close()
    index = kept.load(None)
    assert index.snippets == 0
    add(index, 'b.py', 'bee')
    kept.save(index)
    assert found(disk(tmp_path, 'v2' if damage == 'version' else 'v1').load(None)) == found(index)


def overwrite(path: Path, offset: int, data: bytes) -> None:
    with path.open('r+b') as file:
        file.seek(offset)
        file.write(data)


def shorten(length: int) -> Callable[[Path], None]:
    def spoil(path: Path) -> None:
        os.truncate(path, length)

    return spoil


def overwriting(offset: int, data: bytes) -> Callable[[Path], None]:
    def spoil(path: Path) -> None:
        overwrite(path, offset, data)

    return spoil


def spoil_rows(statement: str) -> Callable[[Path], None]:
    def spoil(path: Path) -> None:
        connection = sqlite3.connect(path)
        connection.execute(statement)
        connection.commit()
        connection.close()

    return spoil


DAMAGE: dict[str, Callable[[Path], None]] = {
    'no database': overwriting(0, b'not a database at all'),
    'empty': shorten(0),
    'a page of zeros': overwriting(4096, bytes(4096)),
    'a page of noise': overwriting(8192, os.urandom(4096)),
    'cut short': shorten(8192),
    'a changed array': spoil_rows("UPDATE part SET data = x'00' WHERE kind = 'last_line'"),
    'a lost array': spoil_rows("DELETE FROM part WHERE kind = 'offsets'"),
    'a lost run': spoil_rows("DELETE FROM part WHERE kind = 'symbol'"),
    'a changed file': spoil_rows("UPDATE file SET facts = replace(facts, '[0,', '[1,')"),
    'no tables': spoil_rows('DROP TABLE about'),
}


@pytest.mark.parametrize('damage', DAMAGE)
def test_a_damaged_database_is_noticed_and_built_again(tmp_path: Path, damage: str) -> None:
    files = {f'{n}.py': f'ant bee cat word{n}\n\nother{n}' for n in range(200)}
    index = save(tmp_path, files)
    DAMAGE[damage](database(tmp_path))
    kept = disk(tmp_path)
    back = kept.load(None)
    assert back.snippets == 0 or found(back) == found(index), 'nothing, or all of it'
    for path, text in files.items():
        add(back, path, text)
    kept.save(back)
    assert found(disk(tmp_path).load(None)) == found(index)


def test_damage_that_is_found_while_writing_is_put_right_by_writing_all(tmp_path: Path) -> None:
    kept = disk(tmp_path)
    index = index_of({'a.py': 'ant'})
    kept.save(index)
    database(tmp_path).write_bytes(b'not a database at all')
    add(index, 'b.py', 'bee')
    kept.save(index)
    assert found(disk(tmp_path).load(None)) == found(index)


def test_a_full_disk_is_an_error_and_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = disk(tmp_path)
    index = index_of({'a.py': 'ant'})
    kept.save(index)
    before = found(index)

    class Full(sqlite3.Connection):
        """A connection to a database that cannot grow."""

        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            self.execute('PRAGMA max_page_count = 1')  # no less than it has

    for number in range(300):
        add(index, f'{number}.py', f'word{number} ' * 50)
    with monkeypatch.context() as filling:
        filling.setattr(sqlite3, 'connect', Full)
        with pytest.raises(sqlite3.OperationalError, match='full'):
            kept.save(index)
        with pytest.raises(sqlite3.OperationalError, match='full'):
            disk(tmp_path / 'other').save(index)
    assert found(disk(tmp_path).load(None)) == before
    assert not list((tmp_path / 'other').glob('*.tmp'))
    kept.save(index)
    assert found(disk(tmp_path).load(None)) == found(index)


def test_a_directory_that_cannot_be_used_is_an_error(tmp_path: Path) -> None:
    (tmp_path / 'file').write_text('')
    with pytest.raises(OSError, match='file'):
        disk(tmp_path / 'file').save(index_of({'a.py': 'ant'}))


def test_a_database_that_stays_locked_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr('pydantic_ai_smart_search.lexical.database._LOCK_SECONDS', 0.1)
    kept = disk(tmp_path)
    index = index_of({'a.py': 'ant'})
    kept.save(index)
    with connect(database(tmp_path)) as connection:
        connection.execute('BEGIN IMMEDIATE')
        add(index, 'b.py', 'bee')
        with pytest.raises(sqlite3.OperationalError, match='locked'):
            kept.save(index)
        with pytest.raises(BlockingIOError):
            disk(tmp_path, 'v2').save(index)
    kept.save(index)
    assert found(disk(tmp_path).load(None)) == found(index)


WRITER = """
import os, sys
from pathlib import Path
from pydantic_ai_smart_search.lexical.store import DiskIndex
from tests.lexical.test_store import ABOUT
from tests.lexical.trees import add, index_of

kept = DiskIndex(Path(sys.argv[1]), ABOUT, 'v1')
index = kept.load(None)
round = 0
while True:
    for number in range(40):
        add(index, f'{number}.py', f'ant{round} bee{number} ' * 40)
    index.keep_only({f'{number}.py' for number in range(40)})
    kept.save(index)
    round += 1
    print(round, flush=True)
"""


def test_a_writer_that_is_killed_at_any_point_leaves_an_index_that_is_whole(tmp_path: Path) -> None:
    for kill_after in (0, 1, 3, 6):
        with subprocess.Popen(
            [sys.executable, '-c', WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True
        ) as writer:
            assert writer.stdout is not None
            for _ in range(1 + kill_after):
                writer.stdout.readline()
            os.kill(writer.pid, signal.SIGKILL)
        index = disk(tmp_path).load(None)
        (rounds,) = {
            candidate.parts[0].name
            for candidate in shortlist_candidates(
                index, weigh_terms(' '.join(f'ant{n}' for n in range(99))), 40
            ).candidates
        }
        assert rounds.startswith('ant'), 'every file is of the same round'
        assert len(index.indexed_files()) == 40
        assert list_indexes(tmp_path, is_checked=True)[0].problem == ''


def test_indexes_are_listed_with_what_is_wrong_and_dropped(tmp_path: Path) -> None:
    index = save(tmp_path, {'a.py': 'ant\n\nbee'})
    DiskIndex(tmp_path, About(place='p', path='/a', only=None, glob=None), 'v1').save(index)
    (tmp_path / f'broken{SUFFIX}').write_bytes(b'not a database at all')
    (tmp_path / 'README').write_text('no index')
    broken, first, second = list_indexes(tmp_path, is_checked=True)
    assert broken.problem
    assert (first.path, first.glob, first.snippets, first.problem) == ('/a', None, 2, '')
    assert (second.path, second.glob) == ('/project', '*.py')
    assert second.size > 4_096
    assert second.saved > 1_700_000_000
    overwrite(second.database, 8192, bytes(4096))
    assert list_indexes(tmp_path, is_checked=True)[-1].problem
    for kept in (broken, first, second):
        drop_index(kept.database)
    assert list_indexes(tmp_path) == []
    assert disk(tmp_path).load(None).snippets == 0


def test_versions_are_told_apart_by_what_cuts_and_splits() -> None:
    assert fingerprint() == fingerprint()
    assert len(fingerprint()) == 32


PATHS = ['a.py', 'b/c.py', 'tests/test_d.py', 'docs/e.md']
TEXTS = st.lists(
    st.lists(st.sampled_from(['ant', 'bee_cat', 'dogEel', 'x']), min_size=1, max_size=5).map(
        ' '.join
    ),
    max_size=5,
).map('\n\n'.join)


class Restarts(RuleBasedStateMachine):
    """However often processes come and go, what is on disk is searched like a fresh index."""

    directory: Path

    def __init__(self) -> None:
        super().__init__()
        self.kept = disk(self.directory)
        for kept in list_indexes(self.directory):
            drop_index(kept.database)
        self.index = self.kept.load(None)
        self.files: dict[str, str] = {}

    @rule(path=st.sampled_from(PATHS), text=TEXTS)
    def write(self, path: str, text: str) -> None:
        add(self.index, path, text)
        self.files[path] = text

    @rule(paths=st.sets(st.sampled_from(PATHS)))
    def keep(self, paths: set[str]) -> None:
        self.index.keep_only(paths)
        self.files = {path: text for path, text in self.files.items() if path in paths}

    @rule()
    def go_on(self) -> None:
        self.kept.save(self.index)
        self.index = self.kept.load(self.index)

    @rule()
    def restart(self) -> None:
        self.kept.save(self.index)
        self.kept = disk(self.directory)
        self.index = self.kept.load(None)

    @invariant()
    def it_is_searched_like_a_fresh_index(self) -> None:
        assert found(self.index) == found(index_of(self.files))


def test_restarts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bm25, 'MIN_DEAD', 2)
    monkeypatch.setattr(store, '_MAX_RUNS', 4)
    (tmp_path / 'x').mkdir()

    class Here(Restarts):
        directory = tmp_path / 'x'

    case = Here.TestCase
    case.settings = settings(max_examples=12, stateful_step_count=12, deadline=None)
    case('runTest').runTest()
