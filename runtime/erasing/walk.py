"""Walking through an event's payload or a table's row, to every text in it that somebody wrote.

All texts count but those that only hold the data together: ids, codes, times, names. So what later events and columns
hold is walked through as well, without a word here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from typing import Any

from ..context.parts import ERASED
from ..forgetting.facts import Fact

_REFERENCES = (
    *("id", "ids", "stream", "conversation", "thread", "turn", "step", "cause", "user", "owner", "input", "item"),
    *("event", "document", "origin_id", "call_id", "tool_call_id", "superseded_by", "by", "forgot", "of", "deferred"),
    *("disputes", "source", "evidence", "released", "fingerprint"),
)
_CODES = (
    *("type", "kind", "role", "writer", "status", "state", "basis", "finish", "format", "purpose", "model", "name"),
    *("label", "table"),
)
_TIMES = (*("at", "date", "created_at", "retired_at", "used_at", "expires_at", "event_time", "valid_from", "valid_to"),)
STRUCTURE = frozenset([*_REFERENCES, *_CODES, *_TIMES])
"""The keys of such texts. Names of agents, conversations and blocks are among them: they are told of, and stay."""

_CODED = frozenset({"turn.ended", "epoch.started", "passage.changed", "rows.copied", "turns", "epochs"})
"""Events and tables in which a `reason` is a code; elsewhere it is in somebody's words."""

_JSON = frozenset({"arguments", "repaired"})
"""Texts that are JSON themselves: the arguments of a call."""


class Walk:
    """Goes to every text of one user, and puts what `text` makes of it into its place.

    `threads` tells whose each conversation is. The messages, inputs and passages `items` are emptied whole. `states`
    tells which facts of a forgetting go.
    """

    def __init__(
        self,
        user: str,
        threads: Mapping[str, str],
        text: Callable[[str], str],
        *,
        items: Collection[str] = (),
        states: Callable[[Fact], bool] | None = None,
    ) -> None:
        self._user = user
        self._threads = threads
        self._text = text
        self._items = frozenset(items)
        self._states = states

    def event(self, type: str, conversation: str | None, payload: dict[str, Any]) -> dict[str, Any]:
        """The payload of an event; the same object where nothing in it changes."""
        mine = self._threads.get(conversation or "", self._user) in ("", self._user)
        found: dict[str, Any] = self._value(payload, "", mine, False, type in _CODED)
        return found

    def row(self, table: str, values: Mapping[str, Any]) -> dict[str, Any]:
        """The columns of a row that change."""
        row = dict(values)
        found = self._value(row, "", True, False, table in _CODED)
        return {name: value for name, value in found.items() if value is not row[name]}

    def plain(self, value: Any) -> Any:
        """A value that is nobody's in particular, such as a line of a recording."""
        return self._value(value, "", True, False, False)

    def _value(self, value: Any, key: str, mine: bool, empty: bool, coded: bool) -> Any:
        if isinstance(value, dict):
            return self._dict(value, mine, empty, coded)
        if isinstance(value, list):
            if key == "facts" and self._states is not None and mine:
                kept = [fact for fact in value if not (isinstance(fact, dict) and self._states(fact))]
                return value if len(kept) == len(value) else kept
            if empty and mine and key not in STRUCTURE:
                new = [self._value(it, key, mine, empty, coded) for it in value if not isinstance(it, str)]
            else:
                new = [self._value(it, key, mine, empty, coded) for it in value]
            same = len(new) == len(value) and all(a is b for a, b in zip(new, value, strict=True))
            return value if same else new
        if not isinstance(value, str) or not value or not mine or value in self._items:
            return value
        if key in STRUCTURE or (coded and key == "reason"):
            return value
        if key in _JSON:
            return "{}" if empty else self._json(value)
        return ERASED if empty else self._text(value)

    def _dict(self, value: dict[str, Any], mine: bool, empty: bool, coded: bool) -> dict[str, Any]:
        mine = self._is_mine(value, mine)
        empty = empty or self._is_named(value)
        # The words of a message stand beside it in its event.
        beside = empty or any(isinstance(it, dict) and self._is_named(it) for it in value.values())
        new = {}
        for key, it in value.items():
            its = self._threads[key] in ("", self._user) if key in self._threads else mine
            new[key] = self._value(it, key, its, beside if isinstance(it, str) else empty, coded)
        return value if all(new[key] is it for key, it in value.items()) else new

    def _is_mine(self, value: dict[str, Any], before: bool) -> bool:
        if isinstance(user := value.get("user"), str):
            return user in ("", self._user)
        if isinstance(thread := value.get("conversation"), str) and thread in self._threads:
            return self._threads[thread] in ("", self._user)
        return before

    def _is_named(self, value: dict[str, Any]) -> bool:
        return any(isinstance(it := value.get(key), str) and it in self._items for key in ("id", "message"))

    def _json(self, raw: str) -> str:
        """Arguments of a call. Their keys are words as well; what is no JSON is taken as it stands."""
        try:
            value = json.loads(raw)
        except (ValueError, RecursionError):
            return self._text(raw)
        new = self._words(value)
        return raw if new == value else json.dumps(new, ensure_ascii=False)

    def _words(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {self._text(key): self._words(it) for key, it in value.items()}
        if isinstance(value, list):
            return [self._words(it) for it in value]
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            return value
        if isinstance(value, str):
            return self._text(value)
        new = self._text(str(value))
        return value if new == str(value) else new
