"""Which episodes belong together: they stand in a stretch of talk, and a change of topic begins a new one."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import select

from pagekeeper.assembly import Agent
from pagekeeper.runtime.clock import ManualClock
from pagekeeper.runtime.journal import tables
from pagekeeper.runtime.journal.fold.rows import current
from pagekeeper.runtime.sleeptime.stretches import telling
from pagekeeper.tests.support.agents import open_agent
from pagekeeper.tests.support.embedding import HashEmbedder
from pagekeeper.tests.support.sleeping import answer, home, model_of, operation


def episode(text: str, **details: Any) -> dict[str, Any]:
    return operation(text, **{"kind": "episode", "event_time": "2026-01-01", **details})


async def told(tmp_path: Path, *stretches: tuple[str, timedelta, list[dict[str, Any]]]) -> dict[str, Any]:
    """Say these words, each after a time, of which these memories are extracted; the places of the memories."""
    clock = ManualClock()
    model = model_of(*["Hm."] * len(stretches), extracts=[answer(*operations) for _, _, operations in stretches])
    async with open_agent(tmp_path, model, embedder=HashEmbedder(), clock=clock) as agent:
        await agent.memory.sleeptime.close()
        for words, wait, _ in stretches:
            clock.advance(wait)
            await agent.send(words)
            await agent.memory.work()
        return await places(agent)


async def places(agent: Agent) -> dict[str, Any]:
    table = tables.passages
    query = select(table).where(current(table), table.c.status == "active").order_by(table.c.created_at, table.c.id)
    rows = await agent.memory.journal.read(lambda connection: connection.execute(query).all())
    return {row.text: (row.session, row.ordinal) for row in rows}


SOON, LATER = timedelta(minutes=5), timedelta(hours=2)


async def test_what_one_message_tells_stands_together_and_facts_stand_nowhere(tmp_path: Path) -> None:
    operations = [episode("The user hiked to Zamora."), home("Porto"), episode("A storm came up.")]
    assert await told(tmp_path, ("I hiked to Zamora, and a storm came up.", SOON, operations)) == {
        "The user hiked to Zamora.": (1, 1),
        "The user lives in Porto.": (None, None),
        "A storm came up.": (1, 2),
    }


async def test_the_topic_decides_which_stretch_an_episode_goes_on_with(tmp_path: Path) -> None:
    assert await told(
        tmp_path,
        ("I hiked to Zamora with Quentin.", SOON, [episode("The user hiked to Zamora.")]),
        ("Quentin twisted an ankle there.", SOON, [episode("Quentin twisted an ankle.")]),
        ("The kitchen sink leaked.", SOON, [episode("The kitchen sink leaked.")]),
        ("The plumber said the sink is rusty.", SOON, [episode("The plumber came.")]),
    ) == {
        "The user hiked to Zamora.": (1, 1),
        "Quentin twisted an ankle.": (1, 2),
        "The kitchen sink leaked.": (2, 1),
        "The plumber came.": (2, 2),
    }


async def test_a_gap_in_time_begins_a_new_stretch(tmp_path: Path) -> None:
    assert await told(
        tmp_path,
        ("I hiked to Zamora.", SOON, [episode("The user hiked to Zamora.")]),
        ("I am back in Zamora.", LATER, [episode("The user came back to Zamora.")]),
    ) == {"The user hiked to Zamora.": (1, 1), "The user came back to Zamora.": (2, 1)}


async def test_a_better_wording_keeps_its_place(tmp_path: Path) -> None:
    assert await told(
        tmp_path,
        ("I hiked to Zamora.", SOON, [episode("The user hiked to Zamora.")]),
        ("The sink leaked.", SOON, [episode("The sink leaked.")]),
        ("I hiked to Zamora in the rain.", SOON, [episode("The user hiked to Zamora in the rain.")]),
    ) == {"The sink leaked.": (2, 1), "The user hiked to Zamora in the rain.": (1, 1)}


def test_common_words_and_numbers_tell_no_topic() -> None:
    assert telling(["The user went home on 2026-03-01 at 9."]) == set()
    assert telling(["Zamora in 2026"]) == {"zamora"}
