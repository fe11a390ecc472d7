"""A local server that speaks the OpenAI protocol, streamed and whole, and can fail in every way that providers do.

    with OpenAIServer() as server:
        server.enqueue(text("Hello."), called(("look", '{"at": 1}')), status(429, retry_after="2"), ...)
        model = LitellmModel("openai/gpt-4o-mini", api_base=server.url, api_key="sk-test")
        ...
        server.requests                 every request received: path, headers, body

Answers are used in order; when none is left, the answer is "ok", or what `otherwise` makes of the request's body. It
runs in a thread of its own on 127.0.0.1, so that a blocked test does not block it, and subprocesses can use it too. It
also has /v1/embeddings and Anthropic's /v1/messages. The fixture `openai_server` (tests/conftest.py) starts one for
each test.
"""

from __future__ import annotations

import asyncio
import json
import random
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from aiohttp import web


@dataclass(frozen=True, slots=True)
class Answer:
    """What the server does with one request. The functions below make the usual ones; `replace` combines them."""

    text: str = ""
    calls: tuple[tuple[str, str], ...] = ()
    """Name and arguments of each call."""
    reasoning: str = ""
    text_pieces: tuple[str, ...] = ()
    """The text as it is streamed; one piece if empty."""
    argument_size: int = 0
    """How many characters of arguments a chunk holds; 0: all of them."""
    call_style: Literal["index", "no index", "same index", "same index, no id", "name in every piece"] = "index"
    finish: str | None = ""
    """The finish_reason; empty: what fits; None: the stream ends without one."""
    usage: dict[str, Any] | None = field(
        default_factory=lambda: {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12}
    )
    status: int = 200
    error: dict[str, Any] | str = ""
    headers: tuple[tuple[str, str], ...] = ()
    drop_after: int | None = None
    """The connection breaks before the chunk with this number (0 is the one that only names the role)."""
    stall_after: int | None = None
    """The server falls silent before that chunk, until the client leaves or the server is stopped."""
    error_after: int | None = None
    """An error object comes in place of that chunk."""


def text(words: str, *pieces: str) -> Answer:
    """A reply of text; with `pieces`, streamed in those."""
    return Answer(text=words + "".join(pieces), text_pieces=(words, *pieces))


def called(*calls: tuple[str, str], words: str = "", **fields: Any) -> Answer:
    """A reply of tool calls, each a name and its arguments' raw text."""
    return Answer(text=words, calls=calls, **fields)


def status(number: int, message: str = "", /, *, retry_after: str | None = None, **error: Any) -> Answer:
    """A failure with this HTTP status; `error` adds to the error object (code, type)."""
    body = {"message": message or f"told to fail with {number}", "type": "server_error", "param": None, "code": None}
    headers = (("Retry-After", retry_after),) if retry_after is not None else ()
    return Answer(status=number, error={**body, **error}, headers=headers)


def too_long() -> Answer:
    """The error for a prompt that is larger than the window."""
    return status(
        400,
        "This model's maximum context length is 8192 tokens. Please reduce the length of the messages.",
        type="invalid_request_error",
        code="context_length_exceeded",
    )


def dropped(answer: Answer, after: int) -> Answer:
    """`answer`, but the connection breaks before chunk `after`. A whole answer breaks before it comes."""
    return replace(answer, drop_after=after)


def stalled(answer: Answer, after: int) -> Answer:
    """`answer`, but nothing comes from chunk `after` on. A whole answer never comes."""
    return replace(answer, stall_after=after)


@dataclass(frozen=True, slots=True)
class Received:
    """One request as it came."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class _Dropped(Exception):
    """The connection was broken on purpose."""


class OpenAIServer:
    """The server; use it as a context manager."""

    def __init__(self, otherwise: Callable[[dict[str, Any]], Answer] | None = None) -> None:
        self.requests: list[Received] = []
        self.left_early = threading.Semaphore(0)
        """Released whenever a client closes its connection before the answer was whole."""
        self.stalls = threading.Semaphore(0)
        """Released whenever the server falls silent."""
        self.url = ""
        """The api_base: `http://127.0.0.1:PORT/v1`."""
        self._answers: deque[Answer] = deque()
        self.otherwise = otherwise or (lambda _body: text("ok"))
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._ready = threading.Event()

    def enqueue(self, *answers: Answer | str) -> None:
        """Add answers behind those that are left; a string is a reply of text."""
        self._answers.extend(text(answer) if isinstance(answer, str) else answer for answer in answers)

    @property
    def left(self) -> int:
        """How many answers nobody has asked for."""
        return len(self._answers)

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """The body of each request."""
        return [received.body for received in self.requests]

    def __enter__(self) -> OpenAIServer:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._serve())
        self._loop.close()

    async def _serve(self) -> None:
        self._stop = asyncio.Event()
        app = web.Application(client_max_size=2**28)
        app.add_routes(
            [
                web.post("/v1/chat/completions", self._chat),
                web.post("/v1/embeddings", self._embeddings),
                web.post("/v1/messages", self._anthropic),
            ]
        )
        runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=0)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        self._ready.set()
        await self._stop.wait()
        await runner.cleanup()

    async def _receive(self, request: web.Request) -> tuple[dict[str, Any], Answer]:
        body = await request.json()
        self.requests.append(Received(request.path, dict(request.headers), body))
        return body, self._answers.popleft() if self._answers else self.otherwise(body)

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        body, answer = await self._receive(request)
        if answer.status != 200:
            return _failure(answer)
        try:
            if body.get("stream"):
                return await self._stream(request, body, answer)
            await self._mishaps(request, answer, None)
            return web.json_response(_whole(body, answer))
        except _Dropped:
            return web.Response()
        except (asyncio.CancelledError, ConnectionError):
            if not self._stop.is_set():
                self.left_early.release()
            raise

    async def _mishaps(self, request: web.Request, answer: Answer, chunk: int | None) -> None:
        """Break or fall silent, if it is time; `chunk` is None for an answer that comes whole."""
        if answer.drop_after is not None and chunk in (answer.drop_after, None):
            assert request.transport is not None
            request.transport.close()
            raise _Dropped
        if answer.stall_after is not None and chunk in (answer.stall_after, None):
            self.stalls.release()
            await self._stop.wait()

    async def _stream(self, request: web.Request, body: dict[str, Any], answer: Answer) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        number = 0
        async for chunk in _chunks(body, answer):
            await self._mishaps(request, answer, number)
            if number == answer.error_after:
                chunk = {"error": answer.error}
            await response.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")
            number += 1
        await self._mishaps(request, answer, number)
        await response.write(b"data: [DONE]\n\n")
        return response

    async def _embeddings(self, request: web.Request) -> web.StreamResponse:
        body, answer = await self._receive(request)
        if answer.status != 200:
            return _failure(answer)
        size = body.get("dimensions") or 8

        def vector(words: str) -> list[float]:
            dice = random.Random(words)
            return [dice.gauss(0, 1) for _ in range(size)]

        data = [
            {"object": "embedding", "index": i, "embedding": vector(words)} for i, words in enumerate(body["input"])
        ]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        return web.json_response({"object": "list", "model": body["model"], "data": data, "usage": usage})

    async def _anthropic(self, request: web.Request) -> web.StreamResponse:
        _, answer = await self._receive(request)
        if answer.status != 200:
            return _failure(answer)
        usage = {
            "input_tokens": 3,
            "output_tokens": 5,
            "cache_read_input_tokens": 40,
            "cache_creation_input_tokens": 0,
        }
        message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude", "content": []}
        block = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": answer.text}}
        end = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 5}}
        events: list[dict[str, Any]] = [
            {"type": "message_start", "message": {**message, "stop_reason": None, "usage": usage}},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            block,
            {"type": "content_block_stop", "index": 0},
            end,
            {"type": "message_stop"},
        ]
        lines = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
        return web.Response(text=lines, content_type="text/event-stream")


def _failure(answer: Answer) -> web.Response:
    return web.json_response({"error": answer.error}, status=answer.status, headers=dict(answer.headers))


def _head(body: dict[str, Any], kind: str) -> dict[str, Any]:
    return {"id": "chatcmpl-1", "created": 1, "model": body["model"], "object": kind}


def _finish(answer: Answer) -> str | None:
    return ("tool_calls" if answer.calls else "stop") if answer.finish == "" else answer.finish


def _call(index: int, name: str, arguments: str) -> dict[str, Any]:
    return {"id": f"call_{index}", "type": "function", "function": {"name": name, "arguments": arguments}}


def _whole(body: dict[str, Any], answer: Answer) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": answer.text or None}
    if answer.reasoning:
        message["reasoning_content"] = answer.reasoning
    if answer.calls:
        message["tool_calls"] = [_call(i, *call) for i, call in enumerate(answer.calls)]
    choice = {"index": 0, "message": message, "finish_reason": _finish(answer) or "stop"}
    whole = {**_head(body, "chat.completion"), "choices": [choice]}
    return whole if answer.usage is None else {**whole, "usage": answer.usage}


async def _chunks(body: dict[str, Any], answer: Answer) -> AsyncIterator[dict[str, Any]]:
    def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return {**_head(body, "chat.completion.chunk"), "choices": [choice]}

    yield chunk({"role": "assistant"})
    if answer.reasoning:
        yield chunk({"reasoning_content": answer.reasoning})
    for piece in answer.text_pieces or (answer.text,):
        if piece:
            yield chunk({"content": piece})
    for index, (name, arguments) in enumerate(answer.calls):
        size = answer.argument_size or max(1, len(arguments))
        pieces = [arguments[i : i + size] for i in range(0, len(arguments), size)] or [""]
        for number, piece in enumerate(pieces):
            yield chunk({"tool_calls": [_call_piece(answer.call_style, index, name, piece, first=number == 0)]})
    if _finish(answer) is not None:
        yield chunk({}, _finish(answer))
    if answer.usage is not None and (body.get("stream_options") or {}).get("include_usage"):
        yield {**_head(body, "chat.completion.chunk"), "choices": [], "usage": answer.usage}


def _call_piece(style: str, index: int, name: str, arguments: str, *, first: bool) -> dict[str, Any]:
    piece: dict[str, Any] = {"function": {"arguments": arguments}}
    if first or style == "name in every piece":
        piece = _call(index, name, arguments)
    if style == "same index, no id":
        piece.pop("id", None)
    if style != "no index":
        piece["index"] = 0 if style.startswith("same index") else index
    return piece
