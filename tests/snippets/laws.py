"""What holds for every cut of every file."""

from __future__ import annotations

from itertools import pairwise

from pydantic_ai_smart_search.lines import LineSpan, split_lines
from pydantic_ai_smart_search.options import MAX_SNIPPET_CHARS
from pydantic_ai_smart_search.snippets.snippet import Cut
from pydantic_ai_smart_search.snippets.windows import WINDOW_LINES


def check_cut(cut: Cut, text: str, *, is_whole: bool = True) -> None:
    """Fail unless `cut` obeys the laws; `is_whole` is false where lines may be left out."""
    assert cut.lines == split_lines(text)
    spans = [snippet.span for snippet in cut.snippets]
    file = LineSpan.of_length(1, len(cut.lines))
    for span in spans:
        assert span.first <= span.last
        assert file.contains(span)
        assert span.length <= WINDOW_LINES
        snippet = '\n'.join(span.slice(cut.lines))
        assert snippet.strip(), 'a snippet is not blank'
        assert len(snippet) <= MAX_SNIPPET_CHARS
    for span, following in pairwise(spans):
        assert span.first < following.first, 'snippets are in line order'
        assert span.last < following.last, 'no snippet lies inside another'
    long_lines = {n for n, line in enumerate(cut.lines, 1) if len(line) > MAX_SNIPPET_CHARS}
    assert cut.long_lines == len(long_lines)
    if is_whole:
        covered = {number for span in spans for number in span.numbers}
        wanted = {n for n, line in enumerate(cut.lines, 1) if line.strip()} - long_lines
        assert wanted <= covered, 'every line that can be judged is in a snippet'
