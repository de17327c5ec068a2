"""What happens while a search is under way, and how its result says so."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

import anyio
import pytest
from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.workspaces import LocalWorkspaceBackend, Workspace, WrapperWorkspace

from pydantic_ai_smart_search import SmartSearchResult, pipeline, refreshing
from pydantic_ai_smart_search.errors import LimitExceeded
from pydantic_ai_smart_search.judge.budget import RequestBudget
from pydantic_ai_smart_search.judge.model import make_judge
from pydantic_ai_smart_search.lexical import choice
from pydantic_ai_smart_search.lexical.cache import IndexCache, open_indexes
from pydantic_ai_smart_search.options import Refresh, SearchOptions
from pydantic_ai_smart_search.pipeline import search
from pydantic_ai_smart_search.request import SearchRequest, no_progress
from pydantic_ai_smart_search.source import reading
from pydantic_ai_smart_search.source.files import Root, Skipped, SourceFile
from pydantic_ai_smart_search.testing import ScriptedJudge
from tests.project import write_project

pytestmark = pytest.mark.anyio


async def search_in(
    root: Path | Workspace,
    judge: FunctionModel,
    options: SearchOptions | None = None,
    progress: pipeline.Progress = no_progress,
    indexes: IndexCache | None = None,
    directory: str = '.',
    explain: bool = False,
    candidates: int = 128,
) -> SmartSearchResult:
    return await search(
        Workspace(LocalWorkspaceBackend(root)) if isinstance(root, Path) else root,
        SearchRequest(
            query='reject expired sessions',
            directory=directory,
            explain=explain,
            candidates=candidates,
        ),
        make_judge(judge),
        indexes=indexes or IndexCache(0),
        budget=RequestBudget(),
        options=options or SearchOptions(),
        progress=progress,
    )


def many_sessions(root: Path) -> Path:
    return write_project(
        root, {f'm{n:02}.py': f'def expire_session_{n}():\n    return {n}\n' for n in range(60)}
    )


def judge_of(answer: Callable[[int], float]) -> FunctionModel:
    """A judge whose n-th answer is `answer(n)`, twice."""
    asked = iter(range(1000))

    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        score = answer(next(asked))
        arguments = {'entity': score, 'operation': score}
        return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, arguments)])

    return FunctionModel(respond)


def change(root: Path, action: Callable[[Path], object]) -> pipeline.Progress:
    """Does something to a file once everything has been read for the first time."""

    def progress(stage: str, done: int, total: int) -> None:
        if stage == 'index' and done == total:
            action(root / 'app/sessions.py')

    return progress


async def test_a_file_that_changes_during_a_search_is_not_judged_by_its_old_text(
    tmp_path: Path,
) -> None:
    write_project(tmp_path)
    judge = ScriptedJudge({'refusing': 0.9})
    result = await search_in(
        tmp_path, judge, progress=change(tmp_path, lambda path: path.write_text('x = 1\n'))
    )
    assert result.matches == []
    assert any('their files changed during the search' in warning for warning in result.warnings)


async def test_a_file_that_is_deleted_during_a_search_is_left_out_and_said_to_be(
    tmp_path: Path,
) -> None:
    write_project(tmp_path)
    judge = ScriptedJudge({'refusing': 0.9})
    result = await search_in(tmp_path, judge, progress=change(tmp_path, Path.unlink))
    assert result.matches == []
    assert not result.coverage.selection_complete


@pytest.mark.parametrize(
    ('limit', 'what'),
    [('MAX_TOTAL_BYTES', 'bytes of source'), ('MAX_TOTAL_LINES', 'lines of source')],
)
async def test_a_limit_names_itself_and_leaves_no_partial_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, what: str
) -> None:
    write_project(tmp_path)
    indexes = IndexCache(1)
    with monkeypatch.context() as lowered:
        lowered.setattr(refreshing, limit, 10)
        with pytest.raises(LimitExceeded, match=f'more than 10 {what}.*Narrow'):
            await search_in(tmp_path, ScriptedJudge({}), indexes=indexes)
    result = await search_in(tmp_path, ScriptedJudge({}), indexes=indexes)
    assert result.details.indexed_files == result.coverage.files == 4


async def test_snippets_a_judge_failed_on_are_counted_and_warned_about(tmp_path: Path) -> None:
    many_sessions(tmp_path)

    def answer(number: int) -> float:
        if number % 10 == 9:
            raise RuntimeError('out of memory')
        return 0.9

    options = SearchOptions(on_judge_error='partial')
    result = await search_in(tmp_path, judge_of(answer), options)
    assert result.coverage.evaluated == 54
    assert result.details.unjudged == {'judge failed': 6}
    assert any('6 shortlisted snippets could not be judged' in w for w in result.warnings)


async def test_enough_confident_matches_end_the_judging_and_the_rest_is_counted(
    tmp_path: Path,
) -> None:
    many_sessions(tmp_path)
    result = await search_in(tmp_path, judge_of(lambda number: 1.0), SearchOptions(stop_after=3))
    assert result.coverage.evaluated == 32
    assert result.details.unjudged == {'enough found': 28}
    assert any('3 or more confident matches had been found' in w for w in result.warnings)


async def test_the_judge_reads_what_a_snippet_is_inside_of(tmp_path: Path) -> None:
    write_project(tmp_path)
    judge = ScriptedJudge({})
    await search_in(tmp_path, judge)
    inside = {case.symbol: case.inside for case in judge.asked}
    assert inside['SessionStore.load'] == 'class SessionStore: """Keeps sessions in memory."""'
    assert inside['call_with_retries'] is None


async def test_a_search_explains_every_candidate_only_when_it_is_asked_to(tmp_path: Path) -> None:
    many_sessions(tmp_path)
    options = SearchOptions(stop_after=3)
    asked = await search_in(tmp_path, judge_of(lambda number: 0.9), options, explain=True)
    candidates = asked.details.candidates
    assert [one.rank for one in candidates] == list(range(1, 61))
    assert sum(one.entity == one.operation == 0.9 for one in candidates) == 32
    assert sum(one.entity is None and one.operation is None for one in candidates) == 28
    assert all(sum(one.parts.values()) == pytest.approx(one.score) for one in candidates)
    unasked = await search_in(tmp_path, judge_of(lambda number: 0.9), options)
    assert unasked.details.candidates == []


async def test_a_candidate_is_spelled_as_a_match_is(tmp_path: Path) -> None:
    write_project(tmp_path)
    result = await search_in(
        tmp_path, ScriptedJudge({'refusing': 0.9}), directory='app', explain=True
    )
    best, match = result.details.candidates[0], result.matches[0]
    assert (best.path, best.symbol) == (match.file_path, match.symbol)
    assert (best.start_line, best.end_line) == (match.snippet_start_line, match.snippet_end_line)


async def test_a_deadline_returns_what_was_judged_and_says_what_was_not(tmp_path: Path) -> None:
    many_sessions(tmp_path)
    asked = 0

    async def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        nonlocal asked
        asked += 1
        if asked > 10:
            await anyio.sleep_forever()
        arguments = {'entity': 1.0, 'operation': 1.0}
        return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, arguments)])

    options = SearchOptions(deadline_seconds=4.0, concurrency=1)
    result = await search_in(tmp_path, FunctionModel(respond), options)
    judged = result.coverage.evaluated
    assert 0 < judged <= 10
    assert any(
        f'{60 - judged} shortlisted snippets were not judged within the 4 seconds' in warning
        for warning in result.warnings
    )


async def reads_of(
    root: Path, indexes: IndexCache, monkeypatch: pytest.MonkeyPatch, refresh: Refresh = 'state'
) -> tuple[SmartSearchResult, list[str]]:
    """A search, and the files it read to refresh its index."""
    read: list[list[str]] = []
    read_files = reading.read_files

    def recorded(
        workspace: Workspace, root: Root, paths: Sequence[str]
    ) -> AsyncIterator[list[SourceFile | Skipped]]:
        read.append(list(paths))
        return read_files(workspace, root, paths)

    with monkeypatch.context() as recording:
        recording.setattr(refreshing, 'read_files', recorded)
        options = SearchOptions(refresh=refresh)
        result = await search_in(root, ScriptedJudge({'refusing': 0.9}), options, indexes=indexes)
    return result, read[0]


async def test_a_later_search_reads_only_the_files_that_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, '_SETTLED_NS', -1)
    write_project(tmp_path, {'a.py': 'def refusing(): ...\n', 'b.py': 'x\n', 'logo.png': b'\0'})
    indexes = IndexCache(1)
    first, read = await reads_of(tmp_path, indexes, monkeypatch)
    assert read == ['a.py', 'b.py', 'logo.png']
    again, read = await reads_of(tmp_path, indexes, monkeypatch)
    assert read == []
    assert (again.matches, again.coverage) == (first.matches, first.coverage)
    (tmp_path / 'b.py').write_text('def refusing_too(): ...\n')
    changed, read = await reads_of(tmp_path, indexes, monkeypatch)
    assert read == ['b.py']
    assert changed.details.indexed_files == 1
    assert {match.file_path for match in changed.matches} == {'a.py', 'b.py'}


async def test_a_file_touched_as_it_was_indexed_is_read_again_until_it_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_project(tmp_path, {'a.py': 'def refusing(): ...\n'})
    indexes = IndexCache(1)
    for settled_ns, expected in (
        (1 << 62, ['a.py']),
        (1 << 62, ['a.py']),
        (-1, ['a.py']),
        (-1, []),
    ):
        monkeypatch.setattr(reading, '_SETTLED_NS', settled_ns)
        assert (await reads_of(tmp_path, indexes, monkeypatch))[1] == expected


async def test_every_file_is_read_where_that_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, '_SETTLED_NS', -1)
    write_project(tmp_path, {'a.py': 'def refusing(): ...\n'})
    indexes = IndexCache(1)
    for indexed in (1, 0):
        result, read = await reads_of(tmp_path, indexes, monkeypatch, 'content')
        assert (read, result.details.indexed_files) == (['a.py'], indexed)


@pytest.fixture
def small_trees_are_scanned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refreshing, 'CUT_ALL_BYTES', 0)
    monkeypatch.setattr(choice, 'CUT_ALL_BYTES', 0)
    monkeypatch.setattr(choice, 'CHOSEN_BYTES', 400)
    monkeypatch.setattr(choice, 'FILLING_BYTES', 0)


@pytest.mark.usefixtures('small_trees_are_scanned')
async def test_a_big_tree_is_scanned_and_only_the_files_that_fit_best_are_cut(
    tmp_path: Path,
) -> None:
    write_project(tmp_path)
    write_project(tmp_path, {'app/other.py': 'def work(): ...\n', 'app/more.py': 'x = 1\n' * 99})
    result = await search_in(tmp_path, ScriptedJudge({'refusing': 0.9}))
    assert [match.file_path for match in result.matches] == ['app/sessions.py']
    assert result.coverage.files == result.details.scanned_files == 6
    assert result.details.indexed_files == 1
    assert result.coverage.snippets == result.coverage.evaluated
    assert not result.coverage.selection_complete
    (warning,) = result.warnings
    assert warning.startswith('All 6 files were scanned for the words of the query, and the 1 ')


@pytest.mark.usefixtures('small_trees_are_scanned')
async def test_a_file_too_big_to_be_read_is_counted_in_a_scan_too(tmp_path: Path) -> None:
    write_project(tmp_path)
    (tmp_path / 'big.json').write_bytes(b'refusing ' * (1 << 17))
    result = await search_in(tmp_path, ScriptedJudge({'refusing': 0.9}))
    assert result.coverage.skipped_files == 1
    assert result.details.skipped['oversize'].paths == ['big.json']
    assert ' and the 1 that fit best were cut into snippets.' in result.warnings[0]


@pytest.mark.usefixtures('small_trees_are_scanned')
async def test_a_tree_is_cut_whole_for_an_index_that_is_kept_and_for_a_single_file(
    tmp_path: Path,
) -> None:
    write_project(tmp_path)
    result = await search_in(tmp_path, ScriptedJudge({'refusing': 0.9}), indexes=IndexCache(1))
    assert (result.details.scanned_files, result.details.indexed_files) == (0, 4)
    one = await search_in(tmp_path, ScriptedJudge({'refusing': 0.9}), directory='app/sessions.py')
    assert (one.details.scanned_files, one.details.indexed_files) == (0, 1)


@pytest.mark.usefixtures('small_trees_are_scanned')
async def test_a_tree_is_cut_whole_where_it_cannot_be_scanned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def no_scan(*_: object) -> None:
        return None

    monkeypatch.setattr(refreshing, 'scan_files', no_scan)
    write_project(tmp_path)
    result = await search_in(tmp_path, ScriptedJudge({'refusing': 0.9}))
    assert (result.details.scanned_files, result.details.indexed_files) == (0, 4)


async def test_a_small_tree_elsewhere_is_found_small_by_its_scan(tmp_path: Path) -> None:
    write_project(tmp_path)
    workspace = WrapperWorkspace(Workspace(LocalWorkspaceBackend(tmp_path)))
    result = await search_in(workspace, ScriptedJudge({'refusing': 0.9}))
    assert (result.details.scanned_files, result.details.indexed_files) == (0, 4)


async def test_a_new_process_reads_only_what_changed_since_the_index_was_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, '_SETTLED_NS', -1)
    root = write_project(tmp_path / 'project')
    kept = tmp_path / 'kept'
    first, _ = await reads_of(root, open_indexes(kept, in_memory=False), monkeypatch)
    (root / 'README.md').write_text('# Changed\n')
    again, read = await reads_of(root, open_indexes(kept, in_memory=False), monkeypatch)
    assert read == ['README.md']
    assert again.details.indexed_files == 1
    assert again.matches == first.matches


async def test_indexes_inside_the_workspace_are_not_searched(tmp_path: Path) -> None:
    write_project(tmp_path)
    for _ in range(2):
        indexes = open_indexes(tmp_path / 'indexes', in_memory=False)
        result = await search_in(tmp_path, ScriptedJudge({'refusing': 0.9}), indexes=indexes)
        assert result.coverage.files == 4
    assert list((tmp_path / 'indexes').glob('*.sqlite'))


async def test_a_search_goes_on_without_a_disk_that_fails_and_says_so(tmp_path: Path) -> None:
    root = write_project(tmp_path / 'project')
    (tmp_path / 'kept').write_text('no directory')
    indexes = open_indexes(tmp_path / 'kept', in_memory=False)
    result = await search_in(root, ScriptedJudge({'refusing': 0.9}), indexes=indexes)
    assert [match.file_path for match in result.matches] == ['app/sessions.py']
    assert any('could not be kept in `index_dir`' in warning for warning in result.warnings)


async def test_big_numbers_of_skipped_files_are_told_in_thousands(tmp_path: Path) -> None:
    write_project(tmp_path)
    write_project(tmp_path, {f'__pycache__/m{number}.pyc': b'\0' for number in range(1_000)})
    result = await search_in(tmp_path, ScriptedJudge({}))
    assert any('in full: 1,000 cache (__pycache__/' in warning for warning in result.warnings)
