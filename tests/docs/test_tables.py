from __future__ import annotations

import dataclasses
import inspect
import json
import re
from pathlib import Path

import pytest
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.workspaces import LocalWorkspaceBackend, Workspace

import pydantic_ai_smart_search
from pydantic_ai_smart_search import SmartSearch, SmartSearchCoverage, options, testing
from pydantic_ai_smart_search.pipeline import survey
from pydantic_ai_smart_search.source.files import SkipReason
from tests.docs.markdown import REPOSITORY, table
from tests.project import write_project

HOST_SETTINGS = {field.name for field in dataclasses.fields(AbstractCapability)}


def test_the_settings_table_lists_every_setting_with_its_default() -> None:
    documented = {
        name: default
        for name, (default, _) in table('README.md', 'setting', 'default', 'meaning').items()
    }
    assert documented == {
        field.name: 'required' if field.default is dataclasses.MISSING else f'`{field.default!r}`'
        for field in dataclasses.fields(SmartSearch)
        if field.name not in HOST_SETTINGS
    }


def test_the_limits_of_a_search_are_those_of_the_code() -> None:
    limits = table('docs/limits.md', 'limit', 'value')
    assert {name: value for name, (value,) in limits.items()} == {
        'files, after the glob': f'{options.MAX_FILES:,}',
        'lines of source': f'{options.MAX_TOTAL_LINES:,}',
        'bytes of source': f'{options.MAX_TOTAL_BYTES:,}',
    }


def test_the_limits_of_a_file_are_those_of_the_code() -> None:
    limits = table('docs/limits.md', 'limit', 'value', 'beyond it')
    assert {name: value for name, (value, _) in limits.items()} == {
        'bytes of a file': f'{options.MAX_FILE_BYTES:,}',
        'characters of a snippet, and so of a line': f'{options.MAX_SNIPPET_CHARS:,}',
        'lines of an excerpt': f'{options.EXCERPT_LINES:,}',
        'characters of an excerpt': f'{options.EXCERPT_CHARS:,}',
    }


def test_the_ranges_of_a_call_are_those_of_the_code() -> None:
    arguments = table('docs/limits.md', 'argument', 'default', 'from', 'to')
    assert arguments == {
        'query`, characters once stripped': ['', '1', f'{options.MAX_QUERY_CHARS:,}'],
        'limit`, matches returned': [f'{options.DEFAULT_LIMIT}', '1', f'{options.MAX_LIMIT}'],
        'candidates`, snippets judged': [
            f'{options.DEFAULT_CANDIDATES}',
            '1',
            f'{options.MAX_CANDIDATES}',
        ],
        'alternatives`, other phrasings': ['none', '0', f'{options.MAX_ALTERNATIVES}'],
    }


def test_every_reason_to_skip_a_file_is_explained() -> None:
    assert sorted(table('docs/limits.md', 'reason', 'what happened')) == sorted(SkipReason)


def test_every_figure_of_the_coverage_is_explained() -> None:
    documented = list(table('docs/limits.md', 'field', 'what it counts'))
    assert documented == [field.name for field in dataclasses.fields(SmartSearchCoverage)]


def test_the_commands_that_travel_are_those_measured() -> None:
    page = (REPOSITORY / 'docs/remote.md').read_text()
    (measured,) = re.findall(r'`(benchmarks/results/peer-.+?\.json)`', page)
    figures = json.loads((REPOSITORY / measured).read_text())
    ours, theirs = figures['far']['ours'], figures['far']['peer']
    expected = {
        'the first, keeping nothing': (ours, 'first'),
        'the first with `cache_index`': (ours, 'cold'),
        'again, nothing changed': (ours, 'warm'),
        'the first of pydantic-ai-harness': (theirs, 'first'),
    }
    assert table('docs/remote.md', 'search', 'commands', 'bytes, both ways') == {
        row.rstrip('`'): [f'{far[f"{search}_commands"]:,}', f'{far[f"{search}_wire_bytes"]:,}']
        for row, (far, search) in expected.items()
    }
    assert f'({figures["medians"]["ours"]["files"]:,.0f} files)' in page


def test_the_api_page_has_every_public_class() -> None:
    page = (REPOSITORY / 'docs/api.md').read_text()
    for name in pydantic_ai_smart_search.__all__:
        if inspect.isclass(getattr(pydantic_ai_smart_search, name)):
            assert f'::: pydantic_ai_smart_search.{name}\n' in page
    for name in testing.__all__:
        assert f'::: pydantic_ai_smart_search.testing.{name}\n' in page


@pytest.mark.anyio
async def test_every_credential_file_the_privacy_page_names_stays_out(tmp_path: Path) -> None:
    page = (REPOSITORY / 'docs/privacy.md').read_text()
    named = re.search(r'named as credentials are, such as (.*?)\.\s', page, re.DOTALL)
    assert named is not None
    credentials = re.findall('`(.+?)`', named[1])
    write_project(tmp_path, dict.fromkeys([*credentials, 'secrets.py'], 'KEY = 1\n'))
    workspace = Workspace(LocalWorkspaceBackend(tmp_path))
    surveyed = await survey(workspace, '.', None)
    assert surveyed.searched == ['secrets.py']
    assert {file.path: file.reason for file in surveyed.skipped} == dict.fromkeys(
        credentials, SkipReason.SECRET
    )


@pytest.mark.anyio
async def test_every_glob_of_the_limits_page_covers_what_it_says(tmp_path: Path) -> None:
    globs = [*table('docs/limits.md', 'glob', 'covers'), '*.{py,pyi}', 'src/', 'src/**']
    files = ['a_old.py', 'app/[id]/page.tsx', 'src/a.pyi', 'src/b.py', 'src/deep/c.py', 'top.py']
    write_project(tmp_path, dict.fromkeys(files, 'x = 1\n'))
    workspace = Workspace(LocalWorkspaceBackend(tmp_path))
    covered = {glob: (await survey(workspace, '.', glob)).searched for glob in globs}
    python = ['a_old.py', 'src/b.py', 'src/deep/c.py', 'top.py']
    below_src = ['src/a.pyi', 'src/b.py', 'src/deep/c.py']
    assert covered == {
        '*.py': python,
        '*.py,*.pyi': sorted([*python, 'src/a.pyi']),
        '*.{py,pyi}': sorted([*python, 'src/a.pyi']),
        'src': below_src,
        'src/': below_src,
        'src/**': below_src,
        'src/*.py': ['src/b.py'],
        '!*_old.py': files[1:],
        'app/[id]/page.tsx': ['app/[id]/page.tsx'],
    }
