from pathlib import Path

from training.overlap import overlapping
from training.pairs import Pair

LINES = [f'    total_{number} = compute_the_total(number_{number})' for number in range(12)]


def pair(lines: list[str]) -> Pair:
    return Pair('package', 'a.py', 'Add up all of the totals.', '\n'.join(lines))


def found(tmp_path: Path, code: list[str], searched: list[str], name: str = 'b.py') -> bool:
    (tmp_path / name).write_text('\n'.join(searched))
    return bool(overlapping([pair(code)], tmp_path))


def test_eight_lines_in_common_are_an_overlap(tmp_path: Path):
    assert found(tmp_path, ['def f():', *LINES[:8]], ['x = 1', *LINES[:8], 'y = 2'])


def test_seven_lines_in_common_are_none(tmp_path: Path):
    assert not found(tmp_path, ['def f():', *LINES[:7], 'return'], ['x = 1', *LINES[:7], 'y = 2'])


def test_indentation_and_blank_lines_do_not_hide_an_overlap(tmp_path: Path):
    searched = [line for number in range(8) for line in (LINES[number].strip(), '')]
    assert found(tmp_path, LINES[:8], searched)


def test_short_code_overlaps_only_as_a_whole(tmp_path: Path):
    assert found(tmp_path, LINES[:4], LINES)
    assert not found(tmp_path, [*LINES[:4], 'return'], LINES)


def test_short_code_of_few_characters_is_nobodys(tmp_path: Path):
    assert not found(tmp_path, ['def close(self):', 'pass'], ['def close(self):', 'pass'])


def test_files_that_are_no_source_are_not_compared(tmp_path: Path):
    assert not found(tmp_path, LINES, LINES, 'b.txt')
