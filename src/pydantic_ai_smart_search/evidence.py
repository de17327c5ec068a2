"""Putting text back to what an index points at: the cases and outlines a judge is shown.

The index keeps no text, so files are read afresh, and left out if they are not what was indexed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import anyio.to_thread
from pydantic_ai.workspaces import Workspace

from pydantic_ai_smart_search.judge.context import write_context
from pydantic_ai_smart_search.judge.imports import find_imports
from pydantic_ai_smart_search.judge.judge import Case, Outline
from pydantic_ai_smart_search.judge.outlines import find_outlined_secret, write_outline
from pydantic_ai_smart_search.lexical.candidate import Candidate
from pydantic_ai_smart_search.lexical.index import digest_of
from pydantic_ai_smart_search.lexical.missed import MissedFile
from pydantic_ai_smart_search.lines import split_lines
from pydantic_ai_smart_search.options import MAX_SNIPPET_CHARS, SearchOptions
from pydantic_ai_smart_search.source.credentials import find_secret
from pydantic_ai_smart_search.source.decoding import decode_file
from pydantic_ai_smart_search.source.files import (
    Root,
    Skipped,
    SkipReason,
    SourceFile,
    SourceText,
)
from pydantic_ai_smart_search.source.kinds import FileKind
from pydantic_ai_smart_search.source.reading import read_files

Lines = Mapping[str, Sequence[str]]
"""The lines of files that are still what was indexed, by path relative to the root."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """The cases that may be put before the judge."""

    cases: Sequence[Case]
    """In the order of the candidates, without those whose file has changed."""
    withheld: Sequence[Skipped]
    """One for each candidate that holds a credential."""


async def read_evidence(
    workspace: Workspace, root: Root, candidates: Sequence[Candidate], options: SearchOptions
) -> Evidence:
    """Put each candidate's text back."""
    digests = {candidate.path: candidate.digest for candidate in candidates}
    lines = await _read_lines(workspace, root, digests)
    return await anyio.to_thread.run_sync(_present, lines, root, candidates, options)


@dataclass(frozen=True, kw_only=True, slots=True)
class Outlined:
    """The outlines that may be put before the judge."""

    files: Sequence[MissedFile]
    """In the order they were given, without those that have changed."""
    outlines: Sequence[Outline]
    """One for each of `files`."""
    withheld: Sequence[Skipped]
    """One for each file whose outline holds a credential."""


async def read_outlines(
    workspace: Workspace, root: Root, missed: Sequence[MissedFile], options: SearchOptions
) -> Outlined:
    """Outline each of the files."""
    lines = await _read_lines(workspace, root, {file.path: file.digest for file in missed})
    return await anyio.to_thread.run_sync(_outline, lines, root, missed, options)


async def _read_lines(workspace: Workspace, root: Root, digests: Mapping[str, bytes]) -> Lines:
    files = [
        file
        async for batch in read_files(workspace, root, list(digests))
        for file in batch
        if isinstance(file, SourceFile)
    ]
    return await anyio.to_thread.run_sync(_decode, files, digests)


def _decode(files: Sequence[SourceFile], digests: Mapping[str, bytes]) -> Lines:
    lines: dict[str, Sequence[str]] = {}
    for file in files:
        if digest_of(file.raw) == digests[file.path]:
            source = decode_file(file, is_named=True)
            assert isinstance(source, SourceText), 'it was decoded when it was indexed'
            lines[file.path] = split_lines(source.text)
    return lines


def _present(
    lines: Lines, root: Root, candidates: Sequence[Candidate], options: SearchOptions
) -> Evidence:
    cases: list[Case] = []
    withheld: list[Skipped] = []
    for candidate in candidates:
        if candidate.path not in lines:
            continue
        in_file = lines[candidate.path]
        secret = find_secret(in_file, candidate.span) if options.screen_secrets else None
        if secret is not None:
            withheld.append(Skipped(candidate.path, SkipReason.SECRET, secret))
            continue
        cases.append(_case(in_file, root, candidate, screen_secrets=options.screen_secrets))
    return Evidence(cases=cases, withheld=withheld)


def _case(lines: Sequence[str], root: Root, candidate: Candidate, *, screen_secrets: bool) -> Case:
    text = '\n'.join(candidate.span.slice(lines))
    context = write_context(lines, candidate, screen_secrets=screen_secrets)
    imports = ''
    if candidate.kind in (FileKind.CODE, FileKind.TEST):
        room = MAX_SNIPPET_CHARS - len(text) - len(context)
        imports = find_imports(lines, candidate.span, room=room, screen_secrets=screen_secrets)
    path = root.display(candidate.path)
    return Case(candidate=candidate, path=path, text=text, context=context, imports=imports)


def _outline(
    lines: Lines, root: Root, missed: Sequence[MissedFile], options: SearchOptions
) -> Outlined:
    shown: list[MissedFile] = []
    outlines: list[Outline] = []
    withheld: list[Skipped] = []
    for file in missed:
        if file.path not in lines:
            continue
        outline = write_outline(root.display(file.path), lines[file.path], file.symbols)
        screen_secrets = options.screen_secrets
        secret = find_outlined_secret(lines[file.path], outline) if screen_secrets else None
        if secret is not None:
            withheld.append(Skipped(file.path, SkipReason.SECRET, secret))
            continue
        shown.append(file)
        outlines.append(outline)
    return Outlined(files=shown, outlines=outlines, withheld=withheld)
