"""The embedders: what comes with the installation, and those of other providers."""

from __future__ import annotations

import logging
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pagekeeper.runtime.archive.embedders.litellm import BATCH, BATCH_CHARACTERS, MOST, LiteLLMEmbedder
from pagekeeper.runtime.archive.embedders.prefixes import prefixes
from pagekeeper.runtime.archive.embedders.wordllama import WordLlamaEmbedder
from pagekeeper.runtime.chosen import make_embedder
from pagekeeper.runtime.config import Settings
from pagekeeper.runtime.errors import EmbedderFailed
from pagekeeper.tests.support.archives import Home, find, put, scope
from pagekeeper.tests.support.openai_server import OpenAIServer, status, text


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


@pytest.mark.parametrize(
    ("model", "query", "passage"),
    [
        ("huggingface/intfloat/multilingual-e5-large", "query: ", "passage: "),
        ("ollama/e5-base-v2", "query: ", "passage: "),
        ("intfloat/e5-mistral-7b-instruct", "Instruct: ", ""),
        ("intfloat/multilingual-e5-large-instruct", "Instruct: ", ""),
        ("openai/Qwen/Qwen3-Embedding-0.6B", "Instruct: ", ""),
        ("huggingface/BAAI/bge-small-en-v1.5", "Represent this ", ""),
        ("huggingface/BAAI/bge-large-zh-v1.5", "为这个句子", ""),
        ("huggingface/BAAI/bge-m3", "", ""),
        ("ollama/nomic-embed-text", "search_query: ", "search_document: "),
        ("ollama/mxbai-embed-large", "Represent this ", ""),
        ("ollama/snowflake-arctic-embed", "Represent this ", ""),
        ("ollama/snowflake-arctic-embed2", "query: ", ""),
        ("Snowflake/snowflake-arctic-embed-l-v2.0", "query: ", ""),
        ("ollama/embeddinggemma", "task: search result | query: ", "title: none | text: "),
        ("openai/text-embedding-3-small", "", ""),
        ("cohere/embed-multilingual-v3.0", "", ""),
    ],
)
def test_the_prefixes_of_known_models(model: str, query: str, passage: str) -> None:
    found = prefixes(model)
    assert found[0].startswith(query)
    assert (found[0] == "", found[1]) == (query == "", passage)


async def test_prefixes_come_from_the_model_unless_they_are_set(
    openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    settings = Settings(embedder_name="openai/multilingual-e5-small", embedder_api_base=openai_server.url)
    embedder = make_embedder(settings)
    await embedder.embed_queries(["y"])
    await embedder.embed_passages(["x"])
    own = make_embedder(replace(settings, embedder_query_prefix="", embedder_passage_prefix="doc: "))
    await own.embed_queries(["y"])
    await own.embed_passages(["x"])
    asked = [body["input"] for body in openai_server.bodies]
    assert asked == [["query: y"], ["passage: x"], ["y"], ["doc: x"]]
    assert own.fingerprint != embedder.fingerprint


async def test_requests_are_bounded_and_a_book_is_embedded_by_its_beginning(openai_server: OpenAIServer) -> None:
    embedder = LiteLLMEmbedder("openai/e5-base", api_base=openai_server.url, api_key="sk-test")
    texts = ["长" * MOST * 100, *[f"{number} " * 900 for number in range(50)]]
    assert len(await embedder.embed_passages(texts)) == 51
    asked = [body["input"] for body in openai_server.bodies]
    assert [text for some in asked for text in some] == [f"passage: {text[:MOST]}" for text in texts]
    assert len(asked) > 1
    assert all(sum(map(len, some)) <= BATCH_CHARACTERS + len(some) * len("passage: ") for some in asked)
    await embedder.embed_queries(["长" * MOST * 2])
    assert openai_server.bodies[-1]["input"] == [f"query: {'长' * MOST}"]


async def test_embedding_anew_with_a_provider_says_how_far_it_is_and_goes_on(
    openai_server: OpenAIServer, tmp_path: Path
) -> None:
    home = Home(tmp_path / "home")
    other = LiteLLMEmbedder("openai/e5-base", api_base=openai_server.url, api_key="sk-test")
    async with home.archive() as archive:
        await put(archive, scope(), [f"Passage {number}." for number in range(300)])
        await home.say(scope(), "Hello.")
        # Each part is a request, and the fifth fails.
        openai_server.enqueue(*[text("ok")] * 4, status(400, "No more."))
        told: list[tuple[int, int]] = []
        with pytest.raises(EmbedderFailed, match="No more"):
            await archive.reembed(other, lambda *so_far: told.append(so_far))
        assert told == [(64, 301), (128, 301), (192, 301), (256, 301)]
        asked = len(openai_server.bodies)
        await archive.reembed(other, lambda *so_far: told.append(so_far))
        assert told[4:] == [(300, 301), (301, 301)]
        assert sum(len(body["input"]) for body in openai_server.bodies[asked:]) == 45
    home.journal.close()


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
