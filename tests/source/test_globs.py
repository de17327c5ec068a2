"""Globs that narrow a listing."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pydantic_ai_smart_search.errors import InvalidGlob
from pydantic_ai_smart_search.source.globs import parse_glob


def matches(glob: str | None, path: str, *, below: str = '.', root: str = '/me') -> bool:
    return parse_glob(glob, below=below, root=root).matches(path)


@pytest.mark.parametrize(
    ('glob', 'matched', 'unmatched'),
    [
        # a name at any depth
        ('*.py', ['a.py', 'x/y/a.py'], ['a.pyc', 'a.py.txt', 'apy']),
        ('a?.py', ['ab.py', 'x/ac.py'], ['a.py', 'abc.py', 'a/.py']),
        ('**.py', ['a.py', 'x/a.py'], ['a.js']),
        ('*', ['a', 'x/y'], []),
        ('**', ['a', 'x/y'], []),
        # a path from the root
        ('src/*.py', ['src/a.py'], ['src/x/a.py', 'x/src/a.py', 'a.py']),
        ('/a.py', ['a.py'], ['x/a.py']),
        ('./src/a.py', ['src/a.py'], ['a.py']),
        ('src/**/*.py', ['src/a.py', 'src/x/y/a.py'], ['src/a.js', 'a.py']),
        ('src/**.py', ['src/a.py', 'src/x/a.py'], ['src/a.js']),
        ('src/a**b.py', ['src/ab.py', 'src/a/b.py', 'src/ax/y/zb.py'], ['src/b.py']),
        ('**/x/**/y/*', ['x/y/a', 'w/x/v/y/a'], ['y/a', 'x/y', 'x/y/a/b']),
        ('**/**/a', ['a', 'x/a'], ['b']),
        ('a/**/', ['a/b', 'a/b/c'], ['a']),
        # a directory and what is below it
        ('src', ['src', 'src/a', 'x/src/y/a'], ['srcs/a', 'a/src.py']),
        ('src/', ['src/a', 'x/src/a'], ['src']),
        ('src/*', ['src/a'], ['src/x/a']),
        ('src/x*', ['src/xy', 'src/xy/a'], ['src/y/x']),
        ('/', ['a', 'x/y'], []),
        # alternatives
        ('*.py,*.js', ['a.py', 'x/a.js'], ['a.go']),
        ('*.py, *.js ,', ['a.py', 'x/a.js'], ['a.go']),
        ('*.{py,js}', ['a.py', 'a.js'], ['a.go', 'a.{py,js}']),
        ('{src,lib}/**', ['src/a', 'lib/x/a'], ['x/src/a']),
        ('{a,b/{c,d}}/*', ['a/x', 'b/c/x', 'b/d/x'], ['b/x']),
        ('*.{py}', ['a.py', 'a.{py}'], ['a.js']),
        ('{{name}}/*', ['{{name}}/a', 'name/a'], ['x/a']),
        ('a{,.min}.js', ['a.js', 'a.min.js'], ['b.js']),
        # what is left out
        ('!*.py', ['a.js'], ['a.py', 'x/a.py']),
        ('*.py,!tests/**', ['a.py', 'x/tests/a.py'], ['tests/a.py', 'a.js']),
        ('!tests', ['a.py'], ['tests/a.py', 'x/tests/a.py']),
        # brackets
        ('[ab].py', ['a.py', 'b.py', '[ab].py'], ['c.py']),
        ('[!a].py', ['b.py', '[!a].py'], ['a.py']),
        ('[^a].py', ['b.py'], ['a.py']),
        ('[a-c]x', ['bx'], ['dx']),
        ('[a-]x', ['ax', '-x'], ['bx']),
        ('[+--]x', ['+x', ',x', '-x'], ['ax']),
        ('[a&&b||c~~d]x', ['&x', 'dx'], ['-x']),
        ('[z-a]x', ['[z-a]x'], ['bx']),
        ('[]a]x', [']x', 'ax'], ['bx']),
        ('[]', ['[]'], ['a']),
        ('[a', ['[a'], ['a']),
        ('[a,b]x', ['ax', ',x'], ['[a']),
        ('[\\]x', ['\\x', '[\\]x'], ['x']),
        ('x[/]y', ['x[/]y'], ['x/y']),
        # literal characters
        ('a\\*b', ['a*b'], ['axb']),
        ('a\\,b', ['a,b'], ['a', 'b']),
        ('\\{a', ['{a'], ['a']),
        ('{a,\\}}', ['a', '}'], ['b']),
        ('a\\', ['a\\'], ['a']),
        ('\\!a', ['!a'], ['b']),
        ('a+(b).c', ['a+(b).c'], ['aab.c']),
        ('--pre=x', ['--pre=x'], ['a']),
        ('new\nline*', ['new\nline\n'], ['new']),
        # everything
        ('', ['a', 'x/y'], []),
        (' , ', ['a', 'x/y'], []),
        (None, ['a', 'x/y'], []),
    ],
)
def test_a_glob_matches(glob: str | None, matched: list[str], unmatched: list[str]) -> None:
    for path in matched:
        assert matches(glob, path), path
    for path in unmatched:
        assert not matches(glob, path), path


@pytest.mark.parametrize(
    'glob', ['pkg/src/*.py', '/home/me/pkg/src/*.py', 'src/*.py', '**/src/*.py', '*.py', 'pkg']
)
def test_a_glob_starts_at_the_directory_the_working_directory_or_the_top(glob: str) -> None:
    assert matches(glob, 'src/a.py', below='pkg', root='/home/me/pkg')
    assert not matches('other/src/*.py', 'src/a.py', below='pkg', root='/home/me/pkg')


def test_an_absolute_glob_is_read_from_the_top_once() -> None:
    assert matches('/me/me/a.py', 'me/a.py')
    assert not matches('/me/me/a.py', 'a.py')


@pytest.mark.parametrize(
    ('glob', 'reason'),
    [
        ('{a,b', 'brace'),
        ('*.py,{a', 'brace'),
        ('../a', 'upwards'),
        ('a/../b', 'upwards'),
        ('{a,b}' * 9, '128'),
        ('[a]' * 9, '128'),
        ('a**b' * 40, '128'),
        ('{' * 300 + '}' * 300, '50 braces'),
        ('a' * 1_001, 'longer than 1,000'),
    ],
)
def test_a_glob_that_cannot_be_meant_says_why(glob: str, reason: str) -> None:
    with pytest.raises(InvalidGlob, match=reason):
        parse_glob(glob, below='.', root='/me')


@pytest.mark.parametrize(
    ('glob', 'is_hidden'),
    [
        ('.env', True),
        ('.github/**', True),
        ('src/.env,.x', True),
        ('.env,a.py', False),
        ('*.py', False),
        ('./a.py', False),
        (None, False),
    ],
)
def test_a_glob_knows_whether_it_asks_for_hidden_files_only(
    glob: str | None, is_hidden: bool
) -> None:
    assert parse_glob(glob, below='.', root='/me').is_hidden is is_hidden


def test_a_glob_knows_the_names_it_spells_out() -> None:
    glob = parse_glob('node_modules/**/*.js,{a,b}.py,!c', below='.', root='/me')
    assert glob.components == {'node_modules', '**', '*.js', 'a.py', 'b.py'}


def test_no_glob_takes_long() -> None:
    """Backtracking would take years over these; the test would time out."""
    path = 'a' * 200
    for glob in ('*a' * 60 + 'b', '*?' * 60 + 'b', '[ab]*' * 7 + 'c', '**/*a*/' * 30 + 'b'):
        assert not matches(glob, f'{path}/{path}/{path}')


COMPONENT = st.text('ab*?', min_size=1, max_size=4).filter(lambda text: '**' not in text)
PATTERN = st.lists(COMPONENT | st.just('**'), min_size=2, max_size=4)
PATH = st.lists(st.text('ab', min_size=1, max_size=3), min_size=1, max_size=4)


def matches_slowly(pattern: list[str], path: list[str]) -> bool:
    """The textbook definition: `**` is any number of components, the others match one each."""
    if not pattern:
        return not path
    if pattern == ['**']:
        return bool(path)
    if pattern[0] == '**':
        return any(matches_slowly(pattern[1:], path[skip:]) for skip in range(len(path) + 1))
    return bool(path) and fnmatchcase(path[0], pattern[0]) and matches_slowly(pattern[1:], path[1:])


@given(PATTERN, PATH)
def test_globs_match_what_the_textbook_says(pattern: list[str], path: list[str]) -> None:
    glob = parse_glob('/'.join(pattern), below='.', root='/elsewhere')
    covers_below = re.search('[ab?]', pattern[-1])
    lengths = range(1, len(path) + 1) if covers_below else [len(path)]
    assert glob.matches('/'.join(path)) is any(
        matches_slowly(pattern, path[:length]) for length in lengths
    )
