"""Who or what is meant by a description: "the friend with whom I sail" is one whom a memory names.

Such a question takes two steps. The first looks for what the description says, and finds a name; the second asks the
question again with that name in its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from .acts import Asked
from .extracting.keeping import keeping
from .items import Item
from .stems import is_cjk
from .subjects import is_calendar, named_in
from .words import Terms, closeness, terms

_VERBS = (
    r"(?:live|work|study|use|run|do(?: for a living| for work)?|like|love|eat|drink|drive|come from|stay|teach|play|"
    r"sit|keep [\w ]+|called|named|born)"
)
_START = r"(?:the|my|our) (?!user)[a-z]"
_PLACES = tuple(
    re.compile(pattern)
    for pattern in (
        rf"^.*\b(?:of|for|with) (?P<np>{_START}.*?)(?: (?:called|named))?$",
        rf"\b(?:does|did|do) (?P<np>{_START}.*?) {_VERBS}(?: in| at| on| for| with| as)?$",
        rf"\b(?:is|was|are|were) (?P<np>{_START}.*?) (?:called|named|born|based|from|allergic to)$",
        r"\b(?:is|was) (?P<np>the [a-z]+ (?:(?:with|for|from|to) whom|who|that|whose|I|we) .*?)$",
        r"(?P<np>\b(?:my|our) [a-z]+ [a-z]+)(?='s )",
    )
)
"""Where in a question a description may stand."""
_SAYS_MORE = re.compile(r"\b(?:whom|who|that|whose|of|for|from|with|I|we)\b")
_TWO_WORDS = re.compile(r"^\w+ \w+ \w+$")
"""A thing of the user's, as "my tide table", which has a name where a memory says what it is called."""
_HEAD = re.compile(
    r"^(?:the|my|our) (?P<words>(?:[\w-]+ )*?[\w-]+)(?= (?:with|for|from|to|who|whom|that|whose|of|at|in|I|we)\b|$)"
)
_ZH_HEADS = "|".join(sorted(map(re.escape, keeping("zh").relations), key=len, reverse=True))
_PLACE_ZH = re.compile(
    rf"^(?P<np>.{{2,18}}?的(?:那个|那位)?(?P<head>{_ZH_HEADS}))(?=现在|住|在|是|叫|做|喜|有|的|几|用|养)"
)
_CALLED = re.compile(r"\b(?:called|named) (?P<name>[A-Z][\w-]*\w)")
_CALLED_ZH = re.compile(r"(?:叫|名叫)(?P<name>[A-Z]\w+|[阿小老][\u4e00-\u9fff])")
_NAME = re.compile(
    r"(?<![.!?:] )(?<!^)\b[A-Z][\w-]*\w|(?:[阿小老][\u4e00-\u9fff])(?=现在|在|住|是|的|做|喜|一|搬|，|。|$|有|用)"
)


@dataclass(frozen=True, slots=True)
class Description:
    """The words of a question that describe somebody or something, and where they stand."""

    text: str
    start: int
    end: int
    head: str
    """What it is: "friend"."""


def description(asked: Asked) -> Description | None:
    """The description in a question; None where it names, or says no more than "my sister"."""
    text = asked.text.rstrip("?？ ")
    if is_cjk(text):
        found = _PLACE_ZH.search(text)
        return Description(found["np"], *found.span("np"), found["head"]) if found else None
    for pattern in _PLACES:
        found = pattern.search(text)
        if (
            found
            and (_SAYS_MORE.search(found["np"]) or _TWO_WORDS.search(found["np"]))
            and (head := _HEAD.match(found["np"]))
        ):
            return Description(found["np"], *found.span("np"), head["words"].split()[-1])
    return None


def by_description(asked: Asked, items: Iterable[Item]) -> Asked | None:
    """The question with the name in the place of the description; None where no memory names just one whom it fits."""
    what = description(asked)
    if what is None:
        return None
    shares: dict[str, float] = {}
    for item in items:
        share = _fits(what, terms(item.text))
        for name in _names(item.text, asked.text, _TWO_WORDS.search(what.text) is not None) if share else ():
            shares[name] = max(share, shares.get(name, 0.0))
    best = [name for name, share in shares.items() if share == max(shares.values())]
    if len(best) != 1:
        return None
    return replace(asked, text=asked.text[: what.start] + best[0] + asked.text[what.end :])


def _fits(what: Description, there: Terms) -> float:
    """The share of a description's words that a text holds; 0 where it is not of such a one."""
    head = terms(what.head).terms
    if not head or max(closeness(term, there) for term in head) < 0.5:
        return 0.0
    words = [term for term in terms(what.text).terms if term.weight > 0.3]
    share = sum(term.weight * closeness(term, there) for term in words) / sum(term.weight for term in words)
    return round(share, 2) if share >= 0.3 else 0.0


def _names(text: str, question: str, only_called: bool) -> list[str]:
    """Whom or what a text names, without those whom the question names: what is called so, and then whom it is about
    before all others."""
    about = named_in(text)
    called = {found["name"] for pattern in (_CALLED, _CALLED_ZH) for found in pattern.finditer(text)}
    every = [*dict.fromkeys([*_NAME.findall(text), *called])]
    new = [name for name in every if name not in question and not is_calendar(name)]
    if only_called:
        return [name for name in new if name in called]
    of_it = [name for name in new if name in called] or [name for name in new if name.lower() in about]
    begins = re.match(r"[A-Z][\w-]*\w", text)
    if not of_it and begins and begins[0].lower() in about and begins[0] not in question:
        return [begins[0]]
    return of_it or (new if len(new) == 1 else [])
