"""What the user does in the middle of a turn: decides on calls that ask, and acts while the model answers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

from ..runtime.errors import PagekeeperError
from ..runtime.stream import ApprovalNeeded
from ..runtime.text import counted
from .matching import Failure
from .source import Map
from .steps import MEANWHILE


class Decisions:
    """Whether calls that ask may run, as the `approve` of a step says."""

    def __init__(self, said: Any) -> None:
        self._said: list[bool] = [said] if isinstance(said, bool) else list(said or ())
        self._asked: list[ApprovalNeeded] = []
        self.declined: set[str] = set()
        """The ids of the calls that may not run."""

    def next(self, call: ApprovalNeeded) -> bool:
        """Decide on a call; the last decision serves all further ones, and without any it may not run."""
        self._asked.append(call)
        if not self.newest:
            self.declined.add(call.call_id)
        return self.newest

    @property
    def newest(self) -> bool:
        """What was decided last."""
        return bool(self._said) and self._said[min(len(self._asked), len(self._said)) - 1]

    def failures(self, step: Map) -> list[Failure]:
        """Where the step does not say what is decided, or what it says is not asked."""
        if self._asked and not self._said:
            words = f"the step says whether {self._asked[0].name} may run: `approve: true` or `approve: false`"
            return [Failure(step.place, words, f"it asks, with {self._asked[0].arguments}")]
        if len(self._asked) < len(self._said):
            expected = f"{len(self._said)} calls ask whether they may run" if len(self._said) > 1 else "a call asks"
            return [Failure(step.at("approve"), expected, f"{len(self._asked)} asked")]
        return []


class Meanwhile:
    """The actions of a turn, each at a request to the model."""

    def __init__(self, actions: list[Map], do: Callable[[str, Map], Awaitable[None]]) -> None:
        self._left = actions
        self._do = do
        self._failed: list[Failure] = []

    async def do(self, request: int) -> None:
        """Do what is to be done while the model answers this request of the turn, counted from 1."""
        due = [action for action in self._left if action.get("request", 1) == request]
        for action in due:
            # What has happened until now is told first.
            await asyncio.sleep(0)
            self._left.remove(action)
            verb = next(verb for verb in MEANWHILE if verb in action)
            try:
                await self._do(verb, action)
            except PagekeeperError as error:  # the user's, not the model's
                self._failed.append(Failure(action.place, f"the user can do this ({verb})", str(error)))

    def failures(self) -> Iterator[Failure]:
        """What could not be done, and what was not, since the turn had not so many requests."""
        yield from self._failed
        for action in self._left:
            often = counted(action.get("request", 1), "time")
            yield Failure(action.place, f"the model is asked at least {often}", "the turn ended before that")
