import hashlib
import io
import json
import tarfile
import zipfile
from pathlib import Path

import pytest

from training.fetch import Source, UntrustworthySource, check, read_sources

SOURCES = Path(__file__).parents[2] / 'training' / 'sources.toml'


def wheel(directory: Path, metadata: str) -> Path:
    archive = directory / 'thing-1.0-py3-none-any.whl'
    with zipfile.ZipFile(archive, 'w') as file:
        file.writestr('thing-1.0.dist-info/METADATA', f'Name: thing\n{metadata}\n\n')
    return archive


def tarball(directory: Path, licence: str) -> Path:
    archive = directory / 'thing-1.0.tgz'
    content = json.dumps({'license': licence}).encode()
    member = tarfile.TarInfo('package/package.json')
    member.size = len(content)
    with tarfile.open(archive, 'w:gz') as tar:
        tar.addfile(member, io.BytesIO(content))
    return archive


def source(archive: Path, licence: str) -> Source:
    return Source('pypi', 'thing', '1.0', licence, hashlib.sha256(archive.read_bytes()).hexdigest())


@pytest.mark.parametrize(
    ('metadata', 'licence'),
    [
        ('License-Expression: MIT', 'MIT'),
        ('License-Expression: Apache-2.0 AND BSD-2-Clause', 'BSD and Apache'),
        ('Classifier: License :: OSI Approved :: BSD License', 'BSD'),
        ('License: Apache License 2.0', 'Apache'),
    ],
)
def test_wheel_whose_metadata_names_the_licence_passes(tmp_path: Path, metadata: str, licence: str):
    check([source(wheel(tmp_path, metadata), licence)], tmp_path)


@pytest.mark.parametrize(
    'metadata',
    [
        'License-Expression: Apache-2.0',
        'License-Expression: MIT AND GPL-3.0-only',
        'License: unknown',
        'Summary: none',
    ],
)
def test_wheel_of_another_licence_is_refused(tmp_path: Path, metadata: str):
    with pytest.raises(UntrustworthySource, match='its metadata says'):
        check([source(wheel(tmp_path, metadata), 'MIT')], tmp_path)


def test_npm_tarball_is_checked_by_its_manifest(tmp_path: Path):
    archive = tarball(tmp_path, 'MIT')
    check([source(archive, 'MIT')], tmp_path)
    with pytest.raises(UntrustworthySource):
        check([source(archive, 'BSD')], tmp_path)


def test_archive_with_another_digest_is_refused_and_strays_are_removed(tmp_path: Path):
    archive = wheel(tmp_path, 'License: MIT')
    with pytest.raises(UntrustworthySource, match='no archive has its digest'):
        check([Source('pypi', 'thing', '1.0', 'MIT', '0' * 64)], tmp_path)
    check([], tmp_path)
    assert not archive.exists()


def test_every_source_is_pinned_and_permissively_licensed():
    sources = read_sources(SOURCES)
    assert len({(source.registry, source.name) for source in sources}) == len(sources) > 100
    for source in sources:
        assert len(source.sha256) == 64
        assert set(source.licence.split()) <= {'MIT', 'BSD', 'Apache', 'and', 'or'}
