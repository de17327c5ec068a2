"""`benchmarks/README.md` gives a reason for every program and every result there."""

from __future__ import annotations

import re

from tests.docs.markdown import REPOSITORY, table

FOLDER = REPOSITORY / 'benchmarks'
ROWS = table('benchmarks/README.md', 'program', 'measures', 'results', 'what rests on it')


def test_every_benchmark_is_listed_and_every_listed_one_is_there() -> None:
    listed = {name for row in ROWS for name in re.findall(r'[\w-]+\.py', row)}
    assert listed == {path.name for path in FOLDER.glob('*.py')}


def test_every_result_is_of_a_benchmark_that_is_listed() -> None:
    listed = {name for _, results, _ in ROWS.values() for name in re.findall(r'`(.+?)`', results)}
    kept = {re.sub(r'-\d{4}-\d\d-\d\d.*', '', path.name) for path in FOLDER.glob('results/*')}
    assert kept <= {*listed, 'soak'}
