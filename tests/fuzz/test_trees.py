"""A long run of the laws of listing, on trees of any names, links and ignore files."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pydantic_ai_smart_search.source.files import SkipReason, is_hidden
from pydantic_ai_smart_search.source.secrets import is_secret_name
from tests.fuzz.test_cutting import EXAMPLES
from tests.source.places import list_in, local, rg_binaries

pytestmark = [pytest.mark.fuzz, pytest.mark.anyio]

NAMES = st.sampled_from(
    [
        *(b'a', b'b', b'a.py', b'b.js', b'src', b'tests', b'build', b'dist', b'vendor', b'target'),
        *(b'.env', b'.git', b'.hidden', b'id_rsa', b'key.pem', b'node_modules', b'x.min.js'),
        *(b'pyproject.toml', b'Cargo.toml', b'poetry.lock', b'__pycache__', b'pyvenv.cfg'),
        *(
            b'-a',
            b'--pre',
            b'a b',
            b'[id]',
            b'{a}',
            b'*',
            b'a\nb',
            b'\xff',
            '\u00e9'.encode(),
            b'!x',
        ),
    ]
)
RULES = st.sampled_from(
    [
        *('a', 'a/', '/a', '*.py', '!*.py', '**/b', 'src/*', '!src/', '!.env', '!.hidden', '*'),
        *('!*/', '.*', '[', '\\', '# a', '', '!', 'tests/**/a', 'a b', '**', '/**/', '*.js\r'),
    ]
)
IGNORE_FILES = st.sampled_from(['.gitignore', '.ignore', '.rgignore'])


@st.composite
def trees(draw: st.DrawFn) -> dict[bytes, str | bytes]:
    """What to make at each path: a file with this text, or a link to this path."""
    folders = st.lists(NAMES, max_size=3).map(b'/'.join)
    tree: dict[bytes, str | bytes] = {}
    for folder, name in draw(st.lists(st.tuples(folders, NAMES), max_size=12)):
        tree[os.path.join(folder, name)] = draw(st.just('x = 1\n') | folders | st.just(b'/etc'))
    for folder, name in draw(st.lists(st.tuples(folders, IGNORE_FILES), max_size=3)):
        tree[os.path.join(folder, name.encode())] = '\n'.join(draw(st.lists(RULES, max_size=4)))
    return tree


def make(folder: Path, tree: Mapping[bytes, str | bytes]) -> Path:
    """Make what can be made, as one path may be in the way of another, and say where."""
    root = folder.resolve() / 'root'
    root.mkdir()
    for name, content in tree.items():
        path = root / os.fsdecode(name)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, str):
                path.write_text(content)
            else:
                path.symlink_to(os.fsdecode(content) or '.')
        except OSError:
            continue
    return root


def seen_by_rg(root: Path) -> set[str]:
    """The files that are neither hidden nor ignored."""
    command = [rg_binaries()[0], '--files', '--null', '--no-config', '--no-require-git']
    done = subprocess.run(command, cwd=root, capture_output=True, check=False)
    return {os.fsdecode(name) for name in done.stdout.split(b'\0') if name}


@pytest.mark.timeout(0)
@settings(max_examples=2 * EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(trees())
async def test_every_file_that_ripgrep_sees_is_listed_or_left_out_with_a_reason(
    tree: dict[bytes, str | bytes],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = make(Path(folder), tree)
        listing = await list_in(local(root))
        passed_over = {file.path for file in listing.skipped if file.reason is not SkipReason.LINK}
        assert listing.paths == sorted({*listing.paths})
        assert passed_over.isdisjoint(listing.paths)
        assert {*listing.paths} | passed_over == seen_by_rg(root)
        for path in listing.paths:
            assert not is_hidden(path)
            assert not is_secret_name(path)
            assert (root / path).resolve() == root / path, 'no link leads to it'
        for file in listing.skipped:
            assert file.reason is not SkipReason.LINK or (root / file.path).is_symlink()
