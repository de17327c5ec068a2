"""`smart-search calibrate`: from labelled queries to a threshold."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from pydantic_ai_smart_search.cli.app import app
from pydantic_ai_smart_search.cli.calibration import Judged, Place, calibrate, place_of
from pydantic_ai_smart_search.lines import LineSpan

LABELS = [
    {'query': 'refuse a session that has expired', 'answers': ['app/sessions.py:12-17']},
    {'query': 'try again when the network fails', 'answers': ['app/network.py']},
    {'query': 'who waters the garden', 'answers': ['nowhere.py:3']},
]


@pytest.fixture
def labels(here: Path) -> Path:
    path = here / 'labels.jsonl'
    path.write_text('\n\n'.join(map(json.dumps, LABELS)))
    return path


def run(*arguments: str | Path) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ['calibrate', *map(str, arguments)])
    return done.exit_code, done.stdout, done.stderr


def test_it_recommends_a_threshold_and_says_how_sure_that_is(labels: Path) -> None:
    code, shown, _ = run(labels)
    assert code == 0
    header, *rows = shown.partition('\n\n')[0].splitlines()
    assert header.split() == ['threshold', 'precision', 'recall', 'F1']
    assert [row.split()[0] for row in rows] == [f'{step / 20:.2f}' for step in range(1, 20)]
    assert '- Choose a threshold of 0.' in shown
    assert '3 queries are few' in shown
    assert '67% of the answers were among the candidates' in shown


def test_twenty_queries_are_not_few(here: Path) -> None:
    path = here / 'labels.jsonl'
    path.write_text('\n'.join(json.dumps(LABELS[0]) for _ in range(20)))
    code, shown, _ = run(path)
    assert code == 0
    assert 'are few' not in shown


def test_no_threshold_is_recommended_where_none_finds_an_answer(here: Path) -> None:
    path = here / 'labels.jsonl'
    path.write_text(json.dumps(LABELS[2]))
    code, shown, _ = run(path)
    assert code == 0
    assert 'Choose' not in shown
    assert '- No answer was found at any threshold; 0% of them were among the candidates.' in shown


def test_the_figures_are_the_same_as_json(labels: Path) -> None:
    code, printed, _ = run(labels, '--json')
    found = json.loads(printed)
    assert code == 0
    assert (found['version'], found['queries']) == (1, 3)
    assert found['reachable'] == pytest.approx(2 / 3)
    assert found['low'] <= found['threshold'] <= found['high']
    best = next(one for one in found['scores'] if one['threshold'] == found['threshold'])
    assert best['f1'] == max(one['f1'] for one in found['scores']) > 0


def test_a_picture_is_drawn_on_request(labels: Path, here: Path) -> None:
    code, _, _ = run(labels, '--picture', here / 'curve.svg')
    assert code == 0
    picture = ElementTree.parse(here / 'curve.svg').getroot()
    lines = picture.findall('{http://www.w3.org/2000/svg}polyline')
    assert [len(line.attrib['points'].split()) for line in lines] == [19, 19, 19]


def test_a_picture_that_cannot_be_written_is_an_error(labels: Path, here: Path) -> None:
    code, _, complaint = run(labels, '--picture', here / 'nowhere/curve.svg')
    assert code == 2
    assert 'No such file' in complaint


@pytest.mark.parametrize(
    ('text', 'problem'),
    [
        ('', 'it has no queries'),
        ('{"query": "x"}', 'line 1: Field required'),
        ('{"query": "x", "answers": ["a"]}\nnonsense', 'line 2: Invalid JSON'),
        ('{"query": "x", "answers": []}', 'line 1: List should have at least 1 item'),
    ],
)
def test_a_file_that_has_no_labelled_queries_says_what_a_line_is_like(
    here: Path, text: str, problem: str
) -> None:
    (here / 'labels.jsonl').write_text(text)
    code, shown, complaint = run('labels.jsonl')
    assert (code, shown) == (2, '')
    assert f'labels.jsonl: {problem}' in complaint
    assert '"answers": ["app/sessions.py:12-17"]' in complaint


def test_a_file_that_is_not_there_is_an_error(here: Path) -> None:
    code, _, complaint = run(here / 'missing.jsonl')
    assert code == 2
    assert 'No such file' in complaint


@pytest.mark.parametrize(
    ('answer', 'place'),
    [
        ('a.py', Place('a.py', None)),
        ('a.py:7', Place('a.py', LineSpan(7, 7))),
        ('a.py:7-9', Place('a.py', LineSpan(7, 9))),
        ('C:odd.py', Place('C:odd.py', None)),
        ('a.py:0', Place('a.py', LineSpan(1, 1))),
    ],
)
def test_an_answer_is_a_file_a_line_or_a_range(answer: str, place: Place) -> None:
    assert place_of(answer) == place


def a_row(*relevances: float, right: int = 0) -> Judged:
    """A query whose answer is the candidate number `right`."""
    places = [Place(f'{number}.py', LineSpan(1, 9)) for number in range(len(relevances))]
    return Judged([Place(f'{right}.py', LineSpan(9, 20))], [*zip(places, relevances, strict=True)])


def test_precision_recall_and_f1_are_counted_over_all_queries() -> None:
    rows = [a_row(0.9, 0.8, 0.2), a_row(0.6, 0.7, 0.1, right=1), a_row(0.5, 0.3, right=7)]
    calibration = calibrate(rows)
    at_half = calibration.scores[9]
    assert (at_half.threshold, at_half.precision, at_half.recall) == (0.5, 2 / 5, 2 / 3)
    assert at_half.f1 == pytest.approx(0.5)
    assert calibration.best.threshold == 0.7
    assert calibration.reachable == pytest.approx(2 / 3)


def test_no_match_is_perfectly_precise_and_finds_nothing() -> None:
    last = calibrate([a_row(0.4)]).scores[-1]
    assert (last.precision, last.recall, last.f1) == (1.0, 0.0, 0.0)


def test_queries_that_agree_leave_no_doubt() -> None:
    calibration = calibrate([a_row(0.8, 0.6)] * 30)
    assert calibration.low == calibration.high == calibration.best.threshold == 0.8
