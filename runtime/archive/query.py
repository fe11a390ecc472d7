"""What is asked of the archive, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import date, datetime
from typing import Literal

from ..ageing.trust import LEAST
from ..errors import InvalidText, UsageError
from ..scope import Scope
from ..text import check_text
from .choices import KINDS, ROLES, STATUSES, TABLES, TAG_MATCHES, Kind


@dataclass(frozen=True, slots=True)
class Query:
    """A question, and the conditions that every result must meet. Empty conditions are met by everything.

    A condition on a field that only passages or only messages have is met by none of the others.
    """

    scope: Scope
    """Whose memory: nothing of another agent or another user is ever found."""
    text: str
    tables: tuple[Kind, ...] = TABLES
    conversation: str | None = None
    """The id of a conversation: what was said in it, or archived from it."""
    roles: tuple[str, ...] = ()
    """Of messages: user, assistant."""
    kinds: tuple[str, ...] = ()
    """Of passages: fact, episode, insight, skill, document, rule."""
    tags: tuple[str, ...] = ()
    """Of passages."""
    tag_match: Literal["any", "all"] = "any"
    start: date | None = None
    """The first day, in the scope's time zone, on which it happened or was said."""
    end: date | None = None
    """The last day, inclusive."""
    valid_at: datetime | None = None
    """The moment at which what a passage says held; None for any."""
    valid_until: datetime | None = None
    """With `valid_at`: what held at any moment from then until before this one."""
    statuses: tuple[str, ...] = ("active",)
    least_trust: float = LEAST
    """What is trusted less is not found; 0 finds all. What was said counts as trusted as a new passage, with .5."""
    exclude: frozenset[str] = frozenset()
    """Ids that are not wanted, since they are in view."""
    limit: int = 10


_SEVERAL: dict[str, Sequence[str]] = {"tables": TABLES, "roles": ROLES, "kinds": KINDS, "statuses": STATUSES}


def check_question(text: str) -> str:
    """`text`, if it asks anything. Raises InvalidText: what would find everything is no search, but a list."""
    check_text(text, "The query")
    if not text.strip():
        raise InvalidText("The query is empty.", hint="Say what to look for; `list` shows all memories, newest first.")
    return text


def check_conditions(conditions: Mapping[str, object]) -> None:
    """Refuse conditions that could only find nothing, since no such thing exists. Raises UsageError."""
    names = [it.name for it in fields(Query) if it.name not in ("scope", "text")]
    for name, value in conditions.items():
        if name not in names:
            raise UsageError(f"A search has no condition {name!r}.", hint=f"There are {', '.join(names)}.")
        if name in (*_SEVERAL, "tags"):
            if not isinstance(value, tuple | list) or not all(isinstance(one, str) for one in value):
                raise UsageError(f"`{name}` of a search must be a tuple of texts, not {value!r:.80}.")
            for one in value:
                _check_known(name, one, _SEVERAL.get(name, value))
    _check_known("tag_match", conditions.get("tag_match", "any"), TAG_MATCHES)
    least = conditions.get("least_trust", LEAST)
    if not isinstance(least, int | float) or isinstance(least, bool) or not 0 <= least <= 1:
        raise UsageError(f"`least_trust` of a search must be a number from 0 to 1, not {least!r:.80}.")
    for name in ("start", "end"):
        # A time is a date, too, but no day: the two cannot be compared.
        if not isinstance(conditions.get(name), date | None) or isinstance(conditions.get(name), datetime):
            raise UsageError(f"`{name}` of a search must be a `date`, not {conditions[name]!r:.80}.")
    for name in ("valid_at", "valid_until"):
        value = conditions.get(name)
        if value is not None and (not isinstance(value, datetime) or value.utcoffset() is None):
            hint = "Say of which time zone it is, as in datetime(2026, 1, 31, tzinfo=UTC)."
            raise UsageError(
                f"`{name}` of a search must be a `datetime` with a time zone, not {value!r:.80}.", hint=hint
            )
    if conditions.get("valid_until") is not None and conditions.get("valid_at") is None:
        raise UsageError("`valid_until` of a search says until when, so `valid_at` must say since when.")
    if not isinstance(conditions.get("conversation"), str | None):
        raise UsageError(f"`conversation` of a search must be an id, not {conditions['conversation']!r:.80}.")
    if isinstance(conditions.get("exclude", ()), str):
        raise UsageError(f"`exclude` of a search must be several ids, not {conditions['exclude']!r:.80}.")
    limit = conditions.get("limit", 1)
    if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
        raise UsageError(f"`limit` of a search must be a number from 1 up, not {limit!r:.80}.")


def _check_known(name: str, value: object, known: Sequence[object]) -> None:
    if value not in known:
        raise UsageError(
            f"`{name}` of a search cannot be {value!r:.80}.", hint=f"Use {', '.join(str(one) for one in known)}."
        )


@dataclass(frozen=True, slots=True)
class Gate:
    """How much a result has to do with the question, by itself: whatever else there is, and however it ranks."""

    cosine: float | None
    """Between the question's vector and the result's; None where one is missing or means nothing in this language."""
    terms: float
    """The share of the question's terms that it holds, each by its rarity."""
    usual: float = 0.0
    """The cosine of texts that have nothing to do with each other, with this embedder."""

    def relevance(self) -> float:
        """Both in one number: 0 is unrelated, 1 is certain, and from `ranking.weights.WEAK` up it is worth showing."""
        from .ranking.gate import relevance

        return relevance(self)


@dataclass(frozen=True, slots=True)
class Hit:
    """One result."""

    table: Kind
    id: str
    text: str
    at: datetime
    """When it happened (a passage's event time, else when it was archived) or was said; UTC."""
    label: str
    """The kind of a passage, the role of a message."""
    score: float = 0.0
    """From 0 to 1, falling along the results; 0 where nothing was asked."""
    weak: bool = False
    """It has so little to do with the question that it may be noise."""
    gate: Gate = Gate(None, 0.0)
    short: str = ""
    """The shortest beginning of its id that names it, which is what models and people are shown; see `short_ids`."""
    conversation: str | None = None
    tags: tuple[str, ...] = ()
    status: str = "active"
    valid_from: datetime | None = None
    """Of a passage: since when what it says holds, where that is known; UTC."""
    valid_to: datetime | None = None
    """Until when it holds, or held."""
    basis: str = ""
    """Of a passage: how it is known, as in `choices.BASES`."""
    attribute: str = ""
    """Of a passage: what of its subject it tells, as in `home`."""
    disputes: str | None = None
    """The id of the passage that this one contradicts, while the user has not decided."""
    disputed_by: tuple[str, ...] = ()
    """The ids of the passages that contradict this one."""
    newer: str | None = None
    """The id of the newest result that gives another figure for the same, where one does."""
    shorts: Mapping[str, str] = field(default_factory=dict)
    """The short forms of those other ids."""
    explain: Mapping[str, float] = field(default_factory=dict)
    """What each step of the ranking contributed; empty unless it was asked for."""
