"""Which folders an MCP client lets a search see."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from mcp import MCPError, types
from mcp.server import ServerRequestContext

from pydantic_ai_smart_search.errors import (
    DirectoryNotFound,
    DirectoryOutsideWorkspace,
    InvalidSearch,
    SearchUnavailable,
)

ROOTS_TIMEOUT_SECONDS: Final = 30.0
"""Longest wait for a client to name its folders: it only has to look them up."""

_ASKED: Final = 'roots'
"""What the question is called in protocols that put it into the answer of a call."""

Roots = Sequence[types.Root]


class UnclearFolder(InvalidSearch):
    """The client has several folders, and the directory does not say which."""

    def __init__(self, directory: str, folders: Sequence[Path]) -> None:
        self.directory = directory
        self.folders = folders
        super().__init__(
            f'{directory!r} could be in any of several folders. Give `directory` as an absolute '
            f'path in one of them: {", ".join(map(str, folders))}.'
        )


async def ask_roots(
    context: ServerRequestContext, params: types.CallToolRequestParams
) -> Roots | types.InputRequiredResult | None:
    """The client's folders, `None` if it has no notion of them.

    Protocols from 2026-07-28 on have no requests to the client: there, the result to return is one
    that has the client call again, with its folders.

    Raises:
        SearchUnavailable: The client offers folders but does not name them.
    """
    capabilities = context.session.client_capabilities
    if capabilities is None or capabilities.roots is None:
        return None
    if context.session.can_send_request:
        try:
            answer = await context.session.send_request(
                types.ListRootsRequest(),
                types.ListRootsResult,
                request_read_timeout_seconds=ROOTS_TIMEOUT_SECONDS,
            )
        except MCPError as error:
            raise SearchUnavailable(
                f'The client did not name its folders: {error.message}.'
            ) from error
        return answer.roots
    answers = params.input_responses or {}
    if _ASKED not in answers:
        return types.InputRequiredResult(input_requests={_ASKED: types.ListRootsRequest()})
    answer = answers[_ASKED]
    if not isinstance(answer, types.ListRootsResult):
        raise SearchUnavailable('The client did not name its folders.')
    return answer.roots


def folders_of(roots: Roots) -> list[Path]:
    """The folders of this machine that `roots` name, links resolved, none inside another.

    Raises:
        SearchUnavailable: They name none.
    """
    paths = {
        Path(unquote(root.uri.path)).resolve()
        for root in roots
        if root.uri.path and root.uri.host in (None, '', 'localhost')
    }
    folders = sorted(path for path in paths if path.is_dir())
    if not folders:
        raise SearchUnavailable(
            'None of the folders the client names is a directory of this machine: '
            f'{", ".join(str(root.uri) for root in roots)}.'
        )
    return [folder for folder in folders if not any(other in folder.parents for other in folders)]


def choose_folder(folders: Sequence[Path], directory: str) -> Path:
    """The one of `folders` that `directory` is in.

    Raises:
        DirectoryNotFound: None of several has the relative directory.
        DirectoryOutsideWorkspace: The absolute directory is in none of several.
        UnclearFolder: More than one has it.
    """
    if len(folders) == 1:
        return folders[0]
    if posixpath.isabs(directory):
        there = Path(directory).resolve()
        holding = [folder for folder in folders if there.is_relative_to(folder)]
        if not holding:
            raise DirectoryOutsideWorkspace(directory)
    else:
        holding = [folder for folder in folders if (folder / directory).exists()]
        if not holding:
            raise DirectoryNotFound(directory)
    if len(holding) > 1:
        raise UnclearFolder(directory, holding)
    return holding[0]
