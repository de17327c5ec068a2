"""The arguments and options of the commands, each declared once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pydantic_ai_smart_search.options import MAX_ALTERNATIVES, MAX_CANDIDATES, MAX_LIMIT

QueryArgument = Annotated[str, typer.Argument(help='The behaviour to find, in plain English.')]

DirectoryArgument = Annotated[str, typer.Argument(help='Directory or file to search.')]

GlobOption = Annotated[
    str | None,
    typer.Option(
        '--glob', '-g', help='Search only matching files: `*.py`, `src/**` or `*.ts,*.tsx`.'
    ),
]

LimitOption = Annotated[
    int, typer.Option('--limit', '-n', help=f'Most matches to show, 1 to {MAX_LIMIT}.')
]

CandidatesOption = Annotated[
    int,
    typer.Option(
        '--candidates', '-c', help=f'Most snippets to put to the judge, 1 to {MAX_CANDIDATES}.'
    ),
]

AlternativeOption = Annotated[
    list[str] | None,
    typer.Option(
        '--alternative',
        '-a',
        help=f'Another phrasing of the query; up to {MAX_ALTERNATIVES}, each given like this.',
    ),
]

JudgeOption = Annotated[
    str,
    typer.Option(
        '--judge',
        '-j',
        envvar='SMART_SEARCH_JUDGE',
        help='Who decides what is relevant: `local`, which sends nothing anywhere, or a model.',
    ),
]

ThresholdOption = Annotated[
    float, typer.Option('--threshold', '-t', help='Relevance a match needs, 0 to 1.')
]

ConcurrencyOption = Annotated[int, typer.Option('--concurrency', help='Snippets judged at once.')]

IndexDirOption = Annotated[
    Path | None,
    typer.Option(
        '--index-dir',
        envvar='SMART_SEARCH_INDEX_DIR',
        help='A directory to keep indexes in, so that the next search reads only what changed.',
    ),
]

ScreenFilesOption = Annotated[
    int,
    typer.Option(
        '--screen-files',
        help=(
            'Show the judge outlines of up to so many files that would not be judged in full; '
            '`local` needs none.'
        ),
    ),
]

ExplainOption = Annotated[
    bool,
    typer.Option(
        '--explain', help='List every candidate too: what made its score, and the two answers.'
    ),
]

LabelsArgument = Annotated[
    Path, typer.Argument(help='A file of queries and the places that answer them, as JSON lines.')
]

KeptDirectoryArgument = Annotated[
    Path | None,
    typer.Argument(help='Only indexes of this directory and what is below.', show_default='all'),
]

ListOption = Annotated[
    bool, typer.Option('--list', help='List the indexes, as is done without any of these.')
]

DropOption = Annotated[bool, typer.Option('--drop', help='Delete the indexes.')]

VerifyOption = Annotated[
    bool, typer.Option('--verify', help='Read all of each index and check it.')
]

ServedDirectoryArgument = Annotated[
    str | None,
    typer.Argument(
        help='Directory to search where the client names no folders of its own.',
        show_default='the current directory',
    ),
]

PictureOption = Annotated[
    Path | None,
    typer.Option('--picture', help='Also draw precision, recall and F1 into this SVG file.'),
]

JsonOption = Annotated[bool, typer.Option('--json', help='Print JSON instead of text.')]
