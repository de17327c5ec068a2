"""Checking what a search needs before it is needed."""

from __future__ import annotations

import json
import os
import platform
import shutil
import sysconfig
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from typing import Final

import anyio
from pydantic_ai.usage import RunUsage
from pydantic_ai.workspaces import LocalWorkspaceBackend, Workspace, WorkspaceError
from rich.text import Text

from pydantic_ai_smart_search.cli.output import Output, visible
from pydantic_ai_smart_search.cli.show import JSON_VERSION
from pydantic_ai_smart_search.errors import (
    USE_REGULAR_SEARCH,
    RipgrepMissing,
    SmartSearchError,
)
from pydantic_ai_smart_search.judge.budget import RequestBudget
from pydantic_ai_smart_search.judge.local import LOCAL
from pydantic_ai_smart_search.judge.model import make_judge
from pydantic_ai_smart_search.lexical.cache import IndexCache
from pydantic_ai_smart_search.options import DEFAULT_CANDIDATES, SearchOptions
from pydantic_ai_smart_search.pipeline import search
from pydantic_ai_smart_search.request import SearchRequest
from pydantic_ai_smart_search.source.listing import find_root, list_files

SAMPLE_FILE: Final = 'sessions.py'
SAMPLE_QUERY: Final = 'refuse an expired session'
SAMPLE_SOURCE: Final = '''\
def check_session(session, now):
    """Refuse a session that has expired."""
    if session.expires_at < now:
        raise PermissionError('session expired')
'''
"""What a judge is asked about: it needs one snippet, and this one is nobody's."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Check:
    """One thing a search depends on."""

    name: str
    is_ok: bool
    detail: str
    """What was found; what to do about it, if it is not in order."""
    is_needed: bool = True
    """Whether no search works without it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Diagnosis:
    """Whether searches of a directory would work, and what they would tell whom."""

    checks: Sequence[Check]
    leaves: str
    """What would leave this machine."""

    @property
    def is_healthy(self) -> bool:
        """Whether everything that is needed is in order."""
        return all(check.is_ok for check in self.checks if check.is_needed)


async def diagnose(workspace: Workspace, directory: str, judge: str) -> Diagnosis:
    """Check everything a search of `directory` by `judge` needs; the judge is asked once."""
    return Diagnosis(
        checks=[
            _check_versions(),
            await _check_ripgrep(),
            _check_languages(),
            await _check_workspace(workspace, directory),
            await _check_judge(judge),
        ],
        leaves=_what_leaves(judge),
    )


def diagnosis_as_json(diagnosis: Diagnosis) -> str:
    """The diagnosis as one JSON object."""
    return json.dumps(
        {
            'version': JSON_VERSION,
            'healthy': diagnosis.is_healthy,
            'checks': {
                check.name: {'ok': check.is_ok, 'needed': check.is_needed, 'detail': check.detail}
                for check in diagnosis.checks
            },
            'leaves': diagnosis.leaves,
        },
        indent=2,
    )


def show_diagnosis(output: Output, diagnosis: Diagnosis) -> None:
    """Print each check, then what would leave the machine."""
    for check in diagnosis.checks:
        if check.is_ok:
            mark = Text('ok    ', style='green')
        elif check.is_needed:
            mark = Text('FAIL  ', style='bold red')
        else:
            mark = Text('note  ', style='magenta')
        mark.append(f'{check.name:11}', style='bold')
        output.put_item(mark, Text(visible(check.detail)))
    output.put_item(Text(f'      {"leaves":11}', style='bold'), Text(diagnosis.leaves))


def _check_versions() -> Check:
    return Check(
        name='versions',
        is_ok=True,
        detail=(
            f'pydantic-ai-smart-search {version("pydantic-ai-smart-search")}, '
            f'Pydantic AI {version("pydantic-ai-slim")}, Python {platform.python_version()}'
        ),
    )


async def _check_ripgrep() -> Check:
    """Which `rg` a search would run: pip's, next to this Python, before that of the `PATH`."""
    bundled = os.path.join(sysconfig.get_path('scripts'), 'rg')
    rg = bundled if os.access(bundled, os.X_OK) else shutil.which('rg')
    if rg is None:
        return Check(name='ripgrep', is_ok=False, detail=_message(RipgrepMissing()))
    try:
        answer = await anyio.run_process([rg, '--version'], check=False)
    except OSError as error:
        return Check(name='ripgrep', is_ok=False, detail=f'{rg} cannot be run: {error}')
    told = answer.stdout.decode(errors='replace').partition('\n')[0]
    return Check(name='ripgrep', is_ok=answer.returncode == 0, detail=f'{told}, {rg}')


def _check_languages() -> Check:
    if find_spec('tree_sitter'):
        return Check(name='languages', is_ok=True, is_needed=False, detail='grammars installed')
    return Check(
        name='languages',
        is_ok=False,
        is_needed=False,
        detail=(
            'no grammars: languages other than Python are cut by lines, not by functions. '
            "pip install 'pydantic-ai-smart-search[languages]' provides them."
        ),
    )


async def _check_workspace(workspace: Workspace, directory: str) -> Check:
    try:
        root = await find_root(workspace, directory)
        listing = await list_files(workspace, root, None)
    except (SmartSearchError, WorkspaceError) as error:
        return Check(name='workspace', is_ok=False, detail=_message(error))
    return Check(
        name='workspace',
        is_ok=bool(listing.paths),
        detail=f'{len(listing.paths):,} files to search in {root.path}',
    )


async def _check_judge(name: str) -> Check:
    """Search a made-up project, which takes every stage and one question to the judge."""
    usage = RunUsage()
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        await anyio.Path(folder, SAMPLE_FILE).write_text(SAMPLE_SOURCE)
        try:
            result = await search(
                Workspace(LocalWorkspaceBackend(folder)),
                SearchRequest(query=SAMPLE_QUERY),
                make_judge(name, usage=usage),
                indexes=IndexCache(0),
                budget=RequestBudget(usage),
                options=SearchOptions(threshold=0),
            )
        except (SmartSearchError, WorkspaceError) as error:
            return Check(name='judge', is_ok=False, detail=_message(error))
    seconds = time.perf_counter() - started
    relevance = result.matches[0].score
    return Check(
        name='judge',
        is_ok=True,
        detail=f'{name} gave a sample that fits a relevance of {relevance:.2f} in {seconds:.1f} s',
    )


def _what_leaves(judge: str) -> str:
    if judge == LOCAL:
        return 'nothing: searches are listed, read, cut and ranked in this process'
    return (
        f'to the provider of {judge}, with each search: the query, and the text, path and symbol '
        f'of up to {DEFAULT_CANDIDATES} snippets, with the imports they use and the opening lines '
        'of what they are inside of; and, only if files are screened, the path, the first lines '
        'and the names of those'
    )


def _message(error: Exception) -> str:
    return str(error).removesuffix(f' {USE_REGULAR_SEARCH}')
