"""The one door to litellm. It is imported late (it takes three seconds), kept quiet and kept off the network.

Everything that litellm raises leaves here as a Failure (failures.py); nothing is retried here. Keys are passed on, and
never logged.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import importlib.util
import json
import logging
import os
import sys
import threading
import warnings
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

from ..errors import EmbedderFailed, ModelRefused
from ..text import counted
from .failures import Failure, translate

_COST_MAP = "model_prices_and_context_window_backup.json"
_EMBED_TIMEOUT = 60.0
_loading = threading.Lock()
_holders = 0


def _load() -> Any:
    """The litellm module, set up once."""
    with _loading:
        if _ready():
            return sys.modules["litellm"]
        ours = "litellm" not in sys.modules
        # Both are read at import: litellm would fetch its cost map, and take keys from any .env file in sight.
        os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
        os.environ.setdefault("LITELLM_MODE", "PRODUCTION")
        litellm: Any = importlib.import_module("litellm")
        litellm.telemetry = False
        litellm.suppress_debug_info = True
        litellm.disable_hf_tokenizer_download = True
        # litellm fails a stream whose last hundred chunks are equal, as in a long ruler or an empty table.
        litellm.REPEATED_STREAMING_CHUNK_LIMIT = sys.maxsize
        # A request that is cancelled early leaves one of litellm's coroutines unused, which is no mistake of anybody's.
        unused = r"coroutine '\w+\.\w*(completion|streaming)\w*' was never awaited"
        warnings.filterwarnings("ignore", unused, RuntimeWarning)
        # A program that uses litellm as well keeps its own logging, and its callbacks hear of no call but its own.
        if ours:
            for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
                logging.getLogger(name).setLevel(logging.CRITICAL)
            _warm_up(litellm)
        litellm._pagekeeper = True
        return litellm


def _warm_up(litellm: Any) -> None:
    """The first reply builds its types and loads a tokenizer, for most of a second; here it holds up nobody."""
    with contextlib.suppress(Exception):
        list(litellm.completion("gpt-4o", [{"role": "user", "content": "-"}], mock_response="-", stream=True))


def _ready() -> bool:
    return bool(getattr(sys.modules.get("litellm"), "_pagekeeper", False))


async def load() -> Any:
    """The litellm module; the first import runs in a thread, so that a user interface stays alive meanwhile."""
    return sys.modules["litellm"] if _ready() else await asyncio.to_thread(_load)


class _Chunks:
    """A stream of the OpenAI client that is its own iterator.

    litellm begins a loop over its stream anew for each chunk, and the client makes a generator each time, which the
    event loop then has to finalise: that takes longer than reading the chunk.
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        return await self._stream.__anext__()

    async def close(self) -> None:
        await self._stream.close()


class ChatStream:
    """The chunks of a streamed reply in the OpenAI format. Close it when done, however it ended."""

    def __init__(self, wrapper: Any, model: str, secrets: Sequence[str], *, watched: bool) -> None:
        self._wrapper = wrapper
        self._watched = watched
        self._counted = False
        self._model = model
        self._secrets = secrets
        self._chunks: _Chunks | None = None
        openai = sys.modules.get("openai")
        if openai is not None and isinstance(wrapper.completion_stream, openai.AsyncStream):
            self._chunks = wrapper.completion_stream = _Chunks(wrapper.completion_stream)

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        # When the reply is whole, the provider's count of tokens is still to come. litellm would put the reply together
        # once more then, on a thread, for the accounts of its callbacks; that takes a millisecond or more.
        rest = self._chunks if self._said_all and not self._watched else None
        try:
            chunk = await (self._wrapper if rest is None else rest).__anext__()
        except StopAsyncIteration:
            raise
        except Exception as error:
            raise translate(error, self._model, self._secrets) from None
        self._counted = self._counted or (rest is not None and getattr(chunk, "usage", None) is not None)
        return chunk

    @property
    def _said_all(self) -> bool:
        """Whether litellm has passed on all of a finished reply."""
        return self.finished and bool(getattr(self._wrapper, "sent_last_chunk", False))

    @property
    def finished(self) -> bool:
        """Whether the provider itself said that the reply is whole; litellm makes up a `stop` where it did not."""
        said = ("received_finish_reason", "intermittent_finish_reason", "received_any_finish_reason")
        return any(getattr(self._wrapper, name, None) for name in said)

    @property
    def usage_reported(self) -> bool:
        """Whether the provider itself counted tokens; where it did not, litellm yields its own estimate."""
        return self._counted or any(getattr(chunk, "usage", None) is not None for chunk in self._wrapper.chunks)

    async def aclose(self) -> None:
        """Close the connection if it is still open."""
        await self._wrapper.aclose()


async def open_stream(model: str, options: dict[str, Any], secrets: Sequence[str] = ()) -> ChatStream:
    """Ask for a streamed reply. `options` are litellm's: messages, tools, max_tokens, api_base ... Raises Failure."""
    streaming = {"stream": True, "stream_options": {"include_usage": True}}
    wrapper = await _complete(model, {**options, **streaming}, secrets)
    litellm = sys.modules["litellm"]
    watched = bool(litellm.callbacks or litellm.success_callback or litellm._async_success_callback)
    return ChatStream(wrapper, model, secrets, watched=watched)


async def complete(model: str, options: dict[str, Any], secrets: Sequence[str] = ()) -> Any:
    """Ask for a reply that comes whole, in the OpenAI format. Raises Failure."""
    return await _complete(model, options, secrets)


async def _complete(model: str, options: dict[str, Any], secrets: Sequence[str]) -> Any:
    litellm = await load()
    try:
        return await litellm.acompletion(model=model, max_retries=0, drop_params=True, **options)
    except Exception as error:
        raise _explained(translate(error, model, secrets), model, options.get("api_key")) from None


async def embed(
    model: str,
    texts: Sequence[str],
    *,
    dimensions: int | None = None,
    api_base: str | None = None,
    api_key: str | None = None,
) -> list[list[float]]:
    """One vector for each text, in their order. Raises EmbedderFailed."""
    litellm = await load()
    options = {"dimensions": dimensions, "api_base": api_base, "api_key": api_key, "timeout": _EMBED_TIMEOUT}
    given = {name: value for name, value in options.items() if value is not None}
    try:
        response = await litellm.aembedding(model=model, input=list(texts), max_retries=0, **given)
    except Exception as error:
        failure = _explained(translate(error, model, [api_key] if api_key else []), model, api_key)
        raise EmbedderFailed(failure.error.message, hint=failure.error.hint) from None
    rows = sorted((_field(row, "index"), _field(row, "embedding")) for row in response.data)
    if len(rows) != len(texts):
        raise EmbedderFailed(f"{model} gave {counted(len(rows), 'vector')} for {counted(len(texts), 'text')}.")
    return [list(vector) for _, vector in rows]


def _field(row: Any, name: str) -> Any:
    return row[name] if isinstance(row, dict) else getattr(row, name)


NO_KEY = "none"
"""What is sent as a key to a server of one's own, since litellm sends nothing without one."""


def missing_keys(model: str) -> list[str]:
    """The environment variables from which the model's provider would take its key, if they are not set.

    Some providers have other ways in (a role, a login), so it is no proof that a request will fail.
    """
    missing: list[str] = sys.modules["litellm"].validate_environment(model=model)["missing_keys"]
    return missing


def unknown(model: str) -> ModelRefused | None:
    """What a request to the model would be refused with, if no provider is known for its name. Nothing is sent."""
    litellm = sys.modules["litellm"]
    try:
        litellm.get_llm_provider(model=model)
    except Exception as error:
        failure = translate(error, model)
        return failure.error if isinstance(failure.error, ModelRefused) else None
    return None


def _explained(failure: Failure, model: str, api_key: str | None) -> Failure:
    """`failure`, saying which environment variables a missing key would be taken from."""
    if not failure.key_wanted or api_key not in (None, NO_KEY):
        return failure
    missing = missing_keys(model)
    if not missing:
        return failure
    # litellm's own words name every way there is to log in; the provider's stay.
    message = failure.error.message if failure.asked else f"{model}: its provider wants a key, and none was found."
    one = len(missing) == 1
    hint = f"Set the environment variable {missing[0]}." if one else f"It reads the environment: {', '.join(missing)}."
    error = ModelRefused(message, hint=hint)
    return Failure(error, key_wanted=True, asked=failure.asked)


def model_info(model: str) -> dict[str, Any]:
    """What litellm's cost map says of a model; empty if it says nothing.

    Read straight from the package's file (50 ms), so that knowing a window does not wait for the import.
    """
    loaded = sys.modules.get("litellm")
    return dict(_entry(getattr(loaded, "model_cost", None) or _cost_map(), model))


def _entry(table: dict[str, Any], model: str) -> dict[str, Any]:
    provider, _, bare = model.partition("/")
    if provider == "openrouter":
        # It resells other providers' models, and writes 4.6 where they write 4-6.
        return _entry(table, bare) or _entry(table, bare.replace(".", "-"))
    exact: dict[str, Any] | None = table.get(model)
    found: dict[str, Any] = exact or table.get(bare, {})
    return found if exact or str(found.get("litellm_provider", "")).startswith(provider) else {}


def _cost_map() -> dict[str, Any]:
    spec = importlib.util.find_spec("litellm")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        path = Path(folder) / _COST_MAP
        if path.is_file():
            found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            return found
    cost: dict[str, Any] = _load().model_cost
    return cost


def hold() -> None:
    """Say that the connections which litellm keeps open for all its callers are in use, until `release`."""
    global _holders
    _holders += 1


async def release() -> None:
    """The last one who releases closes them."""
    global _holders
    _holders -= 1
    if _holders == 0:
        litellm: Any = sys.modules["litellm"]
        await litellm.close_litellm_async_clients()
        # It would go on handing out the closed ones.
        litellm.in_memory_llm_clients_cache.flush_cache()
