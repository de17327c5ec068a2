"""The set-up snippets of `docs/mcp.md`, each in its client's format."""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

import pytest

from tests.docs.markdown import REPOSITORY, blocks

KEYS = {
    'Claude Code': ['mcpServers'],
    'Claude Desktop': ['mcpServers'],
    'Cursor': ['mcpServers'],
    'VS Code': ['servers'],
    'Zed': ['context_servers'],
    'Codex CLI': ['mcp_servers'],
    'Gemini CLI': ['mcpServers'],
    'OpenCode': ['mcp', 'servers'],
    'Windsurf': ['mcpServers'],
}
"""Where each client's settings keep its servers."""

PAGE = REPOSITORY / 'docs/mcp.md'
SETTINGS = [block for block in blocks('json', 'toml') if block.page == PAGE]


def heading_above(line: int) -> str:
    return re.findall(r'^#+ (.+)$', '\n'.join(PAGE.read_text().splitlines()[:line]), re.MULTILINE)[
        -1
    ]


def test_every_client_has_its_settings() -> None:
    assert {heading_above(block.line) for block in SETTINGS} == {*KEYS, 'Who judges'}


@pytest.mark.parametrize('block', SETTINGS, ids=str)
def test_settings_start_the_server_in_the_clients_format(block: Any) -> None:
    parse = {'json': json.loads, 'toml': tomllib.loads}[block.language]
    settings = parse(block.text)
    for key in KEYS.get(heading_above(block.line), ['mcpServers']):
        settings = settings[key]
    server = settings['smart-search']
    started = server['command']
    if isinstance(started, str):
        started = [started, *server['args']]
    assert started[:2] == ['smart-search', 'mcp']
