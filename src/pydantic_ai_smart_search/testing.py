"""For tests of agents that search: a project on disk, a judge that answers by a script, and a model
that searches.
"""

from __future__ import annotations

import html
import re
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final, cast

from pydantic_ai.messages import (
    BaseToolReturnPart,
    ModelMessage,
    ModelResponse,
    TextPart,
    ToolCallPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel

from pydantic_ai_smart_search.guidance import TOOL_NAME
from pydantic_ai_smart_search.judge.prompt import (
    write_instructions,
    write_screening_instructions,
)

__all__ = ['AskedCase', 'Relevance', 'ScriptedJudge', 'searches_once', 'write_project']

_BEFORE_QUERY: Final = [
    write('\0').partition('\0')[0] for write in (write_instructions, write_screening_instructions)
]
"""The judge's instructions, of either kind, up to the query, which is one line."""

_QUOTED: Final = """("[^"]*"|'[^']*')"""
_FRAME: Final = re.compile(
    rf'<snippet path={_QUOTED}(?: symbol={_QUOTED})?(?: inside={_QUOTED})?'
    rf'(?: imports={_QUOTED})?>\n(.*)\n</snippet>',
    re.DOTALL,
)
"""A snippet as `frame_case` puts it before the judge."""

_OUTLINE: Final = re.compile(
    rf'<outline file="\d+" path={_QUOTED}>\n(.*?)\n</outline>(?:\n|$)', re.DOTALL
)
"""An outline as `frame_outlines` puts several before the judge."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AskedCase:
    """What a judge was asked about, for one query: one snippet, or the outline of one file."""

    query: str
    """The query, on one line."""
    path: str
    """The snippet's file, spelled as in a match's `file_path`."""
    symbol: str | None
    """The declaration it belongs to, such as `SessionStore.load`."""
    inside: str | None = None
    """The opening lines of the class and function around it, outermost first."""
    imports: str | None = None
    """The imports of its file that it uses."""
    text: str
    """Its lines as a judge reads them: the `<` of a tag that could end its frame is `&lt;`."""
    is_outline: bool = False
    """Whether it is the outline of a file, asked about together with others."""


Relevance = Mapping[str, float] | Callable[[AskedCase], float]
"""How relevant a snippet is, 0 to 1: by a text that it, its path or its symbol holds, or by a
function."""


class ScriptedJudge(FunctionModel):
    """A judge for tests: a model that makes no request, answers by a script and keeps what it saw.

    ```python
    from pydantic_ai_smart_search import SmartSearch
    from pydantic_ai_smart_search.testing import ScriptedJudge

    judge = ScriptedJudge({'SessionStore.load': 0.9, 'tests/': 0.4})
    search = SmartSearch(judge)
    ```

    With a mapping, a snippet's relevance is the highest among the keys that its text, path or
    symbol holds, and `otherwise` where there is none. A function is asked for each snippet; what
    it raises, such as a `ModelHTTPError`, is what the model raises. With `screen_files` outlines
    are answered in the same way, several in one request. Retries, limits and usage are those of any
    model: each question counts as a request of the run.
    """

    asked: list[AskedCase]
    """What was asked so far, in order; with `concurrency=1` that is the order of the shortlist."""

    def __init__(
        self, relevance: Relevance, *, otherwise: float = 0.0, model_name: str = 'scripted'
    ) -> None:
        super().__init__(self._answer, model_name=model_name)
        self._relevance = relevance
        self._otherwise = otherwise
        self.asked = []

    async def _answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        cases = _read_cases(messages, info)
        self.asked.extend(cases)
        relevance = [self._relevance_of(case) for case in cases]
        if cases[0].is_outline:
            answer = {f'file_{number}': likely for number, likely in enumerate(relevance, 1)}
        else:
            # Relevance is the product of both answers.
            answer = {'entity': relevance[0], 'operation': 1.0}
        return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, answer)])

    def _relevance_of(self, case: AskedCase) -> float:
        if not isinstance(self._relevance, Mapping):
            return self._relevance(case)
        rules = cast('Mapping[str, float]', self._relevance)
        held = (case.text, case.path, case.symbol or '')
        scores = [score for key, score in rules.items() if any(key in text for text in held)]
        return max(scores, default=self._otherwise)


def searches_once(query: str, **arguments: object) -> FunctionModel:
    """A model for the agent of a test: calls `smart_search`, then answers with what it got back.

    `arguments` are the tool's others, such as `directory`. Pydantic AI's `TestModel` makes up a
    query that has no words to search for.
    """

    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        last = messages[-1].parts[-1]
        if isinstance(last, BaseToolReturnPart):
            return ModelResponse(parts=[TextPart(last.model_response_str())])
        return ModelResponse(parts=[ToolCallPart(TOOL_NAME, {'query': query, **arguments})])

    async def stream(
        messages: list[ModelMessage], info: AgentInfo
    ) -> AsyncIterator[str | DeltaToolCalls]:
        response = respond(messages, info)
        for call in response.tool_calls:
            yield {0: DeltaToolCall(call.tool_name, call.args_as_json_str())}
        if response.text:
            yield response.text

    return FunctionModel(respond, stream_function=stream, model_name='searches-once')


def write_project(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write each of `files`, by its path below `root`, with the folders it needs; returns `root`.

    Text is written as UTF-8, exactly as it is.

    Raises:
        ValueError: A path is absolute or leads out of `root`; nothing is written then.
    """
    for path in files:
        if PurePosixPath(path).is_absolute() or '..' in PurePosixPath(path).parts:
            raise ValueError(f'a path below the project is needed, got {path!r}')
    for path, content in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def _read_cases(messages: list[ModelMessage], info: AgentInfo) -> list[AskedCase]:
    """One snippet, or as many outlines as there are."""
    (prompt,) = messages[-1].parts
    framed = str(prompt.content) if isinstance(prompt, UserPromptPart) else ''
    instructions = info.instructions or ''
    before = next((before for before in _BEFORE_QUERY if instructions.startswith(before)), '')
    query = instructions.removeprefix(before).partition('\n')[0]
    outlines = [
        AskedCase(query=query, path=_unquote(path), symbol=None, text=text, is_outline=True)
        for path, text in _OUTLINE.findall(framed)
    ]
    if outlines:
        return outlines
    frame = _FRAME.fullmatch(framed)
    if frame is None:
        raise ValueError('a `ScriptedJudge` judges snippets; it cannot be the model of an agent')
    path, symbol, inside, imports, text = frame.groups()
    return [
        AskedCase(
            query=query,
            path=_unquote(path),
            symbol=_unquote(symbol) if symbol else None,
            inside=_unquote(inside) if inside else None,
            imports=_unquote(imports) if imports else None,
            text=text,
        )
    ]


def _unquote(quoted: str) -> str:
    return html.unescape(quoted[1:-1])
