"""Running `rg` in the workspace: which one, with which flags, and getting all of its answer back.

The commands are small scripts for `/bin/sh`. Whatever comes from a caller is an argument of the
script, so that nothing has to be quoted and nothing can be taken for an option.
"""

from __future__ import annotations

import os
import re
import sysconfig
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import anyio.to_thread
from pydantic_ai.workspaces import (
    CommandResult,
    LocalWorkspaceBackend,
    Workspace,
    WorkspaceOutputLimitError,
)
from pydantic_ai.workspaces.workspace import workspace_layers

from pydantic_ai_smart_search.errors import ListingFailed, RipgrepMissing
from pydantic_ai_smart_search.source.files import Skipped, SkipReason, is_hidden
from pydantic_ai_smart_search.source.packed import Packed, run_packed

_MAX_QUESTION_CHARS: Final = 64 << 10
"""Names asked about in one command: a small part of the 1 MiB that macOS allows for arguments."""

_MAX_RULES: Final = 1_000
"""Ignored files looked at to find out which rule leaves nothing: rules that do ignore many each."""

# --no-config: RIPGREP_CONFIG_PATH could widen the listing. --no-require-git: ignore files count in
# a tree that is no git repository. --no-ignore-messages: a line of an ignore file that `rg` cannot
# parse does not concern the caller.
SETUP: Final = r"""
rg=$1; cd -- "$2" || exit; below=$3; hidden=$4; above=$5; shift 5
[ -x "$rg" ] || rg=rg
command -v "$rg" >/dev/null || exit 127
walk() {
    "$rg" --no-config --no-require-git --no-follow --no-ignore-messages "$hidden" "$above" "$@"
}
files() { walk --files --null "$@" -- .; }
"""

# `find` adds, after an empty name, what `rg` passes over: links once, special files twice.
_LIST: Final = rf"""{SETUP}
list() {{
    files "$@"
    code=$?
    printf '\0'
    cd "./$below" && find . -name '.?*' -prune \
        -o -name node_modules -prune -o -name __pycache__ -prune \
        -o -type l -print0 -o ! -type d ! -type f -print0 -print0 2>/dev/null
    echo "rg exited with $code" >&2
}}
"""

_LIST_PLAIN: Final = f'{_LIST}\nlist'

# Sorted, so that it is the same each time.
_LIST_PACKED: Final = f'{_LIST}\nproduce() {{ list --sort path; }}'

_FIND_IGNORED: Final = rf"""{SETUP}
files --debug 2>&1 >/dev/null |
    "$rg" --no-config --text --only-matching --no-line-number --color never "$@"
"""

_EXIT_CODE: Final = re.compile(r'^rg exited with (\d+)\n?\Z', re.MULTILINE)
_UNREADABLE: Final = re.compile(r'^(?:rg: )?\.(?:/(.*))?: (.+ \(os error \d+\))$', re.MULTILINE)
_SURVIVABLE: Final = re.compile(r' \(os error \d+\)$|: line \d+: error parsing glob ', re.MULTILINE)
"""A directory that cannot be entered, or a flaw of an ignore file: the rest is listed all the same.
"""

_RULE: Final = re.compile(
    r'ignoring \./(.*): Ignore\(IgnoreMatch\('
    r'Gitignore\(Glob \{ from: Some\("(.*?)"\), original: "(.*?)", actual: '
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Names:
    """What is below a directory, relative to it and in no particular order.

    A name that is no UTF-8 carries surrogate escapes.
    """

    files: Sequence[str]
    """Regular files that no ignore file excludes."""
    links: Sequence[str] = ()
    """Links to anything, ignored or not."""
    special: Sequence[str] = ()
    """Sockets, pipes and devices, ignored or not."""
    unreadable: Sequence[Skipped] = ()
    """Directories that `rg` could not enter."""


@dataclass(frozen=True, slots=True)
class IgnoreRule:
    """A line of an ignore file."""

    file: str
    """The ignore file, as `rg` calls it."""
    pattern: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Ripgrep:
    """`rg`, run in one directory of a workspace to list what is below it."""

    workspace: Workspace
    directory: str
    """Absolute path of the directory `rg` runs in."""
    below: str = '.'
    """The part of it that is listed, relative to it."""
    ignores_above: bool = True
    """Whether the ignore files above the directory count."""

    async def list_names(self) -> Names:
        """List every file that is not ignored.

        Hidden files are among them only where an ignore file re-includes them.

        Raises:
            RipgrepMissing: The workspace has no `rg`.
            ListingFailed: `rg` failed altogether. Directories it could not enter are reported.
        """
        try:
            result = await self._run(_LIST_PLAIN)
        except WorkspaceOutputLimitError:
            return await self._list_packed()
        # The workspace replaces what is no UTF-8: to arrive as they are, names have to be packed.
        if '\ufffd' in result.stdout:
            return await self._list_packed()
        return await anyio.to_thread.run_sync(self._names, result, result.stdout)

    async def is_ignored(self) -> bool:
        """Whether an ignore file excludes the listed part as such, or a directory it lies in."""
        parts = self.below.split('/')
        ancestry = ['/'.join(parts[:length]) for length in range(1, len(parts) + 1)]
        return bool(await self._find_ignored(ancestry))

    async def find_ignored(self, names: Collection[str]) -> set[str]:
        """Those of `names` that an ignore file excludes by themselves.

        Learned from what `rg --debug` prints, which 13 to 15 word alike. Should that change, or
        should there be too many names to ask about, none is found.
        """
        full = {self.prefix + name: name for name in names}
        return {full[name] for name in await self._find_ignored(full)}

    async def find_rules(self) -> Counter[IgnoreRule]:
        """The rules that exclude something of the listed part, with how much each excludes."""
        result = await self._run(_FIND_IGNORED, '--max-count', str(_MAX_RULES), _RULE.pattern)
        rules = Counter[IgnoreRule]()
        for path, file, pattern in _RULE.findall(result.stdout):
            if f'{path}/'.startswith(self.prefix) or self.below.startswith(f'{path}/'):
                rules[IgnoreRule(file.removeprefix('./'), pattern)] += 1
        return rules

    @property
    def prefix(self) -> str:
        """What the path of every file listed starts with, relative to the directory."""
        return '' if self.below == '.' else f'{self.below}/'

    async def _find_ignored(self, names: Collection[str]) -> set[str]:
        lines = {f'ignoring ./{name}: Ignore(IgnoreMatch(Gitignore(': name for name in names}
        if not lines or sum(map(len, lines)) > _MAX_QUESTION_CHARS:
            return set()
        arguments = [argument for line in lines for argument in ('-e', line)]
        result = await self._run(_FIND_IGNORED, '--fixed-strings', *arguments)
        return {lines[line] for line in result.stdout.splitlines() if line in lines}

    async def _list_packed(self) -> Names:
        """List in slices that any workspace lets through, with every byte of every name."""
        packed = await run_packed(self.workspace, _LIST_PACKED, self.setup)
        return await anyio.to_thread.run_sync(self._unpack, packed)

    def _unpack(self, packed: Packed) -> Names:
        result = packed.result
        try:
            raw = packed.unpack()
        except ValueError as error:
            raise ListingFailed(result.exit_code, f'the names arrived damaged: {error}') from error
        return self._names(result, raw.decode('utf-8', 'surrogateescape'))

    def _names(self, result: CommandResult, output: str) -> Names:
        """Take the output of the script apart."""
        ended = _EXIT_CODE.search(result.stderr)
        exit_code = int(ended[1]) if ended else result.exit_code
        if not ended and exit_code == 127:
            raise RipgrepMissing
        # 1 says that there are no files, 2 that something was wrong, however little.
        is_survived = exit_code < 2 or (exit_code == 2 and _SURVIVABLE.search(result.stderr))
        if not ended or not is_survived:
            raise ListingFailed(exit_code, result.stderr.strip()[:200])
        names = output.split('\0')
        if names.pop() or '' not in names:
            raise ListingFailed(exit_code, 'the names arrived damaged')
        end = names.index('')
        prefix = self.prefix
        start = len(prefix) + len('./')
        files = [name[start:] for name in names[:end] if name.startswith(prefix, len('./'))]
        if self._lists_hidden:
            files = [name for name in files if not is_hidden(name)]
        found = Counter(name[len('./') :] for name in names[end + 1 :])
        return Names(
            files=files,
            links=[name for name, times in found.items() if times == 1],
            special=[name for name, times in found.items() if times == 2],
            unreadable=list(self._unreadable(result.stderr)),
        )

    def _unreadable(self, complaints: str) -> Iterator[Skipped]:
        for path, detail in _UNREADABLE.findall(complaints):
            folder = f'{path}/'
            if folder.startswith(self.prefix):
                name = folder[len(self.prefix) : -1] or '.'
                yield Skipped(name, SkipReason.UNREADABLE, detail)

    @property
    def _lists_hidden(self) -> bool:
        """Naming a hidden directory lists it; what is hidden below it stays so."""
        return is_hidden(self.below)

    @property
    def setup(self) -> tuple[str, ...]:
        """The arguments of the script `SETUP`."""
        return (
            _bundled(self.workspace),
            self.directory,
            self.below,
            '--hidden' if self._lists_hidden else '--no-hidden',
            '--ignore-parent' if self.ignores_above else '--no-ignore-parent',
        )

    async def _run(self, script: str, *arguments: str) -> CommandResult:
        return await self.workspace.run(['/bin/sh', '-c', script, 'sh', *self.setup, *arguments])


def _bundled(workspace: Workspace) -> str:
    """Where pip puts `rg` for the running Python, which only a local workspace shares."""
    # By the types of its layers: inside a durable workflow the backend itself may not be reached.
    if not issubclass(workspace_layers(workspace)[-1], LocalWorkspaceBackend):
        return ''
    return os.path.join(sysconfig.get_path('scripts'), 'rg')
