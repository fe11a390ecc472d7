"""What a turn costs does not depend on what came before the window: no query looks at the whole past."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

from sqlalchemy import func, select, update

from pagekeeper.assembly import Agent
from pagekeeper.runtime.journal import tables
from pagekeeper.runtime.models.scripted import ScriptedModel, call
from pagekeeper.tests.support.agents import open_window
from pagekeeper.tests.support.past import begin_at, live
from pagekeeper.tests.support.work import counted, plans

CURRENT = {"epochs_current", "inputs_queued"}
"""Indexes that hold only what is current: as many rows as there are conversations, or as wait to be answered."""

FEW, MANY = 20, 5_000

DIGITS = 100
"""Characters by which requests may differ, since larger revisions take more digits."""


async def cost(home: Path, turns: int) -> dict[str, list[int]]:
    """The work of opening the window after `turns` turns, of a plain turn, and of one with an edit."""
    async with open_window(home, ScriptedModel("Hello.")) as agent:
        await agent.send("Hi")
        live(agent._journal, agent.scope, turns, start=MANY - turns)
        begin_at(agent._journal, agent.scope, FEW)
    found: dict[str, list[int]] = {}
    model = ScriptedModel()
    async with open_window(home, model) as agent:
        await hush(agent)
        counter = agent._conversation.context.window.counter
        edit = call("core_memory_append", label="human", content="Name: Ada")
        for name in ("first", "plain", "edit", "after"):
            model.enqueue(*([edit] if name == "edit" else []), "Yes.")
            before = counter.characters
            with counted(agent._journal) as work:
                await agent.send("And now?")
            found[name] = [work.rows, len(work.statements), counter.characters - before, work.steps]
    return found


async def hush(agent: Agent) -> None:
    """Stop the archive's work in the background, which comes when it likes."""
    archive: Any = agent.memory.archive
    archive._background.cancel()
    await asyncio.wait([archive._background])


async def test_a_turn_costs_the_same_at_turn_10_and_at_turn_5000(tmp_path: Path) -> None:
    few, many = await cost(tmp_path / "few", FEW), await cost(tmp_path / "many", MANY)
    for name, (rows, statements, characters, steps) in few.items():
        assert many[name][:2] == [rows, statements], name
        assert abs(many[name][2] - characters) <= DIGITS, name
        assert many[name][3] <= steps * 1.02, name
    # Nor does it depend on what is in the window, unless it is counted anew.
    assert few["plain"][0] <= 20
    assert few["plain"][2] < 500


async def test_no_query_of_opening_and_of_turns_scans_a_table(tmp_path: Path) -> None:
    async with open_window(tmp_path, ScriptedModel("Hello.")) as agent:
        await agent.send("Hi")
        live(agent._journal, agent.scope, FEW)
        newest = select(func.max(tables.turns.c.ended_seq)).scalar_subquery()
        last = update(tables.turns).where(tables.turns.c.ended_seq == newest)
        agent._journal.write_now(lambda transaction: transaction.connection.execute(last, {"reason": "interrupted"}))
    model = ScriptedModel(
        call("core_memory_append", label="human", content="Name: Ada"),
        call("core_memory_rethink", label="human", new_value="Ada"),
        call("core_memory_create", label="notes", description="", value="x"),
        [call("core_memory_page_out", label="notes"), call("core_memory_page_in", label="notes")],
        call("core_memory_delete", label="notes"),
        call("archival_insert", content="The harbour is full of boats."),
        call("archival_search", query="boats"),
        call("conversation_search", query="boats"),
        call("conversation_search"),
        "Done.",
        "Yes.",
    )
    async with open_window(tmp_path, model) as agent:
        with counted(agent._journal) as work:
            assert len(await agent.unanswered()) == 1
            await agent.send("Do all of it.")
            await agent.send("And now?")
            await agent.history(limit=50)
            await agent.memory.history("human")
    model.assert_used()
    asked = [one for one in work.statements if re.match(r"SELECT|INSERT|UPDATE|DELETE|WITH", one[0])]
    found = plans(asked, 0)
    scans = [
        (line, statement)
        for statement, lines in found.items()
        for line in lines
        if line.startswith("SCAN") and line.split()[-1] not in CURRENT
    ]
    assert scans == []
    assert all(plans(asked, seed) == found for seed in range(1, 6))
