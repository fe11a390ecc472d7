"""A process that talks to an agent as it is told to, for tests that need several of them, or that kill them.

    python -m pagekeeper.tests.support.child HOME CONVERSATION WINDOW EFFECTS

It reads commands as JSON lines, and writes what happens as JSON lines: {"opened": ...} when the agent is open, and
{"event": its type, ...its fields} for each event of a turn.

    {"say": TEXT}       starts a turn, beside those that run; TEXT is also its script, see `Acting`
    {"wait": true}      reads no command until all turns have ended
    {"open": NAME}      lets the model go on that waits at the gate NAME
    {"cancel": true}    agent.cancel()
    {"resume": RETRY}   agent.resume(RETRY), and {"resumed": true} when that has ended
    {"unanswered": true}    writes {"unanswered": [[text, interrupted?], ...]}

Where PAGEKEEPER_FAILPOINT is `record`, it also writes {"failpoint": NAME} for each that it reaches.
At the end of the input it waits for its turns, closes the agent and ends.
"""

from __future__ import annotations

import asyncio
import dataclasses
import faulthandler
import json
import os
import sys
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from pagekeeper.assembly import Agent
from pagekeeper.runtime import failpoint
from pagekeeper.runtime.host_tool import tool
from pagekeeper.runtime.models.base import Delta, ModelReply, ModelRequest
from pagekeeper.runtime.models.scripted import Gate, ScriptedModel, call
from pagekeeper.runtime.stream import StreamEvent
from pagekeeper.runtime.tool import CallContext, Tool

_writing = threading.Lock()

HANGS = 60
"""Seconds after which the process is taken to hang: it says where, and ends."""

STEPS = "STEPS "


def said(*steps: Any) -> str:
    """What to say so that the model does these steps: text, {"gate": NAME}, {tool: arguments}, or a list of them."""
    return STEPS + json.dumps(steps)


class Acting:
    """A model whose script is in the user's words, so that it needs no state and may die at any time.

    Words that begin with STEPS go on with a JSON list of steps; the n-th is the reply after n - 1 replies with calls.
    Other words are answered with "You said: " and themselves.
    """

    name = "acting"

    def __init__(self, window: int) -> None:
        self.window = window
        self.gates: dict[str, Gate] = {}
        self.requests: list[ModelRequest] = []

    def gate(self, name: str) -> Gate:
        return self.gates.setdefault(name, Gate())

    async def stream(self, request: ModelRequest) -> AsyncIterator[Delta | ModelReply]:
        if request.purpose == "summary":
            script = ScriptedModel(summaries=["Much was said."])
        else:
            self.requests.append(request)
            script = ScriptedModel(self._reply(request))
        async for item in script.stream(request):
            yield item

    def _reply(self, request: ModelRequest) -> list[Any]:
        words, done = "", 0
        for message in request.messages:
            if message["role"] == "user":
                words, done = message["content"], 0
            elif message.get("tool_calls"):
                done += 1
        if STEPS not in words:
            return ["You ", "said: ", words[-200:]]
        steps = json.loads(words[words.rindex(STEPS) + len(STEPS) :])
        step = steps[done] if done < len(steps) else "Done."
        return [self._piece(piece) for piece in (step if isinstance(step, list) else [step])]

    def _piece(self, piece: Any) -> Any:
        if isinstance(piece, str):
            return piece
        [(name, value)] = piece.items()
        return _Announced(self.gate(value), value) if name == "gate" else call(name, **value)

    async def close(self) -> None:
        return None


class _Announced(Gate):
    """A gate that says so when it is reached."""

    def __init__(self, gate: Gate, name: str) -> None:
        super().__init__()
        self._gate, self._name = gate, name

    async def wait(self) -> None:
        write({"gate": self._name})
        await self._gate.wait()


class Recorder:
    """Stands for the failpoint that is wanted: it writes each that is reached, and is none of them."""

    def __ne__(self, name: object) -> bool:
        write({"failpoint": name})
        return True


def tools(effects: Path) -> list[Tool]:
    """Tools whose effects outside are files in the folder `effects`."""

    @tool
    def act(context: CallContext, what: str) -> str:
        """Do something that must not be done twice."""
        _note(effects / "acted", context.call_id)
        return f"{what} is done"

    @tool(idempotent=True)
    def put(context: CallContext, what: str) -> str:
        """Do something that is done once for each key, however often it is asked for."""
        _note(effects / "asked", context.call_id)
        (effects / f"put-{context.call_id}").write_text(what, encoding="utf-8")
        return f"{what} is put"

    @tool(effects="none")
    def look(what: str) -> str:
        """Look at something."""
        return f"{what} is there"

    return [act, put, look]


def _note(path: Path, line: str) -> None:
    with open(path, "a", encoding="utf-8") as file:
        file.write(line + "\n")
        file.flush()
        os.fsync(file.fileno())


def write(fields: dict[str, Any]) -> None:
    """Write one line, which is out when this returns."""
    with _writing:
        sys.stdout.write(json.dumps(fields, ensure_ascii=False) + "\n")
        sys.stdout.flush()


def tell(event: StreamEvent) -> None:
    """Write an event of a turn."""
    write({"event": type(event).__name__, **dataclasses.asdict(event)})


async def main(home: str, conversation: str, window: str, effects: str) -> None:
    model = Acting(int(window))
    lines = asyncio.StreamReader(limit=1 << 24)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    turns: set[asyncio.Task[None]] = set()
    async with Agent.open(
        "ada", home=home, model=model, conversation=conversation, tools=tools(Path(effects)), timezone="UTC"
    ) as agent:

        async def turn(text: str) -> None:
            async for event in agent.stream(text):
                tell(event)

        async def resume(retry: bool) -> None:
            async for event in agent.resume(retry):
                tell(event)
            write({"resumed": True})

        write({"opened": agent.scope.conversation})
        while line := await lines.readline():
            [(command, value)] = json.loads(line).items()
            if command in ("say", "resume"):
                turns.add(asyncio.create_task(turn(value) if command == "say" else resume(value)))
            elif command == "wait":
                await asyncio.gather(*turns)
            elif command == "open":
                model.gate(value).open()
            elif command == "cancel":
                agent.cancel()
            elif command == "unanswered":
                left = await agent.unanswered()
                write({"unanswered": [[one.text, one.interrupted is not None] for one in left]})
        await asyncio.gather(*turns)


if __name__ == "__main__":
    faulthandler.dump_traceback_later(HANGS, exit=True)
    if os.environ.get("PAGEKEEPER_FAILPOINT") == "record":
        failpoint._wanted = Recorder()  # type: ignore[assignment]
    asyncio.run(main(*sys.argv[1:]))
