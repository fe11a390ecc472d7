"""The stores that `side_by_side` compares, each behind the same four functions.

All get the same embedder and the same passages, one at a time, and are asked for the same number of results with their
texts, of one user of two. None has a language model. Each runs in a process of its own, in which no connection to any
other machine can be made.
"""

from __future__ import annotations

import importlib
import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AsyncExitStack
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from pagekeeper.runtime.archive.embedders.wordllama import WordLlamaEmbedder

USERS = ("me", "other")


class Contender(ABC):
    """A store. `about` says what it does beside finding by meaning; `needs` are the modules, `install` brings them."""

    about: ClassVar[str] = ""
    needs: ClassVar[tuple[str, ...]] = ()
    install: ClassVar[str] = ""

    @classmethod
    def missing(cls) -> bool:
        """Whether something that it needs is not installed."""
        return not all(_there(name) for name in cls.needs)

    @abstractmethod
    async def open(self, folder: Path, embedder: WordLlamaEmbedder) -> None:
        """Make an empty store in a folder that is there."""

    @abstractmethod
    async def add(self, text: str, user: str) -> None:
        """Keep a text of a user."""

    @abstractmethod
    async def search(self, question: str, user: str, count: int) -> Sequence[str]:
        """The texts of the best results, best first."""

    @abstractmethod
    async def close(self) -> None:
        """Let go of everything."""


class Scan(Contender):
    """Every vector is compared with the question's, in NumPy: what is nearest, exactly."""

    about = "exact; nothing else: not kept, no words, no filters but the user"

    async def open(self, folder: Path, embedder: WordLlamaEmbedder) -> None:
        self.embedder = embedder
        self.texts: list[str] = []
        self.users = np.zeros(1024, np.int8)
        self.matrix = np.zeros((1024, embedder.dimension), np.float32)

    async def add(self, text: str, user: str) -> None:
        count = len(self.texts)
        if count == len(self.matrix):
            self.matrix = np.concatenate([self.matrix, np.zeros_like(self.matrix)])
            self.users = np.concatenate([self.users, np.zeros_like(self.users)])
        self.matrix[count] = self._unit(text)
        self.users[count] = USERS.index(user)
        self.texts.append(text)

    async def search(self, question: str, user: str, count: int) -> Sequence[str]:
        there = len(self.texts)
        near = self.matrix[:there] @ self._unit(question)
        near[self.users[:there] != USERS.index(user)] = -2
        best = np.argpartition(-near, min(count, there - 1))[:count]
        return [self.texts[place] for place in best[np.argsort(-near[best])]]

    async def close(self) -> None:
        self.texts.clear()

    def _unit(self, text: str) -> np.ndarray[Any, np.dtype[np.float32]]:
        (made,) = self.embedder.embed([text])
        vector = np.asarray(made, np.float32)
        return vector / (float(np.linalg.norm(vector)) or 1.0)


class Pagekeeper(Contender):
    """The archive, with its upkeep in the background, as an agent has it."""

    about = "kept, fsynced; words and meaning, ranked; filters: user, conversation, kind, tags, dates, status"

    async def open(self, folder: Path, embedder: WordLlamaEmbedder) -> None:
        from pagekeeper.benchmarks.filling import OTHER, SCOPE, opened

        self.stack = AsyncExitStack()
        self.archive = await self.stack.enter_async_context(opened(folder, background=True))
        self.scopes = {SCOPE.user: SCOPE, OTHER.user: OTHER}

    async def add(self, text: str, user: str) -> None:
        from pagekeeper.benchmarks.filling import put
        from pagekeeper.runtime.archive.drafts import Draft

        await put(self.archive, [Draft(text)], self.scopes[user])

    async def search(self, question: str, user: str, count: int) -> Sequence[str]:
        from pagekeeper.runtime.archive.query import Query

        query = Query(self.scopes[user], question, tables=("passage",), limit=count)
        return [hit.text for hit in await self.archive.search(query)]

    async def near(self, question: str, user: str, count: int) -> Sequence[str]:
        """The nearest by meaning alone: what the arm of vectors brings to the ranking, in order."""
        from pagekeeper.runtime.archive.filters import conditions
        from pagekeeper.runtime.archive.query import Query
        from pagekeeper.runtime.archive.ranking.weights import DEFAULT
        from pagekeeper.runtime.archive.results import show
        from pagekeeper.runtime.archive.vectors import unit

        await self.archive.flush()
        tables = await self.archive.tables()
        assert tables is not None
        query = Query(self.scopes[user], question)
        where = " AND ".join(one.sql for one in conditions(query, self.archive.clock.now()) if one.sql)
        (vector,) = unit(await self.archive._embedding.embedder.embed_queries([question]))
        found = await tables.near("passage", where, vector, DEFAULT.arm)
        best = sorted(found, key=lambda row: -float(row.vector @ vector) if row.vector is not None else 1)[:count]
        shown = await self.archive.journal.read(partial(show, items=[(row.table, row.id) for row in best]))
        return [shown[row.id].text for row in best]

    async def close(self) -> None:
        await self.stack.aclose()


class LangGraphMemory(Contender):
    """LangGraph's `InMemoryStore`."""

    about = "not kept; meaning alone; filters: namespace, equal values"
    needs: ClassVar[tuple[str, ...]] = ("langgraph.store.memory",)
    install = "pip install langgraph"

    async def open(self, folder: Path, embedder: WordLlamaEmbedder) -> None:
        from langgraph.store.memory import InMemoryStore

        self.store: Any = InMemoryStore(index=_index(embedder))
        self.count = 0

    async def add(self, text: str, user: str) -> None:
        self.count += 1
        self.store.put(("memories", user), str(self.count), {"text": text})

    async def search(self, question: str, user: str, count: int) -> Sequence[str]:
        return [item.value["text"] for item in self.store.search(("memories", user), query=question, limit=count)]

    async def close(self) -> None:
        return


class LangGraphSqlite(LangGraphMemory):
    """LangGraph's `SqliteStore`, in a file."""

    about = "kept, in SQLite; meaning alone; filters: namespace, values"
    needs: ClassVar[tuple[str, ...]] = ("langgraph.store.sqlite", "sqlite_vec")
    install = (
        "pip install langgraph langgraph-checkpoint-sqlite, "
        "and pysqlite3-binary where Python's own sqlite3 loads no extensions"
    )

    @classmethod
    def missing(cls) -> bool:
        return super().missing() or not hasattr(_sqlite().Connection, "enable_load_extension")

    async def open(self, folder: Path, embedder: WordLlamaEmbedder) -> None:
        from langgraph.store.sqlite import SqliteStore

        file = folder / "store.sqlite"
        self.connection = _sqlite().connect(file, check_same_thread=False, isolation_level=None)
        self.store = SqliteStore(self.connection, index=_index(embedder))
        self.store.setup()
        self.count = 0

    async def close(self) -> None:
        self.connection.close()


class Mem0(Contender):
    """Mem0 with Qdrant in a folder, as it comes; `infer=False`, so that it keeps what it is given."""

    about = "kept, in files; meaning alone as installed here (words need fastembed's model); filters: user, metadata"
    needs: ClassVar[tuple[str, ...]] = ("mem0", "qdrant_client")
    install = "pip install mem0ai qdrant-client"

    async def open(self, folder: Path, embedder: WordLlamaEmbedder) -> None:
        os.environ.update(MEM0_TELEMETRY="False", MEM0_DIR=str(folder / "mem0"))
        from mem0 import Memory

        qdrant = {"path": str(folder / "qdrant"), "embedding_model_dims": embedder.dimension, "on_disk": True}
        unused = {"provider": "openai", "config": {"api_key": "none"}}
        self.memory: Any = Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": qdrant},
                "llm": unused,
                "embedder": unused,
                "history_db_path": str(folder / "history.db"),
            }
        )
        self.memory.embedding_model = _Mem0Embedder(embedder)

    async def add(self, text: str, user: str) -> None:
        self.memory.add(text, user_id=user, infer=False)

    async def search(self, question: str, user: str, count: int) -> Sequence[str]:
        found = self.memory.search(question, top_k=count, filters={"user_id": user}, threshold=0.0)
        return [item["memory"] for item in found["results"]]

    async def close(self) -> None:
        self.memory.close()


class _Mem0Embedder:
    """What Mem0 asks of an embedder."""

    def __init__(self, embedder: WordLlamaEmbedder) -> None:
        self.embedder = embedder

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        return list(self.embedder.embed([text])[0])

    def embed_batch(self, texts: list[str], memory_action: str = "add") -> list[list[float]]:
        return [list(vector) for vector in self.embedder.embed(texts)]


def _sqlite() -> Any:
    """The driver that can load extensions, if there is one."""
    return importlib.import_module("pysqlite3" if _there("pysqlite3") else "sqlite3")


def _there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def _index(embedder: WordLlamaEmbedder) -> dict[str, Any]:
    """What LangGraph's stores want to know."""
    return {
        "dims": embedder.dimension,
        "embed": lambda texts: [list(vector) for vector in embedder.embed(texts)],
        # One and the same setting: the one in memory knows it by the first name, the one in SQLite by the second.
        "fields": ["text"],
        "text_fields": ["text"],
    }


CONTENDERS: dict[str, type[Contender]] = {
    "NumPy scan": Scan,
    "Pagekeeper": Pagekeeper,
    "LangGraph InMemoryStore": LangGraphMemory,
    "LangGraph SqliteStore": LangGraphSqlite,
    "Mem0 with Qdrant": Mem0,
}
