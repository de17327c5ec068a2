"""Text of anyone's repository on its way to a terminal, a pipe or a file."""

from __future__ import annotations

import os
from typing import Final

from rich.console import Console
from rich.default_styles import DEFAULT_STYLES
from rich.style import Style
from rich.text import Text

from pydantic_ai_smart_search.source.files import printable

# What help names as it is typed. The library's own style is a black box on a light terminal.
DEFAULT_STYLES['markdown.code'] = Style(color='cyan')

_DELETE: Final = 0x7F
_C0_PICTURES: Final = {code: 0x2400 + code for code in range(0x20) if chr(code) not in '\n\t'}
_C1: Final = range(0x80, 0xA0)

_PICTURES: Final = {**_C0_PICTURES, _DELETE: 0x2421, **dict.fromkeys(_C1, 0xFFFD)}
"""Unicode's pictures of the control characters; the second set of them has none."""

_LINE_PICTURES: Final = {**_PICTURES, ord('\n'): 0x240A, ord('\t'): 0x2409}


def visible(text: str) -> str:
    """Text without the control characters that a terminal would obey, line ends and tabs kept.

    Source and file names are anyone's: an escape sequence in them could move the cursor, hide a
    line or set the clipboard.
    """
    return text.translate(_PICTURES)


def visible_name(name: str) -> str:
    """A name in one line, whatever characters it holds."""
    return printable(name).translate(_LINE_PICTURES)


class Output(Console):
    """Standard output or error: styled on a terminal, text as it is anywhere else.

    Quiet once its reader has gone, as `head` does after its lines.
    """

    def put(self, text: str) -> None:
        """Write text as it is, and a line end."""
        if self.quiet:
            return
        try:
            self.file.write(f'{text}\n')
            self.file.flush()
        except BrokenPipeError:
            self.on_broken_pipe()

    def put_line(self, line: Text) -> None:
        """Write a line, which a terminal breaks where it is too long.

        A path broken by the terminal itself can still be copied or clicked as one.
        """
        if self.is_terminal:
            self.print(line, soft_wrap=True)
        else:
            self.put(line.plain)

    def put_item(self, head: Text, body: Text) -> None:
        """Write `body` after `head`; on a terminal wrapped at words, further lines below it."""
        if not self.is_terminal:
            self.put(head.plain + body.plain)
            return
        indent = Text(' ' * head.cell_len)
        for number, line in enumerate(body.wrap(self, self.width - head.cell_len)):
            line.rstrip()
            self.put_line(Text.assemble(indent if number else head, line))

    def on_broken_pipe(self) -> None:
        """Drop the rest: the reader has all it wanted, so nothing failed."""
        self.quiet = True
        # Python flushes the stream once more when it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), self.file.fileno())
