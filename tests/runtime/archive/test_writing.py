"""The write path: acknowledged by the journal, flushed by whoever may, found at any time, rebuilt from nothing."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from pagekeeper.runtime.archive.choices import Kind
from pagekeeper.runtime.archive.drafts import Draft
from pagekeeper.runtime.archive.passages import add, retire, supersede
from pagekeeper.runtime.archive.rows import ArchiveRow
from pagekeeper.runtime.errors import (
    ArchiveBroken,
    ArchiveError,
    EmbedderFailed,
    EmbedderMismatch,
    InvalidName,
    InvalidText,
    NotFound,
)
from pagekeeper.tests.support.archives import Home, find, put, scope, texts
from pagekeeper.tests.support.embedding import HashEmbedder


@pytest.fixture
async def home(tmp_path: Path) -> AsyncIterator[Home]:
    made = Home(tmp_path / "home")
    yield made
    made.journal.close()


async def test_a_row_is_found_at_once_by_another_opening(home: Home) -> None:
    async with home.archive(resident=0) as one, home.archive(resident=0) as two:
        assert await find(two, scope(), "peanuts") == []
        await put(one, scope(), ["Ada is allergic to peanuts."])
        assert await texts(two, scope(), "peanuts") == ["Ada is allergic to peanuts."]
        await one.flush()
        assert await texts(two, scope(), "peanuts") == ["Ada is allergic to peanuts."]


async def test_only_the_holder_of_the_lock_flushes_and_another_takes_over(home: Home) -> None:
    async with home.archive(resident=0) as two:
        async with home.archive(resident=0) as one:
            await put(one, scope(), ["first"])
            assert await one.flush() == 1
            await put(two, scope(), ["second"])
            assert await two.flush() == 0
            assert (await two.state()).pending == 1
            with pytest.raises(ArchiveError, match="Another process"):
                await two.rebuild()
        await put(two, scope(), ["third"])
        assert await two.flush() > 0
        state = await two.state()
        assert (state.pending, state.passages, state.keeper) == (0, 3, True)


async def test_a_failed_transaction_archives_nothing(home: Home) -> None:
    async with home.archive() as archive:

        def fail(tx: object) -> None:
            add(tx, scope(), [Draft("never")])  # type: ignore[arg-type]
            raise RuntimeError

        with pytest.raises(RuntimeError):
            await home.journal.write(fail)
        assert await archive.is_empty()


async def test_the_background_flushes_by_itself(home: Home) -> None:
    async with home.archive(resident=0, background=True, idle=0.1) as archive:
        await put(archive, scope(), ["Ada is allergic to peanuts."])
        async with asyncio.timeout(30):
            while (await archive.state()).passages == 0:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        assert archive.trouble is None
        assert await texts(archive, scope(), "peanuts") == ["Ada is allergic to peanuts."]


async def test_many_rows_are_flushed_and_all_are_found(home: Home) -> None:
    async with home.archive(resident=0) as archive:
        await put(archive, scope(), [f"row{number} of many" for number in range(1500)])
        assert await archive.flush() == 1500
        await put(archive, scope(), [f"row{number} of many" for number in range(1500, 1600)])
        await archive.flush()
        await archive.maintain()
        for number in (0, 777, 1499, 1599):
            assert (await texts(archive, scope(), f"row{number}"))[0] == f"row{number} of many"
        assert (await archive.state()).passages == 1600


async def test_a_flush_ends_though_rows_keep_coming(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    async with home.archive(resident=0) as archive:
        await put(archive, scope(), ["first"])
        await archive.flush()
        tables = await archive.tables()
        assert tables is not None
        upsert = tables.upsert

        async def upsert_while_others_write(kind: Kind, rows: Sequence[ArchiveRow]) -> None:
            await put(archive, scope(), ["one more"])
            await upsert(kind, rows)

        monkeypatch.setattr(tables, "upsert", upsert_while_others_write)
        await put(archive, scope(), ["second"])
        assert await archive.flush() == 1
        assert (await archive.state()).pending > 0


@pytest.mark.parametrize("while_open", [True, False])
async def test_the_folder_may_be_deleted_at_any_time(home: Home, while_open: bool) -> None:
    async with home.archive(resident=0) as archive:
        await put(archive, scope(), ["Ada is allergic to peanuts."])
        await archive.flush()
        if while_open:
            shutil.rmtree(home.path / "archive")
            assert await texts(archive, scope(), "peanuts") == ["Ada is allergic to peanuts."]
            shutil.rmtree(home.path / "archive")
            await put(archive, scope(), ["Grace is not."])
            assert await archive.flush() > 0
    shutil.rmtree(home.path / "archive")
    async with home.archive(resident=0) as archive:
        assert (await texts(archive, scope(), "peanuts"))[0] == "Ada is allergic to peanuts."
        assert (await archive.state()).passages == 1 + while_open


async def test_a_damaged_archive_says_how_to_mend_it_and_loses_nothing(home: Home) -> None:
    async with home.archive(resident=0) as archive:
        await put(archive, scope(), ["Ada is allergic to peanuts."])
        await archive.flush()
    for manifest in (home.path / "archive").rglob("*.manifest"):
        manifest.write_bytes(b"")
    async with home.archive(resident=0) as archive:
        with pytest.raises(ArchiveBroken) as raised:
            await find(archive, scope(), "peanuts")
        assert "pagekeeper doctor --rebuild" in raised.value.hint
        assert (await archive.state()).broken
        await put(archive, scope(), ["Grace likes peanuts."])
        await archive.rebuild()
        assert len(await texts(archive, scope(), "peanuts")) == 2
        assert (await archive.state()).broken is None


async def test_a_small_damaged_archive_is_searched_all_the_same(home: Home) -> None:
    async with home.archive(resident=0) as archive:
        await put(archive, scope(), ["Ada is allergic to peanuts."])
        await archive.flush()
    for manifest in (home.path / "archive").rglob("*.manifest"):
        manifest.write_bytes(b"")
    async with home.archive() as archive:
        assert await texts(archive, scope(), "peanuts") == ["Ada is allergic to peanuts."]


async def test_a_rebuild_keeps_what_comes_meanwhile_and_removes_the_old_folder(home: Home) -> None:
    async with home.archive(resident=0) as archive, home.archive(resident=0) as reader:
        await put(archive, scope(), ["first"])
        await archive.flush()
        await find(reader, scope(), "first")
        await put(archive, scope(), ["second"])
        await archive.rebuild()
        await put(archive, scope(), ["third"])
        for word in ("first", "second", "third"):
            assert (await texts(reader, scope(), word))[0] == word
        assert [path.name for path in (home.path / "archive").iterdir()] == ["g000002"]


async def test_searches_go_on_while_the_archive_is_made_again(home: Home) -> None:
    async with home.archive(resident=0) as archive, home.archive(resident=0) as reader:
        await put(archive, scope(), ["Ada is allergic to peanuts."])
        await archive.flush()
        rebuilding = asyncio.create_task(archive.rebuild())
        searches = 0
        while not rebuilding.done() or searches < 5:
            assert await texts(reader, scope(), "peanuts") == ["Ada is allergic to peanuts."]
            searches += 1
        await rebuilding


async def test_another_embedder_is_refused_until_everything_is_embedded_anew(home: Home) -> None:
    async with home.archive(resident=0) as archive:
        await put(archive, scope(), ["Ada is allergic to peanuts."])
        await archive.flush()
    other = HashEmbedder(48, "other")
    with pytest.raises(EmbedderMismatch, match="pagekeeper memory re-embed"):
        async with home.archive(embedder=other):
            pass
    async with home.archive(embedder=other, check=False, resident=0) as archive:
        assert await texts(archive, scope(), "peanuts") == ["Ada is allergic to peanuts."]
        done: list[tuple[int, int]] = []
        await archive.reembed(other, lambda *told: done.append(told))
        assert done == [(1, 1)]
        (hit,) = await find(archive, scope(), "peanuts")
        assert hit.gate.cosine is not None
    async with home.archive(embedder=other, resident=0) as archive:
        assert (await find(archive, scope(), "peanuts"))[0].gate.cosine is not None
        assert (await archive.state()).embedder == other.fingerprint


async def test_a_failed_re_embedding_changes_nothing(home: Home) -> None:
    async with home.archive(resident=0) as archive:
        await put(archive, scope(), ["Ada is allergic to peanuts."])
        other = HashEmbedder(48, "other")
        other.failing = True
        with pytest.raises(EmbedderFailed):
            await archive.reembed(other)
        assert await texts(archive, scope(), "peanuts") == ["Ada is allergic to peanuts."]
        assert (await archive.state()).embedder == home.embedder.fingerprint


@pytest.mark.parametrize("resident", [0, 1000])
async def test_a_row_whose_embedder_failed_is_found_by_its_words_and_embedded_later(home: Home, resident: int) -> None:
    async with home.archive(resident=resident) as archive:
        home.embedder.failing = True
        await put(archive, scope(), ["Ada is allergic to peanuts."])
        assert (await archive.state()).unembedded == 1
        assert (await archive.state()).embedder_failure
        (hit,) = await find(archive, scope(), "peanuts")
        assert hit.gate.cosine is None
        await archive.flush()
        assert await texts(archive, scope(), "peanuts") == ["Ada is allergic to peanuts."]
    home.embedder.failing = False
    async with home.archive(resident=resident) as archive:
        assert await texts(archive, scope(), "peanuts") == ["Ada is allergic to peanuts."]
        await archive.embed_messages()
        (hit,) = await find(archive, scope(), "peanuts")
        assert hit.gate.cosine is not None
        state = await archive.state()
        assert (state.unembedded, state.embedder_failure) == (0, None)


async def test_a_long_text_becomes_passages_of_one_document(home: Home) -> None:
    text = "\n\n".join(f"Paragraph {number} tells of topic{number}. " + "And so on. " * 50 for number in range(12))
    async with home.archive() as archive:
        ids = await put(archive, scope(), [Draft(text, kind="document", tags=("long",))])
        assert len(ids) > 3
        (hit, *_) = await find(archive, scope(), "topic7", tags=("long",), kinds=("document",))
        assert "topic7" in hit.text
        assert len(hit.text) < 1300


async def test_a_megabyte_is_archived_whole(home: Home) -> None:
    async with home.archive() as archive:
        ids = await put(archive, scope(), ["x" * 1_000_000])
        assert len(ids) == 834


async def test_what_cannot_be_archived_is_refused_with_a_reason(home: Home) -> None:
    async with home.archive() as archive:
        for text in ("", "  \n", "\ud800"):
            with pytest.raises(InvalidText):
                await put(archive, scope(), [text])
        for draft in (Draft("x", tags=("",)), Draft("x", tags=("t" * 101,)), Draft("x", importance=2)):
            with pytest.raises(InvalidText):
                await put(archive, scope(), [draft])
        with pytest.raises(InvalidName):
            await put(archive, scope(), [Draft("x", kind="rumour")])
        assert await archive.is_empty()


async def test_passages_of_others_cannot_be_changed(home: Home) -> None:
    async with home.archive() as archive:
        (theirs,) = await put(archive, scope(user="someone"), ["theirs"])
        for change in (
            lambda tx: retire(tx, scope(), [theirs], "mine"),
            lambda tx: supersede(tx, scope(), theirs, Draft("mine")),
            lambda tx: supersede(tx, scope(), "' OR '1'='1", Draft("mine")),
        ):
            with pytest.raises(NotFound):
                await home.journal.write(change)
        assert await texts(archive, scope(user="someone"), "theirs") == ["theirs"]


async def test_messages_are_embedded_after_the_turn(home: Home) -> None:
    async with home.archive() as archive:
        await home.say(scope(), "I moved to Lisbon.")
        await home.say(scope(), "How lovely.", role="assistant")
        assert (await archive.state()).unembedded == 2
        assert await archive.embed_messages() == 2
        assert await archive.embed_messages() == 0
        assert (await find(archive, scope(), "Lisbon"))[0].gate.cosine is not None


async def test_a_search_embeds_what_was_said_a_moment_ago(home: Home) -> None:
    async with home.archive() as archive:
        await home.say(scope(), "I moved to Lisbon.")
        assert (await find(archive, scope(), "Lisbon"))[0].gate.cosine is not None


async def test_nothing_is_embedded_for_where_all_is_in_view(home: Home) -> None:
    async with home.archive() as archive:
        said = await home.say(scope(), "I moved to Lisbon.")
        await archive.embed_messages()
        home.embedder.texts.clear()
        assert await find(archive, scope(), "Lisbon", exclude=frozenset(said)) == []
        assert home.embedder.texts == []
