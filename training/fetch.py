"""Fetch the packages of sources.toml: `python -m training.fetch sources.toml DIRECTORY`.

Each goes through its registry's own client (pip, npm), is compared with its digest, and has to name
in its own metadata the licence that sources.toml gives it, and no other kind.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from dataclasses import dataclass
from email import message_from_bytes
from pathlib import Path
from typing import Final

PYTHON: Final = '3.12'
"""The Python that wheels are chosen for, whichever runs this."""

NPM_BATCH: Final = 40
"""Packages asked of one npm process, which does one after the other."""

_FAMILY: Final = re.compile(r'\b(MIT|BSD|Apache)\b', re.IGNORECASE)
_OTHER: Final = re.compile(
    r'GPL|General Public|MPL|Mozilla|\bISC\b|Public Domain|CC-BY|Python-2|PSF|HPND|Proprietary',
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Source:
    """One line of sources.toml."""

    registry: str
    name: str
    version: str
    licence: str
    """`MIT`, `BSD` or `Apache`; several joined with `and` or `or`."""
    sha256: str


class UntrustworthySource(Exception):
    """A package is not what sources.toml says."""

    def __init__(self, source: Source, problem: str) -> None:
        super().__init__(f'{source.registry} {source.name} {source.version}: {problem}')


def read_sources(path: Path) -> list[Source]:
    """The sources of a file, in its order."""
    tables = tomllib.loads(path.read_text())
    return [
        Source(registry, name, **fields)
        for registry, packages in tables.items()
        for name, fields in packages.items()
    ]


def download(sources: list[Source], directory: Path) -> None:
    """Fetch what is missing into `directory`."""
    present = by_digest(directory)
    sources = [source for source in sources if source.sha256 not in present]
    pypi = [source for source in sources if source.registry == 'pypi']
    if pypi:
        download_wheels(pypi, directory)
    npm = [f'{source.name}@{source.version}' for source in sources if source.registry == 'npm']
    for start in range(0, len(npm), NPM_BATCH):
        pack = ['npm', 'pack', '--silent', '--pack-destination', str(directory)]
        subprocess.run([*pack, *npm[start : start + NPM_BATCH]], check=True, stdout=sys.stderr)


def download_wheels(sources: list[Source], directory: Path) -> None:
    """Let one pip fetch them all, each by its digest."""
    with tempfile.NamedTemporaryFile('w', suffix='.txt') as requirements:
        requirements.writelines(
            f'{source.name}=={source.version} --hash=sha256:{source.sha256}\n' for source in sources
        )
        requirements.flush()
        pip = [sys.executable, '-m', 'pip', 'download', '--quiet', '--no-deps', '--require-hashes']
        choice = ['--only-binary=:all:', '--platform=any', f'--python-version={PYTHON}']
        subprocess.run([*pip, *choice, '-d', directory, '-r', requirements.name], check=True)


def by_digest(directory: Path) -> dict[str, Path]:
    """The files of a directory by the SHA-256 of their content."""
    return {hashlib.sha256(path.read_bytes()).hexdigest(): path for path in directory.iterdir()}


def licence_of(archive: Path) -> str:
    """The licence an archive's metadata names: an expression, else classifiers, else free text."""
    if archive.suffix == '.whl':
        with zipfile.ZipFile(archive) as wheel:
            name = next(name for name in wheel.namelist() if name.endswith('.dist-info/METADATA'))
            metadata = message_from_bytes(wheel.read(name))
        classifiers = [
            text for text in metadata.get_all('Classifier', []) if text.startswith('License ::')
        ]
        free = str(metadata.get('License') or '').strip().split('\n')[0]
        return metadata.get('License-Expression') or '; '.join(classifiers) or free
    with tarfile.open(archive) as tar:
        manifest = next(
            member for member in tar if re.fullmatch(r'[^/]+/package\.json', member.name)
        )
        file = tar.extractfile(manifest)
        assert file is not None, 'a manifest is a regular file'
        return str(json.load(file).get('license'))


def check(sources: list[Source], directory: Path) -> None:
    """Find each source among the archives, by digest, and compare its licence.

    Raises:
        UntrustworthySource: One is missing, or its metadata names another licence.
    """
    archives = by_digest(directory)
    for source in sources:
        archive = archives.pop(source.sha256, None)
        if archive is None:
            raise UntrustworthySource(source, 'no archive has its digest')
        named = licence_of(archive)
        families = {family.lower() for family in _FAMILY.findall(named)}
        if families != {
            family.lower() for family in _FAMILY.findall(source.licence)
        } or _OTHER.search(named):
            raise UntrustworthySource(
                source, f'its metadata says {named!r}, not {source.licence!r}'
            )
    for stray in archives.values():
        stray.unlink()


def main() -> None:
    """Read the arguments, fetch and check."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('sources', type=Path)
    parser.add_argument(
        'directory', type=Path, help='where the archives go; others in it are removed'
    )
    args = parser.parse_args()
    args.directory.mkdir(parents=True, exist_ok=True)
    sources = read_sources(args.sources)
    download(sources, args.directory)
    check(sources, args.directory)


if __name__ == '__main__':
    main()
