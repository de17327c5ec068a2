"""Inputs from the field on which the listings of code searches break.

With `SMART_SEARCH_TEST_RG=/usr/bin/rg:/opt/rg15/rg` every test runs once with each `rg`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic_ai.workspaces import Workspace

from pydantic_ai_smart_search.errors import (
    DirectoryNotFound,
    DirectoryOutsideWorkspace,
    InvalidGlob,
)
from pydantic_ai_smart_search.judge.budget import RequestBudget
from pydantic_ai_smart_search.lexical.cache import IndexCache
from pydantic_ai_smart_search.options import SearchOptions
from pydantic_ai_smart_search.pipeline import search
from pydantic_ai_smart_search.request import SearchRequest
from pydantic_ai_smart_search.results import SmartSearchResult
from pydantic_ai_smart_search.source.files import Listing, Root, SkipReason
from pydantic_ai_smart_search.source.listing import find_root
from tests.judge.cases import ScriptedJudge
from tests.project import write_project
from tests.source.places import CommandBackend, list_in, local, tools_without_rg

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures('rg')]


def skipped(listing: Listing) -> dict[str, SkipReason]:
    return {file.path: file.reason for file in listing.skipped}


@pytest.mark.parametrize(
    'config', ['--hidden', '--no-ignore', '--glob=!*.py', '--files-with-matches', '--bogus-flag']
)
async def test_a_ripgrep_config_file_changes_nothing(tmp_path: Path, config: str) -> None:
    """A workspace environment that carries RIPGREP_CONFIG_PATH (opencode#12925)."""
    root = write_project(
        tmp_path / 'project',
        {'a.py': '', 'b.txt': '', '.h.py': '', 'ign.py': '', '.gitignore': 'ign.py\n'},
    )
    (tmp_path / 'rgrc').write_text(f'{config}\n')
    listing = await list_in(local(root, RIPGREP_CONFIG_PATH=str(tmp_path / 'rgrc')))
    assert listing == Listing(paths=['a.py', 'b.txt'], skipped=[])


async def test_a_hidden_file_an_ignore_file_brings_back_is_counted_and_not_listed(
    tmp_path: Path,
) -> None:
    """`.gitignore` holds `!.env` (ripgrep#771)."""
    write_project(tmp_path, {'.gitignore': '!.env\n!.github/\n', '.env': '', 'a.py': ''})
    write_project(tmp_path, {'.github/workflows/ci.yml': ''})
    listing = await list_in(local(tmp_path))
    assert listing.paths == ['a.py']
    assert skipped(listing) == {
        '.env': SkipReason.HIDDEN,
        '.github/workflows/ci.yml': SkipReason.HIDDEN,
    }


async def test_ignore_files_count_without_a_git_repository(tmp_path: Path) -> None:
    """A tree without `git init` (ripgrep#1229)."""
    write_project(tmp_path, {'.gitignore': 'ign.py\n', 'ign.py': '', 'sub/ign.py': '', 'a.py': ''})
    write_project(tmp_path, {'sub/.ignore': 'b.py\n', 'sub/b.py': '', 'sub/c.py': ''})
    assert (await list_in(local(tmp_path))).paths == ['a.py', 'sub/c.py']


async def test_an_ignore_rule_above_the_directory_holds_in_it(tmp_path: Path) -> None:
    """`**/bar/*` above `directory='foo'`, which `rg` before 15 misreads (ripgrep#2770)."""
    write_project(tmp_path, {'.gitignore': '**/bar/*\n', 'foo/bar/x.py': '', 'foo/y.py': ''})
    assert (await list_in(local(tmp_path), 'foo')).paths == ['y.py']


async def test_a_directory_whose_every_file_is_ignored_stays_empty_and_says_why(
    tmp_path: Path,
) -> None:
    """The same with nothing else in it: no second listing may bring the ignored files back."""
    write_project(tmp_path, {'.gitignore': '**/bar/*\n', 'foo/bar/x.py': '', 'foo/bar/z.py': ''})
    listing = await list_in(local(tmp_path), 'foo')
    assert not listing.paths
    assert listing.why_empty == (
        'Ignore files leave nothing to search, most of it because of '
        "the rule '**/bar/*' in .gitignore."
    )


@pytest.mark.parametrize(
    ('glob', 'paths'),
    [('*.txt', ['a.txt']), ('**', ['a.txt', 'b.py']), ('bar*', []), ('!*.py', ['a.txt'])],
)
async def test_a_glob_cannot_reveal_an_ignored_file(
    tmp_path: Path, glob: str, paths: list[str]
) -> None:
    """For `rg` a glob outranks `.gitignore` (ripgrep#865)."""
    write_project(tmp_path, {'.gitignore': 'bar*\n', 'bar.txt': '', 'bar.py': '', 'a.txt': ''})
    write_project(tmp_path, {'b.py': '', '.c.txt': ''})
    assert (await list_in(local(tmp_path), glob=glob)).paths == paths


async def test_a_listing_beyond_what_a_command_may_print_arrives_whole(tmp_path: Path) -> None:
    """More than 10 MiB of paths, though few files; with a glob that leaves one of them too."""
    folder = '/'.join(['long' * 60] * 14)
    names = [f'{folder}/{number:04}.py' for number in range(3_300)]
    write_project(tmp_path, dict.fromkeys(names, ''))
    assert sum(map(len, names)) > 10 << 20
    assert (await list_in(local(tmp_path))).paths == names
    assert (await list_in(local(tmp_path), glob='0815.py')).paths == [names[815]]


async def test_an_ignore_rule_for_hidden_directories_leaves_the_files(tmp_path: Path) -> None:
    """`.gitignore` holds `.*/` (grepai#202)."""
    write_project(tmp_path, {'.gitignore': '.*/\n', 'a.py': '', 'sub/b.py': '', '.h/c.py': ''})
    assert (await list_in(local(tmp_path))).paths == ['a.py', 'sub/b.py']


async def test_links_are_counted_and_not_followed(tmp_path: Path) -> None:
    """`ln -s a.py l.py`; links to a directory inside and to one outside (osgrep#89)."""
    root = write_project(tmp_path / 'project', {'a.py': '', 'inside/b.py': ''})
    write_project(tmp_path / 'elsewhere', {'c.py': ''})
    (root / 'l.py').symlink_to('a.py')
    (root / 'in').symlink_to('inside')
    (root / 'out').symlink_to(tmp_path / 'elsewhere')
    listing = await list_in(local(root))
    assert listing.paths == ['a.py', 'inside/b.py']
    assert skipped(listing) == dict.fromkeys(['in', 'l.py', 'out'], SkipReason.LINK)

    assert (await list_in(local(root), 'in')).paths == ['b.py']
    with pytest.raises(DirectoryOutsideWorkspace):
        await find_root(local(root), 'out')


@pytest.mark.parametrize(
    'name',
    [
        'new\nline.py',
        '-d.py',
        '--pre=x',
        'two words.py',
        '[id].py',
        ' ends .py',
        'ü.py',
        '\ufffd.py',
    ],
)
async def test_any_name_is_listed_as_it_is(tmp_path: Path, name: str) -> None:
    """Newlines, leading dashes, spaces, brackets (ripgrep#1233)."""
    write_project(tmp_path, {name: '', f'dir {name}/{name}': ''})
    assert sorted((await list_in(local(tmp_path))).paths) == sorted([name, f'dir {name}/{name}'])
    assert (await list_in(local(tmp_path), f'dir {name}')).paths == [name]
    assert await list_in(local(tmp_path), name) == Listing(paths=[name], named=frozenset([name]))


async def test_a_name_that_is_no_utf8_is_listed_byte_for_byte(tmp_path: Path) -> None:
    (tmp_path / 'caf\udce9.py').touch()
    listing = await list_in(local(tmp_path))
    assert listing.paths == ['caf\udce9.py']
    root = await find_root(local(tmp_path), '.')
    assert root.display(listing.paths[0]) == 'caf\ufffd.py'


TREE: dict[str, str | bytes] = {
    'a.py': '',
    'b.js': '',
    'src/c.py': '',
    'lib/d.go': '',
    'app/[id]/page.tsx': '',
    'app/i/page.tsx': '',
    'tests/e.py': '',
    '.env': '',
}


@pytest.mark.parametrize(
    ('glob', 'paths'),
    [
        ('*.py,*.js', ['a.py', 'b.js', 'src/c.py', 'tests/e.py']),
        ('src/', ['src/c.py']),
        ('src', ['src/c.py']),
        ('{src,lib}/**', ['lib/d.go', 'src/c.py']),
        ('app/[id]/*.tsx', ['app/[id]/page.tsx', 'app/i/page.tsx']),
        ('!tests/**,*.py', ['a.py', 'src/c.py']),
    ],
)
async def test_a_glob_means_what_its_writer_meant(
    tmp_path: Path, glob: str, paths: list[str]
) -> None:
    write_project(tmp_path, TREE)
    assert (await list_in(local(tmp_path), glob=glob)).paths == paths


async def test_a_glob_that_looks_like_an_option_is_none_and_says_that_it_matches_nothing(
    tmp_path: Path,
) -> None:
    write_project(tmp_path, TREE)
    listing = await list_in(local(tmp_path), glob='--pre=x')
    assert listing == Listing(
        paths=[], skipped=[], why_empty="The glob '--pre=x' matches none of the 7 files."
    )


async def test_a_glob_for_hidden_files_is_explained(tmp_path: Path) -> None:
    write_project(tmp_path, TREE)
    listing = await list_in(local(tmp_path), glob='.env')
    assert listing.why_empty == (
        "The glob '.env' asks for hidden files, which are never searched. "
        'To search what is in a hidden directory, give it as `directory`.'
    )


@pytest.mark.parametrize('glob', ['{src,lib', '../*.py', '{a,b}' * 9])
async def test_a_glob_that_cannot_be_meant_is_refused(tmp_path: Path, glob: str) -> None:
    with pytest.raises(InvalidGlob):
        await list_in(local(tmp_path), glob=glob)


async def test_a_directory_that_is_not_there_or_not_inside_is_refused(tmp_path: Path) -> None:
    root = write_project(tmp_path / 'project', {'a.py': '', 'sub/b.py': ''})
    for directory in ('nope', 'a.py/b', 'nul\0', '-d', 'x' * 5_000, '\ud800'):
        with pytest.raises(DirectoryNotFound):
            await find_root(local(root), directory)
    for directory in ('../..', '..', '/', '/etc', 'sub/../..', f'{root}-sibling'):
        with pytest.raises(DirectoryOutsideWorkspace):
            await find_root(local(root), directory)


async def test_a_single_file_is_searched_and_shown_as_it_was_asked_for(tmp_path: Path) -> None:
    root = write_project(tmp_path, {'a.py': '', 'sub/b.py': ''}).resolve()
    (root / 'l.py').symlink_to('sub/b.py')
    for directory, shown in {
        'a.py': 'a.py',
        'sub/b.py': 'sub/b.py',
        './sub/../a.py': 'a.py',
        'l.py': 'sub/b.py',
        f'{root}/a.py': f'{root}/a.py',
    }.items():
        found = await find_root(local(root), directory)
        assert found.only
        assert found.display(found.only) == shown
    assert await find_root(local(root), 'sub/b.py') == Root(
        path=f'{root}/sub', shown='sub', only='b.py'
    )


async def test_a_directory_that_looks_like_an_option_is_a_directory(tmp_path: Path) -> None:
    write_project(tmp_path, {'-d/a.py': '', '-/b.py': ''})
    assert (await list_in(local(tmp_path), '-d')).paths == ['a.py']
    assert (await list_in(local(tmp_path), '-')).paths == ['b.py']


@pytest.mark.parametrize(
    'path',
    [
        *('config/id_rsa', 'prod.env', 'secrets.json', 'terraform.tfstate', 'server.PEM'),
        *('app.key', 'credentials', 'credentials.json', 'db.secret', 'k8s/secrets.yaml'),
    ],
)
async def test_a_credential_file_is_counted_and_not_listed(tmp_path: Path, path: str) -> None:
    """Committed key and state files (mcp-jetbrains#11), however they are asked for."""
    write_project(tmp_path, {path: '', 'a.py': ''})
    assert skipped(await list_in(local(tmp_path))) == {path: SkipReason.SECRET}
    assert skipped(await list_in(local(tmp_path), glob=path)) == {path: SkipReason.SECRET}
    single = await list_in(local(tmp_path), path)
    assert not single.paths
    assert [file.reason for file in single.skipped] == [SkipReason.SECRET]


async def test_ripgrep_installed_beside_python_is_found_for_a_local_workspace(
    tmp_path: Path,
) -> None:
    """A virtual environment that is not activated."""
    root = write_project(tmp_path / 'project', {'a.py': ''})
    path = tools_without_rg(tmp_path / 'bin')
    assert (await list_in(local(root, PATH=path))).paths == ['a.py']


async def test_elsewhere_ripgrep_is_the_one_of_the_workspace(tmp_path: Path, rg: Path) -> None:
    root = write_project(tmp_path / 'project', {'a.py': ''})
    path = f'{rg}:{tools_without_rg(tmp_path / "bin")}'
    backend = CommandBackend(root, path=path)
    assert (await list_in(Workspace(backend))).paths == ['a.py']
    assert str(rg) not in ' '.join(backend.commands)


async def search_for_sessions(
    root: Path, judge: ScriptedJudge, *, screen_secrets: bool = True
) -> SmartSearchResult:
    return await search(
        local(root),
        SearchRequest(query='sign a session token'),
        judge,
        indexes=IndexCache(0),
        budget=RequestBudget(),
        options=SearchOptions(screen_secrets=screen_secrets),
    )


async def test_a_snippet_with_a_private_key_is_counted_and_never_judged(tmp_path: Path) -> None:
    """A `.py` that holds one among code that does not (mcp-jetbrains#11)."""
    key = '\n'.join(['-----BEGIN RSA PRIVATE KEY-----', *['MIIEow+/0aB' * 5 + 'x'] * 40])
    filler = '\n'.join(f'x{number} = {number}' for number in range(200))
    write_project(
        tmp_path,
        {
            'a.py': f'def sign(session_token): ...\n\n{filler}\n\nSESSION_KEY = """\n{key}\n"""\n',
            'b.py': 'def verify(session_token): ...\n',
            'session.pem': key,
        },
    )
    judge = ScriptedJudge()
    result = await search_for_sessions(tmp_path, judge)
    assert judge.asked
    assert not any('MIIEow' in text for text in judge.asked)
    assert any('def sign' in text for text in judge.asked)
    assert {match.file_path for match in result.matches} == {'a.py', 'b.py'}
    assert result.details.skipped['secret'].paths == ['a.py', 'session.pem']
    assert not result.coverage.selection_complete
    assert result.warnings == ['Files not searched, or not in full: 2 secret (a.py, session.pem).']


async def test_the_screen_can_be_turned_off_but_not_for_files_named_as_credentials(
    tmp_path: Path,
) -> None:
    key = f'-----BEGIN PRIVATE KEY-----\n{"MIIEow+/0aB" * 6}'
    write_project(tmp_path, {'a.py': f'SESSION_KEY = """\n{key}\n"""\n', 'session.pem': key})
    judge = ScriptedJudge()
    result = await search_for_sessions(tmp_path, judge, screen_secrets=False)
    assert [match.file_path for match in result.matches] == ['a.py']
    assert result.details.skipped['secret'].paths == ['session.pem']


async def test_a_search_of_nothing_says_what_left_nothing(tmp_path: Path) -> None:
    write_project(tmp_path, {'.gitignore': '*.py\n', 'a.py': ''})
    result = await search_for_sessions(tmp_path, ScriptedJudge())
    assert not result.coverage.selection_complete
    assert result.warnings == [
        (
            'There are no files to search. Ignore files leave nothing to search, most of it '
            "because of the rule '*.py' in .gitignore."
        )
    ]
