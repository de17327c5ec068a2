"""Draw the pictures of the docs from the figures in `benchmarks/results`.

    make pictures

Each is an SVG that can be read on a phone, and takes the reader's light or dark scheme. A test
draws them again and compares.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple
from xml.sax.saxutils import escape

from pydantic_ai_smart_search.options import DEFAULT_CANDIDATES, DEFAULT_LIMIT

ROOT: Final = Path(__file__).parents[1]
RESULTS: Final = ROOT / 'benchmarks/results'
PICTURES: Final = ROOT / 'docs/pictures'

WIDTH: Final = 440
"""Of a picture in pixels: on a phone's 350 the text is still 11 pixels high."""

MARGIN: Final = 12
"""Pixels left and right of what is drawn."""

FIGURES: Final = 60
"""Pixels right of the longest bar, for its figure."""

LINE: Final = 20
"""Pixels from one line of text to the next."""

STEP: Final = 62
"""Pixels from one stage of the cascade to the next."""

OURS, THEIRS = '#4477aa', '#ccbb44'
"""Of Paul Tol's bright scheme, which colour-blind people tell apart."""

STYLE: Final = """\
<style>
text { fill: #222222 } .note { fill: #555555; font-size: 12px } .card { fill: #ffffff }
.on-blue { fill: #ffffff } .on-yellow { fill: #222222 }
@media (prefers-color-scheme: dark) {
  text { fill: #dddddd } .note { fill: #aaaaaa } .card { fill: #1e2129 }
  .on-blue { fill: #ffffff } .on-yellow { fill: #222222 }
}
</style>"""
"""The dark card has the colour of the site's dark page."""

SEARCHES: Final = {
    'first': 'the first, without an index',
    'cold': 'building an index',
    'reopened': 'a new process, index on disk',
    'changed': 'index kept, 10 files changed',
    'warm': 'index kept, nothing changed',
}
"""Kinds of search in `peer-2026-11-30.json`, by the start of their figures' names."""


class Bar(NamedTuple):
    """One bar of a picture."""

    label: str
    """Stands above it; empty for a bar that goes with the one before."""
    length: float
    """A share of the longest bar, 0..1."""
    figure: str
    colour: str


class Stage(NamedTuple):
    """One stage of the cascade."""

    name: str
    what: str
    figure: str
    colour: str


def draw_card(title: str, height: int, rows: Sequence[str], notes: Sequence[str]) -> str:
    """An SVG of `rows`, which are `height` pixels high, between `title` and `notes`."""
    total = 44 + height + LINE * len(notes) + 8
    size = f'width="{WIDTH}" height="{total}" viewBox="0 0 {WIDTH} {total}"'
    font = 'font-family="sans-serif" font-size="14"'
    below = 44 + height + 14
    return '\n'.join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size} {font}>',
            f'<title>{escape(title)}</title>',
            STYLE,
            f'<rect class="card" width="{WIDTH}" height="{total}" rx="6"/>',
            f'<text x="{MARGIN}" y="28" font-size="16" font-weight="bold">{escape(title)}</text>',
            *rows,
            *(
                f'<text class="note" x="{MARGIN}" y="{below + LINE * number}">{escape(note)}</text>'
                for number, note in enumerate(notes)
            ),
            '</svg>',
            '',
        ]
    )


def draw_bars(title: str, bars: Sequence[Bar], notes: Sequence[str]) -> str:
    """An SVG of the bars below `title`, top down, and `notes` under them."""
    rows: list[str] = []
    top = 0
    for bar in bars:
        if bar.label:
            rows.append(f'<text x="{MARGIN}" y="{44 + top + 16}">{escape(bar.label)}</text>')
            top += LINE + 2
        length = max(1, round((WIDTH - 2 * MARGIN - FIGURES) * bar.length))
        rows += [
            f'<rect x="{MARGIN}" y="{44 + top}" width="{length}" height="16" fill="{bar.colour}"/>',
            f'<text x="{MARGIN + length + 6}" y="{44 + top + 13}">{escape(bar.figure)}</text>',
        ]
        top += LINE
    return draw_card(title, top + 6, rows, notes)


def draw_stages(title: str, stages: Sequence[Stage], notes: Sequence[str]) -> str:
    """An SVG of the stages as a funnel, top down."""
    rows: list[str] = []
    for number, stage in enumerate(stages):
        top = 44 + STEP * number
        inset = MARGIN + 14 * number
        on = 'class="on-blue"' if stage.colour == OURS else 'class="on-yellow"'
        middle = f'x="{WIDTH // 2}" text-anchor="middle"'
        box = f'x="{inset}" y="{top}" width="{WIDTH - 2 * inset}" height="46" rx="4"'
        name = escape(f'{stage.name}: {stage.figure}')
        rows += [
            f'<rect {box} fill="{stage.colour}"/>',
            f'<text {on} {middle} y="{top + 19}" font-weight="bold">{name}</text>',
            f'<text {on} {middle} y="{top + 37}">{escape(stage.what)}</text>',
        ]
        if number + 1 < len(stages):
            rows.append(f'<path d="M{WIDTH // 2 - 6} {top + 49}h12l-6 9z" fill="{stage.colour}"/>')
    return draw_card(title, STEP * len(stages) - 8, rows, notes)


def cascade(peer: Any) -> str:
    """What each stage of a search hands on to the next."""
    ours = peer['medians']['ours']
    stages = [
        Stage('list', 'what is ignored or hidden stays out', f'{ours["files"]:,.0f} files', OURS),
        Stage('read, cut', 'along the structure', f'{ours["snippets"]:,.0f} snippets', OURS),
        Stage('shortlist', 'by words and by meaning', f'{DEFAULT_CANDIDATES} candidates', OURS),
        Stage('judge', 'two questions about each', f'{DEFAULT_CANDIDATES} judgments', THEIRS),
        Stage('rank', 'the best, one excerpt each', f'{DEFAULT_LIMIT} matches', OURS),
    ]
    notes = [
        "Python's standard library, at the defaults.",
        'Blue: where the agent runs. Yellow: the judge that you choose.',
    ]
    return draw_stages('A search is a cascade', stages, notes)


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
    notes = [
        f'Blue: this package. Yellow: {peer["peer"]}.',
        f'CPU seconds, median of {peer["rounds"]}.',
    ]
    return draw_bars("Searching Python's standard library", bars, notes)


def recall(scan: Any) -> str:
    """The share of the right answers that is left after each stage of a first search."""
    shares = {
        'in the listed files': 1.0,
        'in the files chosen by the scan': scan['share_of_answers_in_chosen_files'],
        'among 128 candidates': scan['scan']['recall_128'],
        'among the 24 best of them': scan['scan']['recall_24'],
    }
    bars = [Bar(label, share, f'{share:.0%}', OURS) for label, share in shares.items()]
    note = f'{scan["queries"]} labelled queries of trees over 8 MiB, by words and meaning.'
    return draw_bars('Right answers left after each stage', bars, [note])


def draw_all() -> dict[str, str]:
    """Each picture by its file name."""
    return {
        'cascade.svg': cascade(read('peer-2026-11-30.json')),
        'recall.svg': recall(read('scan-2026-11-30.json')),
        'speed.svg': speed(read('peer-2026-11-30.json')),
    }


def read(name: str) -> Any:
    """What a benchmark measured."""
    return json.loads((RESULTS / name).read_text())


if __name__ == '__main__':
    PICTURES.mkdir(exist_ok=True)
    for name, picture in draw_all().items():
        (PICTURES / name).write_text(picture)
