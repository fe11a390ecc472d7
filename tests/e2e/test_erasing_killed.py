"""A process that is killed while it erases: a second run completes it, or whoever opens the home next.

And what other processes do that have the home open meanwhile.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import pytest_asyncio

from pagekeeper.assembly import Agent
from pagekeeper.runtime.archive.embedders.wordllama import WordLlamaEmbedder
from pagekeeper.runtime.erasing.complete import under_way
from pagekeeper.runtime.errors import HomeError
from pagekeeper.runtime.models.scripted import ScriptedModel
from pagekeeper.tests.support.checks import assert_whole
from pagekeeper.tests.support.child import said
from pagekeeper.tests.support.children import Child
from pagekeeper.tests.support.erasing import holding, live, opened
from pagekeeper.tests.support.processes import Shell

SECRET = "zarquon7f3a9c"
COMMAND = ["memory", "forget", "--agent", "ada", "--erase", SECRET, "--partial", "erase", "--yes"]

BEFORE = [
    "erasing.before_recording",
    "erasing.after_recordings",
    "journal.before_commit.memory.erased",
]
"""Here the journal is as it was."""
AFTER = [
    "journal.after_commit.memory.erased",
    "erasing.before_archive",
    "archive.rebuild.before_switch",
    "archive.rebuild.after_switch",
    "erasing.before_compact",
    "journal.compact.before_truncate",
    "erasing.after_compact",
    "erasing.after_done",
]
"""Here it is erased from the journal's rows, and may still be in files."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home that holds the secret everywhere."""
    home = tmp_path_factory.mktemp("lived")
    await live(home, lambda secret: f"The code of the vault is {secret}.", SECRET, embedder=WordLlamaEmbedder())
    return home


def killed(tmp_path: Path, lived: Path, failpoint: str) -> Path:
    """A copy of the home in which the process that erased died."""
    shell = Shell(Path(shutil.copytree(lived, tmp_path / "home")))
    shell.environment["PAGEKEEPER_FAILPOINT"] = failpoint
    assert shell.run(*COMMAND).status == -9
    return shell.home


async def assert_erased(agent: Agent, home: Path) -> None:
    """The secret is nowhere, what is beside it is there, and all is well."""
    assert holding(home, SECRET) == []
    memory = agent.memory
    await memory.journal.read(assert_whole)
    assert await memory.journal.read(under_way) == []
    assert (await memory.search("cello"))[0].text == "Ada plays the cello in an orchestra."
    assert (await memory.block("human")).value.endswith("Likes tea.")


@pytest.mark.parametrize("failpoint", BEFORE)
async def test_a_second_run_completes_it(tmp_path: Path, lived: Path, failpoint: str) -> None:
    assert len(holding(lived, SECRET)) > 5
    home = killed(tmp_path, lived, failpoint)
    async with opened(home, ScriptedModel(), embedder=WordLlamaEmbedder()) as agent:
        assert await agent.memory.journal.read(under_way) == []
        await agent.memory.erase(await agent.memory.erasable(SECRET), "erase")
        await assert_erased(agent, home)


@pytest.mark.parametrize("failpoint", AFTER)
async def test_the_next_opening_completes_it(tmp_path: Path, lived: Path, failpoint: str) -> None:
    home = killed(tmp_path, lived, failpoint)
    if failpoint == AFTER[0]:
        assert "one was cut off" in Shell(home).run("doctor").out
        assert holding(home, SECRET)
    async with opened(home, ScriptedModel(), embedder=WordLlamaEmbedder()) as agent:
        await assert_erased(agent, home)
        assert not await agent.memory.erasable(SECRET)


async def test_a_process_that_has_it_open_says_it_no_more(tmp_path: Path) -> None:
    home = tmp_path / "home"
    told = f"The code of the vault is {SECRET}."
    note = {"core_memory_append": {"label": "human", "content": told}}
    steps = said([note, {"archival_insert": {"content": told}}], f"Noted. {told}")
    with Child(home) as child:
        child.until("opened")
        child.tell(say=f"{told} {steps}")
        child.until("event", "TurnEnded")
        async with opened(home, ScriptedModel(), embedder=WordLlamaEmbedder(), conversation="side") as agent:
            found = await agent.memory.erasable(SECRET)
            await agent.memory.erase(found, "erase")
            assert holding(home, SECRET) == []
            looking = said([{"archival_search": {"query": "the code of the vault"}}], "I see.")
            child.tell(say=f"What was the code? {looking}")
            child.until("event", "TurnEnded")
            await agent.memory.journal.read(assert_whole)
        child.tell(say="I still wonder.")
        assert child.end() == 0
    assert holding(home, SECRET) == []


async def test_a_turn_of_another_process_is_not_erased_from(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with Child(home) as child:
        child.until("opened")
        child.tell(say=f"{SECRET} {said([{'gate': 'here'}, 'Done.'])}")
        child.until("gate", "here")
        async with opened(home, ScriptedModel(), embedder=WordLlamaEmbedder(), conversation="side") as agent:
            found = await agent.memory.erasable(SECRET)
            with pytest.raises(HomeError, match="under way"):
                await agent.memory.erase(found, "erase")
            child.tell(open="here")
            child.until("event", "TurnEnded")
            await agent.memory.erase(await agent.memory.erasable(SECRET), "erase")
        assert child.end() == 0
    assert holding(home, SECRET) == []
