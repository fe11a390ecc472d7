"""Of memories that answer alike, those that a later one took the place of are not told beside it.

Memory work closes what was replaced, but not all is worked through yet, and what was noted in other words may stand
beside it. So what tells a change ("is on day shifts now") or another value of what has one at a time ("lives in Porto")
stands for what was told of the same before it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from ...when import stretches
from .acts import Asked
from .facts import owner
from .question import TIMED
from .reading import read
from .recall import Hit, answered, in_so_many_words
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
_OF_LATER = re.compile(
    r"^when\b|\b(?:will|going to|plan|plans|planned|planning|next|soon|moving|coming|tomorrow|about to|future|date|"
    r"day)\b|"
    r"什么时候|哪天|哪一天|几[号月点]|打算|计划|将|要|下[个周月]|明[天年]",
    re.IGNORECASE,
)
"""A question that may be about what is to come."""
_TO_COME = re.compile(
    r"\b(?:from|on|in|starts?|starting|will|going to|(?:am|is|are) \w+ing|plans? to)\b|将|要|打算|计划|准备|从",
    re.IGNORECASE,
)
ALIKE = 0.75
"""The same where neither names somebody, so that it is less sure that both are about the same."""
MANY = 12
"""So many of the best are looked at."""
NEAR = 0.5
"""From this share of the best fit on, a memory may say that another is over."""


def told_last(asked: Asked, hits: Sequence[Hit]) -> list[Hit]:
    """`hits`, the best first, without those that another which fits nearly as well took the place of."""
    near = [hit for hit in hits[:MANY] if hit.fit >= NEAR * hits[0].fit and hit.former == hits[0].former]
    return [hit for hit in hits if hit not in near or not any(_replaces(asked, new, hit) for new in near)]


def standing_now(asked: Asked, hits: Sequence[Hit], today: str) -> list[Hit]:
    """`hits` without those that say how things will stand on a later day, where one that fits nearly as well says how
    they stand now, and the question is not about what is to come."""
    ahead = [hit for hit in hits if _is_ahead(hit, today)]
    now = [hit for hit in hits if hit not in ahead]
    if not ahead or not now or now[0].fit < ALIKE * hits[0].fit or _OF_LATER.search(asked.text):
        return list(hits)
    return now


def _is_ahead(hit: Hit, today: str) -> bool:
    text = hit.text
    days = [one.first for one in stretches(text, date.fromisoformat(today[:10])) if not one.relative]
    later = bool(days) and min(days).isoformat() > today[:10]
    return hit.item.since > today[:10] or (later and _TO_COME.search(text) is not None)


def _replaces(asked: Asked, new: Hit, old: Hit) -> bool:
    if not _later(new, old):
        return False
    if old.item.date and _same_state(new.text, old.text):
        return True
    if not _of_the_same(new.text, old.text):
        return False
    asked_for = answered(asked, old.fact)
    if not asked_for or not answered(asked, new.fact) >= asked_for - TIMED:
        return False
    names = named_in(new.text) | named_in(old.text)
    if all(word in names for word in asked_for) and not _attributes(new.text) & _attributes(old.text):
        return False  # of whom is all that they have in common
    surely = named_in(new.text) & named_in(old.text) or asked_for & TIMED
    if not surely and new.fit < ALIKE * old.fit:
        return False
    if _CHANGES.search(new.text):
        return True
    if not old.item.date:
        return False  # what a block says may have been told after it
    single = new.fact.single and new.fact.attribute == old.fact.attribute and new.fact.attribute not in _MANY
    both = "date" in new.fact.terms.types & old.fact.terms.types and new.fit >= ALIKE * old.fit
    both = both and in_so_many_words(asked, new.fact) >= in_so_many_words(asked, old.fact)
    return single or (both and _ONE_TIME.search(asked.text) is not None)


def _same_state(one: str, other: str) -> bool:
    """Whether both tell the same of the same, of which there is one at a time."""
    told = {(it.subject, it.attribute) for it in read(one) if it.single}
    return any((it.subject, it.attribute) in told for it in read(other))


def _attributes(text: str) -> set[str]:
    return {one.attribute for one in read(text)}


def _of_the_same(one: str, other: str) -> bool:
    named, meant = named_in(one), named_in(other)
    if named and meant:
        return bool(named & meant)
    if named or meant:
        # "She is at the Loom now, Olga says" may be of Olga, and what does not name her is not.
        return all(name in (other if named else one).lower() for name in named | meant)
    return owner(_CLAUSE.split(one)[0]) == owner(_CLAUSE.split(other)[0])


_CLAUSE = re.compile(r"[,;，；]| and | because | so ")


def _later(new: Hit, old: Hit) -> bool:
    """Whether one was told, or began, after the other. A line of a block has no day; any day may be after it."""
    when, before = new.item.since or new.item.date, old.item.since or old.item.date
    return when > before
