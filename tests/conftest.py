"""Fixtures every test may use."""

from __future__ import annotations

import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.source.places import rg_binaries

# The same examples each time, so that a red run is about the change; `make fuzz` looks for new ones.
settings.load_profile('ci')


@pytest.fixture
def anyio_backend() -> str:
    """The host runs on asyncio."""
    return 'asyncio'


@pytest.fixture(params=rg_binaries())
def rg(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with the `rg` under test, which local workspaces find beside the running Python.

    `SMART_SEARCH_TEST_RG=/usr/bin/rg:/opt/rg15/rg` runs every test that asks for it with each.
    """
    folder = tmp_path_factory.mktemp('scripts')
    (folder / 'rg').symlink_to(request.param)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sysconfig, 'get_path', {'scripts': str(folder)}.__getitem__)
        yield folder
