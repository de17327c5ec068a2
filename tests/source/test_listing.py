"""What a search may read, and what it leaves alone."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest
from pydantic_ai.workspaces import Workspace, WorkspaceError, WorkspaceUnavailableError

from pydantic_ai_smart_search import options
from pydantic_ai_smart_search.errors import LimitExceeded
from pydantic_ai_smart_search.source import listing as listing_module
from pydantic_ai_smart_search.source.files import Skipped, SkipReason
from pydantic_ai_smart_search.source.listing import find_root
from tests.project import write_project
from tests.source.places import CommandBackend, list_in, local, tools_without_rg

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures('rg')]


async def test_the_listing_is_sorted_and_relative_to_the_directory(tmp_path: Path) -> None:
    write_project(tmp_path, {'b/z.py': '', 'b/a.py': '', 'b.py': '', 'a/x.py': ''})
    assert (await list_in(local(tmp_path))).paths == ['a/x.py', 'b.py', 'b/a.py', 'b/z.py']
    assert (await list_in(local(tmp_path), 'b')).paths == ['a.py', 'z.py']
    assert (await list_in(local(tmp_path), f'{tmp_path}/b')).paths == ['a.py', 'z.py']
    assert (await list_in(local(tmp_path), ' ')).paths == ['a/x.py', 'b.py', 'b/a.py', 'b/z.py']


async def test_matches_are_shown_the_way_the_directory_was_spelled(tmp_path: Path) -> None:
    root = write_project(tmp_path, {'b/c/x.py': ''}).resolve()
    (root / 'link').symlink_to('b/c')
    for directory, shown in {
        '.': 'b/c/x.py',
        './b': 'b/c/x.py',
        'b/c/..': 'b/c/x.py',
        'link/..': 'b/c/x.py',
        f'{root}/b': f'{root}/b/c/x.py',
        f'{root}/link/..': f'{root}/b/c/x.py',
    }.items():
        found = await find_root(local(root), directory)
        (path,) = (await list_in(local(root), directory)).paths
        assert found.display(path) == shown
        assert found.absolute(path) == f'{root}/b/c/x.py'
    assert (await find_root(local(root), 'link')).display('x.py') == 'link/x.py'


async def test_naming_an_ignored_directory_lists_it_with_its_own_ignore_files(
    tmp_path: Path,
) -> None:
    write_project(tmp_path, {'.gitignore': 'out/\n', 'out/a.py': '', 'out/sub/b.py': ''})
    write_project(tmp_path, {'out/.gitignore': '*.log\n', 'out/c.log': '', 'out/.d.py': ''})
    assert not (await list_in(local(tmp_path))).paths
    assert (await list_in(local(tmp_path), 'out')).paths == ['a.py', 'sub/b.py']
    assert (await list_in(local(tmp_path), 'out/sub')).paths == ['b.py']


async def test_naming_a_hidden_directory_lists_it_and_hidden_files_in_it_stay_hidden(
    tmp_path: Path,
) -> None:
    write_project(tmp_path, {'.ci/a.yml': '', '.ci/.b/c.yml': '', '.ci/sub/d.yml': ''})
    write_project(tmp_path, {'.gitignore': '*.log\n', '.ci/e.log': '', '.ci/id_rsa': ''})
    listing = await list_in(local(tmp_path), '.ci')
    assert listing.paths == ['a.yml', 'sub/d.yml']
    assert listing.skipped == [Skipped('id_rsa', SkipReason.SECRET)]


async def test_naming_a_folder_of_credentials_lists_none_of_its_files(tmp_path: Path) -> None:
    write_project(tmp_path, {'.kube/config': '', '.aws/sub/a.py': '', '.ci/b.yml': ''})
    for directory, path in (('.kube', 'config'), ('.aws/sub', 'a.py'), ('.kube/config', 'config')):
        listing = await list_in(local(tmp_path), directory)
        assert not listing.paths
        assert listing.skipped == [Skipped(path, SkipReason.SECRET)]
    assert (await list_in(local(tmp_path), '.ci')).paths == ['b.yml']


async def test_special_files_are_counted_and_never_opened(tmp_path: Path) -> None:
    write_project(tmp_path, {'a.py': ''})
    os.mkfifo(tmp_path / 'pipe')
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / 'sock'))
        listing = await list_in(local(tmp_path))
    assert listing.paths == ['a.py']
    assert listing.skipped == [
        Skipped('pipe', SkipReason.SPECIAL),
        Skipped('sock', SkipReason.SPECIAL),
    ]


async def test_links_nobody_would_search_are_not_counted(tmp_path: Path) -> None:
    """Ignored, beside ignored files, among dependencies, or not matched by the glob."""
    write_project(tmp_path, {'.gitignore': 'bazel-*\nout/\n', 'a.py': '', 'out/b.py': ''})
    write_project(tmp_path, {'env/pyvenv.cfg': '', 'env/c.py': ''})
    for link in ('bazel-bin', 'out/l.py', 'env/l.py', 'l.py', 'm.js'):
        (tmp_path / link).symlink_to('a.py')
    reasons = {
        file.path: file.reason
        for file in (await list_in(local(tmp_path), glob='*.py,*.js,bazel-bin')).skipped
    }
    assert reasons['l.py'] is reasons['m.js'] is SkipReason.LINK
    assert [path for path in reasons if reasons[path] is SkipReason.LINK] == ['l.py', 'm.js']
    assert [file.path for file in (await list_in(local(tmp_path), glob='*.js')).skipped] == ['m.js']


async def test_more_files_than_a_search_may_cover_are_refused_and_a_glob_helps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing_module, 'MAX_FILES', 3)
    write_project(tmp_path, {'a.py': '', 'b.py': '', 'c.py': '', 'd.js': ''})
    with pytest.raises(LimitExceeded, match='3 files'):
        await list_in(local(tmp_path))
    assert (await list_in(local(tmp_path), glob='*.py')).paths == ['a.py', 'b.py', 'c.py']
    assert options.MAX_FILES == 200_000


@pytest.mark.parametrize(
    ('files', 'why'),
    [
        ({}, 'The directory has no files, hidden ones aside.'),
        ({'.a.py': ''}, 'The directory has no files, hidden ones aside.'),
        (
            {'.gitignore': '*\n', 'a.py': '', 'b.py': ''},
            (
                'Ignore files leave nothing to search, most of it because of '
                "the rule '*' in .gitignore."
            ),
        ),
    ],
)
async def test_an_empty_listing_says_what_left_it_empty(
    tmp_path: Path, files: dict[str, str | bytes], why: str
) -> None:
    write_project(tmp_path, files)
    assert (await list_in(local(tmp_path))).why_empty == why


async def test_a_glob_that_does_not_match_the_single_file_says_so(tmp_path: Path) -> None:
    write_project(tmp_path, {'a.py': ''})
    assert (await list_in(local(tmp_path), 'a.py', '*.js')).why_empty == (
        "The glob '*.js' does not match 'a.py'."
    )
    assert (await list_in(local(tmp_path), 'a.py', '*.py')).paths == ['a.py']


async def test_a_glob_that_misses_by_where_it_starts_is_told_so(tmp_path: Path) -> None:
    write_project(tmp_path, {'lib/src/a.py': ''})
    assert (await list_in(local(tmp_path), glob='src/*.py')).why_empty == (
        "The glob 'src/*.py' matches none of the 1 files. "
        'One with a slash starts at `directory`, unless it starts with `**/`.'
    )


async def test_files_a_glob_spells_out_are_named(tmp_path: Path) -> None:
    write_project(tmp_path, {'src/a.py': '', 'src/b.py': ''})
    assert (await list_in(local(tmp_path), glob='src/a.py,src/*')).named == {'src/a.py'}
    assert (await list_in(local(tmp_path), glob='*.py')).named == set()


async def test_a_workspace_that_can_only_run_commands_is_listed_too(tmp_path: Path) -> None:
    write_project(tmp_path, {'.gitignore': 'out\n', 'out/a.py': '', 'b.py': '', '.c/d.py': ''})
    (tmp_path / 'l.py').symlink_to('b.py')
    workspace = Workspace(CommandBackend(tmp_path))
    assert (await list_in(workspace)).paths == ['b.py']
    assert (await list_in(workspace)).skipped == [Skipped('l.py', SkipReason.LINK)]
    assert (await list_in(workspace, 'out')).paths == ['a.py']
    assert (await list_in(workspace, '.c')).paths == ['d.py']
    assert (await list_in(workspace, 'b.py')).paths == ['b.py']


async def test_a_workspace_that_is_gone_is_no_missing_directory(tmp_path: Path) -> None:
    workspace = local(tmp_path / 'gone')
    with pytest.raises(WorkspaceUnavailableError):
        await find_root(workspace, '.')


async def test_a_workspace_that_fails_is_no_missing_directory(tmp_path: Path) -> None:
    """Without `base64`, nothing that the host asks a command-only workspace arrives."""
    root = write_project(tmp_path / 'project', {'sub/a.py': ''})
    backend = CommandBackend(root, path=tools_without_rg(tmp_path / 'bin', leave_out=('base64',)))
    with pytest.raises(WorkspaceError):
        await find_root(Workspace(backend), 'sub')
