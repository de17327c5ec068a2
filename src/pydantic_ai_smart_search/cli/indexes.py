"""What a person, or a program, sees of the indexes on disk."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path

from rich.text import Text

from pydantic_ai_smart_search.cli.output import Output, visible, visible_name
from pydantic_ai_smart_search.lexical.store import KeptIndex


def indexes_below(directory: Path | None, kept: Sequence[KeptIndex]) -> Sequence[KeptIndex]:
    """Those of `directory` and of directories in it; all of them without one."""
    if directory is None:
        return kept
    within = directory.expanduser().resolve()
    return [one for one in kept if Path(one.path).is_relative_to(within)]


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
