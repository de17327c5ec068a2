"""Sources in every language, damaged as an editor, a merge or a fault would."""

from __future__ import annotations

from pathlib import Path

from hypothesis import strategies as st

from tests.snippets.outlines import SOURCES

_TOKENS = st.sampled_from(
    [
        *('(', ')', '{', '}', '[', ']', '<', '>', '"', "'", '`', '\\', '#', '@', '$', ';', ','),
        *('/*', '*/', '//', '--[[', ']]', '"""', '<<EOF\n', '<<~A\n', '%w(', 'R"x(', '#{', '${'),
        *('\n', '\r', '\r\n', '\t', '    ', '\f', '\0', '\u2028', '\ud800', 'é'),
        *(' do ', ' end ', ' if ', ' fn ', ' def ', ' class ', '#if 0\n', '#endif\n', '<?php '),
    ]
)


@st.composite
def broken_sources(draw: st.DrawFn) -> tuple[Path, str]:
    """The path of a source, and its text after some damage."""
    path = draw(st.sampled_from(SOURCES))
    text = path.read_text()
    for _ in range(draw(st.integers(0, 4))):
        first = draw(st.integers(0, len(text)))
        last = draw(st.integers(first, min(len(text), first + 300)))
        middle = draw(
            st.one_of(
                st.just(''),
                st.lists(_TOKENS, max_size=5).map(''.join),
                st.integers(2, 5).map(lambda times: text[first:last] * times),  # noqa: B023
            )
        )
        text = text[:first] + middle + text[last:]
    return path, text
