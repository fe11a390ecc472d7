"""Export and import of an agent: its events as JSON lines, from which everything else is made again.

The first line is a header, then comes an event on each line, and the last line counts them, so that a file that was
cut short is known for what it is. Vectors are left out: they are derived. Ids stay as they are; so an agent is
imported once into a home, and a second copy there is made by a fork.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from sqlalchemy import Connection, exists, insert, select
from sqlalchemy.exc import DBAPIError

from ..errors import AlreadyExists, UsageError
from ..text import check_name
from . import tables
from .events import VERSION, event_of
from .fold import HANDLERS, fold
from .journal import Transaction

FORMAT = "pagekeeper-agent"
FORMAT_VERSION = 1

_FIELDS = ("id", "seq", "conversation", "turn", "step", "at", "type", "version", "writer", "cause", "payload")

events = tables.events


def export(connection: Connection, agent: str) -> Iterator[str]:
    """The lines of an export, without their line breaks. `agent` is an id."""
    yield _line({"format": FORMAT, "version": FORMAT_VERSION, "agent": agent})
    count = 0
    query = select(events).where(events.c.stream == agent).order_by(events.c.seq)
    for row in connection.execute(query):
        count += 1
        yield _line({name: getattr(row, name) for name in _FIELDS})
    yield _line({"events": count})


def restore(transaction: Transaction, lines: Iterable[str], name: str | None = None) -> tuple[str, int]:
    """Write an exported agent into this home, and return its name and the number of its events.

    `name` is what it is called from now on, in place of its own name. Raises UsageError, which names the line, and
    AlreadyExists where the agent or its name is here already.
    """
    numbered = enumerate(lines, 1)
    agent = _header(*next(numbered, (1, "")))
    connection = transaction.connection
    if connection.execute(select(exists().where(events.c.stream == agent))).scalar():
        raise _here(connection, agent)
    for number, line in numbered:
        value = _parse(number, line)
        if value.keys() == {"events"}:
            count = number - 2
            if value["events"] != count:
                raise _broken(number, f"it says that there are {value['events']} events, and there are {count}")
            return _arrived(connection, agent), count
        _write(connection, agent, number, value, name)
    raise UsageError("The file ends before the export does: it was cut short.", hint="Export again.")


def is_export(header: object) -> bool:
    """Whether a file whose first line says this is an export."""
    return isinstance(header, dict) and header.get("format") == FORMAT


def _here(connection: Connection, agent: str) -> AlreadyExists:
    """Says under which name the agent is in this home already."""
    table = tables.agents
    found = connection.execute(select(table.c.name, table.c.deleted_at).where(table.c.id == agent)).one()
    if found.deleted_at is not None:
        return AlreadyExists(
            f"This agent was {found.name!r} in this home, and deleted; its events are still here.",
            hint="Import it into another home.",
        )
    return AlreadyExists(
        f"This agent is in this home already, as {found.name!r}.", hint="`pagekeeper agents fork` makes a copy of it."
    )


def _header(number: int, line: str) -> str:
    value = _parse(number, line)
    if not is_export(value) or not isinstance(value.get("agent"), str):
        raise UsageError("This is no export of an agent.", hint="`pagekeeper memory export` writes one.")
    if value.get("version") != FORMAT_VERSION:
        raise UsageError(
            f"The export has format version {value.get('version')}; this release reads {FORMAT_VERSION}.",
            hint="Upgrade Pagekeeper.",
        )
    agent: str = value["agent"]
    return agent


def _write(connection: Connection, agent: str, number: int, value: dict[str, Any], name: str | None) -> None:
    """Write one event, and fold it."""
    if value.keys() != set(_FIELDS):
        raise _broken(number, "it is no event")
    seq = number - 1
    if value["seq"] != seq:
        raise _broken(number, f"event {seq} was expected here")
    if value["type"] not in HANDLERS or not isinstance(value["version"], int) or value["version"] > VERSION:
        raise _broken(number, f"this release does not know events of type {value['type']!r}")
    if seq == 1 and name is not None and isinstance(value["payload"], dict):
        value["payload"]["name"] = check_name(name, "An agent's name")
    try:
        row = connection.execute(insert(events).returning(events), {**value, "stream": agent}).one()
        fold(connection, event_of(row))
    except DBAPIError as error:
        if "UNIQUE" in str(error.orig) and seq == 1:
            raise AlreadyExists(
                f"There is an agent {value['payload'].get('name')!r} already.", hint="Give another name with --as."
            ) from None
        raise _broken(number, f"it does not fit ({error.orig})") from None
    except (KeyError, TypeError, ValueError, AttributeError, LookupError) as error:
        raise _broken(number, f"it does not fit ({type(error).__name__}: {error})") from None


def _arrived(connection: Connection, agent: str) -> str:
    """The name of the agent that has been imported."""
    found = connection.execute(select(tables.agents.c.name).where(tables.agents.c.id == agent)).scalar()
    if found is None:
        raise UsageError("The export holds no agent.", hint="Nothing was imported.")
    return check_name(found, "An agent's name")


def _parse(number: int, line: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        raise _broken(number, "it is not JSON") from None
    if not isinstance(value, dict):
        raise _broken(number, "it is no JSON object")
    return value


def _broken(number: int, words: str) -> UsageError:
    return UsageError(f"Line {number} of the export is broken: {words}.", hint="Nothing was imported.")


def _line(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
