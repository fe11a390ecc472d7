"""What of the log carries a fact: messages, calls, results and notes, each where it stands."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Text, select, type_coerce

from ..archive.short_ids import SHORTEST
from ..context.parts import Part
from ..journal import tables
from ..scope import Scope
from .facts import Facts, flat

_USUAL_SHARE = 0.05
_USUAL_LEAST = 20
"""A word that so many messages hold, and that share of all, is usual in this log, and tells little."""

_ESCAPES = re.compile(r"\\[nrtbf]")

messages = tables.messages


@dataclass(frozen=True, slots=True)
class Piece:
    """What one message says in one place. `part` is None for its own words and calls, which only go as a whole."""

    message: str
    turn: str | None
    part: int | None
    text: str


class Carriers:
    """Tells what carries any of some facts, or shows any of the memories `ids` by its id."""

    def __init__(self, facts: Facts, ids: Iterable[str] = ()) -> None:
        self.facts = facts
        self._ids = re.compile("|".join(map(_beginnings, ids)) or r"(?!)")

    def may(self, raw: str) -> bool:
        """Whether it is worth reading a row, from its stored text."""
        if "\\" in raw:
            if "\\u" in raw:
                return True  # a call's arguments may spell letters as JSON escapes
            raw = _ESCAPES.sub(" ", raw)
        return self._ids.search(raw) is not None or self.facts.pattern.search(flat(raw)) is not None

    def carried_by(self, text: str) -> bool:
        """Whether `text` carries or shows any of it."""
        return self._ids.search(text) is not None or self.facts.carried_by(text)


def _beginnings(item: str) -> str:
    """A pattern of an id and of its short forms, as they are shown."""
    rest = "".join(f"(?:{re.escape(character)}" for character in item[SHORTEST:])
    return f"{re.escape(item[:SHORTEST])}{rest}{')?' * len(item[SHORTEST:])}(?![0-9a-z])"


def pieces(
    connection: Connection, scope: Scope, carriers: Carriers | None, *, after: int = 0, turn: str | None = None
) -> tuple[list[Piece], int]:
    """All that this user's messages say and that may be carried, and how many messages there are.

    Without `carriers` it is all that they say. `after` limits it to what the events above that number wrote, `turn` to
    one turn. Messages that a rewind took away count as well, since they may come back.
    """
    query = select(
        messages.c.id,
        messages.c.turn,
        messages.c.role,
        type_coerce(messages.c.parts, Text).label("parts"),
        type_coerce(messages.c.calls, Text).label("calls"),
    ).where(messages.c.stream == scope.agent, messages.c.user == scope.user)
    if after:
        query = query.where(messages.c.from_seq > after)
    if turn is not None:
        query = query.where(messages.c.turn == turn)
    # Of several versions of a message the longest counts: it has all the notes that were added. A rewind may have
    # brought a shorter one back, and a later one the longer.
    longest: dict[str, Any] = {}
    for row in connection.execute(query.order_by(messages.c.row)):
        if row.id not in longest or len(row.parts) > len(longest[row.id].parts):
            longest[row.id] = row
    found: list[Piece] = []
    for row in longest.values():
        if carriers is None or carriers.may(row.parts) or (row.calls != "[]" and carriers.may(row.calls)):
            found += _pieces(row)
    return found, len(longest)


def usual(found: Iterable[Piece], facts: Facts, total: int) -> set[str]:
    """The facts' terms that are usual in a log of `total` messages."""
    holding: dict[str, frozenset[str]] = {}
    for piece in found:
        holding[piece.message] = holding.get(piece.message, frozenset()) | facts.found(piece.text)
    counts = Counter(term for terms in holding.values() for term in terms)
    least = max(_USUAL_LEAST, _USUAL_SHARE * total)
    return {term for term, count in counts.items() if count >= least}


def said_in(connection: Connection, items: Iterable[str]) -> set[str]:
    """Those of the items that are messages with words of their own: what a user means by messages."""
    wanted = list(dict.fromkeys(items))
    found: set[str] = set()
    for start in range(0, len(wanted), 500):
        some = messages.c.id.in_(wanted[start : start + 500])
        found.update(connection.execute(select(messages.c.id).where(some, messages.c.text != "")).scalars())
    return found


def items_of(found: Iterable[Piece]) -> list[dict[str, Any]]:
    """Pieces as what is to be withheld: {kind, item, part}."""
    found = list(found)
    whole = {piece.message for piece in found if piece.part is None}
    places = dict.fromkeys((piece.message, None if piece.message in whole else piece.part) for piece in found)
    return [{"kind": "message", "item": message, "part": part} for message, part in places]


def _pieces(row: Any) -> Iterator[Piece]:
    own = []
    for place, part in enumerate(json.loads(row.parts)):
        text = _words(part)
        if part["type"] == "note" or row.role == "tool":
            # The rest of the message stays.
            if text:
                yield Piece(row.id, row.turn, place, text)
        else:
            own.append(text)
    own += [argument for call in json.loads(row.calls) for argument in _arguments(call["arguments"])]
    if own:
        yield Piece(row.id, row.turn, None, "\n".join(own))


def _words(part: Part) -> str:
    """What a part says. The value of a block does not count: once its epoch is over, the part shows it no more."""
    if part["type"] == "text":
        return str(part["text"])
    return "\n".join(filter(None, map(_words, part["parts"]))) if part["type"] == "note" else ""


def _arguments(raw: str) -> Iterator[str]:
    """The texts in a call's arguments; all of them as they are where they are no JSON."""
    try:
        yield from _strings(json.loads(raw))
    except (ValueError, RecursionError):
        yield raw.replace("\\n", "\n")


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        value = [*value.keys(), *value.values()]
    if isinstance(value, list):
        for each in value:
            yield from _strings(each)
    elif isinstance(value, str):
        yield value
    elif isinstance(value, int | float):
        yield str(value)
