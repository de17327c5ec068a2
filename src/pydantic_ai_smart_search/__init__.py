"""Plain-English code search for Pydantic AI agents: find code by what it does."""

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
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
else:  # a checker would take any name for one of the package's

    def __getattr__(name: str) -> object:
        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
        return getattr(import_module(f'{__name__}.{home}'), name)

    def __dir__() -> list[str]:
        return __all__


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

_HOMES: Final = {
    'DEFAULT_CONCURRENCY': 'options',
    'DEFAULT_THRESHOLD': 'options',
    'LocalJudge': 'judge.local',
    'SmartSearch': 'capability',
    'SmartSearchCoverage': 'results',
    'SmartSearchMatch': 'results',
    'SmartSearchProgress': 'events',
    'SmartSearchResult': 'results',
    'SmartSearchToolset': 'toolset',
}
"""Where each public name is defined, below this package. They are imported when they are first
asked for: a stage, a worker process or the shell's completion needs no host, and starts at once.
"""
