from __future__ import annotations

import textwrap

import pytest

from pydantic_ai_smart_search.judge.outlines import (
    MAX_OUTLINE_CHARS,
    find_outlined_secret,
    write_outline,
)
from pydantic_ai_smart_search.lines import split_lines

TOKEN = 'ghp_' + 'a1B2c3D4e5F6g7H8i9J0' * 2
"""The shape of a token, and nobody's."""


def outline_of(text: str, *symbols: str) -> str:
    return write_outline('a.py', split_lines(textwrap.dedent(text)), symbols).text


def test_an_outline_says_how_a_file_begins_and_what_it_defines() -> None:
    text = '''
        """Sessions that expire.

        More of it.
        """

        import time
    '''
    assert outline_of(text, 'Session', 'Session.load') == (
        'begins: """Sessions that expire.\ndefines: Session, Session.load'
    )


@pytest.mark.parametrize(
    'licence',
    [
        '# Copyright 2020 Somebody\n# All rights reserved.\n\n',
        '/*\n * Licensed under the Apache License\n */\n\n',
        '// SPDX-License-Identifier: MIT\n\n',
        '#!/bin/sh\n\n',
        '---\n\n',
    ],
)
def test_a_licence_and_a_line_that_says_nothing_are_passed_over(licence: str) -> None:
    assert outline_of(f'{licence}// Package session expires sessions.\npackage session\n') == (
        'begins: // Package session expires sessions. package session'
    )


def test_a_file_without_words_or_names_has_an_outline_without_them() -> None:
    assert outline_of('') == ''
    assert outline_of('1, 2\n\n3, 4\n') == ''
    assert outline_of('# (c)\n' * 2, 'load') == 'defines: load'


def test_an_outline_is_bounded_whatever_the_file() -> None:
    text = 'expired sessions are refused ' * 100
    outline = outline_of(text, *(f'function_number_{number}' for number in range(100)))
    assert MAX_OUTLINE_CHARS - 30 < len(outline) <= MAX_OUTLINE_CHARS
    begins, defines = outline.split('\n')
    assert len(begins) == len('begins: ') + 200
    assert defines.startswith('defines: function_number_0, function_number_1, ')
    assert outline_of('', 'a' * 1_000) == ''


def test_what_begins_far_down_is_not_looked_for() -> None:
    assert outline_of('\n' * 100 + '# sessions\n') == ''


@pytest.mark.parametrize(
    ('text', 'symbol', 'secret'),
    [
        (f'# {TOKEN} is what we use\n', 'load', 'GitHub token'),
        ('# sessions\n', TOKEN, 'GitHub token'),
        ('', TOKEN, 'GitHub token'),
        ('# sessions\n', 'load', None),
    ],
)
def test_a_credential_in_an_outline_is_found(text: str, symbol: str, secret: str | None) -> None:
    lines = split_lines(text)
    found = find_outlined_secret(lines, write_outline('a.py', lines, [symbol]))
    assert (found is None) == (secret is None)
