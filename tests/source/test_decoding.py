"""From bytes to text."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pydantic_ai_smart_search.source.decoding import decode_file
from pydantic_ai_smart_search.source.files import Skipped, SkipReason, SourceFile, SourceText

CODE = '# Grüße, café\ndef greet(): ...\n'


def decode(raw: bytes, *, is_named: bool = False) -> SourceText | Skipped:
    return decode_file(SourceFile('a.py', raw), is_named=is_named)


def note(detail: str) -> Skipped:
    return Skipped('a.py', SkipReason.ENCODING, detail)


@pytest.mark.parametrize(
    'raw',
    [
        CODE.encode(),
        CODE.encode('utf-8-sig'),
        CODE.encode('utf-16'),
        codecs.BOM_UTF16_BE + CODE.encode('utf-16-be'),
        CODE.encode('utf-32'),
        codecs.BOM_UTF32_BE + CODE.encode('utf-32-be'),
        CODE.encode('latin-1'),
        CODE.encode('cp1252'),
    ],
)
def test_common_encodings_are_read_without_doubt(raw: bytes) -> None:
    assert decode(raw) == SourceText(CODE)


@pytest.mark.parametrize(
    ('declaration', 'encoding'),
    [
        ('# -*- coding: koi8-r -*-', 'koi8-r'),
        ('#!/usr/bin/python\n# vim: set fileencoding=cp1251 :', 'cp1251'),
        ('<?xml version="1.0" encoding="shift_jis"?>', 'shift_jis'),
        ('<meta charset="windows-1251">', 'cp1251'),
        ('@charset "iso-8859-5";', 'iso8859-5'),
    ],
)
def test_an_encoding_the_file_declares_is_used(declaration: str, encoding: str) -> None:
    text = f'{declaration}\nюжный = 1\n'
    assert decode(text.encode(encoding)) == SourceText(text)


def test_utf8_wins_over_a_declaration() -> None:
    text = '# coding: latin-1\n# é\n'
    assert decode(text.encode()) == SourceText(text)


@pytest.mark.parametrize('declared', ['no-such-codec', 'ascii', 'base64', 'utf-8', 'punycode'])
def test_a_declaration_that_does_not_hold_is_passed_over(declared: str) -> None:
    text = f'# coding: {declared}\n# é and much more in plain letters\n'
    assert decode(text.encode('latin-1')) == SourceText(text)


def test_a_declared_encoding_cannot_yield_what_no_text_may_hold() -> None:
    raw = b'# coding: unicode_escape\n# \\ud800 \xe9 and much more in plain letters\n'
    decoded = decode(raw)
    assert isinstance(decoded, SourceText)
    decoded.text.encode()


@pytest.mark.parametrize(
    'raw',
    [
        b'\0',
        b'\x7fELF\1\1\1\0',
        b'text' * 1_999 + b'\0',
        b'\x89PNG\r\n\x1a\n' * 9,
        bytes(range(1, 256)) * 9,
    ],
)
def test_binary_is_skipped(raw: bytes) -> None:
    assert decode(raw) == Skipped('a.py', SkipReason.BINARY)


def test_a_late_nul_makes_no_binary() -> None:
    text = 'x = 1\n' * 2_000 + "y = '\0'\n"
    assert decode(text.encode()) == SourceText(text)


def test_a_foreign_text_that_does_not_say_its_encoding_is_searched_and_doubted() -> None:
    decoded = decode('# южный ветер\nx = 1\n'.encode('koi8-r'))
    assert isinstance(decoded, SourceText)
    assert decoded.text.endswith('\nx = 1\n')
    assert decoded.note == note('read as Windows-1252, which is a guess')


def test_a_text_with_bytes_windows_does_not_know_is_read_as_latin_1() -> None:
    decoded = decode(b'# a long comment in plain letters \x81 \xe9\n')
    assert decoded == SourceText('# a long comment in plain letters \x81 é\n')


def test_damaged_utf8_keeps_what_is_left_and_is_doubted() -> None:
    decoded = decode(b'# \xc3\xbcber \xc3\xa4ndern \xe2\x82\nx = 1\n')
    assert decoded == SourceText('# über ändern \ufffd\nx = 1\n', note('damaged utf-8'))


def test_damaged_utf16_keeps_what_is_left_and_is_doubted() -> None:
    decoded = decode(codecs.BOM_UTF16_LE + 'x = 1'.encode('utf-16-le') + b'\0')
    assert decoded == SourceText('x = 1\ufffd', note('damaged utf-16'))


def test_generated_code_is_left_out_unless_it_was_named() -> None:
    raw = b'# @generated\nx = 1\n'
    assert decode(raw) == Skipped('a.py', SkipReason.GENERATED)
    assert decode(raw, is_named=True) == SourceText(raw.decode())


def test_an_empty_file_is_an_empty_text() -> None:
    assert decode(b'') == SourceText('')


@given(st.binary(max_size=200))
def test_any_bytes_end_as_a_text_that_can_be_written_or_a_reason(raw: bytes) -> None:
    decoded = decode(raw)
    assert isinstance(decoded, Skipped) or decoded.text.encode() is not None


@given(st.text(st.characters(exclude_categories=['Cs', 'Cc']), max_size=200))
def test_a_text_in_utf8_survives(text: str) -> None:
    assert decode(text.encode(), is_named=True) == SourceText(text.removeprefix('\ufeff'))


def test_code_beyond_the_usual_size_is_searched_and_counted() -> None:
    raw = b'x = 1\n' * 200_000
    assert decode(raw) == SourceText(
        raw.decode(),
        Skipped('a.py', SkipReason.OVERSIZE, '1,200,000 bytes, searched all the same'),
    )
