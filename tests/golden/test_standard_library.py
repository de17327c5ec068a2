"""Ten everyday questions about the standard library of the Python that runs, ranked locally.

Every Python from 3.11 on answers them in the same files, so the places are fixed while the lines
are not.
"""

from __future__ import annotations

import sysconfig
from pathlib import Path

import pytest
from pydantic_ai.workspaces import LocalWorkspaceBackend, Workspace

from pydantic_ai_smart_search import LocalJudge
from pydantic_ai_smart_search.judge.budget import RequestBudget
from pydantic_ai_smart_search.lexical.cache import IndexCache
from pydantic_ai_smart_search.options import SearchOptions
from pydantic_ai_smart_search.pipeline import search
from pydantic_ai_smart_search.request import SearchRequest

pytestmark = pytest.mark.anyio

ANSWERS = {
    'remove expired cookies from the jar': {'http/cookiejar.py'},
    'split a shell command line into arguments': {'shlex.py'},
    'guess the mime type of a file from its name': {'mimetypes.py'},
    'compare two directories recursively': {'filecmp.py'},
    'copy a whole directory tree': {'shutil.py'},
    'difference between two sequences of lines': {'difflib.py'},
    'parse an ISO formatted date string': {'datetime.py', '_pydatetime.py'},
    'evict the least recently used entry of a function cache': {'functools.py'},
    'wrap a paragraph to a line width': {'textwrap.py'},
    'temporary directory removed on exit': {'tempfile.py'},
}

ANSWERED_AT_LEAST = 8
"""Of the ten, with the right file among the first five."""


async def test_local_ranking_finds_the_right_file_among_the_first_five() -> None:
    workspace = Workspace(LocalWorkspaceBackend(Path(sysconfig.get_path('stdlib'))))
    indexes = IndexCache(1)
    missed: dict[str, list[str]] = {}
    for query, answers in ANSWERS.items():
        result = await search(
            workspace,
            SearchRequest(query=query, glob='!site-packages/**'),
            LocalJudge(),
            indexes=indexes,
            budget=RequestBudget(),
            options=SearchOptions(),
        )
        found = [match.file_path for match in result.matches]
        if not answers & set(found):
            missed[query] = found
    assert len(missed) <= len(ANSWERS) - ANSWERED_AT_LEAST, missed
