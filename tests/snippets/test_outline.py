"""Cutting languages without a grammar, a small file of each family."""

from __future__ import annotations

import pytest
from inline_snapshot import snapshot

from pydantic_ai_smart_search.lines import split_lines
from pydantic_ai_smart_search.snippets import syntaxes
from pydantic_ai_smart_search.snippets.outline import Syntax, outline_nodes
from pydantic_ai_smart_search.snippets.structure import Node
from tests.snippets.cuts import cut
