"""Getting every byte of what a script prints out of a workspace, which hands over text, and no more
of it at once than it likes.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pydantic_ai.workspaces import CommandResult, Workspace, WorkspaceOutputLimitError

_SLICE_CHARS: Final = 8 << 20
"""Base64 characters asked for in one command: below the 10 MiB a local workspace lets one print."""

_MIN_SLICE_CHARS: Final = 1 << 16
"""Smallest slice tried: the 64 KiB in which the host itself moves files over commands."""

_GZIP_MAGIC: Final = b'\x1f\x8b'

# Packed without a time stamp, so that every slice is cut from the same bytes.
_PACK: Final = r"""
from=$1; most=$2; shift 2
pack=cat; command -v gzip >/dev/null && pack='gzip -cn'
{script}
produce "$@" | $pack | base64 | tail -c "+$from" | head -c "$most"
"""


@dataclass(frozen=True, slots=True)
class Packed:
    """What a script printed."""

    packed: str
    result: CommandResult
    """Of the last command: its `stdout` is packed."""
    slices: int
    """Commands it took."""

    def unpack(self) -> bytes:
        """Every byte of it.

        Raises:
            ValueError: It arrived damaged.
        """
        raw = base64.b64decode(self.packed.replace('\n', ''), validate=True)
        if not raw.startswith(_GZIP_MAGIC):
            return raw
        try:
            return zlib.decompress(raw, wbits=zlib.MAX_WBITS | 16)
        except zlib.error as error:
            raise ValueError(str(error)) from error


async def run_packed(workspace: Workspace, script: str, arguments: Sequence[str]) -> Packed:
    """Run a shell script that defines `produce`, and collect what that prints for `arguments`.

    What `produce` prints has to be the same each time, as it may be run again for each slice.

    Raises:
        WorkspaceOutputLimitError: The workspace does not even let the smallest slice through.
    """
    command = ['/bin/sh', '-c', _PACK.replace('{script}', script), 'sh']
    packed = ''
    slices = 0
    size = _SLICE_CHARS
    while True:
        slices += 1
        try:
            result = await workspace.run([*command, str(len(packed) + 1), str(size), *arguments])
        except WorkspaceOutputLimitError:
            if size <= _MIN_SLICE_CHARS:
                raise
            size //= 2
            continue
        packed += result.stdout
        if len(result.stdout) < size:
            return Packed(packed, result, slices)
