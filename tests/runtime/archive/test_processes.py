"""Several processes on one home, some of which are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pagekeeper.runtime.archive.archive import Archive
from pagekeeper.runtime.errors import EmbedderMismatch
from pagekeeper.tests.support.archives import Home, find, put, scope
from pagekeeper.tests.support.embedding import HashEmbedder


def start(home: Path, count: int, *actions: str, failpoint: str = "") -> subprocess.Popen[str]:
    """A process that archives `count` passages."""
    return subprocess.Popen(
        [sys.executable, "-m", "pagekeeper.tests.support.archiving", str(home), str(count), *actions],
        env={**os.environ, "PAGEKEEPER_FAILPOINT": failpoint},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


async def all_ids(archive: Archive) -> list[str]:
    return sorted(hit.id for hit in await find(archive, scope(), "word process", limit=1000))


@pytest.fixture
async def home(tmp_path: Path) -> AsyncIterator[Home]:
    made = Home(tmp_path / "home")
    yield made
    made.journal.close()


@pytest.mark.parametrize(
    "failpoint",
    [
        "journal.before_commit.passage.added@4",
        "journal.after_commit.passage.added@4",
        "archive.rebuild.before_switch",
        "archive.rebuild.after_switch",
        "archive.flush.before_write",
        "archive.flush.before_watermark",
        "archive.flush.after_watermark",
        "archive.optimize.before",
        "archive.optimize.after",
        "archive.rebuild.before_switch@2",
    ],
)
async def test_what_was_acknowledged_outlives_a_kill_and_nothing_is_there_twice(home: Home, failpoint: str) -> None:
    # The first flush makes the tables, from the journal; the second one adds to them.
    async with home.archive(resident=0) as archive:
        before = await put(archive, scope(), ["word of process zero"])
        if "@2" not in failpoint and "rebuild" not in failpoint:
            await archive.flush()
    process = start(home.path, 6, "flush", "maintain", "rebuild", failpoint=failpoint)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    acknowledged = before + out.split()
    assert len(acknowledged) == (4 if "commit" in failpoint else 7)
    unheard = "after_commit" in failpoint  # committed, but the process died before it could say so
    for resident in (0, 1000):
        async with home.archive(resident=resident) as archive:
            found = await all_ids(archive)
            assert set(acknowledged) <= set(found)
            assert len(found) == len(set(found)) == len(acknowledged) + unheard
            await archive.flush()
            assert await all_ids(archive) == found
    async with home.archive(resident=0) as archive:
        await find(archive, scope(), "word")
        assert (await archive.state()).passages == len(acknowledged) + unheard


@pytest.mark.parametrize("side", ["before", "after"])
async def test_a_process_that_is_killed_while_it_embeds_anew_leaves_the_old_vectors_or_the_new(
    home: Home, side: str
) -> None:
    async with home.archive(resident=0) as archive:
        before = await put(archive, scope(), ["word of process zero"])
        await archive.flush()
    process = start(home.path, 3, "flush", "reembed", failpoint=f"archive.rebuild.{side}_switch")
    out, _ = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    made = sorted(before + out.split())
    assert len(made) == 4
    other = HashEmbedder(16, "other")
    known, strange = (other, home.embedder) if side == "after" else (home.embedder, other)
    with pytest.raises(EmbedderMismatch):
        async with home.archive(embedder=strange):
            pass
    for resident in (0, 1000):
        async with home.archive(embedder=known, resident=resident) as archive:
            assert await all_ids(archive) == made
            (best, *_) = await find(archive, scope(), "word of process zero")
            assert best.gate.cosine is not None
    async with home.archive(embedder=strange, check=False, resident=0) as archive:
        await archive.reembed(strange)
        assert await all_ids(archive) == made


async def test_what_a_killed_process_did_not_flush_another_one_finds_and_flushes(home: Home) -> None:
    async with home.archive(resident=0) as archive:
        first = await put(archive, scope(), ["word of process zero"])
        assert await all_ids(archive) == first
        process = start(home.path, 2, "flush", "wait")
        assert process.stdout is not None
        theirs = [process.stdout.readline().strip() for _ in range(2)]
        assert process.stdout.readline() == "waiting\n"
        # The other process holds the lock, and is open throughout.
        second = await put(archive, scope(), ["word of process zero, again"])
        assert await archive.flush() == 0
        assert await all_ids(archive) == sorted(first + theirs + second)
        process.kill()
        process.communicate()
        third = await put(archive, scope(), ["word of process zero, once more"])
        assert await archive.flush() == 2
        assert await all_ids(archive) == sorted(first + theirs + second + third)
        assert (await archive.state()).passages == 5
