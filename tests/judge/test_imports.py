from __future__ import annotations

from textwrap import dedent

import pytest

from pydantic_ai_smart_search.judge.imports import MAX_IMPORTS_CHARS, find_imports
from pydantic_ai_smart_search.lines import LineSpan

TOKEN = 'ghp_' + 'a1B2c3D4e5F6g7H8i9J0' * 2
"""The shape of a token, and nobody's."""


def imports_of(text: str, *, room: int = 10_000, screen_secrets: bool = True) -> str:
    """The imports that the last line of `text` uses."""
    lines = dedent(text).strip('\n').split('\n')
    span = LineSpan(len(lines), len(lines))
    return find_imports(lines, span, room=room, screen_secrets=screen_secrets)


@pytest.mark.parametrize(
    ('text', 'imports'),
    [
        pytest.param(
            """
            import os
            import numpy as np
            from app.sessions import Session, Store
            from app import unused
            return np.zeros(3), Session(os.environ)
            """,
            'import os; import numpy as np; from app.sessions import Session, Store',
            id='Python',
        ),
        pytest.param(
            """
            from app.sessions import (
                Session,
                Store,
                Token,
            )
            return Token(Store())
            """,
            'from app.sessions import ( Store, Token',
            id='Python, over several lines',
        ),
        pytest.param(
            """
            import utils from './utils.js';
            import { merge, spread } from "./helpers";
            const fs = require('fs');
            export default utils.merge(fs.readSync());
            """,
            'import utils from \'./utils.js\'; import { merge, spread } from "./helpers"; '
            "const fs = require('fs')",
            id='JavaScript',
        ),
        pytest.param(
            """
            import (
                "fmt"
                "net/http"
                str "strings"
            )
            return http.StatusOK, str.ToLower(x)
            """,
            '"net/http"; str "strings"',
            id='Go, in a block',
        ),
        pytest.param(
            """
            import "net/http"
            return http.StatusOK
            """,
            'import "net/http"',
            id='Go',
        ),
        pytest.param(
            """
            use std::path::PathBuf;
            use std::fmt;
            let path: PathBuf = std::env::current_dir();
            """,
            'use std::path::PathBuf',
            id='Rust',
        ),
        pytest.param(
            """
            import java.time.Duration;
            import java.util.List;
            return Duration.ofSeconds(1);
            """,
            'import java.time.Duration',
            id='Java',
        ),
        pytest.param(
            r"""
            use App\\Session;
            return new Session();
            """,
            r'use App\\Session',
            id='PHP',
        ),
    ],
)
def test_the_imports_whose_names_are_used_are_found(text: str, imports: str) -> None:
    assert imports_of(text) == imports


@pytest.mark.parametrize(
    'text',
    [
        'return 1',
        'import os\nreturn 1',
        '#include <os.h>\nreturn os;',
        'imported = os\nreturn os',
        'use = os\nreturn os',
        '    import os\nreturn os',
        '# from os\nreturn os',
    ],
)
def test_what_is_no_import_or_is_not_used_is_left_out(text: str) -> None:
    assert imports_of(text) == ''


def test_an_import_in_the_span_or_below_it_is_not_repeated() -> None:
    lines = ['import os', 'return os', 'import os']
    assert find_imports(lines, LineSpan(1, 2), room=300, screen_secrets=True) == ''


def test_as_many_are_shown_as_there_is_room_for() -> None:
    imports = [f'import a_module_of_some_length_{number}' for number in range(20)]
    text = '\n'.join([*imports, ' '.join(line.split()[1] for line in imports)])
    shown = imports_of(text)
    assert len(shown) <= MAX_IMPORTS_CHARS < len(shown) + len(imports[0]) + 2
    assert imports_of(text, room=80).count(';') == 1
    assert imports_of(text, room=0) == ''


def test_an_import_that_holds_a_credential_is_left_out() -> None:
    text = f"import os\nconst api = require('{TOKEN}');\nos api"
    assert imports_of(text) == 'import os'
    assert TOKEN in imports_of(text, screen_secrets=False)


def test_a_list_that_never_ends_is_cut_off() -> None:
    text = '\n'.join(['from a import (', *['    bb,'] * 200, 'bb'])
    assert imports_of(text) == 'from a import ( bb'
