"""conversation_search without a query lists the log by date, and only what it may show."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path
from typing import Any

from pagekeeper.runtime.clock import ManualClock
from pagekeeper.runtime.models.scripted import ScriptedModel, call
from pagekeeper.runtime.stream import CallFinished
from pagekeeper.tests.support.agents import assert_paired, open_agent
from pagekeeper.tests.support.embedding import HashEmbedder


async def tell(home: Path, clock: ManualClock, words: str, *replies: Any, **options: Any) -> list[str]:
    """One turn; the results of its calls."""
    model = ScriptedModel(*replies)
    async with open_agent(home, model, clock=clock, embedder=HashEmbedder(), **options) as agent:
        results = [event async for event in agent.stream(words) if isinstance(event, CallFinished)]
    assert not any(result.error for result in results)
    assert_paired(model.requests)
    model.assert_used()
    return [result.result for result in results]


LISTED: list[tuple[dict[str, Any], list[str]]] = [
    ({}, ["Reply 4", "Word 4", "Reply 2", "Word 2", "Reply 1", "Word 1"]),
    ({"query": " "}, ["Reply 4", "Word 4", "Reply 2", "Word 2", "Reply 1", "Word 1"]),
    ({"limit": 3}, ["Reply 4", "Word 4", "Reply 2"]),
    ({"roles": ["user"]}, ["Word 4", "Word 2", "Word 1"]),
    ({"start": "2026-01-02"}, ["Reply 4", "Word 4", "Reply 2", "Word 2"]),
    ({"start": "2026-01-01", "end": "2026-01-02"}, ["Reply 2", "Word 2", "Reply 1", "Word 1"]),
    ({"start": "0001-01-01", "end": "9999-12-31", "limit": 1}, ["Reply 4"]),
    ({"end": "2025-12-31"}, []),
]


async def test_without_a_query_the_newest_are_listed(tmp_path: Path) -> None:
    clock = ManualClock()
    elsewhere: list[dict[str, Any]] = [{}, {"conversation": "other"}, {"user": "eve"}, {}]
    for day, options in enumerate(elsewhere, 1):
        await tell(tmp_path, clock, f"Word {day}", f"Reply {day}", **options)
        clock.advance(timedelta(days=1))
    calls = [call("conversation_search", **arguments) for arguments, _ in LISTED]
    results = await tell(tmp_path, clock, "Look.", calls, "Done.")
    for result, (arguments, said) in zip(results, LISTED, strict=True):
        lines = [line for line in result.split("\n") if line != "No results."]
        assert [line.partition(": ")[2] for line in lines] == said, arguments
        assert all(re.match(r"- \[m-\w+\] 2026-01-0\d (user|assistant): ", line) for line in lines)


async def test_a_day_is_a_day_in_the_time_zone(tmp_path: Path) -> None:
    clock = ManualClock()  # 09:00 UTC is 23:00 of the day before in Honolulu
    zone = "Pacific/Honolulu"
    await tell(tmp_path, clock, "Aloha", "Hi", timezone=zone)
    calls = [call("conversation_search", start=day, end=day) for day in ("2025-12-31", "2026-01-01")]
    before, after = await tell(tmp_path, clock, "Look.", calls, "Done.", timezone=zone)
    assert "2025-12-31 user: Aloha" in before
    assert after == "No results."


async def test_what_was_forgotten_is_not_listed(tmp_path: Path) -> None:
    clock = ManualClock()
    await tell(tmp_path, clock, "I sail on Sundays.", "Good.")
    await tell(tmp_path, clock, "Peanuts make me ill.", "Noted.")
    [found] = await tell(tmp_path, clock, "Look.", call("conversation_search", roles=["user"], limit=1), "Done.")
    assert found.endswith("Peanuts make me ill.")
    gone = re.findall(r"m-\w+", found)
    await tell(tmp_path, clock, "Forget it.", call("memory_forget", ids=gone, reason="asked"), "Done.")
    [left] = await tell(tmp_path, clock, "Look.", call("conversation_search"), "Done.")
    assert "I sail on Sundays." in left
    assert "Peanuts" not in left
