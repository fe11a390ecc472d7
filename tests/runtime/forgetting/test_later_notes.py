"""What is withheld of a message stays so where notes come to it later, or a rewind goes back to before them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from pagekeeper.assembly import Agent
from pagekeeper.runtime.context.parts import FORGOTTEN
from pagekeeper.runtime.core.edit import Author
from pagekeeper.runtime.forgetting.forget import forget
from pagekeeper.runtime.forgetting.survey import survey
from pagekeeper.runtime.fork import fork
from pagekeeper.runtime.journal import tables
from pagekeeper.runtime.journal.journal import Transaction
from pagekeeper.runtime.models.scripted import ScriptedModel, call
from pagekeeper.runtime.rewind import rewind
from pagekeeper.tests.support.forgetting import all_of, conversation_of, opened, request_of

SECRET = "peanuts"
ASKED = "What am I allergic to?"


async def fill(agent: Agent, model: ScriptedModel, left: int) -> None:
    """Say so much that only `left` tokens are left until the model is told that the window fills up."""
    window = agent._conversation.context.window
    while (room := window.limits.pressure - window.total) > left:
        await request_of(agent, model, "word " * min(room - left + 15, 1000))


async def ask_with_two_notes(agent: Agent, model: ScriptedModel) -> int:
    """Ask so that the words come with what is recalled, and then with a note that the window fills up.

    That note stands before the other one, and is an event of its own. Returns the number of the event before it.
    """
    await fill(agent, model, 70)
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


async def test_a_result_that_is_forgotten_before_its_note_comes_is_not_shown(tmp_path: Path) -> None:
    """Another process forgets it between the call and the next request, which ends it with a note."""
    model = ScriptedModel(window=16_000)
    async with opened(tmp_path, model) as agent:
        await request_of(agent, model)
        (passage,) = await agent.memory.insert(f"Ada is allergic to {SECRET}.")
        await fill(agent, model, 25)
        journal, scope = agent._journal, agent.scope
        commit, forgotten = journal._commit, 0

        def meanwhile(transaction: Transaction) -> None:
            nonlocal forgotten
            messages = tables.messages
            query = select(messages.c.role).order_by(messages.c.ordinal.desc()).limit(1)
            if not forgotten and transaction.connection.execute(query).scalar_one() == "tool":
                found = survey(transaction.connection, scope, [passage])
                forgotten = forget(transaction, scope, [passage], "asked", found, Author("user")).event.seq

        def after_another(work: Callable[[Transaction], Any]) -> Any:
            commit(meanwhile)
            return commit(work)

        journal._commit = after_another
        model.enqueue(call("archival_search", query="What is Ada allergic to?"), "Nothing.")
        assert (await agent.send("Look. " + "word " * 600)).reason == "done"
        assert forgotten
        assert SECRET not in conversation_of(model.requests[-1])
        assert model.requests[-1].messages[-1]["content"].startswith(FORGOTTEN)
        newest = select(tables.events.c.type).where(tables.events.c.type.in_(["memory.forgotten", "note.added"]))
        newest = newest.order_by(tables.events.c.row.desc()).limit(1)
        assert await journal.read(lambda connection: connection.execute(newest).scalar_one()) == "note.added"
