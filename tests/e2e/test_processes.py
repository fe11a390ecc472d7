"""Several processes on one home: whose turn it is, what a dead one left, and edits at the same time."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from pagekeeper.assembly import Agent
from pagekeeper.runtime.models.scripted import Gate, ScriptedModel
from pagekeeper.runtime.stream import TurnEnded
from pagekeeper.tests.support.agents import assert_paired, open_agent
from pagekeeper.tests.support.checks import assert_settled, assert_whole, waiting
from pagekeeper.tests.support.child import said
from pagekeeper.tests.support.children import Child


async def log_of(agent: Agent) -> list[str]:
    return [message.text for message in await agent.history() if message.role != "tool"]


def append(text: str) -> dict[str, Any]:
    """A step that adds a line to the block `human`."""
    return {"core_memory_append": {"label": "human", "content": text}}


async def queued(agent: Agent, count: int) -> None:
    """Return once so many inputs are queued in the home, whoever queued them."""
    while await agent._journal.read(waiting) != count:
        pass


def open_ada(home: Path, model: ScriptedModel) -> Any:
    # Ids are random and the clock runs, as in the other processes.
    return Agent.open("ada", home=home, model=model, timezone="UTC")


async def test_two_processes_speak_to_one_conversation_while_the_model_waits(tmp_path: Path) -> None:
    model = ScriptedModel("Last.")
    with Child(tmp_path / "home") as first, Child(tmp_path / "home") as second:
        first.until("opened")
        second.until("opened")
        async with open_ada(tmp_path / "home", model) as agent:
            first.tell(say=said(["One, ", {"gate": "g"}, append("1")], "one."))
            first.until("gate")
            second.tell(say=said(append("2"), "two."))
            await queued(agent, 1)
            third = asyncio.create_task(agent.send("three"))
            await queued(agent, 2)
            first.tell(say="four")
            await queued(agent, 3)
            first.tell(open="g")
            assert [await asyncio.to_thread(child.end) for child in (first, second)] == [0, 0]
            assert (await third).text == "Last."
            log = await log_of(agent)
            assert [log[1], log[2]] == ["One, ", "one."]
            assert [log[4], log[5]] == ["", "two."]
            assert log[6:] == ["three", "Last.", "four", "You said: four"]
            assert (await agent.memory.block("human")).value.endswith("\n1\n2")
            await agent._journal.read(assert_settled)
            await agent._journal.read(assert_whole)
    assert_paired(model.requests)


async def test_two_conversations_run_at_once_and_edit_one_block(tmp_path: Path) -> None:
    with Child(tmp_path / "home", "red") as red, Child(tmp_path / "home", "blue") as blue:
        for child, text in ((red, "red was here"), (blue, "blue was here")):
            child.until("opened")
            child.tell(say=said([{"gate": "g"}, append(text)], "Done."))
            child.until("gate")
        # Both models are being asked. One edits, and only then the other.
        red.tell(open="g")
        assert red.until("event", "TurnEnded")["reason"] == "done"
        blue.tell(open="g")
        assert (red.end(), blue.end()) == (0, 0)
    async with open_ada(tmp_path / "home", ScriptedModel()) as agent:
        block = await agent.memory.block("human")
        assert block.value.endswith("\nred was here\nblue was here")
        history = await agent.memory.history("human")
        assert [version.block.revision for version in history] == [1, 2, 3]
        await agent._journal.read(assert_settled)
        await agent._journal.read(assert_whole)


async def test_many_processes_edit_one_block_and_none_is_lost(tmp_path: Path) -> None:
    names = ["a", "b", "c"]
    children = [Child(tmp_path / "home", name) for name in names]
    for child in children:
        child.until("opened")
    for number in range(4):
        for child, name in zip(children, names, strict=True):
            child.tell(say=said(append(f"{name}{number}"), "Done."))
    assert [child.end() for child in children] == [0, 0, 0]
    async with open_ada(tmp_path / "home", ScriptedModel()) as agent:
        lines = (await agent.memory.block("human")).value.splitlines()[1:]
        assert sorted(lines) == [f"{name}{number}" for name in names for number in range(4)]
        for name in names:
            assert [line for line in lines if line[0] == name] == [f"{name}{number}" for number in range(4)]
        await agent._journal.read(assert_whole)


async def test_what_a_dead_process_had_queued_is_listed_and_answered(tmp_path: Path) -> None:
    with Child(tmp_path / "home") as dead:
        dead.until("opened")
        async with open_ada(tmp_path / "home", ScriptedModel("Here.")) as agent:
            dead.tell(say=said([{"gate": "never"}, "..."]))
            dead.until("gate")
            for text in ("two", "three"):
                dead.tell(say=text)
            await queued(agent, 2)
            assert await agent.unanswered() == []
            mine = asyncio.create_task(agent.send("mine"))
            await queued(agent, 3)
            dead.kill()
            assert dead.end() == -9
            # The living go first: what the dead left waits for `resume`.
            assert (await mine).text == "Here."
            assert [one.text for one in await agent.unanswered()] == ["two", "three"]
    with Child(tmp_path / "home") as other:
        other.tell(unanswered=True)
        assert other.until("unanswered")["unanswered"] == [["two", False], ["three", False]]
        other.tell(resume=False)
        other.until("resumed")
        other.tell(unanswered=True)
        assert other.until("unanswered")["unanswered"] == []
        assert other.end() == 0
        assert [line["text"] for line in other.seen if line.get("event") == "TurnEnded"] == [
            "You said: two",
            "You said: three",
        ]
    async with open_ada(tmp_path / "home", ScriptedModel()) as agent:
        await agent._journal.read(assert_settled)
        # The locks by which the dead showed that they lived are cleared away.
        assert len(list((tmp_path / "home" / "owners").glob("ow-*"))) == 1


async def test_two_who_resume_at_once_answer_once(tmp_path: Path) -> None:
    with Child(tmp_path / "home") as dead:
        dead.until("opened")
        async with open_ada(tmp_path / "home", ScriptedModel()) as agent:
            dead.tell(say=said([{"gate": "never"}, "..."]))
            dead.until("gate")
            dead.tell(say="two")
            await queued(agent, 1)
            dead.kill()
            dead.end()
    gate = Gate()
    model, other = ScriptedModel([gate, "Mine."], "More."), ScriptedModel("Other.", "More.")
    async with open_ada(tmp_path / "home", model) as first, open_ada(tmp_path / "home", other) as second:
        # Both have seen that it was left; one adopts it first.
        left = await second.unanswered()

        async def resume(agent: Agent) -> list[str]:
            return [event.text async for event in agent.resume() if isinstance(event, TurnEnded)]

        one = asyncio.create_task(resume(first))
        await gate.reached()
        assert [event async for event in second._conversation.answer(left[0])] == []
        gate.open()
        assert await one == ["Mine."]
        assert await resume(second) == []
        assert (await log_of(second))[-2:] == ["two", "Mine."]


async def test_an_interrupted_turn_runs_again_once_if_told_to(tmp_path: Path) -> None:
    with Child(tmp_path / "home") as dead:
        dead.until("opened")
        dead.tell(say="hello STEPS" + ' [[{"gate": "never"}]]')
        dead.until("gate")
        dead.kill()
        dead.end()
    model = ScriptedModel("Hello.")
    async with open_ada(tmp_path / "home", model) as agent:
        left = await agent.unanswered()
        assert [(one.text[:5], one.interrupted is not None) for one in left] == [("hello", True)]
        assert [event async for event in agent.resume()] == []
        assert [event.text async for event in agent.resume(retry=True) if isinstance(event, TurnEnded)] == ["Hello."]
        assert await agent.unanswered() == []
        assert [event async for event in agent._conversation.answer(left[0])] == []
        await agent._journal.read(assert_settled)
    assert_paired(model.requests)


async def test_many_inputs_at_once_keep_their_order(tmp_path: Path) -> None:
    count = 25
    model = ScriptedModel(*(f"reply {number}" for number in range(count)))
    async with open_agent(tmp_path, model) as agent:
        ended = await asyncio.gather(*(agent.send(f"say {number}") for number in range(count)))
        assert [one.text for one in ended] == [f"reply {number}" for number in range(count)]
        said_in_order = [text for number in range(count) for text in (f"say {number}", f"reply {number}")]
        assert await log_of(agent) == said_in_order


async def test_two_agents_of_one_process_share_a_conversation(tmp_path: Path) -> None:
    """As when a program opens the same agent twice: the two stay in step through the journal."""
    one, two = ScriptedModel("a", "c"), ScriptedModel("b", "d")
    async with open_ada(tmp_path, one) as first, open_ada(tmp_path, two) as second:
        for agent, text in ((first, "A"), (second, "B"), (first, "C"), (second, "D")):
            await agent.send(text)
        assert await log_of(first) == ["A", "a", "B", "b", "C", "c", "D", "d"]
    assert [message["content"] for message in two.requests[-1].messages[1:]] == ["A", "a", "B", "b", "C", "c", "D"]
