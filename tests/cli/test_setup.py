"""The set-up snippets of `docs/mcp.md`, each in its client's format."""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any, NamedTuple

import pytest

from tests.docs.markdown import REPOSITORY, blocks


class Format(NamedTuple):
    """How a client wants a server that it starts itself, as its own documentation has it."""

    described: str
    path: list[str]
    """Where its settings keep servers."""
    fields: frozenset[str] = frozenset({'command', 'args'})
    command: type = str


FORMATS = {
    'Claude Code': Format('code.claude.com/docs/en/mcp', ['mcpServers']),
    'Claude Desktop': Format(
        'modelcontextprotocol.io/docs/develop/connect-local-servers', ['mcpServers']
    ),
    'Cursor': Format('cursor.com/docs/mcp', ['mcpServers']),
    'VS Code': Format(
        'code.visualstudio.com/docs/agents/reference/mcp-configuration',
        ['servers'],
        frozenset({'type', 'command', 'args'}),
    ),
    'Zed': Format(
        'zed.dev/docs/ai/mcp', ['context_servers'], frozenset({'command', 'args', 'env'})
    ),
    'Codex CLI': Format('developers.openai.com/codex/mcp', ['mcp_servers']),
    'Gemini CLI': Format('geminicli.com/docs/tools/mcp-server', ['mcpServers']),
    'OpenCode': Format(
        'opencode.ai/v2/docs/mcp-servers', ['mcp', 'servers'], frozenset({'type', 'command'}), list
    ),
    'Windsurf': Format('docs.windsurf.com/windsurf/cascade/mcp', ['mcpServers']),
    'Who judges': Format('any of these', ['mcpServers'], frozenset({'command', 'args', 'env'})),
}

PAGE = REPOSITORY / 'docs/mcp.md'
SETTINGS = [block for block in blocks('json', 'toml') if block.page == PAGE]


def heading_above(line: int) -> str:
    return re.findall(r'^#+ (.+)$', '\n'.join(PAGE.read_text().splitlines()[:line]), re.MULTILINE)[
        -1
    ]


def test_every_client_has_its_settings() -> None:
    assert {heading_above(block.line) for block in SETTINGS} == {*FORMATS}


@pytest.mark.parametrize('block', SETTINGS, ids=str)
def test_settings_start_the_server_in_the_clients_format(block: Any) -> None:
    parse = {'json': json.loads, 'toml': tomllib.loads}[block.language]
    settings = parse(block.text)
    wanted = FORMATS[heading_above(block.line)]
    for key in wanted.path:
        settings = settings[key]
    server = settings['smart-search']
    assert set(server) == wanted.fields
    started = server['command']
    assert isinstance(started, wanted.command)
    assert server.get('type') == {'VS Code': 'stdio', 'OpenCode': 'local'}.get(
        heading_above(block.line)
    )
    command = [started] if isinstance(started, str) else started
    assert [*command, *server.get('args', ())][:2] == ['smart-search', 'mcp']
