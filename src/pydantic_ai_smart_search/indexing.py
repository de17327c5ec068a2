"""From files as read to an index."""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence

from pydantic_ai_smart_search.lexical.index import Content, SnippetIndex
from pydantic_ai_smart_search.snippets.cutting import cut_file
from pydantic_ai_smart_search.source.decoding import decode_file
from pydantic_ai_smart_search.source.files import Skipped, SourceFile
from pydantic_ai_smart_search.threads import collection_paused


def find_changed(index: SnippetIndex, files: Sequence[SourceFile]) -> list[SourceFile]:
    """Those of `files` whose content the index does not hold; of the others it notes the state."""
    return [file for file in files if not index.confirm(file)]


def index_files(
    stop: threading.Event,
    index: SnippetIndex,
    files: Sequence[SourceFile],
    named: Collection[str],
) -> None:
    """Decode, cut and index files, instead of what was known of them, until `stop` is set.

    Those that the caller named are searched even if they are generated.
    """
    with collection_paused():
        for file in files:
            if stop.is_set():
                break
            source = decode_file(file, is_named=file.path in named)
            if isinstance(source, Skipped):
                index.add_skipped(source, Content.of(file))
            else:
                cut = cut_file(file.path, source.text)
                index.add(file.path, Content.of(file), cut, source.note)
