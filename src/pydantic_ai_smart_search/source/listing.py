"""Finding the root of a search and listing the files below it."""

from __future__ import annotations

import posixpath
from dataclasses import replace
from typing import Final

import anyio.to_thread
from pydantic_ai.workspaces import Workspace, WorkspaceError

from pydantic_ai_smart_search.errors import (
    DirectoryNotFound,
    DirectoryOutsideWorkspace,
    LimitExceeded,
)
from pydantic_ai_smart_search.options import MAX_FILES
from pydantic_ai_smart_search.source.files import Listing, Root, Skipped, SkipReason, is_hidden
from pydantic_ai_smart_search.source.globs import Glob, parse_glob
from pydantic_ai_smart_search.source.noise import NoiseFilter
from pydantic_ai_smart_search.source.ripgrep import Names, Ripgrep
from pydantic_ai_smart_search.source.secrets import is_secret_folder, is_secret_name

_PASSED_OVER: Final = frozenset({SkipReason.LINK, SkipReason.SPECIAL})


async def find_root(workspace: Workspace, directory: str) -> Root:
    """Resolve what the caller asked to search: a directory or a file, by absolute or relative path.

    Links are followed first: what counts is where the path leads.

    Raises:
        DirectoryNotFound: Nothing is there.
        DirectoryOutsideWorkspace: It is not inside the working directory.
    """
    spelled = directory if directory.strip() else '.'
    working = await workspace.working_dir()
    if spelled == '.':
        return Root(path=working, shown=spelled)
    try:
        real = await workspace.realpath(spelled)
        if real != working and not real.startswith(working.rstrip('/') + '/'):
            raise DirectoryOutsideWorkspace(directory)
        entry = await workspace.stat(real)
    except WorkspaceError:
        raise
    except (OSError, ValueError) as error:  # ValueError: no file can have such a name
        raise DirectoryNotFound(directory) from error
    renamed = not entry.is_dir and posixpath.basename(spelled) != posixpath.basename(real)
    if renamed or '..' in spelled.split('/'):
        spelled = real if posixpath.isabs(spelled) else posixpath.relpath(real, working)
    if entry.is_dir:
        return Root(path=real, shown=spelled)
    folder, only = posixpath.split(real)
    return Root(path=folder, shown=posixpath.dirname(spelled), only=only)


async def list_files(workspace: Workspace, root: Root, glob: str | None) -> Listing:
    """List the files a search may read, and those it leaves alone, each with the reason.

    Ignore files count, in a git repository or not, and the glob narrows what they leave. Hidden
    files, credentials, links and special files are never to be read; dependencies, build output
    and other noise only where the caller spells it out.

    Raises:
        InvalidGlob: The glob cannot be understood.
        RipgrepMissing: The workspace has no `rg`.
        ListingFailed: `rg` could not list the files.
        LimitExceeded: More than `MAX_FILES` files are left to be read.
    """
    working = await workspace.working_dir()
    below = posixpath.relpath(root.path, working)
    wanted = parse_glob(glob, below=below, root=root.path)
    if root.only is not None:
        return _list_single(root.only, wanted, is_secret=is_secret_folder(below))
    rg = await ripgrep_in(workspace, root)
    names = await rg.list_names()
    if not names.files and await rg.is_ignored():  # named on purpose: its own ignore files decide
        rg = await ripgrep_in(workspace, root, ignores_above=False)
        names = await rg.list_names()
    listing = await anyio.to_thread.run_sync(
        _sort_out, names, root, wanted, is_secret_folder(below)
    )
    listing = replace(listing, ignores_above=rg.ignores_above)
    passed_over = [file.path for file in listing.skipped if file.reason in _PASSED_OVER]
    if passed_over:
        ignored = await rg.find_ignored(passed_over)
        kept = [file for file in listing.skipped if file.path not in ignored]
        listing = replace(listing, skipped=kept)
    if not listing.paths and not listing.skipped:
        listing = replace(listing, why_empty=await _explain(rg, names, wanted))
    return listing


async def ripgrep_in(workspace: Workspace, root: Root, *, ignores_above: bool = True) -> Ripgrep:
    """`rg` for what is below a root.

    It starts in the working directory, because before 15 `rg` misreads the ignore files above the
    directory it starts in (ripgrep#2770), unless those are not to count.
    """
    if not ignores_above:
        return Ripgrep(workspace=workspace, directory=root.path, ignores_above=False)
    working = await workspace.working_dir()
    below = posixpath.relpath(root.path, working)
    return Ripgrep(workspace=workspace, directory=working, below=below)


def _list_single(only: str, wanted: Glob, *, is_secret: bool) -> Listing:
    """A file that was named itself: nothing but a glob or its being a credential is against it."""
    if not wanted.matches(only):
        return Listing(paths=(), why_empty=f'The glob {wanted.text!r} does not match {only!r}.')
    if is_secret or is_secret_name(only):
        return Listing(paths=(), skipped=[Skipped(only, SkipReason.SECRET)])
    return Listing(paths=[only], named=frozenset([only]))


def _sort_out(names: Names, root: Root, wanted: Glob, is_secret: bool) -> Listing:
    """Decide which files are to be read: none, in a folder of credentials."""
    noise = NoiseFilter(names.files, root=root.path, spelled=wanted.components)
    paths: list[str] = []
    skipped = list(names.unreadable)
    for path in names.files:
        if not wanted.matches(path):
            continue
        reason = SkipReason.SECRET if is_secret else _reason_to_skip(path, noise)
        if reason is None:
            paths.append(path)
        else:
            skipped.append(Skipped(path, reason))
    for reason, passed_over in (
        (SkipReason.LINK, names.links),
        (SkipReason.SPECIAL, names.special),
    ):
        skipped += [
            Skipped(path, reason)
            for path in passed_over
            if wanted.matches(path) and noise.is_beside_listed(path) and noise.reason(path) is None
        ]
    if len(paths) > MAX_FILES:
        raise LimitExceeded('files', MAX_FILES)
    spelled = wanted.components
    return Listing(
        paths=sorted(paths),
        skipped=sorted(skipped, key=lambda file: file.path),
        named=frozenset(path for path in paths if spelled and posixpath.basename(path) in spelled),
    )


def _reason_to_skip(path: str, noise: NoiseFilter) -> SkipReason | None:
    if is_hidden(path):
        return SkipReason.HIDDEN
    if is_secret_name(path):
        return SkipReason.SECRET
    return noise.reason(path)


async def _explain(rg: Ripgrep, names: Names, wanted: Glob) -> str:
    """Say what leaves nothing to search."""
    if names.files and wanted.is_hidden:
        return (
            f'The glob {wanted.text!r} asks for hidden files, which are never searched. '
            'To search what is in a hidden directory, give it as `directory`.'
        )
    if names.files:
        hint = ' One with a slash starts at `directory`, unless it starts with `**/`.'
        return (
            f'The glob {wanted.text!r} matches none of the {len(names.files):,} files.'
            f'{hint if "/" in wanted.text else ""}'
        )
    for rule, _ in (await rg.find_rules()).most_common(1):
        return (
            'Ignore files leave nothing to search, most of it because of '
            f'the rule {rule.pattern!r} in {rule.file}.'
        )
    return 'The directory has no files, hidden ones aside.'
