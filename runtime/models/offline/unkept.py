"""What a message asks not to remember: "my password is hunter2, please don't remember it" tells nothing to keep."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from .person import open_up
from .sentences import MOST, pieces
from .stems import is_cjk
from .words import terms

_KEEP = (
    r"(?:remember|memori[sz]e|save|store|note(?: down)?|record|log|write down|jot down|keep|retain|commit to memory"
    r"|make a note of|take note of|hold on to|put in your (?:memory|notes)|add to your (?:memory|notes))"
)
_NOT = (
    r"(?:please |so |but |and |just |you |you can |kindly |I said )*"
    r"(?:(?:do not|never|must not|should not|need not|may not)(?: you)?(?: ever)?"
    r"|(?:do not|no) need to|no need for you to|(?:do not|does not) (?:have|need|want you) to"
    r"|(?:I )?(?:do not want|would rather not have|would prefer not to have) you (?:to )?|not to)"
)
_IT = r"(?:it|that|this|them|these|those|any of (?:it|that|this)|(?:a|any) (?:note|record) of (?:it|that|this))"
_WHERE = (
    r"(?: (?:in|to|into) (?:your )?(?:memory|notes|anywhere)"
    r"|,?(?: anywhere| please| though| ok| okay| for me| down| at all| thanks| thank you))*"
)
_SECRET = (
    r"(?:please |and |but |so |just )*(?:(?:keep|leave) (?:it|that|this|them) (?:off the record|out of (?:your )?"
    r"(?:memory|notes|records))|(?:this|that|it) is off the record|off the record)"
)
_ASKS = rf"(?:{_NOT} {_KEEP}(?: {_IT})?{_WHERE}|{_SECRET})"
_ASKS_ZH = (
    r"(?:请|但|但是|不过|麻烦|拜托|你|您|所以|可|千万|就)*(?:"
    r"(?:(?:这个|这|这些|这件事|这句|它|那个)(?:就|都|可)?)?"
    r"(?:别|不要|不用|不必|无需|不需要|不许|不准|勿|请勿|不想(?:让|要)你|不希望你)(?:再|去|帮我|给我)?"
    r"(?:把(?:它|这个|这件事|这些))?"
    r"(?:记住|记下来|记下|记录下来|记录|记得|记着|记|保存下来|保存|存下来|存|储存|写进记忆|写下来|留存)"
    r"(?:下来|在记忆里|到记忆里)?"
    r"(?:它|这个|这些|这件事|这句话|这一点|这点|这条|那个|这)?(?:了|哦|啊|哈|吧|呀|啦)?)"
)
_WHOLE = re.compile(rf"{_ASKS}", re.IGNORECASE)
_WHOLE_ZH = re.compile(_ASKS_ZH)
_BEFORE = re.compile(rf"^(?P<what>.+?)\s*(?:[,;:(–—-]|\b(?:but|and|so)\b)+\s*{_ASKS}\)?$", re.IGNORECASE)
_BEFORE_ZH = re.compile(rf"^(?P<what>.+?)[，,；;（(]\s*{_ASKS_ZH}[）)]?$")
_AFTER = re.compile(
    rf"^(?:{_ASKS}\s*[:;–—-]+|{_NOT} {_KEEP}(?: this)?{_WHERE},? but|{_SECRET},)\s*\S.*$", re.IGNORECASE
)
_AFTER_ZH = re.compile(rf"^{_ASKS_ZH}\s*[，,：:；]\s*(?:但是?|不过)?\S.*$")
_MINE = re.compile(r"^I\b.*\b(?:but|and|so) (?:do not|never) remember\b", re.IGNORECASE)
"""Who "read it once but don't remember it" asks nothing."""
_NAMED = re.compile(
    rf"^{_NOT} {_KEEP} (?:the fact |anything )?(?:that |about )?"
    r"(?P<what>(?:my|our|I|we|the|what|where|who|how|when)\b.+)$",
    re.IGNORECASE,
)
_NAMED_ZH = re.compile(
    r"^(?:请|麻烦|拜托|你|您)*(?:别|不要|不用|不必|无需|不需要|请勿)(?:再|把)?"
    r"(?:记住|记下|记录|记得|记着|记|保存|存)(?:关于|有关)?(?P<what>(?:我|咱).+)$"
)
_HINT = re.compile(r"n[’']?t\b|\b(?:not|never|no need|off the record|out of)\b|[别勿不无]", re.IGNORECASE)
_WEIGHTY = 0.4
"""The weight of a word from which on it says what is meant."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A message, read for what it asks not to remember."""

    kept: str
    """What may be remembered of it."""
    heard: str
    """The same, with what it asks to be without by name: "don't remember that I live in Oslo" may be there already."""
    leans: bool
    """It asks that and says nothing that it could be about: it is about what was said before."""


def wanted(text: str) -> Wanted:
    """What of a message may be remembered."""
    wish = _wanted(text[:MOST])
    rest = text[MOST:]
    return Wanted(wish.kept + rest, wish.heard + rest, wish.leans and not rest)


@lru_cache(maxsize=1024)
def _wanted(text: str) -> Wanted:
    if not _HINT.search(text):
        return Wanted(text, text, False)
    parts = pieces(text)
    plain = [_plain(part) for part, _ in parts]
    out: set[int] = set()
    named: set[int] = set()
    leans = False
    for at, said in enumerate(plain):
        chinese = is_cjk(said)
        if not said or parts[at][0].rstrip().endswith(("?", "？")):
            continue
        if (_WHOLE_ZH if chinese else _WHOLE).fullmatch(said.rstrip(":： ")):
            out.add(at)
            ahead = said.endswith((":", "："))
            about = at + 1 if ahead else next((n for n in range(at - 1, -1, -1) if plain[n] and n not in out), -1)
            leans = leans or about < 0
            out.add(about)
        elif (_AFTER_ZH if chinese else _AFTER).match(said) or (
            (_BEFORE_ZH if chinese else _BEFORE).match(said) and not _MINE.match(said)
        ):
            out.add(at)
        elif by_name := (_NAMED_ZH if chinese else _NAMED).match(said):
            named.add(at)
            words = {term.stem for term in terms(by_name["what"]).terms if term.weight > _WEIGHTY}
            for n in range(at):
                there = terms(plain[n])
                if words and all(word in there.stems or (is_cjk(word) and word in there.raw) for word in words):
                    out.add(n)
    return Wanted(
        _without(parts, out | named), _without(parts, out), leans and len(out - {-1}) == sum(map(bool, plain))
    )


def _plain(part: str) -> str:
    return open_up(re.sub(r"\s+", " ", part.replace("’", "'")), negations=True).strip(" \n.!。！~～…")


def _without(parts: list[tuple[str, str]], out: set[int]) -> str:
    return "".join(part + gap for n, (part, gap) in enumerate(parts) if n not in out)
