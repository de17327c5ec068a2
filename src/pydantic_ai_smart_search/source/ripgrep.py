"""Running `rg` in the workspace: which one, with which flags, and getting all of its answer back.

The commands are small scripts for `/bin/sh`. Whatever comes from a caller is an argument of the script, so that nothing has
to be quoted and nothing can be taken for an option.
"""

from __future__ import annotations

import base64
import os
import re
import sysconfig
import zlib
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from pydantic_ai.workspaces import (
    CommandResult,
    LocalWorkspaceBackend,
    Workspace,
    WorkspaceOutputLimitError,
)

from pydantic_ai_smart_search.errors import ListingFailed, RipgrepMissing

_SLICE_CHARS: Final = 8 << 20
"""Base64 characters asked for in one command: below the 10 MiB a local workspace lets one print."""

_MIN_SLICE_CHARS: Final = 1 << 16
"""Smallest slice tried: the 64 KiB in which the host itself moves files over commands."""

_MAX_QUESTION_BYTES: Final = 64 << 10
"""Names asked about in one command: far below the 2 MiB (macOS: 1 MiB) all its arguments may have."""

# `--no-config`: RIPGREP_CONFIG_PATH could widen the listing. `--no-require-git`: ignore files count in a tree that is no
# git repository too. `--no-ignore-messages`: a line of an ignore file that `rg` cannot parse does not concern the caller.
_SETUP: Final = r"""
rg=$1; cd -- "$2" || exit; hidden=$3; above=$4; below=$5; shift 5
[ -x "$rg" ] || rg=rg
command -v "$rg" >/dev/null || exit 127
files() {
    "$rg" --files --null --no-config --no-require-git --no-follow --no-ignore-messages "$hidden" "$above" "$@" -- .
}
"""

# `find` adds, after an empty name, what `rg` passes over in silence: links once, special files twice.
_LIST: Final = rf"""{_SETUP}
list() {{
    files "$@"
    code=$?
    printf '\0'
    find "$below/." -name '.?*' -prune -o -name node_modules -prune -o -name __pycache__ -prune \
        -o -type l -print0 -o ! -type d ! -type f -print0 -print0 2>/dev/null
    echo "rg exited with $code" >&2
}}
"""

_LIST_PLAIN: Final = f'{_LIST}\nlist'

# Sorted, and packed without a time stamp, every slice is cut from the same bytes.
_LIST_PACKED: Final = rf"""{_LIST}
pack=cat; command -v gzip >/dev/null && pack='gzip -cn'
list --sort path | $pack | base64 | tail -c "+$1" | head -c "$2"
"""

_ASK_IGNORED: Final = rf"""{_SETUP}
files --debug 2>&1 >/dev/null | "$rg" --no-config --text --only-matching --fixed-strings --no-line-number "$@"
"""

_EXIT_CODE: Final = re.compile(r'^rg exited with (\d+)\n?\Z', re.MULTILINE)
_UNREADABLE: Final = re.compile(r'^(?:rg: )?\./(.*): (.+ \(os error (\d+)\))$', re.MULTILINE)

_GZIP_MAGIC: Final = b'\x1f\x8b'


@dataclass(frozen=True, kw_only=True, slots=True)
class Unreadable:
    """A directory `rg` could not enter."""

    path: str
    detail: str
    """The operating system's message."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Names:
    """What is below a directory, in no particular order. Names that are no UTF-8 carry surrogate escapes."""

    files: Sequence[str]
    """Regular files that no ignore file excludes, relative to the directory."""
    links: Sequence[str]
    """Links to anything, ignored or not, relative to the directory and within the part asked for."""
    special: Sequence[str]
    """Sockets, pipes and devices, likewise."""
    unreadable: Sequence[Unreadable]


@dataclass(frozen=True, kw_only=True, slots=True)
class Ripgrep:
    """`rg`, run in one directory of a workspace."""

    workspace: Workspace
    directory: str
    """Absolute path of the directory whose ignore files, and those above it, count."""
    below: str = '.'
    """The part of it in which links and special files are looked for."""
    with_hidden: bool = False
    """Whether hidden files are listed too."""
    ignores_above: bool = True
    """Whether the ignore files above the directory count."""

    async def list_names(self) -> Names:
        """List every file of the directory that is not ignored.

        Raises:
            RipgrepMissing: The workspace has no `rg`.
            ListingFailed: `rg` failed altogether. Directories it could not enter are part of the answer.
        """
        try:
            result = await self._run(_LIST_PLAIN)
        except WorkspaceOutputLimitError:
            return await self._list_packed()
        # The workspace replaces what is no UTF-8: the names have to be packed to arrive as they are.
        if '\ufffd' in result.stdout:
            return await self._list_packed()
        return self._names(result, result.stdout)

    async def ask_ignored(self, names: Collection[str]) -> set[str]:
        """Those of `names`, relative to the directory, that an ignore file excludes by a rule of their own.

        Learned from the debugging messages of `rg`, which have been the same since 13: if they change, or if there are too
        many names to ask about, none is.
        """
        questions = {f'ignoring ./{name}: Ignore(IgnoreMatch(Gitignore(': name for name in names}
        if not questions or sum(map(len, questions)) > _MAX_QUESTION_BYTES:
            return set()
        arguments = [argument for question in questions for argument in ('-e', question)]
        result = await self._run(_ASK_IGNORED, *arguments)
        return {questions[line] for line in result.stdout.splitlines() if line in questions}

    async def _list_packed(self) -> Names:
        """The listing in slices that any workspace lets through, with every byte of every name."""
        packed: list[str] = []
        start, size = 1, _SLICE_CHARS
        while True:
            try:
                result = await self._run(_LIST_PACKED, str(start), str(size))
            except WorkspaceOutputLimitError:
                if size <= _MIN_SLICE_CHARS:
                    raise
                size //= 2
                continue
            packed.append(result.stdout)
            start += len(result.stdout)
            if len(result.stdout) < size:
                break
        try:
            raw = base64.b64decode(''.join(packed))
            if raw.startswith(_GZIP_MAGIC):
                raw = zlib.decompress(raw, wbits=zlib.MAX_WBITS | 16)
        except (ValueError, zlib.error) as error:
            raise ListingFailed(result.exit_code, f'the listing arrived damaged ({error})') from error
        return self._names(result, raw.decode('utf-8', 'surrogateescape'))

    def _names(self, result: CommandResult, output: str) -> Names:
        """Take the script's output apart."""
        ended = _EXIT_CODE.search(result.stderr)
        exit_code = int(ended[1]) if ended else result.exit_code
        unreadable = [
            Unreadable(path=match[1], detail=match[2]) for match in _UNREADABLE.finditer(result.stderr)
        ]
        if not ended and exit_code == 127:
            raise RipgrepMissing
        # 0 and 1 say whether there were files; 2 may come from a few directories that could not be entered.
        if not ended or exit_code > 2 or (exit_code == 2 and not unreadable):
            raise ListingFailed(exit_code, result.stderr.strip()[:200])
        listed, _, found = output.partition('\0\0') if output[:1] != '\0' else ('', '', output[1:])
        prefix = len(f'{self.below}/./')
        times = Counter(name[prefix:] for name in found.split('\0') if name)
        return Names(
            files=[name[2:] for name in listed.split('\0') if name],
            links=[name for name, count in times.items() if count == 1],
            special=[name for name, count in times.items() if count == 2],
            unreadable=unreadable,
        )

    async def _run(self, script: str, *arguments: str) -> CommandResult:
        hidden = '--hidden' if self.with_hidden else '--no-hidden'
        above = '--ignore-parent' if self.ignores_above else '--no-ignore-parent'
        setup = (_bundled(self.workspace), self.directory, hidden, above, self.below)
        return await self.workspace.run(['/bin/sh', '-c', script, 'sh', *setup, *arguments])


def _bundled(workspace: Workspace) -> str:
    """Where pip puts `rg` for the running Python, which a local workspace shares; elsewhere nothing."""
    if not isinstance(workspace.backend, LocalWorkspaceBackend):
        return ''
    return os.path.join(sysconfig.get_path('scripts'), 'rg')
