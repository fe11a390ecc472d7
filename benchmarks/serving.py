"""A local provider in a process of its own, so that its work is not counted as ours. It answers at once.

A user's message that ends with the line `CALL name {arguments}` is answered with that call, everything else with "ok".
"""

from __future__ import annotations

import contextlib
import multiprocessing
import re
from collections.abc import Iterator
from multiprocessing.connection import Connection
from typing import Any

from pagekeeper.tests.support.openai_server import Answer, OpenAIServer, called, text

_CALL = re.compile(r"^CALL (\w+) (\{.*\})$", re.MULTILINE)


@contextlib.contextmanager
def provider() -> Iterator[str]:
    """Serve until the block is left; gives the api_base."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_serve, args=(theirs,), daemon=True)
    process.start()
    try:
        yield ours.recv()
    finally:
        ours.send(None)
        process.join()


def _serve(pipe: Connection) -> None:
    with OpenAIServer(_answer) as server:
        pipe.send(server.url)
        pipe.recv()


def _answer(body: dict[str, Any]) -> Answer:
    last = body["messages"][-1]
    asked = _CALL.findall(last["content"]) if last["role"] == "user" else []
    return called(asked[-1]) if asked else text("ok")
