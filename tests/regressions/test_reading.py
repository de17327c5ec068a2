"""Inputs from the field on which code searches lose files that were listed."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest

from pydantic_ai_smart_search.judge.budget import RequestBudget
from pydantic_ai_smart_search.lexical.cache import IndexCache
from pydantic_ai_smart_search.options import SearchOptions
from pydantic_ai_smart_search.pipeline import search
from pydantic_ai_smart_search.request import SearchRequest
from pydantic_ai_smart_search.source.decoding import decode_file
from pydantic_ai_smart_search.source.files import Skipped, SkipReason, SourceFile, SourceText
from pydantic_ai_smart_search.source.kinds import FileKind, kind_of
from pydantic_ai_smart_search.source.listing import find_root, list_files
from pydantic_ai_smart_search.source.reading import read_files
from tests.judge.cases import ScriptedJudge
from tests.project import write_project
from tests.source.places import local


@pytest.mark.anyio
@pytest.mark.usefixtures('rg')
async def test_a_file_deleted_between_listing_and_reading_is_skipped(tmp_path: Path) -> None:
    """episodic-memory#121"""
    write_project(tmp_path, {'a.py': 'a', 'b.py': 'b', 'sub/c.py': 'c'})
    workspace = local(tmp_path)
    root = await find_root(workspace, '.')
    listing = await list_files(workspace, root, None)
    (tmp_path / 'b.py').unlink()
    (tmp_path / 'sub/c.py').unlink()
    (tmp_path / 'sub').rmdir()
    files = [file async for batch in read_files(workspace, root, listing.paths) for file in batch]
    assert files == [
        SourceFile('a.py', b'a'),
        Skipped('b.py', SkipReason.VANISHED),
        Skipped('sub/c.py', SkipReason.VANISHED),
    ]


@pytest.mark.parametrize(
    ('path', 'raw', 'text'),
    [
        (
            'a.py',
            b'# -*- coding: latin-1 -*-\ns = "\xe9"\n',
            '# -*- coding: latin-1 -*-\ns = "é"\n',
        ),
        ('a.py', b'\xef\xbb\xbfdef f(): ...\n', 'def f(): ...\n'),
        ('a.cs', codecs.BOM_UTF16_LE + 'class É {}\r\n'.encode('utf-16-le'), 'class É {}\r\n'),
    ],
)
def test_an_encoding_that_a_file_states_is_used(path: str, raw: bytes, text: str) -> None:
    """A PEP 263 cookie and byte order marks (docsig#972)."""
    assert decode_file(SourceFile(path, raw)) == SourceText(text)


@pytest.mark.parametrize(
    'path',
    [
        'Tests/A.cs',
        'src/FooTest.java',
        'conftest.py',
        'FooTests.swift',
        'e2e/x.ts',
        '__mocks__/y.js',
    ],
)
def test_a_test_is_known_by_the_customs_of_its_language(path: str) -> None:
    assert kind_of(path) is FileKind.TEST


def request() -> SearchRequest:
    return SearchRequest(query='reject an expired session')


@pytest.mark.anyio
@pytest.mark.usefixtures('rg')
async def test_a_file_of_two_megabytes_that_holds_the_answer_is_searched_and_reported(
    tmp_path: Path,
) -> None:
    """semble#250"""
    filler = '# nothing to see here, but a good deal of it in every single line\n' * 29_000
    write_project(
        tmp_path,
        {
            'big.py': f'{filler}def reject_expired(session):\n    raise PermissionError\n',
            'data.json': f'["expired session",\n{" " * (1 << 20)}]',
        },
    )
    result = await search(
        local(tmp_path),
        request(),
        ScriptedJudge(),
        indexes=IndexCache(0),
        budget=RequestBudget(),
        options=SearchOptions(),
    )
    assert 'reject_expired' in {match.symbol for match in result.matches}
    assert result.details.skipped['oversize'].paths == ['big.py', 'data.json']
    assert not result.coverage.selection_complete


@pytest.mark.anyio
@pytest.mark.usefixtures('rg')
async def test_a_file_deleted_before_its_snippet_is_judged_is_left_out_and_said_so(
    tmp_path: Path,
) -> None:
    """episodic-memory#121"""
    write_project(
        tmp_path, {'a.py': 'def reject_expired_session(): ...\n', 'b.py': 'expired_session = 1\n'}
    )

    def delete_when_indexed(stage: str, done: int, total: int) -> None:
        if (stage, done) == ('index', total):
            (tmp_path / 'a.py').unlink()

    judge = ScriptedJudge()
    result = await search(
        local(tmp_path),
        request(),
        judge,
        indexes=IndexCache(0),
        budget=RequestBudget(),
        options=SearchOptions(),
        progress=delete_when_indexed,
    )
    assert judge.asked == ['expired_session = 1']
    assert not result.coverage.selection_complete
    assert result.warnings == [
        (
            '1 shortlisted snippets were left out because their files changed during the search; '
            'search again to include them.'
        )
    ]
