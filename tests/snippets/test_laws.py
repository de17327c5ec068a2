"""The laws of cutting hold for any text under any name."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from pydantic_ai_smart_search.snippets.cutting import cut_file
from tests.snippets.laws import check_cut
from tests.strategies import PATHS, texts


@settings(max_examples=100, deadline=None)
@given(path=st.sampled_from(PATHS), text=texts())
def test_any_text_is_cut_into_judgeable_snippets_that_cover_it(path: str, text: str) -> None:
    cut = cut_file(path, text)
    check_cut(cut, text, is_whole=not path.endswith('.ipynb'))
    assert cut == cut_file(path, text), 'the same file is always cut the same way'
