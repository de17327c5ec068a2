"""Many searches at once against a judge that misbehaves in every way a provider does.

With SOAK_OUT it writes its figures to that file.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import random
import re
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RunUsage, UsageLimits

from pydantic_ai_smart_search.errors import SearchUnavailable
from pydantic_ai_smart_search.judge.budget import RequestBudget
from pydantic_ai_smart_search.judge.judging import Judged, UnjudgedReason, judge_cases
from pydantic_ai_smart_search.judge.model import make_judge
from pydantic_ai_smart_search.options import SearchOptions
from tests.judge.cases import some_cases
from tests.servers import STALL, Asked, Reply, SystemOneServer, refuse, score

THREADS = 4
RUNS_PER_THREAD = 25
RUNS_AT_ONCE = 5
SEARCHES_PER_RUN = 2
SEARCHES = THREADS * RUNS_PER_THREAD * SEARCHES_PER_RUN
SNIPPETS = 128
LIMITS = (1_000, 1_000, 200, 50)
"""Request limits of the runs, in turn."""

OPTIONS = SearchOptions(on_judge_error='partial')


class Misbehaving:
    """30% rate limits, 5% unavailable, 2% malformed, 2% stalls; counts the requests of each run."""

    def __init__(self) -> None:
        self._random = random.Random(1)
        self.requests: Counter[int] = Counter()

    def __call__(self, asked: Asked) -> Reply:
        run = re.search(r'run (\d+)', json.dumps(asked.questions))
        assert run is not None
        self.requests[int(run[1])] += 1
        chance = self._random.random()
        if chance < 0.30:
            return refuse(429, retry_after='1')
        if chance < 0.35:
            return refuse(503)
        if chance < 0.37:
            return score(1.2)
        if chance < 0.39:
            return STALL
        return score()


async def one_search(run: int, usage: RunUsage, limit: int) -> Judged | None:
    """One search of a run; `None` when nothing could be judged."""
    limits = UsageLimits(request_limit=limit)
    try:
        return await judge_cases(
            make_judge('system-one:test', usage=usage, usage_limits=limits),
            f'what run {run} looks for',
            some_cases(SNIPPETS),
            budget=RequestBudget(usage, limit),
            options=OPTIONS,
            progress=lambda stage, done, total: None,
        )
    except SearchUnavailable:
        return None


async def some_runs(thread: int) -> tuple[list[Judged | None], dict[int, RunUsage]]:
    searches: list[Judged | None] = []
    usages: dict[int, RunUsage] = {}
    for first in range(0, RUNS_PER_THREAD, RUNS_AT_ONCE):
        batch = [thread * RUNS_PER_THREAD + first + each for each in range(RUNS_AT_ONCE)]
        usages |= {run: RunUsage(requests=1) for run in batch}
        searches += await asyncio.gather(
            *(
                one_search(run, usages[run], LIMITS[run % len(LIMITS)])
                for run in batch
                for _ in range(SEARCHES_PER_RUN)
            )
        )
    assert asyncio.all_tasks() == {asyncio.current_task()}
    return searches, usages


def run_thread(thread: int) -> tuple[list[Judged | None], dict[int, RunUsage]]:
    return asyncio.run(some_runs(thread))


def descriptors() -> int:
    gc.collect()
    return len(os.listdir('/proc/self/fd'))


@pytest.mark.soak
@pytest.mark.timeout(1_800)
def test_searches_finish_exact_and_clean_whatever_the_judge_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        'pydantic_ai_smart_search.judge.model.NAMED_SETTINGS', ModelSettings(request_timeout=5.0)
    )
    script = Misbehaving()
    started, load = time.monotonic(), os.getloadavg()[0]
    searches: list[Judged | None] = []
    usages: dict[int, RunUsage] = {}
    threads_before, descriptors_before = threading.active_count(), descriptors()
    with SystemOneServer(script) as server, ThreadPoolExecutor(THREADS) as pool:
        monkeypatch.setenv('SYSTEM_ONE_BASE_URL', server.url)
        for done, used in pool.map(run_thread, range(THREADS)):
            searches += done
            usages |= used
    assert (threading.active_count(), descriptors()) == (threads_before, descriptors_before)

    assert len(searches) == SEARCHES
    for run, usage in usages.items():
        # On a busy machine a request may time out on its way, made and counted but never seen.
        assert 1 + script.requests[run] <= usage.requests < LIMITS[run % len(LIMITS)]
    judged = [search for search in searches if search is not None]
    for search in judged:
        assert len(search.cases) + sum(search.unjudged.values()) == SNIPPETS
    made = sum(usage.requests - 1 for usage in usages.values())
    if len(judged) == len(searches):
        assert sum(search.requests for search in judged) == made
    figures = summarise(searches, judged, made, script.requests.total())
    figures['seconds'] = round(time.monotonic() - started)
    sys.stdout.write(f'\n{json.dumps(figures, indent=2)}\n')
    if out := os.environ.get('SOAK_OUT'):
        Path(out).write_text(json.dumps({'load': load, **figures}, indent=2) + '\n')


def summarise(
    searches: list[Judged | None], judged: list[Judged], made: int, arrived: int
) -> dict[str, Any]:
    """Figures of the whole soak; shares are of all searches, or of the snippets of those judged."""
    unjudged: Counter[str] = Counter()
    for search in judged:
        unjudged.update({reason.value: count for reason, count in search.unjudged.items()})
    snippets = len(judged) * SNIPPETS
    within_budget = snippets - unjudged[UnjudgedReason.NO_REQUESTS.value]
    in_full = sum(not search.unjudged for search in judged)
    judged_snippets = sum(len(search.cases) for search in judged)
    return {
        'searches': SEARCHES,
        'searches_finished': len(searches) / SEARCHES,
        'searches_with_nothing_judged': len(searches) - len(judged),
        'searches_judged_in_full': in_full / len(searches),
        'snippets_judged_of_those_the_budget_reached': round(judged_snippets / within_budget, 4),
        'snippets_left_by_reason': dict(unjudged),
        'requests_made': made,
        'requests_arrived': arrived,
        'retries': sum(search.retries for search in judged),
    }
