"""Compares this package with pydantic-ai-harness: the same searches, judge and tree, in turns.

    python benchmarks/peer.py --peer-python PEER_ENV/bin/python --out RESULT.json
        [--tree TREE --label LABEL] [--rounds N] [--far] [--sizes N ...]

`make bench` makes the peer's environment and runs this. Without `--tree`, the tree is a pinned one
from PyPI. Each round runs both packages, so that a busy machine slows both; figures are medians.

| figure | what |
|---|---|
| first | one search in a new process that keeps no index |
| cold | one search in a new process that keeps its index in memory, on one processor |
| together | the same on all processors; its peak is that of the searching process alone |
| warm, changed | searches after it: nothing changed, 10 files changed |
| reopened | a search in a new process, of an index that another one left on disk |
| far | first and kept searches of a workspace that can only run commands (`--far`) |
| sizes | first and cold of parts of the tree with so many files (`--sizes`) |
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any, Final

from corpora import CORPORA, fetch

OURS: Final = 'pydantic_ai_smart_search'
PEER: Final = 'pydantic_ai_harness.smart_search'
PROBE: Final = Path(__file__).with_name('probe.py')
CACHE: Final = Path(__file__).parent.parent / '.cache/bench'

Figures = dict[str, Any]


def run_probe(python: str, package: str, step: str, tree: Path, *flags: str) -> Figures:
    """One run of the probe in a fresh process of `python`."""
    # The peer finds `rg` on the PATH only.
    scripts = f'{Path(sys.executable).parent}{os.pathsep}{os.environ["PATH"]}'
    printed = subprocess.run(
        [python, str(PROBE), package, step, str(tree), *flags],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, 'PATH': scripts},
    ).stdout
    return json.loads(printed)


def rename(figures: Figures, old: str, new: str) -> Figures:
    """Figures with another name for one step, and without what is not compared."""
    return {
        name.replace(f'{old}_', f'{new}_', 1): value
        for name, value in figures.items()
        if name.startswith(old)
    }


def run_round(arguments: argparse.Namespace, tree: Path, indexes: Path) -> dict[str, Figures]:
    """Every step once, ours and the peer's in turn."""
    ours: Figures = {}
    peer: Figures = {}
    once = run_probe(arguments.python, OURS, 'once', tree)
    ours |= rename(once, 'first', 'first')
    together = run_probe(arguments.python, OURS, 'kept', tree)
    ours |= rename(together, 'first', 'together')
    kept = run_probe(arguments.python, OURS, 'kept', tree, '--one-processor')
    theirs = run_probe(arguments.peer_python, PEER, 'kept', tree)
    # The peer's first search is its cold one, and it has one process.
    peer |= rename(theirs, 'first', 'first') | rename(theirs, 'first', 'together')
    for figures, of in ((ours, kept), (peer, theirs)):
        figures |= rename(of, 'first', 'cold')
        figures |= rename(of, 'warm', 'warm') | rename(of, 'changed', 'changed')
        figures |= {name: of[name] for name in ('files', 'snippets', 'evaluated')}
    flags = ('--index-dir', str(indexes))
    run_probe(arguments.python, OURS, 'once', tree, *flags)
    ours |= rename(run_probe(arguments.python, OURS, 'once', tree, *flags), 'first', 'reopened')
    peer |= rename(theirs, 'first', 'reopened')
    return {'ours': ours, 'peer': peer}


def run_far(arguments: argparse.Namespace, tree: Path) -> dict[str, Figures]:
    """What a workspace that can only run commands is asked, and how much passes over the wire."""
    counts = ('commands', 'wire_bytes')
    ours = run_probe(arguments.python, OURS, 'far', tree)
    kept = run_probe(arguments.python, OURS, 'far_kept', tree)
    theirs = run_probe(arguments.peer_python, PEER, 'far_kept', tree)
    return {
        'ours': {f'first_{count}': ours[f'first_{count}'] for count in counts}
        | {f'cold_{count}': kept[f'first_{count}'] for count in counts}
        | {f'warm_{count}': kept[f'warm_{count}'] for count in counts},
        'peer': {
            f'{step}_{count}': theirs[f'{step}_{count}']
            for step in ('first', 'warm')
            for count in counts
        },
    }


def run_sizes(arguments: argparse.Namespace, tree: Path, scratch: Path) -> Figures:
    """First and cold searches of parts of the tree, and the exponent their cost grows with."""
    files = sorted(path for path in tree.rglob('*') if path.is_file())
    rows: list[Figures] = []
    for count in sorted(arguments.sizes):
        part = scratch / str(count)
        for path in files[:: max(1, len(files) // count)][:count]:
            target = part / path.relative_to(tree)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, target)
        row: Figures = {'files': count}
        for step, name in (('once', 'first'), ('kept', 'cold')):
            figures = run_probe(arguments.python, OURS, step, part, '--one-processor')
            row[f'{name}_cpu_seconds'] = round(figures['first_cpu_seconds'], 3)
            row[f'{name}_peak_mib'] = round(figures['first_peak_mib'], 1)
            row[f'{name}_snippets'] = figures['snippets']
        rows.append(row)
    least, most = rows[0], rows[-1]
    exponent = math.log(most['cold_cpu_seconds'] / least['cold_cpu_seconds']) / math.log(
        most['cold_snippets'] / least['cold_snippets']
    )
    return {'rows': rows, 'cold_cpu_exponent': round(exponent, 3)}


def version_in(python: str, distribution: str) -> str:
    """The version of an installed distribution in another environment."""
    code = f'from importlib.metadata import version; print(version({distribution!r}))'
    return subprocess.run(
        [python, '-c', code], capture_output=True, text=True, check=True
    ).stdout.strip()


def compare(arguments: argparse.Namespace, scratch: Path) -> Figures:
    """Medians of both, and ours as a share of the peer's."""
    source = Path(arguments.tree) if arguments.tree else fetch(arguments.corpus, CACHE)
    tree = scratch / 'tree'  # a copy, as files are changed
    shutil.copytree(source, tree, symlinks=True)
    runs: defaultdict[str, list[Figures]] = defaultdict(list)
    for number in range(arguments.rounds):
        for who, figures in run_round(arguments, tree, scratch / f'indexes-{number}').items():
            runs[who].append(figures)
    medians = {
        who: {name: round(statistics.median(run[name] for run in of), 4) for name in of[0]}
        for who, of in runs.items()
    }
    ours, peer = medians['ours'], medians['peer']
    compared: Figures = {
        'tree': arguments.label or ' '.join(CORPORA[arguments.corpus]),
        'rounds': arguments.rounds,
        'python': platform.python_version(),
        'peer': f'pydantic-ai-harness {version_in(arguments.peer_python, "pydantic-ai-harness")}',
        'medians': medians,
        'ratios': {
            name: round(ours[name] / peer[name], 3)
            for name in ours
            if name.endswith(('_seconds', '_mib'))
        },
    }
    if arguments.far:
        compared['far'] = run_far(arguments, tree)
    if arguments.sizes:
        compared['sizes'] = run_sizes(arguments, tree, scratch)
    return compared


def main() -> None:
    """Compare, print and write the figures."""
    parser = argparse.ArgumentParser(description='Compares this package with its peer.')
    parser.add_argument('--python', default=sys.executable, help='interpreter with this package')
    parser.add_argument('--peer-python', required=True, help='interpreter with the peer')
    parser.add_argument('--corpus', choices=sorted(CORPORA), default='library')
    parser.add_argument('--tree', help='a tree of your own, instead of a corpus')
    parser.add_argument('--label', help='what the result file calls the tree')
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--far', action='store_true', help='over commands, too: minutes')
    parser.add_argument('--sizes', type=int, nargs='*', default=(), help='numbers of files')
    parser.add_argument('--out', type=Path, required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        compared = compare(arguments, Path(scratch).resolve())
    arguments.out.write_text(json.dumps(compared, indent=2) + '\n')
    for name, ratio in compared['ratios'].items():
        ours, peer = (compared['medians'][who][name] for who in ('ours', 'peer'))
        print(f'{name:24} ours {ours:9.3f}  peer {peer:9.3f}  ratio {ratio:.3f}')
    for row in compared.get('sizes', {}).get('rows', ()):
        print(f'size {row}')
    for who, figures in compared.get('far', {}).items():
        print(f'far {who}: {figures}')


if __name__ == '__main__':
    main()
