"""What a file is for, told from its path alone."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final


class FileKind(StrEnum):
    """The part a file plays in a project."""

    CODE = 'code'
    TEST = 'test'
    DOCS = 'docs'
    DATA = 'data'


_TEST_DIRECTORY: Final = re.compile(
    r'(?:^|/)(?:tests?|testing|specs?|e2e|__tests__|__mocks__|__snapshots__|cypress|testdata|fixtures)/', re.IGNORECASE
)
_TEST_NAME: Final = re.compile(
    r'(?:^|/)(?:conftest\.py|test_[^/]*|[^/]*[_.-](?:test|tests|spec|specs)\.[^/]+|[^/]*[a-z0-9](?:Test|Tests|Spec|IT)\.[^/]+)\Z'
)
_DOCS: Final = re.compile(r'\.(?:md|rst|adoc|txt|markdown|mdx|tex)\Z', re.IGNORECASE)
_DATA: Final = re.compile(r'\.(?:json|ya?ml|toml|csv|tsv|xml|ini|cfg|lock|svg|po)\Z', re.IGNORECASE)


def kind_of(path: str) -> FileKind:
    """The kind of the file at `path`, relative to the searched root."""
    if _TEST_DIRECTORY.search(path) or _TEST_NAME.search(path):
        return FileKind.TEST
    if _DOCS.search(path):
        return FileKind.DOCS
    if _DATA.search(path):
        return FileKind.DATA
    return FileKind.CODE
