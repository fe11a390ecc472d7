"""The embedders: what comes with the installation, and those of other providers."""

from __future__ import annotations

import logging
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pagekeeper.runtime.archive.embedders.litellm import BATCH, LiteLLMEmbedder
from pagekeeper.runtime.archive.embedders.wordllama import WordLlamaEmbedder
from pagekeeper.runtime.errors import EmbedderFailed
from pagekeeper.tests.support.archives import Home, find, put, scope
from pagekeeper.tests.support.openai_server import OpenAIServer, status


def cosine(a: object, b: object) -> float:
    one, other = np.asarray(a), np.asarray(b)
    return float(one @ other / (np.linalg.norm(one) * np.linalg.norm(other)))


async def test_the_embedded_one_knows_like_from_unlike_without_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("it asked the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    embedder = WordLlamaEmbedder()
    dog, puppy, tax = await embedder.embed_passages(
        ["The dog barks.", "A puppy is barking.", "Taxes are due in April."]
    )
    assert len(dog) == embedder.dimension
    assert cosine(dog, puppy) > cosine(dog, tax) + 0.2


async def test_a_text_does_not_depend_on_those_beside_it() -> None:
    embedder = WordLlamaEmbedder()
    alone = await embedder.embed_passages(["The dog barks."])
    among = await embedder.embed_passages(["long " * 500, "The dog barks.", ""])
    assert alone[0] == among[1]
    assert not any(among[2])


def test_its_import_leaves_logging_alone() -> None:
    code = (
        "import logging; from pagekeeper.runtime.archive.embedders.wordllama import WordLlamaEmbedder as E;"
        "before = (logging.root.handlers[:], logging.root.level); E().load();"
        "assert (logging.root.handlers[:], logging.root.level) == before"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
    assert logging.root.level == logging.WARNING


async def test_another_provider_is_asked_in_batches_and_with_its_prefixes(openai_server: OpenAIServer) -> None:
    model = "openai/text-embedding-3-small"
    options: dict[str, Any] = {"api_base": openai_server.url, "api_key": "sk-test"}
    embedder = LiteLLMEmbedder(model, dimension=4, query_prefix="query: ", passage_prefix="passage: ", **options)
    found = await embedder.embed_passages([f"x{number}" for number in range(BATCH + 1)])
    assert [len(vector) for vector in found] == [4] * (BATCH + 1)
    await embedder.embed_queries(["y"])
    asked = [body["input"] for body in openai_server.bodies]
    assert [len(texts) for texts in asked] == [BATCH, 1, 1]
    assert asked[0][0] == "passage: x0"
    assert asked[2] == ["query: y"]
    assert embedder.fingerprint != LiteLLMEmbedder(model).fingerprint
    plain = LiteLLMEmbedder(model, **options)
    assert plain.dimension is None
    await plain.embed_queries(["y"])
    assert plain.dimension == 8


async def test_a_provider_that_refuses_is_a_failed_embedder(openai_server: OpenAIServer) -> None:
    openai_server.enqueue(status(401, "No."))
    embedder = LiteLLMEmbedder("openai/text-embedding-3-small", api_base=openai_server.url, api_key="sk-test")
    with pytest.raises(EmbedderFailed, match="No"):
        await embedder.embed_queries(["y"])


async def test_a_home_embedded_by_a_provider_is_searched(openai_server: OpenAIServer, tmp_path: Path) -> None:
    embedder = LiteLLMEmbedder("openai/text-embedding-3-small", api_base=openai_server.url, api_key="sk-test")
    home = Home(tmp_path / "home")
    async with home.archive(embedder=embedder, resident=0) as archive:
        await put(archive, scope(), ["Ada is allergic to peanuts."])
        assert await archive.flush() == 1
        (hit,) = await find(archive, scope(), "peanuts")
        assert hit.gate.cosine is not None
    home.journal.close()
