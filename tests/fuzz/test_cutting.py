"""A long run of the laws of cutting: `pytest -m fuzz`, with `FUZZ_EXAMPLES` texts for each file."""

from __future__ import annotations

import os
import sysconfig
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pydantic_ai_smart_search.snippets.cutting import cut_file
from tests.snippets.cuts import SYNTAXES, outline
from tests.snippets.laws import check_cut
from tests.strategies import PATHS, texts

pytestmark = pytest.mark.fuzz

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
