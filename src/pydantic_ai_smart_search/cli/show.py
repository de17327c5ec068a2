"""What a person, or a program, sees of a search."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter
from pygments.token import Comment, Keyword, Name, Number, String
from rich.style import Style
from rich.syntax import ANSISyntaxTheme, Syntax
from rich.text import Text

from pydantic_ai_smart_search.cli.output import Output, visible, visible_name
from pydantic_ai_smart_search.pipeline import Survey
from pydantic_ai_smart_search.results import (
    CandidateDetails,
    SmartSearchDetails,
    SmartSearchMatch,
    SmartSearchResult,
)
from pydantic_ai_smart_search.source.files import Skipped, printable

JSON_VERSION: Final = 1
"""Raised when a field of the JSON output changes its meaning or goes away."""

CODE_THEME: Final = ANSISyntaxTheme(
    {
        Comment: Style(dim=True),
        String: Style(color='green'),
        Number: Style(color='cyan'),
        Keyword: Style(color='magenta'),
        Name.Decorator: Style(color='cyan'),
        Name.Class: Style(bold=True),
        Name.Function: Style(bold=True),
    }
)
"""Those of the terminal's own colours that can be read on its light and its dark background."""

TAB_COLUMNS: Final = 4
"""Columns of a tab in an excerpt on a terminal: it has few to spare."""

GUTTER: Final = 2
"""Columns before and after the line numbers, and of what belongs to a line above."""

SHOWN_PER_REASON: Final = 5
"""Files named for each reason to leave one out; a dependency folder has thousands."""

SHOWN_PARTS: Final = 4
"""Largest parts named for a candidate: with its place they fit on a wide line, and the rest rarely
decides."""

_RESULT = TypeAdapter(SmartSearchResult)
_DETAILS = TypeAdapter(SmartSearchDetails)


def result_as_json(result: SmartSearchResult) -> str:
    """The whole result, details included, as one JSON object with a `version`."""
    whole = _RESULT.dump_python(result, mode='json')
    details = _DETAILS.dump_python(result.details, mode='json')
    return json.dumps({'version': JSON_VERSION, **whole, 'details': details}, indent=2)


def survey_as_json(survey: Survey) -> str:
    """The files that would be searched and all those that would not, as one JSON object."""
    return json.dumps(
        {
            'version': JSON_VERSION,
            'files': list(survey.searched),
            'snippets': survey.snippets,
            'skipped': [
                {
                    'path': printable(file.path),
                    'reason': file.reason.value,
                    'detail': file.detail,
                }
                for file in survey.skipped
            ],
        },
        indent=2,
    )


def show_result(output: Output, result: SmartSearchResult, *, base: str) -> None:
    """Print each match with its excerpt, then the candidates if the result explains them, then
    what was covered, then the warnings.

    `base` is the directory that relative paths start in, for links a terminal can open.
    """
    for match in result.matches:
        for line in [*_heading(output, match, base), *_excerpt(output, match), Text()]:
            output.put_line(line)
    _show_candidates(output, result.details.candidates)
    output.put_item(Text(), Text(_summary(result), style='bold'))
    for warning in result.warnings:
        output.put_item(Text('- '), Text(visible(warning)))


def show_survey(output: Output, notes: Output, survey: Survey) -> None:
    """Print the searchable files, one a line; then, as notes, how many and what is left out."""
    if survey.searched:
        output.put('\n'.join(map(visible_name, survey.searched)))
    files = _count(len(survey.searched), 'file')
    notes.put_line(Text(f'{files}, {_count(survey.snippets, "snippet")}', style='bold'))
    by_reason = sorted(survey.skipped, key=lambda file: (file.reason, file.path))
    for reason, skipped in groupby(by_reason, key=lambda file: file.reason):
        notes.put_item(Text('- '), Text(_left_out(reason.value, list(skipped))))


def _heading(output: Output, match: SmartSearchMatch, base: str) -> Iterator[Text]:
    """Where a match is and what, on one line if that is wide enough, else on two."""
    url = Path(base, match.file_path).as_uri()
    place = Text.assemble(
        (visible_name(match.file_path), Style(color='cyan', bold=True, link=url)),
        (f':{match.start_line}-{match.end_line}', 'cyan'),
    )
    what = Text()
    if match.symbol:
        what.append(f'{visible_name(match.symbol)}  ', style='bold')
    what.append(f'{match.score:.2f}', style='green')
    if match.kind:
        what.append(f'  [{match.kind}]', style='magenta')
    gap = ' ' * GUTTER
    if output.is_terminal and place.cell_len + GUTTER + what.cell_len > output.width:
        yield place
        yield Text(gap).append_text(what)
    else:
        yield place.append(gap).append_text(what)


def _excerpt(output: Output, match: SmartSearchMatch) -> Iterator[Text]:
    """The lines of a match with their numbers; on a terminal highlighted and cut to its width."""
    text = visible(match.text)
    digits = len(str(match.end_line)) + GUTTER
    lines = _highlighted(match.file_path, text) if output.is_terminal else text.split('\n')
    for number, line in enumerate(lines, match.start_line):
        row = Text.assemble((f'{number:{digits}}', 'dim'))
        if line:
            row.append(' ' * GUTTER).append(line)
        if output.is_terminal:
            row.truncate(output.width, overflow='ellipsis')
        yield row


def _highlighted(path: str, text: str) -> Iterator[Text]:
    syntax = Syntax(text, Syntax.guess_lexer(path, text), theme=CODE_THEME)
    highlighted = syntax.highlight(text)
    for line in highlighted.split('\n', allow_blank=True)[: text.count('\n') + 1]:
        line.expand_tabs(TAB_COLUMNS)
        yield line


def _show_candidates(output: Output, candidates: Sequence[CandidateDetails]) -> None:
    """One line for each candidate: numbers in columns, then its place, symbol and largest parts."""
    if not candidates:
        return
    heading = f'{"rank":>4}{"score":>9}{"entity":>8}{"operation":>11}  candidate'
    output.put_line(Text(heading, 'bold'))
    for one in candidates:
        entity, operation = _answer(one.entity), _answer(one.operation)
        numbers = f'{one.rank:>4}{one.score:>9.3f}{entity:>8}{operation:>11}  '
        place = f'{visible_name(one.path)}:{one.start_line}-{one.end_line}'
        symbol = f' {visible_name(one.symbol)}' if one.symbol else ''
        largest = sorted(one.parts.items(), key=lambda part: -abs(part[1]))[:SHOWN_PARTS]
        parts = ', '.join(f'{visible_name(name)} {score:+.3f}' for name, score in largest)
        output.put_item(
            Text(numbers), Text.assemble((place, 'cyan'), (symbol, 'bold'), parts and f'  {parts}')
        )
    output.put_line(Text())


def _answer(answer: float | None) -> str:
    return '-' if answer is None else f'{answer:.2f}'


def _summary(result: SmartSearchResult) -> str:
    coverage = result.coverage
    found = _count(len(result.matches), 'match', 'matches') if result.matches else 'No matches'
    more = f' ({result.omitted_matches:,} more beyond the limit)' if result.omitted_matches else ''
    return (
        f'{found}{more} · looked closely at {coverage.evaluated:,} of '
        f'{_count(coverage.snippets, "snippet")} in {_count(coverage.files, "file")} · '
        f'{sum(result.details.seconds.values()):.1f} s'
    )


def _left_out(reason: str, skipped: Sequence[Skipped]) -> str:
    """Each file left out for one reason, or the first few, with what else is known."""
    named = [
        f'{visible_name(file.path)} ({visible_name(file.detail)})'
        if file.detail
        else visible_name(file.path)
        for file in skipped[:SHOWN_PER_REASON]
    ]
    more = len(skipped) - len(named)
    rest = f' and {more:,} more' if more else ''
    return f'{len(skipped):,} left out, {reason}: {", ".join(named)}{rest}'


def _count(number: int, one: str, many: str = '') -> str:
    return f'{number:,} {one if number == 1 else many or f"{one}s"}'
