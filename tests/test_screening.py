"""Files that the shortlist leaves out, shown to the judge as outlines."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.usage import UsageLimits

from pydantic_ai_smart_search import SmartSearchResult, SmartSearchToolset, refreshing
from pydantic_ai_smart_search.lexical import choice
from pydantic_ai_smart_search.options import SearchOptions
from pydantic_ai_smart_search.testing import AskedCase, ScriptedJudge
from tests.project import run_context, write_project
from tests.test_pipeline import search_in

pytestmark = pytest.mark.anyio

QUERY = 'refuse an expired session'
HIDDEN_AWAY = 'def turn_away(visitor):\n    raise PermissionError(visitor)\n'
TOKEN = 'ghp_' + 'a1B2c3D4e5F6g7H8i9J0' * 2
"""The shape of a token, and nobody's."""


def project(root: Path, **files: str) -> Path:
    """Forty files about sessions, and `door.py`, which does not say so."""
    sessions = {f's{n:02}.py': f'def expire_session_{n}():\n    return {n}\n' for n in range(40)}
    others = {f'{name}.py': text for name, text in files.items()}
    return write_project(root, {**sessions, 'door.py': HIDDEN_AWAY, **others})


def relevance(case: AskedCase) -> float:
    return 0.9 if case.path == 'door.py' else 0.0


async def search_over(
    root: Path, judge: ScriptedJudge, *, limit: int | None = 50, screen_files: int = 48
) -> SmartSearchResult:
    toolset = SmartSearchToolset[None](model=judge, screen_files=screen_files, use_embedding=False)
    context = run_context(root, limits=UsageLimits(request_limit=limit))
    return await toolset.smart_search(context, QUERY)


async def test_a_file_in_other_words_is_found_by_its_outline(tmp_path: Path) -> None:
    project(tmp_path)
    unscreened = await search_over(tmp_path, ScriptedJudge(relevance), screen_files=0)
    assert (unscreened.matches, unscreened.details.screened_files) == ([], 0)
    judge = ScriptedJudge(relevance)
    result = await search_over(tmp_path, judge)
    assert [match.file_path for match in result.matches] == ['door.py']
    outline = next(case for case in judge.asked if case.path == 'door.py')
    assert outline.is_outline
    assert outline.text == (
        'begins: def turn_away(visitor): raise PermissionError(visitor)\ndefines: turn_away'
    )
    assert (result.details.screened_files, result.details.rescued_files) == (18, 1)


async def test_a_question_about_outlines_is_a_request_of_the_run(tmp_path: Path) -> None:
    result = await search_over(project(tmp_path), ScriptedJudge(relevance))
    # Without a request made before this search, a run's limit of 50 leaves it 25.
    assert (result.details.requests, result.coverage.evaluated) == (25, 24)
    assert result.details.input_tokens > 0


async def test_files_that_are_judged_anyway_are_not_screened(tmp_path: Path) -> None:
    judge = ScriptedJudge(relevance)
    result = await search_over(project(tmp_path), judge, limit=None)
    assert [match.file_path for match in result.matches] == ['door.py']
    assert not any(case.is_outline for case in judge.asked)


async def test_a_local_judge_is_not_asked(tmp_path: Path) -> None:
    toolset = SmartSearchToolset[None](model='local', screen_files=48)
    result = await toolset.smart_search(run_context(project(tmp_path)), QUERY, candidates=1)
    assert (result.details.screened_files, result.details.rescued_files) == (0, 0)


@pytest.mark.parametrize('screens_secrets', [True, False])
async def test_an_outline_that_holds_a_credential_is_withheld_and_counted(
    tmp_path: Path, screens_secrets: bool
) -> None:
    project(tmp_path, key=f'# {TOKEN}\n\ndef turn_away(): ...\n')
    judge = ScriptedJudge({'door.py': 0.9})
    toolset = SmartSearchToolset[None](
        model=judge, screen_files=48, screen_secrets=screens_secrets, use_embedding=False
    )
    result = await toolset.smart_search(run_context(tmp_path), QUERY, candidates=10)
    shown = {case.path for case in judge.asked if case.is_outline}
    assert ('key.py' in shown) is not screens_secrets
    assert any(TOKEN in case.text for case in judge.asked) is not screens_secrets
    assert ('secret' in result.details.skipped) is screens_secrets


async def test_a_hidden_or_ignored_file_has_no_outline(tmp_path: Path) -> None:
    project(tmp_path, ignored=HIDDEN_AWAY)
    write_project(tmp_path, {'.hidden/door.py': HIDDEN_AWAY, '.gitignore': 'ignored.py\n'})
    judge = ScriptedJudge(relevance)
    await search_over(tmp_path, judge)
    assert {case.path for case in judge.asked} == {f's{n:02}.py' for n in range(40)} | {'door.py'}


async def test_a_failed_question_fails_the_search_or_is_counted_and_warned_about(
    tmp_path: Path,
) -> None:
    def fails(case: AskedCase) -> float:
        return 2.0 if case.is_outline else 0.9

    project(tmp_path)
    with pytest.raises(ToolFailed, match='`file_1` is not from 0 to 1'):
        await search_over(tmp_path, ScriptedJudge(fails))
    toolset = SmartSearchToolset[None](
        model=ScriptedJudge(fails), screen_files=48, on_judge_error='partial'
    )
    context = run_context(tmp_path, limits=UsageLimits(request_limit=50))
    result = await toolset.smart_search(context, QUERY)
    assert result.matches != []
    assert result.details.retries == 1
    assert any(
        '18 files were not screened and may be relevant: its answer cannot be used' in warning
        for warning in result.warnings
    )


async def test_a_file_that_changes_during_a_search_is_not_outlined_by_its_old_text(
    tmp_path: Path,
) -> None:
    def progress(stage: str, done: int, total: int) -> None:
        if stage == 'index' and done == total:
            (tmp_path / 'door.py').write_text('changed = True\n')

    judge = ScriptedJudge({'door.py': 0.9})
    toolset_options = SearchOptions(screen_files=48, use_embedding=False)
    result = await search_in(
        project(tmp_path), judge, toolset_options, progress=progress, candidates=10
    )
    assert result.matches == []
    assert 'door.py' not in {case.path for case in judge.asked}


async def test_a_search_of_a_big_tree_screens_the_files_it_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refreshing, 'CUT_ALL_BYTES', 0)
    monkeypatch.setattr(choice, 'CUT_ALL_BYTES', 0)
    monkeypatch.setattr(choice, 'CHOSEN_BYTES', 1_200)
    monkeypatch.setattr(choice, 'FILLING_BYTES', 0)
    judge = ScriptedJudge({'door.py': 0.9})
    result = await search_over(project(tmp_path), judge)
    shown = {case.path for case in judge.asked if case.is_outline}
    assert 'door.py' not in shown
    assert 0 < len(shown) == result.details.screened_files
    assert result.coverage.snippets < 40
