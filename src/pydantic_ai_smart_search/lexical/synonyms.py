"""Words that programmers use for one another: abbreviations, and verbs and nouns for one thing.

Each term of a query brings its relatives along at a lower weight.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from pydantic_ai_smart_search.lexical.terms import stem

ABBREVIATION_WEIGHT: Final = 0.3
"""Weight of an abbreviation's long form, and the reverse; 0.2 and 0.4 found less."""

SYNONYM_WEIGHT: Final = 0.2
"""Weight of the other words of a group; 0.1 and 0.3 found less."""

_ABBREVIATIONS: Final = """
arg argument|args argument|async asynchronous|attr attribute|attrs attribute
auth authentication authenticate authorization authorize login|btn button|buf buffer|cb callback
cfg config configuration|char character|cmd command|col column|cond condition
conf config configuration|conn connection|coord coordinate|ctx context|cur current cursor
db database|decl declaration|def definition|del delete|desc description descriptor
dest destination|dev device development|dict dictionary|diff difference|dir directory
doc document documentation|dst destination|elem element|env environment|err error|eval evaluate
exc exception|exec execute|expr expression|ext extension external|fd descriptor|fmt format
fn function|fs filesystem|func function|gen generate generator|hdr header|idx index|img image
impl implementation|init initialize initialise|int integer|iter iterate iterator|lang language
len length|lib library|loc location|max maximum|mem memory|mgr manager|min minimum|mod module
msg message|num number|obj object|op operation operator|opt option|org organization
param parameter|params parameter|pkg package|pos position|prev previous|proc process|prop property
props property|ptr pointer|pwd password|rand random|recv receive|ref reference
reg register registry|regex regular pattern|rel relative relation|repo repository
repr representation|req request|res response result|resp response|sched schedule scheduler
sec second|seq sequence|sig signal signature|sock socket|spec specification|src source|srv server
stmt statement|str string|struct structure|sub subscribe substitute|sync synchronize synchronous
sys system|tbl table|temp temporary|tmp temporary|tok token|tx transaction|txn transaction
tz timezone|util utility|utils utility|val value|var variable|vars variable|vec vector|ver version
win window|ws websocket
"""

_GROUPS: Final = """
remove delete drop discard unlink erase purge|create make build construct new
start begin launch spawn|stop end halt terminate kill shutdown|error exception failure fail
retry attempt backoff|cache memo memoize lru|expire expiry expiration timeout ttl
save store persist write|load read fetch get retrieve|send emit dispatch publish
receive recv accept|check verify validate validation ensure assert
parse parser decode deserialize deserialization|serialize serialization dump encode marshal
convert conversion transform cast coerce|show display render print|find search lookup locate
compare equal same identical diff|merge combine join concat concatenate|split separate tokenize
copy clone duplicate|wait block sleep|lock mutex semaphore|thread concurrent parallel
log logger logging trace|evict eviction prune cull|unique dedup distinct|default fallback
option setting config configuration|permission access privilege authorization|user account
url uri link|path filename|list array sequence|map dict mapping dictionary
handler callback listener hook|queue fifo buffer|schema model|exit quit atexit
limit cap max maximum throttle|skip ignore exclude
close shutdown teardown cleanup dispose finalize|register registry subscribe
wrap wrapper decorate decorator|directory folder|line row|column field|guess infer detect sniff
select pick choose|sort order rank|invoke call execute run|override replace overwrite substitute
escape quote sanitize|version release|dependency dependencies require requirement import
plugin extension addon|middleware interceptor filter
"""


def _rows(table: str) -> Iterator[list[str]]:
    """The rows of a table, each the stems of its words."""
    for row in table.strip().replace('\n', '|').split('|'):
        yield [stem(word) for word in row.split()]


def _relate() -> Iterator[tuple[str, str, float]]:
    """Term, relative and weight, abbreviations first."""
    for short, *long_forms in _rows(_ABBREVIATIONS):
        for long in long_forms:
            yield short, long, ABBREVIATION_WEIGHT
            yield long, short, ABBREVIATION_WEIGHT
    for group in _rows(_GROUPS):
        for term in group:
            yield from ((term, other, SYNONYM_WEIGHT) for other in group if other != term)


def _table() -> Mapping[str, Mapping[str, float]]:
    relatives: dict[str, dict[str, float]] = {}
    for term, relative, weight in _relate():
        relatives.setdefault(term, {}).setdefault(relative, weight)
    return MappingProxyType(relatives)


RELATIVES: Final = _table()
"""Term -> its relatives, each with a weight below 1; all of them stems."""
