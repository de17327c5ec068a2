"""Finding the root of a search and listing the files below it."""

from __future__ import annotations

import posixpath
from dataclasses import replace

from pydantic_ai.workspaces import Workspace, WorkspaceError

from pydantic_ai_smart_search.errors import DirectoryNotFound, DirectoryOutsideWorkspace, LimitExceeded
from pydantic_ai_smart_search.options import MAX_FILES
from pydantic_ai_smart_search.source.files import Listing, Root, Skipped, SkipReason
from pydantic_ai_smart_search.source.globs import Glob, parse_glob
from pydantic_ai_smart_search.source.ripgrep import Names, Ripgrep
from pydantic_ai_smart_search.source.secrets import is_secret_name


async def find_root(workspace: Workspace, directory: str) -> Root:
    """Resolve what the caller asked to search: a directory or a file, spelled as an absolute or a relative path.

    Links are followed first: what counts is where the path leads.

    Raises:
        DirectoryNotFound: Nothing is there.
        DirectoryOutsideWorkspace: It is not inside the working directory.
    """
    spelled = directory.strip() or '.'
    working = await workspace.working_dir()
    try:
        real = await workspace.realpath(spelled)
        if not _is_within(real, working):
            raise DirectoryOutsideWorkspace(directory)
        entry = await workspace.stat(real)
    except WorkspaceError:
        raise
    except (OSError, ValueError) as error:
        raise DirectoryNotFound(directory) from error
    is_plain = '..' not in spelled.split('/')
    is_renamed = not entry.is_dir and posixpath.basename(spelled) != posixpath.basename(real)
    if not is_plain or is_renamed:
        spelled = real if posixpath.isabs(spelled) else posixpath.relpath(real, working)
    if entry.is_dir:
        return Root(path=real, shown=spelled)
    return Root(path=posixpath.dirname(real), shown=posixpath.dirname(spelled), only=posixpath.basename(real))


async def list_files(workspace: Workspace, root: Root, glob: str | None) -> Listing:
    """List the files a search may read, and those it must leave alone.

    Ignore files count, in a git repository or not; the glob narrows what they leave. Hidden files, credentials, links and
    special files are never listed to be read.

    Raises:
        InvalidGlob: The glob cannot be understood.
        RipgrepMissing: The workspace has no `rg`.
        ListingFailed: `rg` could not list the files.
        LimitExceeded: More than `MAX_FILES` files are left after the glob.
    """
    working = await workspace.working_dir()
    wanted = parse_glob(glob, below=posixpath.relpath(root.path, working), root=root.path)
    if root.only is not None:
        names = Names(files=[root.only], links=[], special=[], unreadable=[])
    else:
        names = await _names_below(workspace, root, working)
    return _listing(names, root, wanted)


def _listing(names: Names, root: Root, wanted: Glob) -> Listing:
    paths: list[str] = []
    skipped = [Skipped(entry.path, SkipReason.UNREADABLE, entry.detail) for entry in names.unreadable]
    skipped += [Skipped(path, SkipReason.LINK) for path in names.links if wanted.matches(path)]
    skipped += [Skipped(path, SkipReason.SPECIAL) for path in names.special if wanted.matches(path)]
    for path in names.files:
        if not wanted.matches(path):
            continue
        if root.only is None and is_hidden(path):
            skipped.append(Skipped(path, SkipReason.HIDDEN))
        elif is_secret_name(path):
            skipped.append(Skipped(path, SkipReason.SECRET))
        else:
            paths.append(path)
    if len(paths) > MAX_FILES:
        raise LimitExceeded('files', MAX_FILES)
    return Listing(paths=sorted(paths), skipped=sorted(skipped, key=lambda file: file.path))


async def _names_below(workspace: Workspace, root: Root, working: str) -> Names:
    """The names below the root, relative to it.

    Listed from the working directory, because `rg` before 15 misreads the ignore files above the directory it starts in
    (ripgrep#2770). A root that is itself ignored was named on purpose: then its own ignore files alone decide.
    """
    below = posixpath.relpath(root.path, working)
    rg = Ripgrep(workspace=workspace, directory=working, below=below, with_hidden=is_hidden(below))
    names = await rg.list_names()
    if below != '.':
        names = _below(below, names)
        if not names.files and await rg.ask_ignored(_ancestry(below)):
            rg = Ripgrep(workspace=workspace, directory=root.path, ignores_above=False)
            names = await rg.list_names()
    return names


def is_hidden(path: str) -> bool:
    """Whether a component of a relative path starts with a dot."""
    return path not in ('.', '') and (path.startswith('.') or '/.' in path)


def _below(directory: str, names: Names) -> Names:
    """What of a listing is below one of its directories. Links and special files were looked for there only."""
    prefix = f'{directory}/'
    return replace(
        names,
        files=[path[len(prefix) :] for path in names.files if path.startswith(prefix)],
        unreadable=[
            replace(entry, path=entry.path[len(prefix) :] or '.')
            for entry in names.unreadable
            if f'{entry.path}/'.startswith(prefix)
        ],
    )


def _ancestry(path: str) -> list[str]:
    """`a/b/c` as `a`, `a/b`, `a/b/c`."""
    parts = path.split('/')
    return ['/'.join(parts[: length + 1]) for length in range(len(parts))]


def _is_within(path: str, directory: str) -> bool:
    return path == directory or path.startswith(directory.rstrip('/') + '/')
