"""Draw the pictures of the docs from the figures in `benchmarks/results`.

    make pictures

Each is an SVG of bars. A test draws them again and compares.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple
from xml.sax.saxutils import escape

ROOT: Final = Path(__file__).parents[1]
RESULTS: Final = ROOT / 'benchmarks/results'
PICTURES: Final = ROOT / 'docs/pictures'

WIDTH: Final = 640
"""Of a picture in pixels, as wide as the column of text of the site."""

LABELS: Final = 250
"""Pixels left of the bars, for the longest label at 13 pixels."""

FIGURES: Final = 70
"""Pixels right of the longest bar, for its figure."""

ROW: Final = 24
"""Pixels from one bar to the next."""

OURS, THEIRS = '#4477aa', '#ccbb44'
"""Of Paul Tol's bright scheme, which colour-blind people tell apart."""

SEARCHES: Final = {
    'first': 'first, without an index',
    'cold': 'building an index',
    'reopened': 'new process, index on disk',
    'changed': 'index kept, a file changed',
    'warm': 'index kept, nothing changed',
}
"""Kinds of search in `peer-2026-11-29.json`, by the start of their figures' names."""


class Bar(NamedTuple):
    """One bar of a picture."""

    label: str
    length: float
    """A share of the longest bar, 0..1."""
    figure: str
    colour: str


def draw_bars(title: str, bars: Sequence[Bar], note: str) -> str:
    """An SVG of the bars below `title`, top down, and `note` under them."""
    height = 52 + ROW * len(bars) + 26
    size = f'viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="13"'
    rows = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size}>',
        f'<title>{escape(title)}</title>',
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        f'<text x="12" y="28" font-size="15" font-weight="bold">{escape(title)}</text>',
    ]
    for number, bar in enumerate(bars):
        top = 44 + ROW * number
        length = max(1, round((WIDTH - LABELS - FIGURES) * bar.length))
        rows += [
            f'<text x="{LABELS - 10}" y="{top + 14}" text-anchor="end">{escape(bar.label)}</text>',
            f'<rect x="{LABELS}" y="{top}" width="{length}" height="18" fill="{bar.colour}"/>',
            f'<text x="{LABELS + length + 6}" y="{top + 14}">{escape(bar.figure)}</text>',
        ]
    rows += [f'<text x="12" y="{height - 12}" fill="#555555">{escape(note)}</text>', '</svg>', '']
    return '\n'.join(rows)


def speed(peer: Any) -> str:
    """CPU seconds of each kind of search, ours above the peer's."""
    medians = peer['medians']
    pairs = [
        (kind, label, side, medians[side][f'{kind}_cpu_seconds'])
        for kind, label in SEARCHES.items()
        for side in ('ours', 'peer')
    ]
    longest = max(seconds for *_, seconds in pairs)
    bars = [
        Bar(
            label if side == 'ours' else '',
            seconds / longest,
            f'{seconds:.1f} s',
            OURS if side == 'ours' else THEIRS,
        )
        for _, label, side, seconds in pairs
    ]
    note = f'Blue: this package. Yellow: {peer["peer"]}. CPU seconds, median of {peer["rounds"]}.'
    return draw_bars("Searching Python's standard library", bars, note)


def recall(scan: Any) -> str:
    """The share of the right answers that is left after each stage of a first search."""
    shares = {
        'in the listed files': 1.0,
        'in the files chosen by the scan': scan['share_of_answers_in_chosen_files'],
        'among 128 candidates': scan['scan']['recall_128'],
        'among the 24 best of them': scan['scan']['recall_24'],
    }
    bars = [Bar(label, share, f'{share:.0%}', OURS) for label, share in shares.items()]
    note = f'{scan["queries"]} labelled queries of trees over 8 MiB, shortlisted by words alone.'
    return draw_bars('Right answers left after each stage', bars, note)


def draw_all() -> dict[str, str]:
    """Each picture by its file name."""
    return {
        'recall.svg': recall(read('scan-2026-11-29.json')),
        'speed.svg': speed(read('peer-2026-11-29.json')),
    }


def read(name: str) -> Any:
    """What a benchmark measured."""
    return json.loads((RESULTS / name).read_text())


if __name__ == '__main__':
    PICTURES.mkdir(exist_ok=True)
    for name, picture in draw_all().items():
        (PICTURES / name).write_text(picture)
