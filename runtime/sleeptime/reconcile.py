"""What a proposed change of memory comes to, given what is known: plain code, which neither asks nor writes anything.

A new memory is compared with the best candidates. The same content is skipped, more detail takes the place of less, and
a contradiction ends what it contradicts. Two memories contradict each other only if they tell the same attribute of the
same subject, so that what is unrelated never retires each other.

Intervals: a contradiction closes the old interval where the new one starts; an older fact that comes late is stored as
already past; a state that returns opens an interval of its own. Where neither of two is newer nor better known, the
user decides, and what was written by hand is never overruled.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from .decisions import Add, Annotate, Decision, End, Proposal, Replace, Retire, Reword, Skip
from .instructions import instruction
from .known import Known, standing
from .wording import compare, likeness, negated, same_words

Policy = Literal["preserve-history", "merge-similar", "append-only"]
POLICIES: tuple[Policy, ...] = ("preserve-history", "merge-similar", "append-only")
CANDIDATES = 3
"""Memories that a new one is compared with, besides those that tell the same of the same."""
SIMILAR = 0.6
"""Share of words in common from which on `merge-similar` makes one memory of two that tell the same attribute."""

REWORDED = 0.5
"""And from which on the agent's own note of a statement is taken to say nothing else."""

OPPOSITES = {"taste": "dislike", "dislike": "taste"}


def reconcile(new: Proposal, known: Sequence[Known], policy: Policy = "preserve-history") -> list[Decision]:
    """What is to be done about `new`, where `known` are the candidates: those that are alike, those that tell the same
    of the same (the past ones too), and the one that it names."""
    operation = new.operation
    if operation.op == "delete":
        return [_delete(new, known)]
    if operation.op == "clear":
        return _clear(new, known)
    if _orders(new):
        return [Skip("instruction")]
    alike = _known_already(new, known)
    if alike is not None and not (isinstance(alike, Annotate) and policy != "append-only"):
        return [alike]
    if policy == "append-only":
        return [Add(new.starts, new.ends)]
    if alike is None and policy == "merge-similar" and (merged := _merge(new, known)):
        return [merged]
    placed = _place(new, known)
    if isinstance(alike, Annotate):
        # Where it contradicts nothing, the memory that says it already may stay; else a new one takes its place too.
        plain = isinstance(placed, Add) and placed.past is None and placed.disputes is None
        return [*_end_opposites(new, known), *([alike] if plain else [placed, Reword(alike.old)])]
    own = [] if isinstance(placed, Skip) else _own_words(new, known)
    reworded = [Reword(old.id) for old in own if old.id != getattr(placed, "old", None)]
    return [*_end_opposites(new, known), *_end_earlier(new, placed, known), placed, *reworded]


def _orders(new: Proposal) -> bool:
    """It is an instruction to the assistant, and no standing rule that the user has given."""
    what = instruction(new.operation.text)
    of_user = new.about is not None and new.about[1] == "rule" and new.operation.explicit
    return what == "override" or (what == "order" and not of_user)


def _known_already(new: Proposal, known: Sequence[Known]) -> Decision | None:
    """Skip or better a memory that says the same and is in force."""
    for old in known:
        if old.status == "superseded" or not _may_be_one(new, old):
            continue
        alike = _compare(new, old)
        own = _is_own_note(new, old)
        if alike == "other" or not _same_time(new, old) or (own and alike != "same"):
            continue
        if alike == "less" and old.about is None and new.about is not None:
            continue  # that one does not say of whom it tells what, and so could never be ended
        if alike == "more" and old.status == "active":
            return Skip("by hand", old.id) if old.standing == 3 else Replace(old.id)
        if alike == "same" and new.about is not None and old.status == "active" and (old.about is None or own):
            return Annotate(old.id)
        return Skip("known" if alike in ("same", "more") else "less", old.id)
    return None


def _may_be_one(new: Proposal, old: Known) -> bool:
    """They tell the same of the same, or one of them does not say what it tells, or the agent noted it word by word."""
    same = new.about is None or old.about is None or new.about == old.about
    return same or _is_own_note(new, old)


def _compare(new: Proposal, old: Known) -> Literal["same", "more", "less", "other"]:
    operation = new.operation
    alike = compare(operation.text, old.text)
    if alike != "other" or new.about is None or new.about != old.about:
        return alike
    denied = negated(operation.text) != negated(old.text)
    if same_words(operation.value, old.value) and not denied and operation.kind == old.kind == "fact":
        # The same value in other words: the longer one tells more.
        return (
            "same" if likeness(operation.text, old.text) < SIMILAR or len(operation.text) <= len(old.text) else "more"
        )
    return "other"


def _same_time(new: Proposal, old: Known) -> bool:
    """Neither says that it happened, or began, at another time."""
    when = new.operation.event_time
    if new.operation.kind == "episode" and when is not None and old.event_time is not None:
        day = when.date() if isinstance(when, datetime) else when
        return abs((old.event_time.date() - day).days) <= 1
    ended = old.valid_to is not None and (new.ends is None or old.valid_to <= new.said_at)
    return not ended


def _own_words(new: Proposal, known: Sequence[Known]) -> list[Known]:
    """What the agent wrote down of this in the turn in which the user said it, in words that say little else."""
    return [
        old
        for old in known
        if _is_own_note(new, old)
        if old.about is not None or likeness(new.operation.text, old.text) >= REWORDED
        if negated(new.operation.text) == negated(old.text)
    ]


def _is_own_note(new: Proposal, old: Known) -> bool:
    """The agent wrote it in that turn: of something new, or over a memory of the same, which then has no value."""
    if old.turn not in new.turns or old.writer != "agent" or not old.holds(new.said_at):
        return False
    if old.about is None or old.value is not None:
        return old.about is None
    # It was put in the place of another, and so took over what that one tells of whom; its own words may tell else.
    return old.about == new.about or compare(new.operation.text, old.text) == "same"


def _place(new: Proposal, known: Sequence[Known]) -> Decision:
    """Where a new memory belongs among those that it contradicts; they are all of one attribute."""
    rivals = _rivals(new, known)
    holding = [old for old in rivals if old.holds(new.said_at)]
    named = next((old for old in known if old.id == new.operation.id), None)
    if new.operation.op == "update" and named is not None and named.holds(new.said_at) and named not in holding:
        if new.about is not None and named.about is not None and new.about != named.about:
            # It names a memory that tells something else.
            return Add(new.starts, new.ends)
        holding = [named, *holding]
    if not holding:
        return _among_the_past(new, rivals)
    old = max(holding, key=lambda one: (one.standing, one.created_at or new.said_at, one.id))
    if _came_before(new, old):
        after = _next(new, rivals) or old
        return Add(new.starts, new.ends or after.valid_from or after.event_time, past=after.id)
    mine = standing(new.basis)
    if old.standing == 3:
        return Add(new.starts, new.ends, disputes=old.id)
    if mine < old.standing:
        return Skip("lower standing", old.id)
    if mine == old.standing and new.operation.op != "update" and _at_once(new, old):
        return Add(new.starts, new.ends, disputes=old.id)
    start = new.starts or new.said_at
    return Replace(old.id, ended=start, starts=start)


def _next(new: Proposal, rivals: Sequence[Known]) -> Known | None:
    """What followed on something that began earlier, and of which no end is known: the first that began after it."""
    if new.starts is None or new.ends is not None:
        return None
    later = [
        (old.valid_from, old.id, old) for old in rivals if old.valid_from is not None and old.valid_from > new.starts
    ]
    return min(later)[2] if later else None


def _came_before(new: Proposal, old: Known) -> bool:
    """It tells what was before `old`: it is over, it began earlier, or it was said earlier and only comes late."""
    if new.ends is not None and new.ends <= new.said_at:
        return True
    if new.starts is not None and old.valid_from is not None:
        return new.starts < old.valid_from
    return new.starts is None and old.event_time is not None and new.said_at < old.event_time


def _end_earlier(new: Proposal, placed: Decision, known: Sequence[Known]) -> list[Decision]:
    """What is stored as past ends what was in force when it began, where of that is only known that the same thing
    followed on both: so it held until this one began."""
    if not isinstance(placed, Add) or placed.past is None or placed.starts is None or new.ends is not None:
        return []
    return [
        End(old.id, placed.starts)
        for old in _rivals(new, known)
        if old.status == "superseded" and old.standing < 3 and standing(new.basis) >= old.standing
        if old.valid_from is not None and old.valid_to is not None and old.valid_to == placed.ends
        if old.valid_from < placed.starts < old.valid_to
    ]


def _among_the_past(new: Proposal, rivals: Sequence[Known]) -> Decision:
    """A memory that nothing in force contradicts: the next one in time, if there is one, came after it."""
    if new.ends is not None and new.ends <= new.said_at:
        later = [old for old in rivals if old.valid_from is not None and old.valid_from >= new.ends]
        if later:
            return Add(new.starts, new.ends, past=min(later, key=lambda old: str(old.valid_from)).id)
    # A state that returns, or one that follows on others, begins when it is told; unless it is over by then.
    returns = bool(rivals) and (new.ends is None or new.ends > new.said_at)
    return Add(new.starts or (new.said_at if returns else None), new.ends)


def _rivals(new: Proposal, known: Sequence[Known]) -> list[Known]:
    """Those that cannot be true together with `new`."""
    if new.about is None or new.operation.kind != "fact":
        return []
    out = []
    for old in known:
        if old.about != new.about or old.kind != "fact" or old.status == "disputed" or _is_own_note(new, old):
            continue
        denied = negated(new.operation.text) != negated(old.text)
        one_value = new.operation.single or old.single
        if same_words(new.operation.value, old.value):
            if denied or (one_value and not old.holds(new.said_at)):
                out.append(old)
        elif one_value:
            out.append(old)
    return out


def _end_opposites(new: Proposal, known: Sequence[Known]) -> list[Decision]:
    """What is liked now is not disliked any more."""
    opposite = OPPOSITES.get(new.about[1]) if new.about else None
    if opposite is None or new.about is None:
        return []
    subject, start = new.about[0], new.starts or new.said_at
    return [
        End(old.id, _over(old, start, new))
        for old in known
        if old.about == (subject, opposite) and same_words(old.value, new.operation.value) and old.holds(new.said_at)
        if old.standing < 3 and standing(new.basis) >= old.standing
    ]


def _at_once(new: Proposal, old: Known) -> bool:
    """Neither came after the other: one message says both, or they are said to have begun at one moment."""
    if new.starts is not None and old.valid_from is not None:
        return new.starts == old.valid_from
    return not set(new.sources).isdisjoint(old.source)


def _merge(new: Proposal, known: Sequence[Known]) -> Decision | None:
    """One memory of two that tell the same attribute in similar words."""
    for old in known:
        if old.holds(new.said_at) and old.about is not None and old.about == new.about and old.standing < 3:
            similar = likeness(new.operation.text, old.text) >= SIMILAR
            if (
                similar
                and not (new.operation.single or old.single)
                and negated(old.text) == negated(new.operation.text)
            ):
                return Replace(old.id, text=f"{old.text} {new.operation.text}")
    return None


def _delete(new: Proposal, known: Sequence[Known]) -> Decision:
    old = next((one for one in known if one.id == new.operation.id), None)
    return Skip("unknown") if old is None else _kept_from(new, old) or Retire(old.id)


def _clear(new: Proposal, known: Sequence[Known]) -> list[Decision]:
    """End what it names; by its value where it has one, since of some attributes there are several."""
    value, ended = new.operation.value, new.ends or new.starts or new.said_at
    if new.operation.id is not None:
        meant = [old for old in known if old.id == new.operation.id]
    else:
        meant = [old for old in known if new.about is not None and old.about == new.about]
        meant = [old for old in meant if value is None or same_words(old.value, value)]
    meant = [old for old in meant if old.holds(new.said_at)]
    return [_kept_from(new, old) or End(old.id, _over(old, ended, new)) for old in meant] or [Skip("unknown")]


def _over(old: Known, ended: datetime, new: Proposal) -> datetime:
    """When `old` ended: as it was said, unless that is before it began as far as is known; then when it was said."""
    return ended if old.valid_from is None or ended > old.valid_from else max(ended, new.said_at)


def _kept_from(new: Proposal, old: Known) -> Decision | None:
    """Why `new` may not touch `old`, if it may not."""
    if old.standing == 3:
        return Skip("by hand", old.id)
    return Skip("lower standing", old.id) if standing(new.basis) < old.standing else None
