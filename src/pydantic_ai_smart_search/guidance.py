"""The words that the agent's model reads: what the tool is, its arguments, and when to use it."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

from pydantic_ai_smart_search.judge.model import JudgeModel, is_local
from pydantic_ai_smart_search.options import MAX_ALTERNATIVES, MAX_CANDIDATES, MAX_LIMIT

TOOL_NAME: Final = 'smart_search'

TOOL_DESCRIPTION: Final = """\
Find code by what it does. Describe the behaviour in plain English ("reject an expired session", \
"where is a failed upload retried?") and get the most relevant places as short excerpts with file \
and line numbers, best first. Open the lines it returns next, rather than searching again.

Every candidate is judged on whether it acts on what you name and itself does what you describe: \
name both the thing and the action. Matches in tests carry kind="test". Read `coverage` and \
`warnings`: an empty result does not prove that the code does not exist. For an exact name, a \
regular expression or every single reference, use text search."""

SENDS_SOURCE: Final = """
- It sends the query and selected source to the judge model's provider. Where code must stay on \
this machine, use text search only."""
"""The part of the guidance that is not so of a judge in this process."""

GUIDANCE: Final = f"""\
## Finding code: start with smart_search
When you do not know where something is implemented, call `smart_search` first, with the behaviour \
in plain English and the narrowest directory you are sure of, rather than guessing names, chaining \
text searches or listing and reading files. Add two or three other phrasings as \
`alternatives`, with other words the code might use.

- The excerpts come with line ranges: open those lines next. Read code before you change it.
- Do not repeat a search whose excerpts already answer you, and do not open every match.
- Use text search for exact names, regular expressions and complete lists of references; open a \
file directly when you know where it is.
- Nothing found is not proof of absence: rephrase once with other words the code might use, then \
use text search. If `smart_search` fails, use text search instead of calling it again.\
{SENDS_SOURCE}"""

QueryArgument = Annotated[
    str, Field(description='The behaviour to find, in plain English: what the code does, to what.')
]
DirectoryArgument = Annotated[
    str,
    Field(
        description=(
            'Directory or file to search, inside the working directory. '
            'Ignored and hidden files are left out.'
        )
    ),
]
GlobArgument = Annotated[
    str | None,
    Field(description='Narrows to matching files, such as "*.py", "src/**" or "*.ts,*.tsx".'),
]
LimitArgument = Annotated[
    int, Field(ge=1, le=MAX_LIMIT, description=f'Most matches to return, 1 to {MAX_LIMIT}.')
]
CandidatesArgument = Annotated[
    int,
    Field(
        ge=1,
        le=MAX_CANDIDATES,
        description=(
            f'Most snippets to judge, 1 to {MAX_CANDIDATES}. More finds more and costs more: '
            'each one judged counts as a request.'
        ),
    ),
]

AlternativesArgument = Annotated[
    list[str] | None,
    Field(
        max_length=MAX_ALTERNATIVES,
        description=(
            'Other phrasings of the query, with other words the code might use. '
            f'Two or three help; at most {MAX_ALTERNATIVES}. They cost no judgments.'
        ),
    ),
]


def guidance_for(model: JudgeModel) -> str:
    """Our guidance, which says that source is sent somewhere only if this judge does that."""
    return GUIDANCE.removesuffix(SENDS_SOURCE) if is_local(model) else GUIDANCE
