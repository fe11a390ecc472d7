"""Asking a model one thing and taking apart what comes."""

from __future__ import annotations

from pagekeeper.runtime.models.base import Delta, Model, ModelReply, ModelRequest


def request(text: str = "hello", **fields: object) -> ModelRequest:
    """A request with one user message."""
    return ModelRequest(messages=({"role": "user", "content": text},), **fields)  # type: ignore[arg-type]


async def ask(model: Model, asked: ModelRequest) -> tuple[list[Delta], ModelReply]:
    """All deltas and the reply, which must come once, and last."""
    deltas: list[Delta] = []
    reply: ModelReply | None = None
    async for item in model.stream(asked):
        assert reply is None, "something came after the reply"
        if isinstance(item, ModelReply):
            reply = item
        else:
            deltas.append(item)
    assert reply is not None, "no reply came"
    return deltas, reply


async def ask_until_error(model: Model, asked: ModelRequest) -> tuple[list[Delta | ModelReply], Exception]:
    """What came before the error, and the error."""
    items: list[Delta | ModelReply] = []
    try:
        async for item in model.stream(asked):
            items.append(item)
    except Exception as error:
        return items, error
    raise AssertionError(f"no error, but {items!r}")
