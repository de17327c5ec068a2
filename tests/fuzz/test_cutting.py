"""A long run of the laws of cutting: `pytest -m fuzz`, with `FUZZ_EXAMPLES` texts for each file."""

from __future__ import annotations

import os
import sysconfig
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pydantic_ai_smart_search.snippets.cutting import cut_file
from pydantic_ai_smart_search.source.credentials import find_secret
from pydantic_ai_smart_search.source.decoding import decode_file
from pydantic_ai_smart_search.source.files import SourceFile, SourceText
from tests.snippets.cuts import SYNTAXES, outline
from tests.snippets.damage import broken_sources
from tests.snippets.laws import check_cut
from tests.strategies import PATHS, texts

pytestmark = pytest.mark.fuzz

ENCODINGS = (
    'utf-8',
    'utf-8-sig',
    'utf-16',
    'utf-32',
    'utf-16-le',
    'latin-1',
    'cp1252',
    'shift_jis',
)
EXAMPLES = int(os.environ.get('FUZZ_EXAMPLES', '1000'))


def real_sources() -> list[Path]:
    """Sources of the running Python, to be damaged."""
    return sorted(Path(sysconfig.get_path('stdlib')).glob('*.py'))


@st.composite
def damaged_sources(draw: st.DrawFn) -> str:
    """A real source of which some lines were dropped, repeated, moved or replaced."""
    path = draw(st.sampled_from(real_sources()))
    lines = path.read_text('utf-8', errors='replace').splitlines(keepends=True)[:400]
    for _ in range(draw(st.integers(1, 5))):
        first = draw(st.integers(0, len(lines)))
        last = draw(st.integers(first, min(len(lines), first + 40)))
        part = draw(st.sampled_from([[], lines[first:last] * 2, lines[last : last + 9]]))
        lines[first:last] = [*part, draw(texts())] if draw(st.booleans()) else part
    return ''.join(lines)


@pytest.mark.timeout(0)
@pytest.mark.parametrize('path', PATHS)
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(text=texts() | damaged_sources())
def test_laws_of_cutting_hold_for_damaged_files(path: str, text: str) -> None:
    check_cut(cut_file(path, text), text, is_whole=not path.endswith('.ipynb'))


@pytest.mark.timeout(0)
@pytest.mark.parametrize('syntax', SYNTAXES)
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(text=texts() | damaged_sources())
def test_laws_of_cutting_hold_without_a_grammar(syntax: str, text: str) -> None:
    check_cut(outline(text, SYNTAXES[syntax]), text)


@pytest.mark.timeout(0)
@settings(max_examples=10 * EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(broken_sources())
def test_laws_of_cutting_hold_for_damaged_sources_of_every_language(
    source: tuple[Path, str],
) -> None:
    path, text = source
    check_cut(cut_file(path.name, text), text)


@st.composite
def files(draw: st.DrawFn) -> SourceFile:
    """A file as it is read: a text in some encoding, or close to it, or mere bytes."""
    encoding = draw(st.sampled_from(ENCODINGS))
    raw = draw(texts() | damaged_sources()).encode(encoding, 'replace')
    damage = draw(st.binary(max_size=3))
    first = draw(st.integers(0, len(raw)))
    raw = draw(st.sampled_from([raw, raw[:first] + damage + raw[first:], damage + raw]))
    return SourceFile(draw(st.sampled_from(PATHS)), raw)


@pytest.mark.timeout(0)
@settings(max_examples=10 * EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(files())
def test_any_bytes_are_cut_by_the_laws_or_left_out_with_a_reason(file: SourceFile) -> None:
    source = decode_file(file)
    if isinstance(source, SourceText):
        cut = cut_file(file.path, source.text)
        check_cut(cut, source.text, is_whole=not file.path.endswith('.ipynb'))
        for snippet in cut.snippets:
            find_secret(cut.lines, snippet.span)
