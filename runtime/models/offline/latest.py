"""Of memories that answer alike, those that a later one took the place of are not told beside it.

Memory work closes what was replaced, but not all is worked through yet, and what was noted in other words may stand
beside it. So what tells a change ("is on day shifts now") or another value of what has one at a time ("lives in Porto")
stands for what was told of the same before it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .acts import Asked
from .facts import owner
from .recall import Hit, answered
from .stems import stem
from .subjects import named_in

_CHANGES = re.compile(
    r"\b(?:now|again|instead|no longer|any ?more|from (?:now|today|tomorrow|this \w+|next \w+|\d{4}-\d\d-\d\d)(?: on)?|"
    r"(?:moved|moves|switched|changed|went|gone) (?:\w+ )?to|"
    r"(?:was|were|been|have|has|is|are) (?:changed|moved|postponed)|"
    r"back (?:on|to|in|at|with)|put off|postponed|(?:a|the|got|my) new|new one|started)\b|"
    r"现在|又|再也不|不再|改[成为到用在]|换[成了到]|搬[到去]|从今天|从现在|以后都|新的|推迟|提前|取消|重新|回到",
    re.IGNORECASE,
)
_MANY = frozenset(
    ("", "taste", "diet", "language", "habit", "has", "is", "is a", "plan", "decision", "origin", "allergy")
)
"""What one may have several of, so that another one says nothing of the first; or what nobody can tell."""


_ONE_TIME = re.compile(
    r"^(?i:when|(?:what|which) (?:time|day|date|weekday)) (?:is|was|does|did) (?:the|my|our|[A-Z])|"
    r"^(?!我).{1,12}(?:是|在)?(?:什么时候|几点|哪天|哪一天|周几|星期几|几号)",
)
"""A question for the one time of something."""
ALIKE = 0.75
"""The same where neither names somebody, so that it is less sure that both are about the same."""
_TIMED = frozenset(stem(word) for word in ("planned", "scheduled", "due", "set"))
"""Words of a question for a time which what moves it need not hold."""
MANY = 12
"""So many of the best are looked at."""
NEAR = 0.5
"""From this share of the best fit on, a memory may say that another is over."""


def told_last(asked: Asked, hits: Sequence[Hit]) -> list[Hit]:
    """`hits`, the best first, without those that another which fits nearly as well took the place of."""
    near = [hit for hit in hits[:MANY] if hit.fit >= NEAR * hits[0].fit and hit.former == hits[0].former]
    return [hit for hit in hits if hit not in near or not any(_replaces(asked, new, hit) for new in near)]


def _replaces(asked: Asked, new: Hit, old: Hit) -> bool:
    if not _later(new, old) or not _of_the_same(new.text, old.text):
        return False
    asked_for = answered(asked, old.fact)
    if not asked_for or not answered(asked, new.fact) >= asked_for - _TIMED:
        return False
    surely = named_in(new.text) & named_in(old.text) or asked_for & _TIMED
    if not surely and new.fit < ALIKE * old.fit:
        return False
    if _CHANGES.search(new.text):
        return True
    if not old.item.date:
        return False  # what a block says may have been told after it
    single = new.fact.single and new.fact.attribute == old.fact.attribute and new.fact.attribute not in _MANY
    both = "date" in new.fact.terms.types & old.fact.terms.types and new.fit >= ALIKE * old.fit
    return single or (both and _ONE_TIME.search(asked.text) is not None)


def _of_the_same(one: str, other: str) -> bool:
    named, meant = named_in(one), named_in(other)
    if named and meant:
        return bool(named & meant)
    if named or meant:
        # "She is at the Loom now, Olga says" may be of Olga, and what does not name her is not.
        return all(name in (other if named else one).lower() for name in named | meant)
    return owner(one) == owner(other)


def _later(new: Hit, old: Hit) -> bool:
    """Whether one was told, or began, after the other. A line of a block has no day; any day may be after it."""
    when, before = new.item.since or new.item.date, old.item.since or old.item.date
    return when > before
