"""A model that stands before another one."""

from __future__ import annotations

from .base import Model


class Around:
    """What every such model has of the one behind it."""

    def __init__(self, model: Model) -> None:
        self._model = model

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def window(self) -> int:
        return self._model.window

    async def close(self) -> None:
        await self._model.close()
