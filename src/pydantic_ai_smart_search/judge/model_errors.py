"""What the exceptions of a model mean for a search: what may pass, what cannot, what to do."""

from __future__ import annotations

from typing import Final, cast

from pydantic_ai.exceptions import (
    ConcurrencyLimitExceeded,
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelRequestTimeout,
    ModelServerError,
    ModelUnavailableError,
    UnexpectedModelBehavior,
    UserError,
)

from pydantic_ai_smart_search.errors import (
    JudgeFailed,
    JudgeUnavailable,
    JudgeUnusable,
    MalformedJudgment,
)
from pydantic_ai_smart_search.judge.answer import MalformedAnswer

_HOPELESS: Final = (
    ((ModelAuthenticationError,), {401, 403}, 'check the key for its provider'),
    ((ModelQuotaExceededError,), {402}, 'the account at its provider has no quota left'),
    ((ModelNotFoundError,), {404}, "check the model's name and the address of its provider"),
    ((UserError,), set[int](), 'it is not set up'),
)
"""Errors no retry can help, the HTTP statuses that say the same, and what to do about them."""

_RATE_LIMITED: Final = (ModelRateLimitError, ConcurrencyLimitExceeded)
_TRANSIENT: Final = (
    ModelUnavailableError,
    ModelServerError,
    ModelConnectionError,
    ModelRequestTimeout,
    TimeoutError,
    ConnectionError,
)
_TRANSIENT_STATUSES: Final = {408, 409, 425, *range(500, 600)}

_DETAIL_CHARS: Final = 300
"""Characters of an error's own words that are passed on: a provider may send a whole page."""


def failure_of(judge: str, error: Exception) -> JudgeFailed:
    """What an exception of the model means for the search, and what to do about it."""
    if isinstance(error, ExceptionGroup):
        # A `FallbackModel` has one for each of its models: hope is enough to ask again.
        failures = [
            failure_of(judge, each) for each in cast('ExceptionGroup[Exception]', error).exceptions
        ]
        return next((each for each in failures if isinstance(each, JudgeUnavailable)), failures[0])
    if isinstance(error, MalformedAnswer):
        return MalformedJudgment(judge, str(error))
    if isinstance(error, UnexpectedModelBehavior):
        return MalformedJudgment(judge, 'it could not be read')
    detail = f'{type(error).__name__}: {error}'[:_DETAIL_CHARS]
    status = error.status_code if isinstance(error, ModelHTTPError) else None
    for kinds, statuses, advice in _HOPELESS:
        if isinstance(error, kinds) or status in statuses:
            return JudgeUnusable(judge, f'{advice} ({detail})')
    is_rate_limited = status == 429 or isinstance(error, _RATE_LIMITED)
    if is_rate_limited or status in _TRANSIENT_STATUSES or _is_transient(error):
        return JudgeUnavailable(
            judge,
            detail,
            is_rate_limited=is_rate_limited,
            retry_after=error.retry_after if isinstance(error, ModelAPIError) else None,
        )
    return JudgeFailed(judge, detail)


def _is_transient(error: Exception) -> bool:
    """Whether it is one of the host's or the transport's errors that pass by themselves.

    The errors of `httpx` and `httpx2` are known by name: either may not be installed.
    """
    names = {base.__name__ for base in type(error).__mro__ if base.__module__.startswith('httpx')}
    return isinstance(error, _TRANSIENT) or 'TransportError' in names
