"""Files that lie in a project but that nobody wrote there: dependencies, build output, caches, lock
files, minified and generated code.

Only what says what it is is left out, by a name or a marker file that tools give it. Whatever the
caller spells out, as the directory, in it or in the glob, stays.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pydantic_ai_smart_search.source.files import SkipReason


@dataclass(frozen=True, kw_only=True, slots=True)
class _Folder:
    """A folder that is recognised by its name and, where that is not enough, by what is near it."""

    reason: SkipReason
    names: tuple[str, ...] = ('*',)
    """Its names in full, or `*.` and an extension, or any name."""
    inside: str | None = None
    """What has to be in it."""
    beside: tuple[str, ...] = ()
    """Names one of which has to be beside it."""

    @property
    def is_by_name(self) -> bool:
        """Whether its name is enough."""
        return self.inside is None and not self.beside


_FOLDERS: Final = (
    _Folder(
        reason=SkipReason.DEPENDENCY,
        names=(
            *('node_modules', 'bower_components', 'jspm_packages', 'elm-stuff'),
            *('site-packages', 'dist-packages', '__pypackages__'),
        ),
    ),
    _Folder(reason=SkipReason.DEPENDENCY, inside='pyvenv.cfg'),  # PEP 405
    _Folder(reason=SkipReason.DEPENDENCY, inside='conda-meta'),
    _Folder(reason=SkipReason.DEPENDENCY, names=('vendor',), inside='modules.txt'),  # Go
    _Folder(reason=SkipReason.DEPENDENCY, names=('vendor',), inside='autoload.php'),  # Composer
    _Folder(reason=SkipReason.DEPENDENCY, names=('vendor',), inside='bundle'),  # Bundler
    _Folder(reason=SkipReason.DEPENDENCY, names=('Pods',), beside=('Podfile',)),
    _Folder(reason=SkipReason.DEPENDENCY, names=('Carthage',), beside=('Cartfile',)),
    _Folder(reason=SkipReason.DEPENDENCY, names=('deps',), beside=('mix.exs',)),
    _Folder(reason=SkipReason.CACHE, names=('__pycache__',)),
    _Folder(reason=SkipReason.CACHE, inside='CACHEDIR.TAG'),  # bford.info/cachedir
    _Folder(
        reason=SkipReason.BUILD, names=('target',), beside=('Cargo.toml', 'pom.xml', 'build.sbt')
    ),
    _Folder(
        reason=SkipReason.BUILD,
        names=('build',),
        beside=('build.gradle', 'build.gradle.kts', 'pubspec.yaml'),
    ),
    _Folder(
        reason=SkipReason.BUILD,
        names=('build',),
        inside='lib',
        beside=('setup.py', 'pyproject.toml'),
    ),
    _Folder(
        reason=SkipReason.BUILD,
        names=('dist',),
        beside=('package.json', 'setup.py', 'pyproject.toml'),
    ),
    _Folder(
        reason=SkipReason.BUILD, names=('_build',), beside=('mix.exs', 'conf.py', 'dune-project')
    ),
    _Folder(reason=SkipReason.BUILD, names=('obj',), inside='project.assets.json'),  # .NET
    _Folder(reason=SkipReason.BUILD, inside='CMakeCache.txt'),
    _Folder(reason=SkipReason.BUILD, names=('*.egg-info', '*.dist-info', 'htmlcov')),
)

_FOLDERS_BY_NAME: Final = {
    name: tuple(folder for folder in _FOLDERS if name in folder.names)
    for folder in _FOLDERS
    for name in folder.names
}

# What package managers call their lock files, minifiers and compilers their output.
_SUFFIXES: Final = {
    SkipReason.LOCK: (
        *('.lock', '.lockb', '-lock.json', '-lock.yaml', '-lock.yml', '.lock.json', '.lockfile'),
        *('npm-shrinkwrap.json', 'go.sum', 'Package.resolved'),
    ),
    SkipReason.MINIFIED: tuple(
        f'{separator}min.{language}'
        for separator in '.-'
        for language in ('js', 'mjs', 'cjs', 'css')
    ),
    SkipReason.GENERATED: (
        *('.js.map', '.mjs.map', '.cjs.map', '.css.map'),
        *('_pb2.py', '_pb2.pyi', '_pb2_grpc.py', '.pb.go', '.pb.gw.go', '.pb.cc', '.pb.h'),
        *('_pb.js', '_pb.d.ts', '.pb.swift', '.g.dart', '.freezed.dart', '.g.cs', '.designer.cs'),
        '.Designer.cs',
    ),
}
_ALL_SUFFIXES: Final = tuple(suffix for suffixes in _SUFFIXES.values() for suffix in suffixes)

_HEADER_CHARS: Final = 2_000
"""Where a generator announces itself: GitHub's linguist looks at the first 40 lines at most."""

# What comes before the first line of code: generators carry the same words in their templates.
_OPENING: Final = re.compile(
    r"""
    (?: \s+
      | (?:\#|//|--|;|%)[^\n]*
      | /\*.*?(?:\*/|\Z) | <!--.*?(?:-->|\Z) | \"{3}.*?(?:\"{3}|\Z)
      | <\?(?:php|xml[^>]*>) | (?:'use\ strict'|"use\ strict");?
    )*
    """,
    re.DOTALL | re.VERBOSE,
)

_NOTICE: Final = re.compile(
    r"""
    Code\ generated\ .*DO\ NOT\ EDIT  # golang.org/s/generatedcode
    | @generated\b                    # Meta's tools, and those that follow them
    | \bgenerated\b.*\b(?:do\ not|don't)\ (?:edit|modify|change)\b
    | \bdo\ not\ (?:edit|modify)\b.*\bgenerated\b
    | ^\W*Generated\ by\ (?:Cython|the\ protocol\ buffer\ compiler|PEG\.js|SWIG)
    """,
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)


def is_generated(text: str) -> bool:
    """Whether a file says, before its first line of code, that a program wrote it."""
    if 'generated' not in text[:_HEADER_CHARS].lower():  # all of the notices have it
        return False
    opening = _OPENING.match(text, 0, _HEADER_CHARS)
    return opening is not None and _NOTICE.search(opening[0]) is not None


class NoiseFilter:
    """Tells the noise among the files of one listing."""

    def __init__(self, paths: Sequence[str], *, root: str, spelled: frozenset[str]) -> None:
        """Prepare for `paths` below the absolute path `root`, and a glob made of `spelled`."""
        self._entries = {'', *paths}
        for path in paths:
            while (path := path.rpartition('/')[0]) not in self._entries:
                self._entries.add(path)
        self._spelled = spelled
        self._folders: dict[str, SkipReason | bool] = {'': self._is_noise(root)}
        self._suffixes = {
            reason: suffixes
            for reason, suffixes in _SUFFIXES.items()
            if not any(component.endswith(suffixes) for component in spelled)
        }

    def reason(self, path: str) -> SkipReason | None:
        """Why a file is left out, or `None`."""
        noise = self._folder(path.rpartition('/')[0])
        if isinstance(noise, SkipReason):
            return noise
        if not path.endswith(_ALL_SUFFIXES):
            return None
        return next((why for why, known in self._suffixes.items() if path.endswith(known)), None)

    def is_beside_listed(self, path: str) -> bool:
        """Whether the folder of a path, which need not be listed, holds a listed file."""
        return path.rpartition('/')[0] in self._entries

    def _is_noise(self, root: str) -> bool:
        """Whether the root is, or is in, such a folder: then that was named on purpose."""
        by_name = {name for folder in _FOLDERS if folder.is_by_name for name in folder.names}
        return not by_name.isdisjoint(root.split('/')) or any(
            folder.inside in self._entries for folder in _FOLDERS_BY_NAME['*']
        )

    def _folder(self, folder: str) -> SkipReason | bool:
        """Why a folder is left out, or else whether it is, or is in, one named on purpose."""
        known = self._folders.get(folder)
        if known is None:
            parent, _, name = folder.rpartition('/')
            known = self._folder(parent)
            if not isinstance(known, SkipReason):
                known = self._look(parent, folder, name, is_named=known)
            self._folders[folder] = known
        return known

    def _look(self, parent: str, folder: str, name: str, *, is_named: bool) -> SkipReason | bool:
        """The same for a folder whose parent is not left out."""
        for rules in (name, f'*{name[name.rfind(".") :]}', '*'):
            for rule in _FOLDERS_BY_NAME.get(rules, ()):
                if (rule.inside is None or f'{folder}/{rule.inside}' in self._entries) and (
                    not rule.beside
                    or any(posixpath.join(parent, other) in self._entries for other in rule.beside)
                ):
                    # Of a named dependency, build output is all there is; no cache is ever source.
                    is_named = name in self._spelled or (
                        is_named and rule.reason is not SkipReason.CACHE
                    )
                    return True if is_named else rule.reason
        return is_named
