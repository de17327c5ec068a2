"""Source trees to measure on: pinned wheels from PyPI, fetched once by pip and unpacked."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

CORPORA: Final[Mapping[str, tuple[str, ...]]] = {
    'library': ('django==5.2.8', 'sympy==1.14.0'),
    'collection': ('ansible==11.0.0',),
}
"""`library` has 2,416 files of Python and about 70,000 snippets; `collection` has 19,000 files."""

SUFFIXES: Final = ('.py',)
"""Files of a wheel that are unpacked for `library`, where most others are translations."""


def fetch(name: str, cache: Path) -> Path:
    """The directory of a corpus, fetched and unpacked if the cache does not have it."""
    tree = cache / name
    if tree.is_dir():
        return tree
    wheels = cache / 'wheels'
    command = [sys.executable, '-m', 'pip', 'download', '--quiet', '--disable-pip-version-check']
    subprocess.run(
        [*command, '--no-deps', '--only-binary', ':all:', '--dest', wheels, *CORPORA[name]],
        check=True,
    )
    for pinned in CORPORA[name]:
        (wheel,) = wheels.glob(f'{pinned.replace("==", "-")}-*.whl')
        with zipfile.ZipFile(wheel) as archive:
            names = archive.namelist()
            if name == 'library':
                names = [each for each in names if each.endswith(SUFFIXES)]
            archive.extractall(tree, names)
    return tree
