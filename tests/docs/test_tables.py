from __future__ import annotations

import dataclasses
import inspect

from pydantic_ai.capabilities import AbstractCapability

import pydantic_ai_smart_search
from pydantic_ai_smart_search import SmartSearch, SmartSearchCoverage, options
from pydantic_ai_smart_search.source.files import SkipReason
from tests.docs.markdown import REPOSITORY, table

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
    }


def test_every_reason_to_skip_a_file_is_explained() -> None:
    assert sorted(table('docs/limits.md', 'reason', 'what happened')) == sorted(SkipReason)


def test_every_figure_of_the_coverage_is_explained() -> None:
    documented = list(table('docs/limits.md', 'field', 'what it counts'))
    assert documented == [field.name for field in dataclasses.fields(SmartSearchCoverage)]


def test_the_api_page_has_every_public_class() -> None:
    page = (REPOSITORY / 'docs/api.md').read_text()
    public = vars(pydantic_ai_smart_search)
    for name in pydantic_ai_smart_search.__all__:
        if inspect.isclass(public[name]):
            assert f'::: pydantic_ai_smart_search.{name}\n' in page
