"""Files nobody wrote: left out by what they say they are, and searched when they are named."""

from __future__ import annotations

from pathlib import Path

import pytest

from pydantic_ai_smart_search.source.files import SkipReason
from pydantic_ai_smart_search.source.noise import is_generated
from tests.project import write_project
from tests.source.places import list_in, local

DEPENDENCY, BUILD, CACHE = SkipReason.DEPENDENCY, SkipReason.BUILD, SkipReason.CACHE


async def reasons(
    root: Path, files: list[str], directory: str = '.', glob: str | None = None
) -> dict[str, SkipReason | None]:
    """Why each listed file is left out, `None` for those that are searched."""
    write_project(root, dict.fromkeys(files, ''))
    listing = await list_in(local(root), directory, glob)
    return {
        **dict.fromkeys(listing.paths),
        **{file.path: file.reason for file in listing.skipped},
    }


@pytest.mark.anyio
@pytest.mark.parametrize(
    ('mark', 'file', 'reason'),
    [
        ('a.py', 'node_modules/x/index.js', DEPENDENCY),
        ('a.py', 'web/node_modules/x/index.js', DEPENDENCY),
        ('a.py', 'lib/site-packages/x.py', DEPENDENCY),
        ('env/pyvenv.cfg', 'env/lib/x.py', DEPENDENCY),
        ('a/b/pyvenv.cfg', 'a/b/x.py', DEPENDENCY),
        ('conda/conda-meta/history', 'conda/lib/x.py', DEPENDENCY),
        ('vendor/modules.txt', 'vendor/github.com/a/b.go', DEPENDENCY),
        ('vendor/autoload.php', 'vendor/a/b.php', DEPENDENCY),
        ('vendor/bundle/ruby/b.rb', 'vendor/a.rb', DEPENDENCY),
        ('ios/Podfile', 'ios/Pods/A/a.m', DEPENDENCY),
        ('mix.exs', 'deps/a/lib/a.ex', DEPENDENCY),
        ('a.py', '__pycache__/a.cpython-311.pyc', CACHE),
        ('out/CACHEDIR.TAG', 'out/a.txt', CACHE),
        ('Cargo.toml', 'target/debug/build/a.rs', BUILD),
        ('java/pom.xml', 'java/target/a.java', BUILD),
        ('build.gradle.kts', 'build/a.java', BUILD),
        ('setup.py', 'build/lib/a.py', BUILD),
        ('package.json', 'dist/a.js', BUILD),
        ('conf.py', '_build/html/a.html', BUILD),
        ('obj/project.assets.json', 'obj/a.cs', BUILD),
        ('cmake/CMakeCache.txt', 'cmake/a.c', BUILD),
        ('a.py', 'a.egg-info/PKG-INFO', BUILD),
        ('a.py', 'htmlcov/index.html', BUILD),
        ('a.py', 'package-lock.json', SkipReason.LOCK),
        ('a.py', 'sub/Cargo.lock', SkipReason.LOCK),
        ('a.py', 'go.sum', SkipReason.LOCK),
        ('a.py', 'static/jquery.min.js', SkipReason.MINIFIED),
        ('a.py', 'static/site-min.css', SkipReason.MINIFIED),
        ('a.py', 'a_pb2.py', SkipReason.GENERATED),
        ('a.py', 'a.pb.go', SkipReason.GENERATED),
        ('a.py', 'a.js.map', SkipReason.GENERATED),
    ],
)
async def test_what_says_it_is_noise_is_left_out_and_counted(
    tmp_path: Path, mark: str, file: str, reason: SkipReason
) -> None:
    assert (await reasons(tmp_path, [mark, file]))[file] is reason


@pytest.mark.anyio
async def test_what_only_sounds_like_noise_is_searched(tmp_path: Path) -> None:
    files = ['target/a.rs', 'build/a.py', 'dist/a.js', 'vendor/a.go', 'deps/a.ex', 'Pods/a.m']
    files += ['egg-info/a', 'obj/a.cs', 'locks/a.py', 'lock.py', 'mini.js', 'min.js', 'a/setup.py']
    files += ['a/build/lib.py', 'pb2.py', 'generated/a.py', 'package.toml']
    assert set((await reasons(tmp_path, files)).values()) == {None}


@pytest.mark.anyio
@pytest.mark.parametrize(
    ('directory', 'glob', 'searched'),
    [
        ('.', None, {'a.py'}),
        ('.', '*.js', set[str]()),
        ('.', 'node_modules/**', {'node_modules/x/dist/a.js', 'node_modules/x/package.json'}),
        ('.', 'node_modules', {'node_modules/x/dist/a.js', 'node_modules/x/package.json'}),
        ('node_modules', None, {'x/dist/a.js', 'x/package.json'}),
        ('node_modules/x', None, {'dist/a.js', 'package.json'}),
        ('node_modules/x', '*.js', {'dist/a.js'}),
        ('env', None, {'pyvenv.cfg', 'lib/site-packages/b.py'}),
        ('env/lib', None, set[str]()),
        ('env/lib/site-packages', None, {'b.py'}),
        ('.', '*.lock', {'uv.lock'}),
        ('.', 'uv.lock', {'uv.lock'}),
        ('uv.lock', None, {'uv.lock'}),
        ('.', '**/__pycache__/*', {'__pycache__/a.txt'}),
    ],
)
async def test_noise_that_is_named_is_searched(
    tmp_path: Path, directory: str, glob: str | None, searched: set[str]
) -> None:
    files = ['a.py', 'node_modules/x/package.json', 'node_modules/x/dist/a.js', 'uv.lock']
    files += ['env/pyvenv.cfg', 'env/lib/site-packages/b.py', '__pycache__/a.txt']
    found = await reasons(tmp_path, files, directory, glob)
    assert {path for path, reason in found.items() if reason is None} == searched


@pytest.mark.anyio
async def test_a_cache_in_a_named_dependency_stays_out(tmp_path: Path) -> None:
    files = ['node_modules/x/a.js', 'node_modules/x/__pycache__/b.pyc']
    assert await reasons(tmp_path, files, 'node_modules') == {
        'x/a.js': None,
        'x/__pycache__/b.pyc': CACHE,
    }


@pytest.mark.parametrize(
    'text',
    [
        '// Code generated by protoc-gen-go. DO NOT EDIT.\npackage a\n',
        '#!/usr/bin/env python\n# -*- coding: utf-8 -*-\n# @generated by tool\nx = 1\n',
        '/*\n * This file is auto-generated! Do not modify it directly.\n */\nexport {}\n',
        '/*\nAutomatically generated by a script, do not edit\n*/\nint x;\n',
        '<?php\n\n// Generated file, do not edit.\n$x = 1;\n',
        '<!-- DO NOT EDIT: generated from b.md -->\n# Title\n',
        '/* Generated by Cython 3.0 */\n#define PY 1\n',
        '"""This file is generated by x.py. DO NOT EDIT."""\nx = 1\n',
        "'use strict';\n// @generated\nlet x\n",
        '/* @generated',
    ],
)
def test_generated_code_says_so_at_its_top(text: str) -> None:
    assert is_generated(text)


@pytest.mark.parametrize(
    'text',
    [
        '',
        'x = 1\n# @generated\n',
        'HEADER = """\n# Code generated by us. DO NOT EDIT.\n"""\n',
        '# The report is generated every night.\nx = 1\n',
        '# Do not edit a report while it is open.\n',
        '#' * 3_000 + '\n# @generated\n',
        '# How tokens are generated\n',
    ],
)
def test_a_program_that_speaks_of_generating_is_none(text: str) -> None:
    assert not is_generated(text)
