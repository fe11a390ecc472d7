"""A home whose disk is full, cannot be written, or holds a broken journal: clear errors, and nothing is lost."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pagekeeper.runtime.errors import HomeFull, HomeReadOnly, JournalBroken
from pagekeeper.runtime.host_tool import tool
from pagekeeper.runtime.journal.journal import Transaction
from pagekeeper.runtime.models.scripted import ScriptedModel, call
from pagekeeper.runtime.stream import StreamEvent, TurnEnded
from pagekeeper.tests.support.agents import assert_paired, open_agent, stop_background
from pagekeeper.tests.support.archives import Home as ArchiveHome
from pagekeeper.tests.support.archives import put, scope, texts
from pagekeeper.tests.support.checks import assert_settled, assert_whole


class Disk:
    """A small file system of its own, which can be filled and made read-only."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._ballast = path / "ballast"

    def fill(self) -> None:
        """Leave no room at all."""
        with open(self._ballast, "ab", buffering=0) as file:
            size = 1 << 16
            while size:
                try:
                    file.write(bytes(size))
                except OSError:
                    size //= 2

    def free(self) -> None:
        """Make room again."""
        self._ballast.unlink(missing_ok=True)

    def remount(self, mode: str) -> None:
        subprocess.run(["mount", "-o", f"remount,{mode}", str(self.path)], check=True, capture_output=True)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    """A tmpfs of 32 MB. Skipped, visibly, where none can be mounted."""
    path = tmp_path / "disk"
    path.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=32m", "none", str(path)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("a small file system cannot be mounted here: this needs root and tmpfs")
    try:
        yield Disk(path)
    finally:
        subprocess.run(["umount", "-l", str(path)], check=True)


@tool
def act() -> str:
    """Act outside."""
    return "acted " * 5_000


async def test_a_disk_that_fills_up_anywhere_in_a_turn_is_told_of_and_loses_nothing(disk: Disk) -> None:
    """The disk is filled before each commit in turn. When there is room again, the agent goes on."""
    model = ScriptedModel()
    seen: list[StreamEvent] = []
    outcomes: list[str] = []
    words: list[str] = []
    async with open_agent(disk.path / "home", model, tools=[act]) as agent:
        stop_background(agent)
        journal, kept = agent._journal, []
        commit, count, at = journal._commit, 0, 0

        def counted(work: Callable[[Transaction], Any]) -> Any:
            nonlocal count
            count += 1
            if count == at:
                disk.fill()
            return commit(work)

        journal._commit = counted  # type: ignore[method-assign]
        commits = 0
        while at <= commits:
            model._replies["turn"].clear()
            calls = [call("act"), call("core_memory_append", label="human", content="x")]
            model.enqueue(["I act. ", *calls], "Well. " * 9_000)
            seen.clear()
            count = 0
            try:
                async for event in agent.stream(f"{at}. " + "Go on. " * 3_000):
                    seen.append(event)
                ended = seen[-1]
                assert isinstance(ended, TurnEnded)
                outcome: str = ended.reason
                assert outcome == "done" or "full" in ended.error
            except HomeFull as error:
                outcome = "raised"
                words.append(str(error))
            commits = commits or count
            outcomes.append(outcome)
            if outcome == "done":
                kept.append(f"{at}. ")
            disk.free()
            count = -1_000
            model._replies["turn"].clear()
            model.enqueue("Fine.")
            model.requests.clear()
            assert (await agent.send("And now?")).text == "Fine."
            assert_paired(model.requests)
            await journal.read(assert_settled)
            at += 1
        await journal.read(assert_whole)
        log = [message.text for message in await agent.history() if message.role == "user"]
        assert [text for text in kept if not any(line.startswith(text) for line in log)] == []
    assert outcomes[0] == "done"
    assert words
    assert all("is full. Free some space" in text for text in words)
    async with open_agent(disk.path / "home", ScriptedModel("Back.")) as agent:
        assert (await agent.send("Are you back?")).text == "Back."


async def test_a_home_on_a_full_disk_does_not_open_and_does_once_there_is_room(disk: Disk) -> None:
    async with open_agent(disk.path / "home", ScriptedModel("Hello.")) as agent:
        await agent.send("Hello?")
    disk.fill()
    with pytest.raises(HomeFull, match="Free some space"):
        async with open_agent(disk.path / "home", ScriptedModel()):
            pass
    disk.free()
    async with open_agent(disk.path / "home", ScriptedModel()) as agent:
        assert [message.text for message in await agent.history()] == ["Hello?", "Hello."]


async def test_a_home_that_cannot_be_written_does_not_open(disk: Disk) -> None:
    async with open_agent(disk.path / "home", ScriptedModel("Hello.")) as agent:
        await agent.send("Hello?")
    disk.remount("ro")
    with pytest.raises(HomeReadOnly, match="cannot be written"):
        async with open_agent(disk.path / "home", ScriptedModel()):
            pass
    disk.remount("rw")
    async with open_agent(disk.path / "home", ScriptedModel()) as agent:
        assert len(await agent.history()) == 2


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with something in it, all of it in the journal's main file."""
    path = tmp_path_factory.mktemp("written") / "home"

    async def write() -> None:
        async with open_agent(path, ScriptedModel(*["Well. " * 500] * 20)) as agent:
            for number in range(20):
                await agent.send(f"{number}. " + "Go on. " * 500)

    asyncio.run(write())
    assert not (path / "journal.sqlite-wal").exists()
    return path


@pytest.fixture
def journal(written: Path, tmp_path: Path) -> Path:
    """The journal of such a home, to be broken."""
    shutil.copytree(written, tmp_path / "home")
    return tmp_path / "home" / "journal.sqlite"


BREAKS: dict[str, Callable[[bytes], bytes]] = {
    "garbage": lambda _: bytes(range(256)) * 100,
    "text": lambda _: b"Dear diary,\n" * 1000,
    "no header": lambda data: os.urandom(100) + data[100:],
    "half": lambda data: data[: len(data) // 2],
    "one page": lambda data: data[:4096],
    "not even a page": lambda data: data[:1000],
    "pages of nothing": lambda data: data[:4096] + bytes(len(data) - 4096),
}


@pytest.mark.parametrize("break_it", BREAKS.values(), ids=BREAKS.keys())
def test_a_broken_journal_is_named_and_left_as_it_is(journal: Path, break_it: Callable[[bytes], bytes]) -> None:
    broken = break_it(journal.read_bytes())
    journal.write_bytes(broken)
    with pytest.raises(JournalBroken, match="doctor"):
        asyncio.run(read_all(journal.parent))
    assert journal.read_bytes() == broken


async def read_all(home: Path) -> None:
    async with open_agent(home, ScriptedModel("Hello.")) as agent:
        await agent.history()
        await agent.send("Hello?")


def test_a_break_that_shows_later_is_told_of_as_well(journal: Path) -> None:
    """The second half is nothing: opening may not need it, reading everything does."""
    data = bytearray(journal.read_bytes())
    for page in range(len(data) // 4096 // 2, len(data) // 4096):
        data[page * 4096 : (page + 1) * 4096] = b"\xff" * 4096
    journal.write_bytes(bytes(data))
    with pytest.raises(JournalBroken):
        asyncio.run(read_all(journal.parent))


async def test_an_archive_that_cannot_be_flushed_finds_all_the_same_and_is_flushed_later(disk: Disk) -> None:
    home = ArchiveHome(disk.path / "home")
    async with home.archive(resident=0) as archive:
        await put(archive, scope(), ["Ada is allergic to peanuts."])
        await archive.flush()
        await put(archive, scope(), ["Grace likes figs."])
        disk.fill()
        with pytest.raises(HomeFull):
            await archive.flush()
        for _ in range(2):
            assert (await texts(archive, scope(), "figs"))[0] == "Grace likes figs."
            assert (await texts(archive, scope(), "peanuts"))[0] == "Ada is allergic to peanuts."
            disk.free()
        assert await archive.flush() == 1
        assert (await archive.state()).passages == 2
    home.journal.close()
