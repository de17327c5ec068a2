from __future__ import annotations

from pydantic import TypeAdapter

from pydantic_ai_smart_search import SmartSearchResult
from pydantic_ai_smart_search.results import SmartSearchDetails


def test_details_are_left_out_of_what_a_model_reads() -> None:
    result = SmartSearchResult(details=SmartSearchDetails(judge='local'))
    assert TypeAdapter(object).dump_python(result, mode='json') == {
        'matches': [],
        'coverage': {
            'files': 0,
            'snippets': 0,
            'evaluated': 0,
            'skipped_files': 0,
            'selection_complete': False,
        },
        'omitted_matches': 0,
        'warnings': [],
    }
