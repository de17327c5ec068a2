"""The `smart_search` tool over the Model Context Protocol, on standard input and output."""

from __future__ import annotations

import math
import signal
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream
from mcp import MCPError, types
from mcp.server import Server, ServerRequestContext
from mcp.server.session import ServerSession
from mcp.server.stdio import stdio_server
from pydantic import TypeAdapter, ValidationError
from pydantic_ai.usage import RunUsage
from pydantic_ai.workspaces import LocalWorkspaceBackend, Workspace, WorkspaceError

from pydantic_ai_smart_search.cli.progress import STAGE_WORDS, stage_words
from pydantic_ai_smart_search.cli.roots import ask_roots, choose_folder, folders_of
from pydantic_ai_smart_search.errors import (
    DirectoryNotFound,
    SearchUnavailable,
    SmartSearchError,
)
from pydantic_ai_smart_search.guidance import TOOL_NAME, guidance_for
from pydantic_ai_smart_search.judge.budget import RequestBudget
from pydantic_ai_smart_search.judge.memory import JudgmentMemory
from pydantic_ai_smart_search.judge.model import make_judge
from pydantic_ai_smart_search.lexical.cache import open_indexes
from pydantic_ai_smart_search.options import MAX_REMEMBERED_JUDGMENTS, SearchOptions
from pydantic_ai_smart_search.pipeline import search
from pydantic_ai_smart_search.request import SearchRequest
from pydantic_ai_smart_search.results import SmartSearchResult
from pydantic_ai_smart_search.toolset import SmartSearchToolset

SERVER_NAME: Final = 'smart-search'

_RESULT: Final = TypeAdapter(SmartSearchResult)
_TOOL: Final = SmartSearchToolset(model='local').tools[TOOL_NAME]
"""The agent's tool: its description, and the schema and validation of its arguments."""

Note = tuple[float, str]
"""How many stages are done, the current one in part, and what is being done."""


def serve(
    directory: str | None, judge: str, options: SearchOptions, index_dir: Path | None
) -> None:
    """Serve on standard input and output until the client goes away.

    Raises:
        DirectoryNotFound: There is no such directory.
        JudgeFailed: The judge cannot be asked, for want of a key perhaps.
    """
    server = SearchServer(directory, judge, options, index_dir)
    # The protocol is read in a thread that nothing can interrupt: end at once, as others do.
    on_interrupt = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        anyio.run(server.serve)
    except* BrokenPipeError:
        pass  # the client has gone without waiting for its answers
    finally:
        signal.signal(signal.SIGINT, on_interrupt)


class SearchServer:
    """Answers one client's calls of `smart_search`."""

    def __init__(
        self,
        directory: str | None,
        judge: str,
        options: SearchOptions,
        index_dir: Path | None = None,
    ) -> None:
        self._directory = None if directory is None else Path(directory).expanduser().resolve()
        if self._directory is not None and not self._directory.is_dir():
            raise DirectoryNotFound(str(directory))
        self._judge = judge
        self._options = options
        self._indexes = open_indexes(index_dir, in_memory=True)
        self._memory = JudgmentMemory(MAX_REMEMBERED_JUDGMENTS)
        is_local = make_judge(judge).is_local
        self._tool = types.Tool(
            name=TOOL_NAME,
            title='Smart search',
            description=_TOOL.description,
            input_schema=_TOOL.tool_def.parameters_json_schema,
            output_schema=_RESULT.json_schema(mode='serialization'),
            annotations=types.ToolAnnotations(read_only_hint=True, open_world_hint=not is_local),
        )
        self.protocol: Server[dict[str, Any]] = Server(
            SERVER_NAME,
            version=version('pydantic-ai-smart-search'),
            instructions=guidance_for(judge),
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
        )
        """What speaks the protocol, over any transport."""

    async def serve(self) -> None:
        """Serve on standard input and output until the client goes away."""
        async with stdio_server() as (requests, answers):
            await self.protocol.run(
                requests, answers, self.protocol.create_initialization_options()
            )

    async def _list_tools(
        self, context: ServerRequestContext, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[self._tool])

    async def _call_tool(
        self, context: ServerRequestContext, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Answer a call, with notes of its progress meanwhile; the SDK cancels it if asked to."""
        if params.name != TOOL_NAME:
            raise MCPError(types.INVALID_PARAMS, f'There is no tool {params.name!r}.')
        stages = len(STAGE_WORDS) - (self._options.screen_files == 0)
        async with _reporting(context.session, stages) as progress:
            return await self._answer(context, params, progress)

    async def _answer(
        self,
        context: ServerRequestContext,
        params: types.CallToolRequestParams,
        progress: StageNotes,
    ) -> types.CallToolResult | types.InputRequiredResult:
        try:
            request = SearchRequest(
                **_TOOL.function_schema.validator.validate_python(params.arguments or {})
            )
            roots = await ask_roots(context, params)
            if isinstance(roots, types.InputRequiredResult):
                return roots
            folders = folders_of(roots) if roots else [self._own_folder]
            folder = choose_folder(folders, request.directory)
            return _success(await self._search(folder, request, progress))
        except ValidationError as error:
            return _failure(_complaints(error))
        except (SmartSearchError, WorkspaceError) as error:
            return _failure(str(error))

    async def _search(
        self, folder: Path, request: SearchRequest, progress: StageNotes
    ) -> SmartSearchResult:
        usage = RunUsage()
        return await search(
            Workspace(LocalWorkspaceBackend(folder)),
            request,
            make_judge(self._judge, usage=usage),
            indexes=self._indexes,
            budget=RequestBudget(usage),
            options=self._options,
            memory=self._memory,
            progress=progress,
        )

    @property
    def _own_folder(self) -> Path:
        """The directory the server was given, or else started in."""
        if self._directory is not None:
            return self._directory
        here = Path.cwd()
        if here in (Path('/'), Path.home()):
            raise SearchUnavailable(
                f'The server was started in {here}, which is no project: its configuration has '
                'to name a directory, as in `smart-search mcp DIRECTORY`.'
            )
        return here


class StageNotes:
    """Puts how far one search has come into notes, which never go back."""

    def __init__(self, note: Callable[[Note], None]) -> None:
        self._note = note
        self._stages: list[str] = []
        self._done = 0.0

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Note `done` of `total` units of `stage`."""
        if stage not in self._stages:
            self._stages.append(stage)
        stages_done = len(self._stages) - 1 + done / max(total, 1)
        if stages_done > self._done:
            self._done = stages_done
            message = f'{stage_words(stage)}: {done:,} of {total:,}'
            self._note((stages_done, message))


@asynccontextmanager
async def _reporting(session: ServerSession, stages: int) -> AsyncGenerator[StageNotes]:
    """Passes notes on to a client that asked for them, the last one before the body is left."""
    notes, waiting = anyio.create_memory_object_stream[Note](math.inf)
    async with anyio.create_task_group() as sender:
        sender.start_soon(_send_notes, waiting, session, stages)
        with notes:
            yield StageNotes(notes.send_nowait)


async def _send_notes(
    notes: MemoryObjectReceiveStream[Note], session: ServerSession, stages: int
) -> None:
    async with notes:
        async for stages_done, message in notes:
            await session.report_progress(stages_done, stages, message)


def _success(result: SmartSearchResult) -> types.CallToolResult:
    """What a model reads of a result, as an object and, for clients without those, as its JSON."""
    return types.CallToolResult(
        content=[types.TextContent(text=_RESULT.dump_json(result).decode())],
        structured_content=_RESULT.dump_python(result, mode='json'),
    )


def _failure(message: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=message)], is_error=True)


def _complaints(error: ValidationError) -> str:
    """What is wrong with each argument, for the model to put right."""
    return ' '.join(
        f'`{".".join(map(str, problem["loc"]))}`: {problem["msg"]}.' for problem in error.errors()
    )
