"""The conditions of a query, each in two forms: as SQL for LanceDB, and as a function for rows in memory.

LanceDB takes conditions as text, so every value in them goes through `literal` or is a number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from .query import Query
from .rows import ArchiveRow, micros, scope_key, single


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition. Both forms accept the same rows."""

    sql: str
    """Empty where whoever asks LanceDB says it in another way."""
    accepts: Callable[[ArchiveRow], bool]


def literal(text: str) -> str:
    """`text` as a literal of SQL."""
    return "'" + text.replace("'", "''") + "'"


def literals(texts: Iterable[str]) -> str:
    return ", ".join(literal(text) for text in texts)


def conditions(query: Query, now: datetime) -> list[Condition]:
    """The conditions of `query`, as it is asked `now`."""
    scope = scope_key(query.scope.agent, query.scope.user)
    out = [
        Condition(f"scope = {literal(scope)}", lambda row: row.scope == scope),
        _one_of("status", query.statuses, lambda row: row.status),
    ]
    if query.conversation is not None:
        wanted = query.conversation
        out.append(Condition(f"conversation = {literal(wanted)}", lambda row: row.conversation == wanted))
    if query.roles:
        out.append(_one_of("role", query.roles, lambda row: row.role))
    if query.kinds:
        out.append(_one_of("kind", query.kinds, lambda row: row.kind))
    if query.tags:
        out.append(_tags(query.tags, every=query.tag_match == "all"))
    if query.start is not None:
        first = day_start(query.start, query.scope.timezone)
        out.append(Condition(f"at >= {first}", lambda row: row.at >= first))
    if query.end is not None:
        after = day_start(query.end + timedelta(days=1), query.scope.timezone) if query.end < date.max else None
        if after is not None:
            out.append(Condition(f"at < {after}", lambda row: row.at < after))
    if query.valid_at is not None:
        start = micros(query.valid_at)
        out.append(_valid(start, start + 1 if query.valid_until is None else micros(query.valid_until)))
    out.append(_unexpired(micros(now)))
    if query.least_trust > 0:
        out.append(_trusted(single(query.least_trust)))
    if query.exclude:
        unwanted = query.exclude
        out.append(Condition("", lambda row: row.id not in unwanted))
    return out


def day_start(day: date, zone: ZoneInfo) -> int:
    """The first moment of a day in a time zone."""
    try:
        return micros(datetime.combine(day, time(), zone))
    except OverflowError:  # year 1 east of Greenwich, and year 9999 west of it
        return micros(datetime.combine(day, time(), ZoneInfo("UTC")))


def _one_of(column: str, values: tuple[str, ...], field: Callable[[ArchiveRow], str]) -> Condition:
    return Condition(f"{column} IN ({literals(values)})", lambda row: field(row) in values)


def _tags(tags: tuple[str, ...], *, every: bool) -> Condition:
    function, test = ("array_has_all", all) if every else ("array_has_any", any)
    return Condition(f"{function}(tags, [{literals(tags)}])", lambda row: test(tag in row.tags for tag in tags))


def _valid(start: int, until: int) -> Condition:
    """What held at some moment from `start` until before `until`."""
    return Condition(
        f"(valid_from IS NULL OR valid_from < {until}) AND (valid_to IS NULL OR valid_to > {start})",
        lambda row: (
            (row.valid_from is None or row.valid_from < until) and (row.valid_to is None or row.valid_to > start)
        ),
    )


def _unexpired(now: int) -> Condition:
    return Condition(
        f"(expires_at IS NULL OR expires_at > {now})", lambda row: row.expires_at is None or row.expires_at > now
    )


def _trusted(least: float) -> Condition:
    return Condition(f"trust >= {least!r}", lambda row: row.trust >= least)
