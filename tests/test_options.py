from __future__ import annotations

from typing import Any

import pytest

from pydantic_ai_smart_search.options import SearchOptions


@pytest.mark.parametrize('threshold', [-0.1, 1.1, float('nan'), float('inf'), '0.5', True, None])
def test_a_threshold_outside_zero_to_one_is_refused_with_its_value(threshold: Any) -> None:
    with pytest.raises(ValueError, match='`threshold` must be a number from 0 to 1, got'):
        SearchOptions(threshold=threshold)


@pytest.mark.parametrize('concurrency', [0, -1, 1.5, float('nan'), '8', True, None])
def test_a_concurrency_that_starts_no_judgment_is_refused_with_its_value(concurrency: Any) -> None:
    with pytest.raises(ValueError, match='`concurrency` must be a whole number of at least 1, got'):
        SearchOptions(concurrency=concurrency)


@pytest.mark.parametrize('threshold', [0, 1, 0.25])
def test_both_ends_of_a_range_are_allowed(threshold: float) -> None:
    assert SearchOptions(threshold=threshold, concurrency=1).threshold == threshold


@pytest.mark.parametrize('value', [1, 'false', None])
def test_a_switch_that_is_neither_on_nor_off_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match='`screen_secrets` must be true or false, got'):
        SearchOptions(screen_secrets=value)
    with pytest.raises(ValueError, match='`use_embedding` must be true or false, got'):
        SearchOptions(use_embedding=value)


@pytest.mark.parametrize('screen_files', [-1, 1_001, 1.5, '8', True, None])
def test_a_number_of_files_to_screen_out_of_range_is_refused(screen_files: Any) -> None:
    message = '`screen_files` must be a whole number from 0 to 1,000, got'
    with pytest.raises(ValueError, match=message):
        SearchOptions(screen_files=screen_files)
    assert SearchOptions(screen_files=1_000).screen_files == 1_000


@pytest.mark.parametrize('refresh', ['stat', True, None])
def test_an_unknown_way_to_refresh_is_refused(refresh: Any) -> None:
    with pytest.raises(ValueError, match="`refresh` must be 'state' or 'content', got"):
        SearchOptions(refresh=refresh)
