"""Indexing in other processes: the same index, or this process alone."""

from __future__ import annotations

import io
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from pydantic_ai.workspaces import LocalWorkspaceBackend, Workspace

from pydantic_ai_smart_search import processes
from pydantic_ai_smart_search.lexical.index import SnippetIndex
from pydantic_ai_smart_search.lexical.query import weigh_terms
from pydantic_ai_smart_search.lexical.shortlist import shortlist_candidates
from pydantic_ai_smart_search.processes import Indexer, Task, serve
from pydantic_ai_smart_search.refreshing import refresh_index
from pydantic_ai_smart_search.source.files import Skipped, SkipReason, SourceFile
from pydantic_ai_smart_search.source.listing import find_root, list_files
from tests.project import write_project

pytestmark = pytest.mark.anyio

TREE: dict[str, str | bytes] = {
    **{f'shop/m{n}.py': f'def close_order_{n}(order):\n    order.close()\n' for n in range(9)},
    'shop/empty.py': '',
    'shop/logo.png': b'\x89PNG\0',
    'shop/latin.py': 'note = "d\xe9j\xe0 vu"\n'.encode('latin-1'),
}
FILES = [SourceFile(f'm{n}.py', b'def close_order(order):\n    pass\n') for n in range(9)]


def processors_of(processors: set[int]) -> Callable[[int], set[int]]:
    """In place of `os.sched_getaffinity`."""

    def usable(process: int) -> set[int]:
        return processors

    return usable


@pytest.fixture
def few_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a few files be many, for one of two processors."""
    monkeypatch.setattr(processes, 'MIN_FILES', 2)
    monkeypatch.setattr(processes, '_TASK_FILES', 2)
    monkeypatch.setattr(os, 'sched_getaffinity', processors_of({0, 1}), raising=False)


async def index_tree(path: Path, index: SnippetIndex) -> int:
    """Bring an index up to date with a tree, and say how many files were new."""
    workspace = Workspace(LocalWorkspaceBackend(path))
    root = await find_root(workspace, '.')
    listing = await list_files(workspace, root, None)
    refreshed = await refresh_index(
        index, workspace, root, listing, 'content', lambda stage, done, total: None
    )
    return refreshed.indexed_files


def contents_of(index: SnippetIndex) -> object:
    """What can be found in an index, and how well."""
    found = shortlist_candidates(index, weigh_terms('close an order'), 20)
    return found, index.skipped(), index.lines, index.size


@pytest.mark.usefixtures('few_files')
@pytest.mark.parametrize('use_embedding', [True, False])
async def test_an_index_made_by_processes_is_the_same(
    use_embedding: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_project(tmp_path, TREE)
    together = SnippetIndex(use_embedding=use_embedding)
    with monkeypatch.context() as only_elsewhere:
        only_elsewhere.delattr(processes, 'index_files')
        assert await index_tree(tmp_path, together) == len(TREE)
        assert await index_tree(tmp_path, together) == 0
    monkeypatch.setattr(processes, 'MIN_FILES', 1_000)
    alone = SnippetIndex(use_embedding=use_embedding)
    assert await index_tree(tmp_path, alone) == len(TREE)
    assert contents_of(together) == contents_of(alone)


def python_that(tmp_path: Path, does: str, name: str = 'python-broken') -> str:
    """A program that is called like Python."""
    program = tmp_path / name
    program.write_text(f'#!/bin/sh\n{does}\n')
    program.chmod(0o700)
    return str(program)


@pytest.mark.usefixtures('few_files')
@pytest.mark.parametrize(
    'does',
    [
        'exit 1',
        'echo "Welcome to my Python!"; cat > /dev/null',
        "printf 'smart-'",
        r"printf 'smart-search part\0\0\0\0\0\0\0\177too short'",
    ],
    ids=['ends', 'says something else', 'begins its answer', 'ends within its answer'],
)
def test_what_a_process_fails_to_index_is_indexed_here(
    does: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, 'executable', python_that(tmp_path, does))
    assert index_here(len(FILES)) == len(FILES)


def index_here(files: int) -> int:
    """Index `FILES` where so many are expected, and say how many are in the index."""
    index = SnippetIndex()
    with closing(Indexer(index, frozenset(), files)) as indexer:
        assert indexer.take(threading.Event(), FILES) == len(FILES)
        indexer.finish(threading.Event())
    return len(index.indexed_files())


@pytest.mark.usefixtures('few_files')
def test_a_machine_that_starts_no_process_does_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, 'executable', str(tmp_path / 'python-missing'))
    assert index_here(len(FILES)) == len(FILES)


@pytest.mark.usefixtures('few_files')
@pytest.mark.parametrize(
    ('name', 'files', 'processors', 'is_started'),
    [
        ('python3', 2, {0, 1}, True),
        ('python3', 1, {0, 1}, False),
        ('python3', 2, {0}, False),
        ('my-application', 2, {0, 1}, False),
    ],
    ids=['many files', 'few files', 'one processor', 'no interpreter'],
)
def test_processes_are_started_where_they_help_and_by_an_interpreter_only(
    name: str,
    files: int,
    processors: set[int],
    is_started: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started = tmp_path / 'started'
    monkeypatch.setattr(os, 'sched_getaffinity', processors_of(processors), raising=False)
    program = python_that(tmp_path, f'touch {started}; exit 1', name)
    monkeypatch.setattr(sys, 'executable', program)
    assert index_here(files) == len(FILES)
    assert started.exists() == is_started


@pytest.mark.usefixtures('few_files')
def test_a_search_that_is_no_longer_wanted_waits_for_no_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, 'executable', python_that(tmp_path, 'exec sleep 100'))
    index = SnippetIndex()
    stop = threading.Event()
    stop.set()
    with closing(Indexer(index, frozenset(), len(FILES))) as indexer:
        indexer.take(stop, FILES)
        indexer.finish(stop)
    assert index.indexed_files() == []


def test_a_process_does_task_after_task_until_there_are_no_more() -> None:
    tasks, answers = io.BytesIO(), io.BytesIO()
    for start in (0, 4):
        pickle.dump(Task(FILES[start : start + 4], frozenset(), use_embedding=False), tasks)
    tasks.seek(0)
    serve(tasks, answers)
    first, second = answers.getvalue().split(b'smart-search part')[1:]
    index = SnippetIndex()
    for answer in (first, second):
        index.absorb(pickle.loads(answer[8:]))
    assert [file.path for file in index.indexed_files()] == [file.path for file in FILES[:8]]


def test_a_file_the_caller_named_is_indexed_even_if_it_is_generated() -> None:
    generated = SourceFile('a.py', b'# Code generated by protoc. DO NOT EDIT.\nx = 1\n')
    notes: list[object] = []
    for named in (frozenset[str](), frozenset({'a.py'})):
        index = SnippetIndex()
        with closing(Indexer(index, named, 1)) as indexer:
            indexer.take(threading.Event(), [generated])
        notes.append(index.skipped())
    assert notes == [[Skipped('a.py', SkipReason.GENERATED)], []]


def run_python(code: str, tmp_path: Path) -> str:
    """What a program prints that runs in a process of its own."""
    program = tmp_path / 'program.py'
    program.write_text(code)
    return subprocess.run(
        [sys.executable, '-P', str(program)],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    ).stdout


def test_a_process_imports_nothing_of_the_agent(tmp_path: Path) -> None:
    code = 'import sys, pydantic_ai_smart_search.processes; print(*sys.modules)'
    modules = run_python(code, tmp_path).split()
    assert 'pydantic_ai_smart_search.processes' in modules
    assert not {'pydantic_ai', 'pydantic', 'tree_sitter'} & set(modules)


PROGRAM = """
import os, sys, threading
from contextlib import closing
from pydantic_ai_smart_search import processes
from pydantic_ai_smart_search.lexical.index import SnippetIndex
from pydantic_ai_smart_search.source.files import SourceFile

sys.path.insert(0, '')  # as in an interactive session
processes.MIN_FILES = 1
processes.index_files = None  # what would index here
os.sched_getaffinity = lambda _: {0, 1}
index = SnippetIndex()
with closing(processes.Indexer(index, frozenset(), 1)) as indexer:
    indexer.take(threading.Event(), [SourceFile('a.py', b'a = 1')])
    indexer.finish(threading.Event())
print(len(index.indexed_files()), 'file')
"""


def test_neither_the_users_program_nor_what_lies_about_is_run(tmp_path: Path) -> None:
    write_project(tmp_path, {'numpy.py': 'open("was run", "w")'})
    assert run_python(PROGRAM, tmp_path) == '1 file\n'
    assert not (tmp_path / 'was run').exists()
