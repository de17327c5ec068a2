"""What a person, or a program, sees of a calibration."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from rich.text import Text

from pydantic_ai_smart_search.cli.calibration import FEW_QUERIES, Calibration, Score
from pydantic_ai_smart_search.cli.output import Output
from pydantic_ai_smart_search.cli.show import JSON_VERSION

BAR_COLUMNS: Final = 30
"""Columns of a bar of 1.0: with the figures the line fits a terminal of 60."""

WIDTH: Final = 480
HEIGHT: Final = 300
MARGIN: Final = 44
"""Of the picture, in pixels: it is as wide as a column of text."""

COLOURS: Final = {'precision': '#4477aa', 'recall': '#ee6677', 'f1': '#228833'}
"""Those of Paul Tol's bright scheme, which colour-blind people tell apart."""


def show_calibration(output: Output, calibration: Calibration) -> None:
    """Print a line for each threshold, and what to choose."""
    output.put_line(Text('threshold  precision  recall    F1', style='bold'))
    for score in calibration.scores:
        is_best = score == calibration.best and score.recall > 0
        bar = '█' * round(BAR_COLUMNS * score.f1)
        figures = f'{score.threshold:>9.2f}  {score.precision:>9.2f}  {score.recall:>6.2f}'
        output.put_line(Text(f'{figures}  {score.f1:.2f} {bar}', 'bold' if is_best else ''))
    output.put('')
    for sentence in _sentences(calibration):
        output.put_item(Text('- '), Text(sentence))


def _sentences(calibration: Calibration) -> Iterator[str]:
    best = calibration.best
    if not best.recall:
        yield (
            f'No answer was found at any threshold; {calibration.reachable:.0%} of them were among '
            'the candidates. Paths of answers are those that `smart-search find` shows here.'
        )
        return
    yield (
        f'Choose a threshold of {best.threshold:.2f}: F1 is {best.f1:.2f} there, the best of all.'
    )
    yield (
        f'Had the queries been others of their kind, the best would lie between '
        f'{calibration.low:.2f} and {calibration.high:.2f} (95%).'
    )
    if calibration.queries < FEW_QUERIES:
        yield f'{calibration.queries} queries are few: with {FEW_QUERIES} or more this gets surer.'
    yield (
        f'{calibration.reachable:.0%} of the answers were among the candidates: no threshold finds '
        'the others; more candidates, or other queries, may.'
    )


def calibration_as_json(calibration: Calibration) -> str:
    """One object with the scores of every threshold and what to choose."""

    def as_object(score: Score) -> dict[str, float]:
        return {**score._asdict(), 'f1': score.f1}

    return json.dumps(
        {
            'version': JSON_VERSION,
            'threshold': calibration.best.threshold,
            'low': calibration.low,
            'high': calibration.high,
            'queries': calibration.queries,
            'reachable': calibration.reachable,
            'scores': [as_object(score) for score in calibration.scores],
        }
    )


def draw_calibration(calibration: Calibration) -> str:
    """An SVG picture of precision, recall and F1 by threshold."""
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}">',
        '<style>text { font: 12px sans-serif }</style>',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
    ]
    for tenth in range(0, 11, 2):
        x, y = _x(tenth / 10), _y(tenth / 10)
        lines += [
            f'<path d="M{_x(0)} {y}H{_x(1)}" stroke="#dddddd"/>',
            f'<text x="{_x(0) - 8}" y="{y + 4}" text-anchor="end">{tenth / 10:.1f}</text>',
            f'<text x="{x}" y="{_y(0) + 18}" text-anchor="middle">{tenth / 10:.1f}</text>',
        ]
    for number, (name, colour) in enumerate(COLOURS.items()):
        points = ' '.join(
            f'{_x(score.threshold)},{_y(getattr(score, name))}' for score in calibration.scores
        )
        lines += [
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>',
            f'<text x="{_x(0) + 90 * number}" y="20" fill="{colour}">{name}</text>',
        ]
    best = _x(calibration.best.threshold)
    lines += [
        f'<path d="M{best} {_y(0)}V{_y(1)}" stroke="#555555" stroke-dasharray="4"/>',
        f'<text x="{_x(0.5)}" y="{HEIGHT - 8}" text-anchor="middle">threshold</text>',
        '</svg>',
    ]
    return '\n'.join(lines) + '\n'


def _x(value: float) -> float:
    return round(MARGIN + value * (WIDTH - 2 * MARGIN), 1)


def _y(value: float) -> float:
    return round(HEIGHT - MARGIN - value * (HEIGHT - 2 * MARGIN), 1)
