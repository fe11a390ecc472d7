"""Any provider's model, through litellm: retries before the first delta, timeouts, and the reply put together.

tenacity is the only one who retries: rate limits, timeouts, failing servers, broken connections, and streams that end
before their first delta. Once a delta was yielded nothing is retried; what had come is the caller's to keep.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from typing import Any

import tenacity

from ...prompts import load
from ..errors import ModelError, ModelTimeout, ModelUnavailable, StreamDropped
from . import gateway
from .base import REPLY_TOOL, Delta, ModelReply, ModelRequest, Retrying
from .cache_marks import mark, wants_marks
from .chunks import ChunkReader, read_whole
from .collect import deltas_of
from .failures import Failure, secrets_in

DEFAULT_WINDOW = 32_768
"""For a model that litellm knows nothing of, such as one on the user's own machine."""

Sleep = Callable[[float], Awaitable[None]]


class LitellmModel:
    """A Model behind any of litellm's provider strings, e.g. `openai/gpt-4o` or `ollama_chat/qwen3`.

    `window`: the context window in tokens, where litellm's own figure is wrong or missing.
    `stream`: False asks for whole replies; then `reply_timeout` bounds the wait for one.
    `first_token_timeout`, `token_timeout`: seconds until the first delta, and between two.
    `max_attempts`: requests in all, until it gives up. `max_wait`: the longest wait between two, in seconds, even if
    the provider asks for more.
    `api_base`, `api_key`: where and as whom to ask; else litellm reads them from the environment.
    `options`: more of litellm's parameters for each request, e.g. `{"temperature": 0}`.
    """

    def __init__(
        self,
        name: str,
        *,
        window: int | None = None,
        stream: bool = True,
        first_token_timeout: float = 60,
        token_timeout: float = 30,
        reply_timeout: float = 300,
        max_attempts: int = 4,
        max_wait: float = 60,
        api_base: str | None = None,
        api_key: str | None = None,
        options: dict[str, Any] | None = None,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._name = name
        self._window = window
        self._streaming = stream
        self._first_token_timeout = first_token_timeout
        self._token_timeout = token_timeout
        self._reply_timeout = reply_timeout
        self._max_attempts = max_attempts
        self._max_wait = max_wait
        self._api_base = api_base
        self._api_key = api_key
        self._options = dict(options or {})
        self._sleep = sleep
        self._holding = False
        self._info: dict[str, Any] | None = None
        self._tools: tuple[Sequence[Any], str] = ((), "[]")

    @property
    def name(self) -> str:
        return self._name

    @property
    def window(self) -> int:
        known = self._known("max_input_tokens") or self._known("max_tokens")
        return self._window or known or DEFAULT_WINDOW

    def _known(self, key: str) -> int | None:
        value = self._about().get(key)
        return int(value) if isinstance(value, int | float) and value > 0 else None

    def _about(self) -> dict[str, Any]:
        if self._info is None:
            self._info = gateway.model_info(self._name)
        return self._info

    async def stream(self, request: ModelRequest) -> AsyncIterator[Delta | ModelReply]:
        await gateway.load()
        if not self._holding:
            self._holding = True
            gateway.hold()
        announced: list[Retrying] = []
        retrying = tenacity.AsyncRetrying(
            stop=tenacity.stop_after_attempt(self._max_attempts),
            retry=tenacity.retry_if_exception(lambda error: isinstance(error, Failure) and error.retry),
            wait=self._wait,
            before_sleep=lambda state: announced.append(_retrying(state)),
            # The wait is spent below, since the caller is told of it first.
            sleep=_no_sleep,
            reraise=True,
        )
        try:
            async for attempt in retrying:
                if announced:
                    again = announced.pop()
                    yield again
                    await self._sleep(again.wait)
                with attempt:
                    begun = await self._begin(request)
        except Failure as failure:
            raise _given_up(failure, retrying.statistics["attempt_number"]) from None
        async with contextlib.aclosing(begun):
            async for item in begun:
                yield item

    async def _begin(self, request: ModelRequest) -> AsyncGenerator[Delta | ModelReply, None]:
        """Ask, and wait for the first delta; the rest of the reply is in what it returns. Raises Failure."""
        options = self._options_for(request)
        if not self._streaming:
            async with _within(self._reply_timeout, self._name):
                reply = read_whole(await gateway.complete(self._name, options, self._secrets()))
            return _from_whole(reply)
        reader = ChunkReader()
        first: list[Delta] = []
        async with _within(self._first_token_timeout, self._name):
            stream = await gateway.open_stream(self._name, options, self._secrets())
            try:
                async for chunk in stream:
                    first = reader.deltas(chunk)
                    if first:
                        break
            except BaseException:
                await stream.aclose()
                raise
        if not first and not stream.finished:
            await stream.aclose()
            raise Failure(ModelUnavailable(f"{self._name}: the reply broke off before it began."), retry=True)
        return self._rest(stream, reader, first)

    async def _rest(
        self, stream: gateway.ChatStream, reader: ChunkReader, first: list[Delta]
    ) -> AsyncGenerator[Delta | ModelReply, None]:
        try:
            for delta in first:
                yield delta
            while (chunk := await self._next(stream)) is not None:
                for delta in reader.deltas(chunk):
                    yield delta
            if not stream.finished:
                raise StreamDropped(f"{self._name}: the reply broke off.", hint=_KEPT)
            yield reader.reply(usage=stream.usage_reported)
        finally:
            await stream.aclose()

    async def _next(self, stream: gateway.ChatStream) -> Any:
        """The next chunk, or None at the end. Nothing is asked again from here on."""
        try:
            async with _within(self._token_timeout, self._name):
                return await anext(stream, None)
        except Failure as failure:
            if stream.finished:
                # Only the count of tokens was still to come.
                return None
            if failure.retry and not isinstance(failure.error, ModelTimeout):
                raise StreamDropped(failure.error.message, hint=_KEPT) from None
            raise failure.error from None

    def _options_for(self, request: ModelRequest) -> dict[str, Any]:
        # Copies, since litellm's providers write into what they are given.
        messages = mark(request.messages) if wants_marks(self._name) else request.messages
        longest = max(self._first_token_timeout, self._token_timeout, self._reply_timeout)
        options: dict[str, Any] = {
            **self._options,
            "messages": [dict(message) for message in messages],
            "max_tokens": min(request.max_tokens, self._known("max_output_tokens") or request.max_tokens),
            # Ours come first; this one only keeps litellm's own from doing so.
            "timeout": longest + 10,
        }
        if request.tools:
            options["tools"] = self._tools_of(request)
        if request.schema is not None:
            options |= self._structured(request.schema)
        if self._api_base:
            options["api_base"] = self._api_base
        if self._api_key:
            options["api_key"] = self._api_key
        elif self._api_base and gateway.missing_keys(self._name):
            options["api_key"] = gateway.NO_KEY
        if self._name.startswith(("ollama/", "ollama_chat/")):
            # Ollama cuts off silently what is over its own, much smaller, default.
            options.setdefault("num_ctx", self.window)
        return options

    def _structured(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Parameters that hold a reply to a schema: the provider's own way, or else one tool that has to be called."""
        schema = json.loads(json.dumps(schema))
        if self._about().get("supports_response_schema"):
            return {"response_format": {"type": "json_schema", "json_schema": {"name": REPLY_TOOL, "schema": schema}}}
        tool = {"name": REPLY_TOOL, "description": load("reply_tool"), "parameters": schema}
        choice = {"type": "function", "function": {"name": REPLY_TOOL}}
        return {"tools": [{"type": "function", "function": tool}], "tool_choice": choice}

    def _tools_of(self, request: ModelRequest) -> list[dict[str, Any]]:
        """A deep copy. It is read from JSON, which is several times as fast, and written once an epoch."""
        if self._tools[0] is not request.tools:
            self._tools = (request.tools, json.dumps(request.tools))
        copied: list[dict[str, Any]] = json.loads(self._tools[1])
        return copied

    def _wait(self, state: tenacity.RetryCallState) -> float:
        failure = state.outcome.exception() if state.outcome else None
        asked = failure.retry_after if isinstance(failure, Failure) else None
        wait = _BACKOFF(state) if asked is None else asked
        return min(wait, self._max_wait)

    def _secrets(self) -> list[str]:
        return [*([self._api_key] if self._api_key else []), *secrets_in(os.environ)]

    async def close(self) -> None:
        if self._holding:
            self._holding = False
            await gateway.release()


_BACKOFF = tenacity.wait_exponential_jitter(initial=1, max=20, jitter=1)
_KEPT = "What had come is kept."


async def _no_sleep(_: float) -> None:
    return None


async def _from_whole(reply: ModelReply) -> AsyncGenerator[Delta | ModelReply, None]:
    for delta in deltas_of(reply):
        yield delta
    yield reply


@contextlib.asynccontextmanager
async def _within(seconds: float, name: str) -> AsyncIterator[None]:
    """Fails, retryably, when its body takes longer."""
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError:
        raise Failure(ModelTimeout(f"{name}: nothing came for {seconds:g} seconds."), retry=True) from None


def _retrying(state: tenacity.RetryCallState) -> Retrying:
    error = state.outcome.exception() if state.outcome else None
    assert isinstance(error, Failure)
    return Retrying(attempt=state.attempt_number + 1, wait=state.upcoming_sleep, reason=error.error.message)


def _given_up(failure: Failure, attempts: int) -> ModelError:
    error = failure.error
    if not failure.retry or attempts == 1:
        return error
    return type(error)(f"{error.message} (asked {attempts} times)", hint=error.hint)
