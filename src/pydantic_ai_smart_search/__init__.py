"""Plain-English code search for Pydantic AI agents: find code by what it does."""

from pydantic_ai_smart_search.capability import SmartSearch
from pydantic_ai_smart_search.events import SmartSearchProgress
from pydantic_ai_smart_search.judge.local import LocalJudge
from pydantic_ai_smart_search.options import DEFAULT_CONCURRENCY, DEFAULT_THRESHOLD
from pydantic_ai_smart_search.results import (
    SmartSearchCoverage,
    SmartSearchMatch,
    SmartSearchResult,
)
from pydantic_ai_smart_search.toolset import SmartSearchToolset

__all__ = [
    'DEFAULT_CONCURRENCY',
    'DEFAULT_THRESHOLD',
    'LocalJudge',
    'SmartSearch',
    'SmartSearchCoverage',
    'SmartSearchMatch',
    'SmartSearchProgress',
    'SmartSearchResult',
    'SmartSearchToolset',
]
