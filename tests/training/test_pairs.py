import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from training.pairs import Pair, clean_description, pairs_of, read_archive

MODULE = b'''
class Cache:
    """Keep the results of slow calls for a while."""

    def drop(self, now):
        """Forget every entry that is past its time.

        Args:
            now: Seconds.
        """
        for key in list(self._entries):
            # Entries without an expiry stay until they are removed by name.
            if self._entries[key].expiry:
                del self._entries[key]
'''

SCRIPT = b"""
/**
 * Forgets every entry that is past its time.
 * @param {number} now
 */
function drop(now) {
  for (const key of entries.keys()) {
    if (expired(key)) { entries.delete(key); }
  }
}
"""


def pairs(path: str, raw: bytes) -> dict[str, str]:
    return {pair.description: pair.code for pair in pairs_of('package', path, raw)}


def test_docstring_is_paired_with_its_code_without_it():
    code = pairs('cache.py', MODULE)['Forget every entry that is past its time.']
    assert code.startswith('    def drop(self, now):\n        for key')
    assert 'Forget' not in code


def test_class_is_paired_with_the_code_of_its_methods():
    assert 'def drop' in pairs('cache.py', MODULE)['Keep the results of slow calls for a while.']


def test_comment_is_paired_with_the_statements_below_it():
    code = pairs('cache.py', MODULE)[
        'Entries without an expiry stay until they are removed by name.'
    ]
    assert [line.strip() for line in code.split('\n')] == [
        'if self._entries[key].expiry:',
        'del self._entries[key]',
    ]


def test_hash_sign_inside_a_string_is_no_comment():
    raw = b'def f():\n    x = """\n    # not a comment at all here\n    a\n    b"""\n'
    assert not pairs('f.py', raw)


def test_comment_ends_where_its_block_does():
    raw = b'if a:\n    # Only one line belongs to this comment.\n    b()\nc()\nd()\n'
    assert not pairs('f.py', raw), 'one line is too little code'


def test_doc_comment_is_paired_with_the_block_below_it():
    code = pairs('drop.js', SCRIPT)['Forgets every entry that is past its time.']
    assert code.startswith('function drop(now) {')
    assert code.endswith('}')


def test_rust_doc_comment_is_paired_with_its_function():
    raw = b'/// Closes the file and forgets it.\n#[inline]\nfn close(&mut self) {\n  self.file.take();\n}\n'
    assert pairs('a.rs', raw) == {
        'Closes the file and forgets it.': '#[inline]\nfn close(&mut self) {\n  self.file.take();\n}'
    }


def test_doc_comment_above_no_block_is_left_out():
    assert not pairs('a.ts', b'/** Counts the open files of this process. */\nlet open = 0;\n')


def test_block_that_never_closes_ends_with_the_file():
    raw = b'/** Counts the open files of this process. */\nfunction f() {\n  return 1;\n'
    assert pairs('a.js', raw)['Counts the open files of this process.'].endswith('return 1;')


@pytest.mark.parametrize('raw', [b'def (', b'\0', b'("' * 2_000])
def test_python_that_cannot_be_parsed_has_no_pairs(raw: bytes):
    assert not pairs('broken.py', raw)


@pytest.mark.parametrize(
    'text',
    [
        'Constructor.',
        '',
        'Copyright 2020 by the authors of this',
        ':param one: two three four',
        '1 2 3 4 = {} [] abc def gh ij ++++',
    ],
)
def test_text_that_describes_no_code_is_dropped(text: str):
    assert clean_description(text) == ''


def test_markup_of_a_description_is_removed():
    assert clean_description('Return the :class:`~x.Cache` of ``this`` {@link Root node}.') == (
        'Return the x.Cache of this Root node .'
    )


def test_wheel_yields_its_own_source_in_name_order(tmp_path: Path):
    archive = tmp_path / 'a.whl'
    with zipfile.ZipFile(archive, 'w') as wheel:
        for name in (
            'b.py',
            'a.py',
            'tests/test_a.py',
            'a/_vendor/x.py',
            'x.min.js',
            'x.d.ts',
            'x.txt',
        ):
            wheel.writestr(name, name)
    assert list(read_archive(archive)) == [('a.py', b'a.py'), ('b.py', b'b.py')]


def test_tarball_yields_its_own_source_in_name_order(tmp_path: Path):
    archive = tmp_path / 'a.tgz'
    with tarfile.open(archive, 'w:gz') as tar:
        for name in ('package/b.js', 'package/a.ts', 'package/readme.md'):
            member = tarfile.TarInfo(name)
            member.size = 1
            tar.addfile(member, io.BytesIO(b'x'))
    assert list(read_archive(archive)) == [('package/a.ts', b'x'), ('package/b.js', b'x')]


def test_digest_tells_pairs_apart_whatever_package_they_are_in():
    first, second = Pair('a', 'x', 'what', 'code'), Pair('b', 'y', 'what', 'code')
    assert first.digest == second.digest != Pair('a', 'x', 'what', 'other').digest
