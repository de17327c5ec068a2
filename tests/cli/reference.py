"""The reference part of `docs/shell.md`, from the commands themselves.

`python -m tests.cli.reference` writes it there.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any, Final

import typer

from pydantic_ai_smart_search.cli.app import app
from tests.docs.markdown import REPOSITORY

PAGE: Final = REPOSITORY / 'docs/shell.md'
MARK: Final = '<!-- Written by `python -m tests.cli.reference`, from the commands themselves. -->\n'


def page_with_reference() -> str:
    """The page as it should be."""
    return PAGE.read_text().partition(MARK)[0] + MARK + '\n'.join(describe_commands())


def describe_commands() -> Iterator[str]:
    group: Any = typer.main.get_command(app)
    for command in group.commands.values():
        parameters = [each for each in command.params if each.name != 'help']
        arguments = [
            each.name.upper() if each.required else f'[{each.name.upper()}]'
            for each in parameters
            if each.param_type_name == 'argument'
        ]
        yield f'\n### `{" ".join(["smart-search", command.name, *arguments])}`\n'
        yield f'{inspect.cleandoc(command.help)}\n'
        yield '| parameter | default | meaning |\n|---|---|---|'
        for each in parameters:
            yield f'| {names_of(each)} | {default_of(each)} | {each.help} |'
    yield ''


def names_of(parameter: Any) -> str:
    if parameter.param_type_name == 'argument':
        return f'`{parameter.name.upper()}`'
    return ', '.join(f'`{name}`' for name in parameter.opts)


def default_of(parameter: Any) -> str:
    if parameter.required:
        return 'required'
    if isinstance(parameter.show_default, str):
        return parameter.show_default
    if parameter.default is None or isinstance(parameter.default, bool):
        return ''
    or_variable = f', or `{parameter.envvar}`' if parameter.envvar else ''
    return f'`{parameter.default}`{or_variable}'


if __name__ == '__main__':
    PAGE.write_text(page_with_reference())
