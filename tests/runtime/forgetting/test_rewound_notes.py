"""A note that is forgotten stays so where a rewind or a fork has a message as it was before other notes came to it."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import func, select

from pagekeeper.assembly import Agent
from pagekeeper.runtime.context.parts import FORGOTTEN
from pagekeeper.runtime.fork import fork
from pagekeeper.runtime.journal import tables
from pagekeeper.runtime.models.scripted import ScriptedModel
from pagekeeper.runtime.rewind import rewind
from pagekeeper.tests.support.forgetting import all_of, conversation_of, opened, request_of

SECRET = "peanuts"
ASKED = "What am I allergic to?"


async def ask_with_two_notes(agent: Agent, model: ScriptedModel) -> int:
    """Ask so that the words come with what is recalled, and then with a note that the window fills up.

    That note stands before the other one, and is an event of its own. Returns the number of the event before it.
    """
    window = agent._conversation.context.window
    while (left := window.limits.pressure - window.total) > 70:
        await request_of(agent, model, "word " * min(left - 55, 1000))
    await request_of(agent, model, ASKED)
    words = model.requests[-1].messages[-1]["content"]
    assert words.index("<memory_pressure") < words.index("<memory at") < words.index(SECRET)
    events = tables.events
    query = select(events.c.type, func.max(events.c.seq).label("seq")).group_by(events.c.type)
    rows = await agent._journal.read(lambda connection: connection.execute(query).all())
    newest = {row.type: int(row.seq) for row in rows}
    assert newest["turn.started"] < newest["note.added"]
    return newest["turn.started"]


@pytest.mark.parametrize("first", ["forget", "rewind", "fork"])
async def test_a_note_stays_forgotten_whatever_other_notes_its_message_has(tmp_path: Path, first: str) -> None:
    model = ScriptedModel(window=16_000)
    async with opened(tmp_path, model) as agent:
        await request_of(agent, model)
        (passage,) = await agent.memory.insert(f"Ada is allergic to {SECRET}.")
        before = await ask_with_two_notes(agent, model)
        if first == "rewind":
            event = await rewind(agent._journal, agent._locks, agent.scope.agent, before)
            await agent.memory.forget([passage])
            await nothing_told(agent, model)
            await rewind(agent._journal, agent._locks, agent.scope.agent, event.seq - 1)
            await nothing_told(agent, model)
            return
        await agent.memory.forget([passage])
        if first == "forget":
            await rewind(agent._journal, agent._locks, agent.scope.agent, before)
            await nothing_told(agent, model)
            return
        await agent._journal.write(lambda transaction: fork(transaction, agent.scope.agent, "copy", before))
    async with opened(tmp_path, model, "copy") as copy:
        await nothing_told(copy, model)


async def nothing_told(agent: Agent, model: ScriptedModel) -> None:
    """The note says nothing, and the words beside it are as they were."""
    await request_of(agent, model)
    assert SECRET not in all_of(model.requests[-1])
    said = conversation_of(model.requests[-1])
    assert ASKED in said
    assert FORGOTTEN in said
