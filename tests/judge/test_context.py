from __future__ import annotations

from dataclasses import replace
from textwrap import dedent

import pytest

from pydantic_ai_smart_search.judge.context import (
    MAX_CONTEXT_CHARS,
    MAX_DOC_CHARS,
    write_context,
)
from pydantic_ai_smart_search.lines import LineSpan
from pydantic_ai_smart_search.options import MAX_SNIPPET_CHARS
from pydantic_ai_smart_search.snippets.cutting import cut_file
from tests.judge.cases import a_case


def context_of(text: str, marked: str, symbol: str | None, *, screen_secrets: bool = True) -> str:
    """The context of the lines of `text` from the first to the last with `marked`."""
    lines = dedent(text).strip('\n').split('\n')
    numbers = [number for number, line in enumerate(lines, 1) if marked in line]
    candidate = replace(a_case(symbol=symbol).candidate, span=LineSpan(numbers[0], numbers[-1]))
    return write_context(lines, candidate, screen_secrets=screen_secrets)


PYTHON = '''
class SessionStore(Store):
    """Keeps sessions."""

    def load(self, token):
        session = self.sessions[token]
        if session.is_old:
            for hook in self.hooks:
                hook(session)  # here
        return session

    def drop(self, token):  # method
        del self.sessions[token]  # method


class Other: ...  # top
'''


def test_a_method_is_shown_with_the_line_of_its_class() -> None:
    shown = context_of(PYTHON, '# method', 'SessionStore.drop')
    assert shown == 'class SessionStore(Store): """Keeps sessions."""'


def test_a_part_of_a_function_is_shown_with_its_signature_and_without_loops() -> None:
    shown = context_of(PYTHON, '# here', 'SessionStore.load')
    assert shown == 'class SessionStore(Store): ... def load(self, token):'


@pytest.mark.parametrize('symbol', ['Other', None, 'SessionStore'])
def test_what_is_inside_nothing_has_no_context(symbol: str | None) -> None:
    assert context_of(PYTHON, '# top', symbol) == ''


def test_without_a_symbol_there_is_no_context() -> None:
    assert context_of(PYTHON, '# method', None) == ''


@pytest.mark.parametrize(
    ('text', 'doc'),
    [
        pytest.param(
            """
            # Retries a request
            # until it succeeds.
            @traced
            @wraps(send)
            def retry(send):
                send()  # here
            """,
            ' # Retries a request # until it succeeds.',
            id='a comment above decorators',
        ),
        pytest.param(
            """
            x = 1

            def retry(send):
                '''Retries a request.

                Until it succeeds.
                '''
                send()  # here
            """,
            " '''Retries a request. Until it succeeds. '''",
            id='a string of several lines',
        ),
        pytest.param(
            """
            def retry(send):
                r'''Retries a request
                send()  # here
            """,
            " r'''Retries a request",
            id='a string that goes on',
        ),
        pytest.param(
            """
            # A comment on something else.

            def retry(send):
                'not this'
                send()  # here
            """,
            '',
            id='none',
        ),
    ],
)
def test_the_innermost_is_shown_with_what_is_said_of_it(text: str, doc: str) -> None:
    assert context_of(text, '# here', 'retry') == f'def retry(send):{doc}'


def test_a_long_comment_is_cut_and_one_with_a_credential_left_out() -> None:
    comment = '\n'.join(f'# It retries {number} times.' for number in range(50))
    code = 'def retry(send):\n    send()  # here'
    shown = context_of(f'{comment}\n{code}', '# here', 'retry')
    assert shown.startswith('def retry(send): # It retries 10 times. # It retries 11')
    assert len(shown) == len('def retry(send): ') + MAX_DOC_CHARS
    token = 'ghp_' + 'a1B2c3D4e5F6g7H8i9J0' * 2
    secret = f'# {token}\n{code}'
    assert context_of(secret, '# here', 'retry') == 'def retry(send):'
    assert token in context_of(secret, '# here', 'retry', screen_secrets=False)


def test_a_line_that_only_uses_a_name_is_no_header() -> None:
    text = """
        def retry(send):
            while should(retry):
                send()  # here
        """
    assert context_of(text, '# here', 'retry') == 'def retry(send):'


@pytest.mark.parametrize(
    ('text', 'symbol', 'context'),
    [
        pytest.param(
            """
            impl<K: Hash> Cache<K> {
                // everything below is locked
                pub fn put(&mut self, key: K) -> bool {
                    if self.is_full() {
                        self.evict(); // here
            """,
            'Cache.put',
            'impl<K: Hash> Cache<K> { ... pub fn put(&mut self, key: K) -> bool { '
            '// everything below is locked',
            id='Rust',
        ),
        pytest.param(
            """
            namespace Shop
            {
                public class Basket : IBasket
                {
                    public void Add(
                        Item item,
                        int count)
                    {
            #if DEBUG
                        Check(item);
            #endif
                        items.Add(item); // here
            """,
            'Shop.Basket.Add',
            'namespace Shop ... public class Basket : IBasket ... public void Add( Item item, int count)',
            id='C#',
        ),
        pytest.param(
            """
            export class Client {
            \tasync send(
            \t\trequest: Request,
            \t): Promise<Response> {
            \t\ttry {
            \t\t\treturn await this.once(request);
            \t\t} catch (error) {
            \t\t\tawait pause(); // here
            """,
            'Client.send',
            'export class Client { ... async send( request: Request, ): Promise<Response> {',
            id='TypeScript, by tabs',
        ),
        pytest.param(
            """
            func (c *Cache) Put(key string) {
            \tc.order.PushFront(key)
            } // here
            """,
            'Cache.Put',
            'func (c *Cache) Put(key string) {',
            id='an end, in Go',
        ),
        pytest.param(
            """
            session:
              lifetime_minutes: 30
              mail:
                sender: a  # here
            """,
            'session.mail',
            'session: ... mail:',
            id='YAML',
        ),
    ],
)
def test_indentation_tells_it_in_every_language(text: str, symbol: str, context: str) -> None:
    assert context_of(text, 'here', symbol) == context


def test_a_snippet_of_comments_alone_has_no_context() -> None:
    text = """
        class A:
            # here
        """
    assert context_of(text, '# here', 'A') == ''


def test_a_declaration_whose_end_is_the_snippets_own_is_shown_up_to_it() -> None:
    text = """
        def load(
            token,
            clock=None,  # here
        ):  # here
        """
    assert context_of(text, '# here', 'load') == 'def load( token,'


def test_parentheses_that_are_never_closed_do_not_swallow_the_file() -> None:
    text = '\n'.join(['def load(', *['    a,'] * 50, '    here'])
    assert context_of(text, 'here', 'load').count('a,') == 11


def test_a_header_with_a_credential_is_left_out_where_they_are_screened() -> None:
    text = f"""
        class Client:
            def send(key='{'AKIA' + 'J7QZ4MXW2K5TRV3N'}'):
                '''Says nothing of the class.'''
                post(key)  # here
        """
    assert context_of(text, '# here', 'Client.send') == 'class Client:'
    assert 'AKIA' in context_of(text, '# here', 'Client.send', screen_secrets=False)


def test_a_context_has_to_fit_beside_its_snippet() -> None:
    long = f'class A({"B, " * MAX_CONTEXT_CHARS}):\n    x = 1  # here'
    assert context_of(long, '# here', 'A') == ''
    full = f'class A:\n    x = "{"x" * (MAX_SNIPPET_CHARS - 20)}"  # here'
    assert context_of(full, '# here', 'A') == ''


def test_only_so_many_lines_above_are_looked_at() -> None:
    text = 'class A:\n' + '    x = 1\n' * 6_000 + '    y = 1  # here'
    assert context_of(text, '# here', 'A') == ''


def test_the_context_of_a_cut_function_is_that_of_its_symbol() -> None:
    body = '\n'.join(f'        if n == {n}:\n            self.put({n})\n' for n in range(20))
    text = f'class Table:\n    def fill(self, n):\n{body}'
    cut = cut_file('a.py', text)
    candidate = replace(
        a_case(symbol=cut.snippets[-1].symbol).candidate, span=cut.snippets[-1].span
    )
    shown = write_context(cut.lines, candidate, screen_secrets=True)
    assert shown == 'class Table: ... def fill(self, n):'
