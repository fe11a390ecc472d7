"""Embedders whose cosines are high whatever the texts are about: what is weak with others is weak with them too."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from pagekeeper.runtime.archive import usual
from pagekeeper.runtime.archive.query import Gate
from pagekeeper.runtime.errors import EmbedderFailed
from pagekeeper.tests.support.archives import Home, find, put, scope
from pagekeeper.tests.support.embedding import HashEmbedder

FACTS = ["Ada is allergic to peanuts.", "Grace moved to Lisbon in May.", "The rent is due on the first."]


class Alike(HashEmbedder):
    """One whose vectors have most in common, as those of many models that providers serve."""

    usual_cosine: float | None = None

    def __init__(self, common: float = 2.0, name: str = "alike") -> None:
        super().__init__(64, name)
        self._common = common

    def _vector(self, text: str) -> Sequence[float]:
        own = np.asarray(super()._vector(text))
        size = float(np.linalg.norm(own)) or 1.0
        return [self._common, *(own / size)[1:]]


@pytest.fixture
async def home(tmp_path: Path) -> AsyncIterator[Home]:
    made = Home(tmp_path / "home")
    yield made
    made.journal.close()


async def weak(home: Home, embedder: HashEmbedder, question: str, *, resident: int = 1000) -> list[bool]:
    """Whether each result is weak, best first."""
    async with home.archive(embedder=embedder, resident=resident) as archive:
        if await archive.is_empty():
            await put(archive, scope(), FACTS)
        if resident == 0:
            await archive.flush()
        return [hit.weak for hit in await find(archive, scope(), question)]


@pytest.mark.parametrize("common", [0.5, 2.0, 4.0])
@pytest.mark.parametrize("resident", [0, 1000])
async def test_what_has_nothing_to_do_with_the_question_is_weak(home: Home, common: float, resident: int) -> None:
    embedder = Alike(common)
    assert all(await weak(home, embedder, "quantum chromodynamics", resident=resident))
    assert await weak(home, embedder, "allergic to peanuts", resident=resident) == [False, True, True]


async def test_without_it_nothing_would_be_weak(home: Home) -> None:
    embedder = Alike()
    embedder.usual_cosine = 0.0
    assert not any(await weak(home, embedder, "quantum chromodynamics"))


async def test_it_is_measured_once_for_each_embedder_and_kept(home: Home) -> None:
    first = Alike(2.0)
    assert usual.PASSAGES[0] not in first.texts
    await weak(home, first, "peanuts")
    await weak(home, first, "peanuts")
    assert first.texts.count(usual.PASSAGES[0]) == 1
    known = await usual.usual_cosine(home.journal, Alike(2.0))
    assert known == pytest.approx(0.8, abs=0.05)
    second = Alike(4.0, "more alike")
    async with home.archive(embedder=second, check=False) as archive:
        await archive.reembed(second)
        hits = await find(archive, scope(), "peanuts")
    assert second.texts.count(usual.PASSAGES[0]) == 1
    assert hits[0].gate.usual == await usual.usual_cosine(home.journal, Alike(4.0, "more alike")) > known


async def test_one_that_knows_its_own_is_not_asked(home: Home) -> None:
    await weak(home, home.embedder, "peanuts")
    assert usual.PASSAGES[0] not in home.embedder.texts


async def test_an_embedder_that_tells_nothing_apart_breaks_nothing(home: Home) -> None:
    class Constant(Alike):
        def _vector(self, text: str) -> Sequence[float]:
            return [1.0] * 64

    assert await usual.measured(Constant()) == usual.MOST
    assert len(await weak(home, Constant(), "peanuts")) == 3


async def test_a_failure_is_no_measurement(home: Home) -> None:
    embedder = Alike()
    embedder.failing = True
    with pytest.raises(EmbedderFailed):
        await usual.usual_cosine(home.journal, embedder)
    embedder.failing = False
    assert await usual.usual_cosine(home.journal, embedder) > 0.5


def test_the_same_text_is_as_relevant_with_every_embedder_and_so_are_strangers() -> None:
    for cosine, other in ((1.0, 1.0), (0.0, 0.8), (0.5, 0.9)):
        assert Gate(cosine, 0.2).relevance() == pytest.approx(Gate(other, 0.2, 0.8).relevance())
