"""Compares this package with pydantic-ai-harness: the same search, judge and tree, in turns.

    python benchmarks/peer.py --peer-python PEER_ENV/bin/python --tree TREE --out RESULT.json

The peer is installed in an environment of its own (`pip install pydantic-ai-harness ripgrep`), on
the same Python. Each round runs both, so that a busy machine slows both; figures are medians.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

OURS = 'pydantic_ai_smart_search'
PEER = 'pydantic_ai_harness.smart_search'
MEASURED = (
    'cold_cpu_seconds',
    'warm_cpu_seconds',
    'cold_wall_seconds',
    'warm_wall_seconds',
    'peak_mib',
)
PROBE = Path(__file__).with_name('probe.py')


def run_probe(python: str, package: str, tree: str, glob: str | None) -> dict[str, Any]:
    """One run of the probe in a fresh process of `python`."""
    command = [python, str(PROBE), package, tree, *(['--glob', glob] if glob else [])]
    # The peer finds `rg` on the PATH only.
    scripts = f'{Path(sys.executable).parent}{os.pathsep}{os.environ["PATH"]}'
    printed = subprocess.run(
        command, capture_output=True, text=True, check=True, env={**os.environ, 'PATH': scripts}
    ).stdout
    return json.loads(printed)


def version_in(python: str, distribution: str) -> str:
    """The version of an installed distribution in another environment."""
    code = f'from importlib.metadata import version; print(version({distribution!r}))'
    return subprocess.run(
        [python, '-c', code], capture_output=True, text=True, check=True
    ).stdout.strip()


def compare(arguments: argparse.Namespace) -> dict[str, Any]:
    """Medians of both, and ours as a share of the peer's."""
    runs: dict[str, list[dict[str, Any]]] = {'ours': [], 'peer': []}
    for _ in range(arguments.rounds):
        runs['ours'].append(run_probe(arguments.python, OURS, arguments.tree, arguments.glob))
        runs['peer'].append(run_probe(arguments.peer_python, PEER, arguments.tree, arguments.glob))
    medians = {
        who: {name: round(statistics.median(run[name] for run in of), 4) for name in MEASURED}
        for who, of in runs.items()
    }
    facts = ('files', 'snippets', 'evaluated', 'matches')
    return {
        'tree': arguments.label,
        'glob': arguments.glob,
        'rounds': arguments.rounds,
        'python': platform.python_version(),
        'peer': f'pydantic-ai-harness {version_in(arguments.peer_python, "pydantic-ai-harness")}',
        'medians': medians,
        'ratios': {
            name: round(medians['ours'][name] / medians['peer'][name], 3) for name in MEASURED
        },
        'facts': {who: {name: of[0][name] for name in facts} for who, of in runs.items()},
    }


def main() -> None:
    """Compare, print and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--python', default=sys.executable, help='interpreter with this package')
    parser.add_argument('--peer-python', required=True, help='interpreter with the peer')
    parser.add_argument('--tree', required=True)
    parser.add_argument('--label', required=True, help='what the result file calls the tree')
    parser.add_argument('--glob')
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--out', type=Path, required=True)
    compared = compare(arguments := parser.parse_args())
    arguments.out.write_text(json.dumps(compared, indent=2) + '\n')
    for name, ratio in compared['ratios'].items():
        ours, peer = (compared['medians'][who][name] for who in ('ours', 'peer'))
        print(f'{name:20} ours {ours:9.3f}  peer {peer:9.3f}  ratio {ratio:.3f}')


if __name__ == '__main__':
    main()
