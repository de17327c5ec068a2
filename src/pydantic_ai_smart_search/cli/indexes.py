"""The indexes on disk, and what a person or a program sees of them."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path

from rich.text import Text

from pydantic_ai_smart_search.cli.output import Output, visible, visible_name
from pydantic_ai_smart_search.lexical.inventory import KeptIndex, drop_index, list_indexes


def indexes_below(
    directory: Path | None, index_dir: Path, *, is_checked: bool
) -> Sequence[KeptIndex]:
    """The indexes kept in `index_dir`: those of `directory` and of directories in it, or all.

    Raises:
        OSError: `index_dir` cannot be read.
    """
    kept = list_indexes(index_dir, is_checked=is_checked)
    if directory is None:
        return kept
    within = directory.expanduser().resolve()
    return [one for one in kept if Path(one.path).is_relative_to(within)]


def drop_indexes(kept: Sequence[KeptIndex]) -> None:
    """Delete each from the disk.

    Raises:
        OSError: One cannot be deleted.
    """
    for one in kept:
        drop_index(one.database)


def indexes_as_json(kept: Sequence[KeptIndex]) -> str:
    """The indexes as a JSON array."""
    return json.dumps([{**one._asdict(), 'database': str(one.database)} for one in kept], indent=2)


def show_indexes(output: Output, kept: Sequence[KeptIndex]) -> None:
    """Print each index: its root and glob, its size, when it changed, and what is wrong with it."""
    for one in kept:
        name = visible_name(one.path or str(one.database))
        output.put_line(Text(f'{name}  {visible(one.glob)}' if one.glob else name, style='bold'))
        when = time.strftime('%Y-%m-%d %H:%M', time.localtime(one.saved))
        facts = f'{one.snippets:,} snippets · {one.size / (1 << 20):.1f} MiB · {when}'
        output.put_item(Text('  '), Text(visible(one.problem) if one.problem else facts))
    if not kept:
        output.put_item(Text(), Text('No indexes.'))
