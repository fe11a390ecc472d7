"""Recording what a real model says, and playing it back without the model.

    model = RecordingModel(LitellmModel("openai/gpt-4o"), Path("greeting.jsonl"))     asks, and writes down
    model = ReplayModel(Path("greeting.jsonl"))                                       answers as it was written

A request that was not recorded raises ScriptError, which says what differs from the recorded one, and where.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from ..errors import ModelError, ScriptError
from . import cassette
from .around import Around
from .base import Delta, Model, ModelReply, ModelRequest, Purpose
from .failures import secrets_in


class RecordingModel(Around):
    """A Model that asks another one, and writes each request and its answer to a cassette (see cassette.py).

    The file is started anew. Each request is written when it is over, so an interrupted run keeps what came before.
    """

    def __init__(self, model: Model, path: Path) -> None:
        super().__init__(model)
        self._secrets = secrets_in(os.environ)
        self._file = path.open("w", encoding="utf-8")
        self._write({"cassette": cassette.VERSION, "model": model.name, "window": model.window})

    async def stream(self, request: ModelRequest) -> AsyncIterator[Delta | ModelReply]:
        data = cassette.request_data(request, self._secrets)
        deltas: list[dict[str, Any]] = []
        entry = {"fingerprint": cassette.fingerprint(data), "request": data, "deltas": deltas}
        try:
            async for item in self._model.stream(request):
                if isinstance(item, ModelReply):
                    entry["reply"] = cassette.reply_data(item)
                else:
                    deltas.append(cassette.delta_data(item))
                yield item
        except ModelError as error:
            entry["error"] = cassette.error_data(error)
            raise
        finally:
            self._write(entry)

    def _write(self, data: dict[str, Any]) -> None:
        self._file.write(cassette.dump(data) + "\n")
        self._file.flush()

    async def close(self) -> None:
        self._file.close()
        await super().close()


class ReplayModel:
    """A Model that answers from a cassette. Each recorded answer is given once, to a request equal to the recorded one.

    Requests may come in another order than they were recorded in, since a conversation and its background work ask
    side by side. Raises ScriptError for a file that is no cassette, and for a request that is not in it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._secrets = secrets_in(os.environ)
        try:
            lines = path.read_text(encoding="utf-8").split("\n")
            head, *entries = [json.loads(line) for line in lines if line.strip()]
            if head["cassette"] != cassette.VERSION:
                raise ScriptError(f"{path} is a cassette of version {head['cassette']}.", hint="Record it anew.")
            self._name, self._window = str(head["model"]), int(head["window"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ScriptError(f"{path} cannot be read as a cassette: {error}", hint="Record it anew.") from None
        self._entries: list[dict[str, Any]] = entries
        self._purposes: set[Purpose] = {entry["request"]["purpose"] for entry in entries}

    @property
    def name(self) -> str:
        return self._name

    @property
    def window(self) -> int:
        return self._window

    @property
    def serves(self) -> frozenset[Purpose]:
        return frozenset(["turn", "summary", *self._purposes])

    def assert_used(self) -> None:
        """Raise AssertionError if an answer was not asked for."""
        if self._entries:
            last = self._entries[0]["request"]["messages"][-1:]
            raise AssertionError(f"{len(self._entries)} recorded answers were not asked for; the first is to {last}.")

    async def stream(self, request: ModelRequest) -> AsyncIterator[Delta | ModelReply]:
        entry = self._take(cassette.request_data(request, self._secrets))
        for data in entry["deltas"]:
            await asyncio.sleep(0)
            yield cassette.delta_from(data)
        if "error" in entry:
            raise cassette.error_from(entry["error"])
        if "reply" not in entry:
            raise ScriptError(f"{self._path}: the recorded request was cancelled here.")
        yield cassette.reply_from(entry["reply"])

    def _take(self, asked: dict[str, Any]) -> dict[str, Any]:
        wanted = cassette.fingerprint(asked)
        for number, entry in enumerate(self._entries):
            if entry["fingerprint"] == wanted:
                return self._entries.pop(number)
        alike = [entry for entry in self._entries if entry["request"]["purpose"] == asked["purpose"]]
        if not alike:
            raise ScriptError(f"{self._path}: no answer is left for a request ({asked['purpose']}).", hint=_AGAIN)
        difference = cassette.difference(alike[0]["request"], asked)
        raise ScriptError(f"{self._path}: the request is not the recorded one: {difference}.", hint=_AGAIN)

    async def close(self) -> None:
        return None


_AGAIN = "If the change is meant, record it anew."
