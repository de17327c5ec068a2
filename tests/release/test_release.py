"""Builds what is released, and installs it as its users do, on every Python it says it supports."""

import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from tests.project import write_project

pytestmark = [pytest.mark.release, pytest.mark.timeout(600)]

ROOT = Path(__file__).parents[2]
PACKAGE = 'pydantic_ai_smart_search'
PROJECT: dict[str, Any] = tomllib.loads((ROOT / 'pyproject.toml').read_text())['project']
STEM = f'{PACKAGE}-{PROJECT["version"]}'
ARCHIVES = {'wheel': f'{STEM}-py3-none-any.whl', 'source': f'{STEM}.tar.gz'}
PYTHONS = [
    classifier.rpartition(' ')[2]
    for classifier in PROJECT['classifiers']
    if classifier.startswith('Programming Language :: Python :: 3.')
]

OF_NO_USE_WITHOUT_GIT = '.pre-commit-config.yaml'

USE_WITHOUT_EXTRAS = """
from importlib.util import find_spec

import pydantic_ai_smart_search
from pydantic_ai_smart_search import testing

for module in (pydantic_ai_smart_search, testing):
    for name in module.__all__:
        getattr(module, name)
pydantic_ai_smart_search.SmartSearch('local').get_toolset()
print([name for name in ('mcp', 'rich', 'tree_sitter', 'typer') if find_spec(name)])
"""


def run(*command: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command that sees nothing of the environment the tests run in."""
    ours = ('PYTHONPATH', 'PIP_CONSTRAINT')
    environment = {key: value for key, value in os.environ.items() if key not in ours}
    return subprocess.run(
        [*map(str, command)],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def output_of(*command: str | Path, cwd: Path | None = None) -> str:
    done = run(*command, cwd=cwd)
    assert done.returncode == 0, f'{done.stdout}\n{done.stderr}'
    return done.stdout


def find_python(version: str) -> str:
    """That Python, on the PATH or of pyenv; without it, the test is skipped."""
    candidates = [f'python{version}']
    if pyenv := shutil.which('pyenv'):
        latest = run(pyenv, 'latest', version).stdout.strip()
        candidates.append(f'{output_of(pyenv, "root").strip()}/versions/{latest}/bin/python')
    for python in filter(shutil.which, candidates):
        if run(python, '-c', 'import ensurepip, venv').returncode == 0:
            return python
    pytest.skip(f'there is no Python {version} here')


@pytest.fixture(scope='module')
def archives(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the source distribution."""
    folder = tmp_path_factory.mktemp('dist')
    output_of('make', 'build', f'VENV={sys.prefix}', f'DIST={folder}', cwd=ROOT)
    return folder


@pytest.fixture(scope='module')
def tracked() -> set[str]:
    return set(output_of('git', 'ls-files', cwd=ROOT).splitlines())


def test_two_archives_are_built(archives: Path) -> None:
    assert {path.name for path in archives.iterdir()} == set(ARCHIVES.values())


def test_the_wheel_holds_the_package_and_its_notices(archives: Path, tracked: set[str]) -> None:
    with zipfile.ZipFile(archives / ARCHIVES['wheel']) as file:
        held = {*file.namelist()}
    package = {path.removeprefix('src/') for path in tracked if path.startswith('src/')}
    about = ['METADATA', 'RECORD', 'WHEEL', 'entry_points.txt']
    about += [f'licenses/{name}' for name in PROJECT['license-files']]
    assert held == package | {f'{STEM}.dist-info/{name}' for name in about}
    assert {'LICENSE', 'NOTICE'} == {*PROJECT['license-files']}


def test_the_source_distribution_holds_the_tree(archives: Path, tracked: set[str]) -> None:
    with tarfile.open(archives / ARCHIVES['source']) as file:
        held = {PurePosixPath(name).relative_to(STEM).as_posix() for name in file.getnames()}
    assert held == (tracked - {OF_NO_USE_WITHOUT_GIT}) | {'PKG-INFO'}


@pytest.mark.parametrize('kind', ARCHIVES)
@pytest.mark.parametrize('version', PYTHONS)
def test_it_installs_and_runs(version: str, kind: str, archives: Path, tmp_path: Path) -> None:
    output_of(find_python(version), '-m', 'venv', tmp_path / 'env')
    python, command = tmp_path / 'env/bin/python', tmp_path / 'env/bin/smart-search'
    install = [python, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check']
    archive = str(archives / ARCHIVES[kind])

    output_of(*install, archive)
    assert output_of(python, '-W', 'error', '-c', USE_WITHOUT_EXTRAS, cwd=tmp_path) == '[]\n'
    refused = run(command, 'find', 'anything', cwd=tmp_path)
    assert (refused.returncode, refused.stdout) == (1, '')
    assert "pip install 'pydantic-ai-smart-search[cli]'" in refused.stderr

    output_of(*install, f'{archive}[all]')
    project = write_project(tmp_path / 'project')
    assert 'app/sessions.py' in output_of(command, 'find', 'refuse an expired session', project)
    assert output_of(command, '--version') == f'smart-search {PROJECT["version"]}\n'
    assert output_of(command, 'doctor', project)
    output_of(python, '-m', 'pip', 'check')
