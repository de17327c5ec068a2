"""Reading and comparing many files in one command, where a workspace can do nothing but run them.

One by one, a file costs two commands and more: thousands for a repository. What is asked for here
is in POSIX (`wc`, `cat`, `find`) or has an answer without it (`gzip`, `xargs -0`, `b2sum`), so that
any machine with a shell will do.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Final

import anyio.to_thread
from pydantic_ai.workspaces import SupportsCommands, SupportsFilesystem, Workspace
from pydantic_ai.workspaces.workspace import workspace_layers

from pydantic_ai_smart_search.source.files import Root, SourceFile
from pydantic_ai_smart_search.source.packed import Packed, run_packed
from pydantic_ai_smart_search.source.ripgrep import SETUP, Ripgrep

_MAX_ASKED_CHARS: Final = 48 << 10
"""Names asked for in one command: with the script it stays below half of the 128 KiB that Linux
lets one argument have, as some providers make one string of a command.
"""

# `find` leaves out links, what is special and what is too big to be asked for blindly; what it
# prints is split at line ends alone. The sizes are printed before and after: where they are the
# same, and so is their sum, each file is where they say.
_READ: Final = r"""
cd -- "$1" || exit; most_bytes=$2; shift 2
set -f
IFS='
'
set -- $(find "$@" -prune -type f ! -size +${most_bytes}c -print 2>/dev/null)
set +f
unset IFS
produce() {
    [ $# -gt 0 ] || return
    sizes=$(wc -c "$@")
    printf '%s\0' "$sizes"
    cat "$@"
    printf '\0%s' "$(wc -c "$@")"
}
"""

_DIGESTS: Final = rf"""{SETUP}
at=.; [ "$below" = . ] || at=./$below
produce() {{ walk --files --null --sort path -- "$at" | xargs -0 b2sum -l 128; }}
"""

_SIZE: Final = re.compile(rb'^ *(\d+) \./(.+)$', re.MULTILINE)

_DIGEST: Final = re.compile(r'^([0-9a-f]{32})  \./(.+)$', re.MULTILINE)
"""Of a name that holds a line end or a backslash, the line starts with a backslash."""


def can_only_run_commands(workspace: Workspace) -> bool:
    """Whether a workspace is a bare backend without file operations of its own.

    A wrapper may have its own idea of what to give out, so it is asked for every file. The types
    of the layers tell: inside a durable workflow the backend itself may not be reached.
    """
    outermost, *within = workspace_layers(workspace)
    has_files = issubclass(outermost, SupportsFilesystem)
    return not within and issubclass(outermost, SupportsCommands) and not has_files


def first_batch(paths: Sequence[str]) -> Sequence[str]:
    """As many of the first paths as one command can ask for, at least one."""
    chars = 0
    for number, path in enumerate(paths):
        chars += len(os.fsencode(path)) + len('./ ')
        if chars > _MAX_ASKED_CHARS and number:
            return paths[:number]
    return paths


async def read_bulk(
    workspace: Workspace, root: Root, paths: Sequence[str], most_bytes: int
) -> Mapping[str, SourceFile]:
    """Those of the files that could be read in one command.

    Others may be gone, bigger than `most_bytes` or not plain files, or have a name that is no text
    or has a line end.

    Raises:
        WorkspaceError: The workspace itself failed, or is gone.
    """
    asked = [f'./{path}' for path in paths if path.isprintable()]
    if not asked:
        return {}
    packed = await run_packed(workspace, _READ, [root.path, str(most_bytes), *asked])
    return await anyio.to_thread.run_sync(_take_apart, packed)


def _take_apart(packed: Packed) -> dict[str, SourceFile]:
    """The files, none if any of them changed on the way."""
    try:
        raw = packed.unpack()
    except ValueError:
        return {}
    listed, _, contents = raw.partition(b'\0')
    contents, _, listed_again = contents.rpartition(b'\0')
    sizes = [(os.fsdecode(path), int(size)) for size, path in _SIZE.findall(listed)]
    if listed != listed_again or sum(size for _, size in sizes) != len(contents):
        return {}
    files: dict[str, SourceFile] = {}
    start = 0
    for path, size in sizes:
        files[path] = SourceFile(path, contents[start : start + size])
        start += size
    return files


async def find_digests(rg: Ripgrep) -> Mapping[str, bytes]:
    """The digest of every file that `rg` lists, as `digest_of` has it; none without the tools."""
    packed = await run_packed(rg.workspace, _DIGESTS, rg.setup)
    try:
        listed = packed.unpack().decode(errors='surrogateescape')
    except ValueError:
        return {}
    return {
        path[len(rg.prefix) :]: bytes.fromhex(digest)
        for digest, path in _DIGEST.findall(listed)
        if path.startswith(rg.prefix)
    }
