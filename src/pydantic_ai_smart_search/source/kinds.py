"""What a file is for, told from its path alone."""

from __future__ import annotations

import re
from enum import Enum, StrEnum, auto
from functools import lru_cache
from typing import Final


class FileKind(StrEnum):
    """The part a file plays in a project."""

    CODE = 'code'
    TEST = 'test'
    DOCS = 'docs'
    DATA = 'data'


class _Place(Enum):
    """What the folder of a file says about it."""

    PLAIN = auto()
    TESTS = auto()
    TEST_OR_MODULE = auto()
    SPECS = auto()
    DOCS = auto()
    PRODUCTION = auto()


# Not `testing`, which is how libraries call what they offer to other people's tests: Go's, NumPy's.
_TEST_FOLDERS: Final = frozenset(
    {'tests', 'e2e', '__tests__', '__mocks__', '__fixtures__', '__snapshots__', 'cypress'}
    | {'testdata', 'test-data', 'test_data'}
)
_TEST_FOLDER: Final = re.compile(
    r'.*[_-]tests'
    r'|(?i:unit|integration|functional|end[-_]to[-_]end)(?i:[-_]tests?|tests)'
    r'|.*[a-z0-9]Tests'  # Swift: AppTests
    r'|.+\.(?:Unit|Integration)?Tests?'  # C#: App.Tests, App.UnitTests
)
_SOURCE_SET: Final = re.compile(r'[a-z]\w*Tests?|tests?[A-Z]\w*')
"""How Gradle calls what is beside `src/main`: `androidTest`, `testFixtures`."""

_TEST_NAMES: Final = frozenset({'conftest.py', 'tests.py', 'tests.rs'})
_TEST_PREFIXES: Final = ('test_', 'test-', 'Test_')
_TEST_SUFFIXES: Final = tuple(
    separator + word
    for separator in '_-.'
    for word in ('test', 'tests', 'unittest', 'unittests', 'e2e', 'cy', 'SUITE')
)
_TEST_EXTENSIONS: Final = frozenset({'t', 'bats', 'robot', 'snap'})
_CAMEL_SUFFIXES: Final = ('Test', 'Tests', 'TestCase', 'TestSuite')
_CAMEL_PREFIX: Final = re.compile(r'Tests?[A-Z]')
_CAMEL_SPEC: Final = re.compile(r'.*[a-z0-9](?:Spec|IT)')
_CAMEL_EXTENSIONS: Final = frozenset({'java', 'kt', 'scala', 'groovy', 'cs', 'php', 'swift', 'hs'})

# A `spec` is a test where RSpec, Jasmine and their kin are at home, and a specification elsewhere.
_SPEC_SUFFIXES: Final = ('_spec', '.spec', '-spec', '_specs', '.specs', '-specs')
_SPEC_EXTENSIONS: Final = frozenset(
    {'rb', 'cr', 'lua', 'coffee', 'exs', 'js', 'cjs', 'mjs', 'jsx', 'ts', 'cts', 'mts', 'tsx'}
)

_DOCS_FOLDERS: Final = frozenset({'docs', 'documentation'})
_DOCS_EXTENSIONS: Final = frozenset(
    {'md', 'mdx', 'markdown', 'mkd', 'rst', 'adoc', 'asciidoc', 'txt', 'text', 'tex', 'texi'}
    | {'texinfo', 'org', 'pod', 'rdoc', 'textile'}
)
_DOCS_NAMES: Final = frozenset(
    {'readme', 'changelog', 'changes', 'history', 'news', 'license', 'licence', 'copying'}
    | {'notice', 'authors', 'contributors', 'contributing', 'maintainers', 'thanks', 'todo'}
    | {'install', 'security', 'code_of_conduct'}
)
_CODE_NAMES: Final = frozenset({'CMakeLists.txt'})
_DATA_EXTENSIONS: Final = frozenset(
    {'json', 'jsonc', 'json5', 'jsonl', 'ndjson', 'geojson', 'yaml', 'yml', 'toml', 'csv', 'tsv'}
    | {'xml', 'xsd', 'plist', 'ini', 'cfg', 'conf', 'properties', 'editorconfig', 'svg', 'po'}
    | {'pot', 'xlf', 'xliff', 'strings', 'resx', 'dat', 'data', 'log', 'diff', 'patch', 'ics'}
)
_DATA_NAME: Final = re.compile(r'(?:requirements|constraints).*\.(?:txt|in)')


def kind_of(path: str) -> FileKind:
    """The kind of the file at `path`, relative to the searched root.

    Whatever lies in a folder of tests is a test, its data too; elsewhere only programs are. What is
    not shown to be something else is code.
    """
    folder, _, name = path.rpartition('/')
    place = _place(folder)
    stem, _, extension = name.rpartition('.')
    extension = extension.lower()
    if (
        place is _Place.TESTS
        # Within a Python package `test` is a module for testing, as `django.test` is.
        or (place is _Place.TEST_OR_MODULE and extension != 'py')
        or (place is _Place.SPECS and extension in _SPEC_EXTENSIONS)
    ):
        return FileKind.TEST
    if extension in _DATA_EXTENSIONS or _DATA_NAME.fullmatch(name):
        return FileKind.DATA
    if (
        place is _Place.DOCS
        or (extension in _DOCS_EXTENSIONS and name not in _CODE_NAMES)
        or (not stem and name.lower().partition('-')[0] in _DOCS_NAMES)
    ):
        return FileKind.DOCS
    is_test = place is not _Place.PRODUCTION and _is_test_name(name, stem, extension)
    return FileKind.TEST if is_test else FileKind.CODE


def _is_test_name(name: str, stem: str, extension: str) -> bool:
    if name in _TEST_NAMES or extension in _TEST_EXTENSIONS:
        return True
    if stem.startswith(_TEST_PREFIXES) or stem.endswith(_TEST_SUFFIXES):
        return True
    if extension in _SPEC_EXTENSIONS and stem.endswith(_SPEC_SUFFIXES):
        return True
    if stem.endswith(_CAMEL_SUFFIXES) and stem not in _CAMEL_SUFFIXES:
        return True
    return extension in _CAMEL_EXTENSIONS and bool(
        _CAMEL_PREFIX.match(stem) or _CAMEL_SPEC.fullmatch(stem)
    )


@lru_cache(maxsize=1 << 14)
def _place(folder: str) -> _Place:
    """What a folder says, from the outermost that says anything definite."""
    if not folder:
        return _Place.PLAIN
    parent, _, name = folder.rpartition('/')
    around = _place(parent)
    if around in (_Place.TESTS, _Place.PRODUCTION):
        return around
    lower = name.lower()
    if lower in _TEST_FOLDERS or _TEST_FOLDER.fullmatch(name):
        return _Place.TESTS
    is_source_set = parent == 'src' or parent.endswith('/src')
    if is_source_set and name == 'main':  # Maven and Gradle say outright what is production code
        return _Place.PRODUCTION
    if is_source_set and _SOURCE_SET.fullmatch(name):
        return _Place.TESTS
    if lower == 'test':
        return _Place.TESTS if is_source_set or not parent else _Place.TEST_OR_MODULE
    if lower in ('spec', 'specs'):
        return _Place.SPECS
    return _Place.DOCS if lower in _DOCS_FOLDERS or folder == 'doc' else around
