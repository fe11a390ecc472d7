"""Reads how many or how much there is of something of the user's: "the wiki has reached 900 articles", "they raised our
quota to 2,000 mails", "the load time, which has dropped to 1.8 seconds".

Figures are told in passing, in clauses that hang on others, so each number of a sentence is looked at by itself, with
what links it to a noun phrase. Nothing is kept of what is only wished, supposed or asked for, nor of what passes or is
nobody's own. The words are in phrasebook/figures_en.toml.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice

from ..data import load
from ..person import open_up
from ..stems import word_set
from .amounts import Amount, amounts
from .claim import Claim, Entry
from .figure import Figure, Way, dimension, figure_of
from .judging import judge
from .noun_phrases import PRONOUNS, after, before

_TABLE: dict[str, str] = load("figures_en.toml")


def _any(name: str) -> str:
    words = _TABLE[name]
    phrases = words.strip().split("\n") if name in _PHRASES else words.split()
    return f"(?:{'|'.join(phrases)})"


_PHRASES = ("up", "down", "other", "standing", "moment")
_ADVERBS = r"(?:(?:now|just|already|currently|also|since|even|all|so far|\w+ly) )*"
_ABOUT = r"(?:about |around |over |just over |just under |a total of |some |\w+ly )?$"
_FROM = r"(?:from \S+(?: (?!to\b)[A-Za-z]+)? )?"
_HAS = r"(?:has |have |had )?"
_MADE = rf"(?:(?P<up>{_any('made_up')})|(?P<down>{_any('made_down')})|{_any('made_other')})"
_TO = rf"(?:up |down |back )?{_FROM}(?:to|at|past|above|below) {_ABOUT}"

# What stands between a noun phrase and its number.
_CHANGED = rf"{_HAS}{_ADVERBS}(?:(?P<up>{_any('up')})|(?P<down>{_any('down')})|{_any('other')}) {_ADVERBS}{_TO}"
_REACHED = rf"{_HAS}{_ADVERBS}(?P<reached>{_any('reached')}) {_ADVERBS}{_ABOUT}"
_STANDS = rf"{_any('standing')} {_ADVERBS}(?:(?P<up>up to)|(?P<down>down to)|at) {_ABOUT}"
_AVERAGES = rf"(?:averages|averaged|(?:is|are)(?: now)? averaging) {_ABOUT}"
_WAS_MADE = rf"(?P<done_to>was|were|is|are|got|(?:has|have|had) been) {_ADVERBS}{_MADE} {_TO}"
_IS = rf"(?P<is>is|are) (?P<now>{_ADVERBS}){_ABOUT}"
_HAVE = rf"(?P<early>(?:now|currently|already) )?(?:has|have) (?P<now>{_ADVERBS}){_ABOUT}"
_LINKS = tuple(
    re.compile(rf"(?:^| ){link}") for link in (_WAS_MADE, _CHANGED, _REACHED, _STANDS, _AVERAGES, _IS, _HAVE)
)
# Links that hold the noun phrase themselves.
_MADE_IT = re.compile(rf"\b(?P<who>[\w']+) {_HAS}{_ADVERBS}{_MADE} (?P<thing>(?:[\w'/-]+ ){{1,9}}?){_TO}")
_OF = re.compile(
    rf"\b(?P<thing>(?:(?P<own>the|our|my)|an?) (?:(?P<new>new|updated|current|increased|higher|lower|reduced) )?"
    rf"(?:[\w'/-]+ ){{0,3}}?{_any('dimensions')}) of {_ABOUT}"
)
_GIVEN = re.compile(r"\b(?:has|have|get|gets|got|gives?|gave|given) (?:me |us )?$")
_WITH = re.compile(
    rf"(?: |^){_HAS}(?:(?:was|were|been) )?{_any('milestone')}\b"
    rf"(?: (?:to|on|in|at|for|from|by) [\w'.@/ -]{{1,80}}?)? with (?:\d[\d,]* [a-z -]+ and )?{_ABOUT}"
)
# And what stands behind a number, as in "the 60 calls per minute and 1,000 calls per day limits for my key".
_LISTED = re.compile(r"\b(?:the|our|my) (?:new |current )?(?:[\d,.]+[\w /]*?,? and )?$")
_BOUND = re.compile(
    rf"^ ?(?:,? ?and [\d,.]+[\w /]*? )?(?:rate |usage )?{_any('bounds')}s?\b(?P<rest>(?: (?:of|for|on) .*)?)"
)
_LATER = re.compile(r"^,? (?:now\b|(?P<way>up|down) from |from \d)")
_UNREAL = re.compile(rf"\b{_any('unreal')}\b", re.I)
_NOT_OURS = re.compile(
    r"\bin (?:the|this|an) (?:example|tutorial|article|docs|documentation|book)\b|"
    r"^(?:(?:what|how) (?:if|about)|if|suppose|imagine)\b",
    re.I,
)
_MOMENT = re.compile(rf"\b{_any('moment')}\b", re.I)
NO_ACTOR = word_set(
    "to you please can could should would will must not never and or was were been be is are got he she"
)
_CLAUSE = re.compile(r"[,;:()]|\b(?:and|but|because|since|so|as)\b")


LONGEST = 2000
"""Characters of a sentence that are looked through."""
MOST = 12
"""Numbers of a sentence that are looked at: a sentence of more is a list."""


def with_figures(claims: Iterable[Claim], sentence: str, entry: Entry) -> Iterator[Claim]:
    """The claims of a sentence and its figures. Where both tell the same number, the figure stands for a claim of
    which no more is known than that it was said, and a faint one stands only so."""
    told = list(figures(open_up(sentence)))
    for claim in claims:
        again = [one for one in told if re.search(rf"(?<![\w.,]){re.escape(one.number)}(?!\d)", claim.text)]
        known = judge(replace(claim)) if again else None
        if again and not claim.asked and (known is None or _plain(claim, known.attribute)):
            told = [replace(one, faint=one.faint and known is None) if one in again else one for one in told]
            continue
        told = [one for one in told if one not in again]
        yield claim
    for one in told:
        if not one.faint:
            text = one.text[0].upper() + one.text[1:]
            yield Claim(text, text, "en", entry, subject=one.subject, figure=one, placed=True)


def _plain(claim: Claim, attribute: str) -> bool:
    """Whether no more is known of what a claim tells than that it was said."""
    if attribute in ("trait", "event", "tool", "family", "note", claim.subject.lower()):
        return True
    return attribute in ("schedule", "plan") and not re.search(r"\d ?(?:am|pm|:)|day\b", claim.text)


def figures(text: str) -> Iterator[Figure]:
    """The figures that a sentence tells; `text` is in the user's own person, with its contractions opened."""
    if not_ours(text):
        return
    for amount in islice(amounts(text[:LONGEST]), MOST):
        head, rest = text[: amount.start], text[amount.end :]
        clause = re.split(r"[,;:()]", head)[-1] + amount.value + re.split(r"[,;:()]", rest)[0]
        if not _MOMENT.search(clause) and (
            found := _linked(head, amount, rest) or _held(head, amount, rest) or _listed(head, amount, rest)
        ):
            yield found


def not_ours(text: str) -> bool:
    """Whether a sentence tells of an example, or of what might be."""
    return _NOT_OURS.search(text) is not None


def _linked(head: str, amount: Amount, rest: str) -> Figure | None:
    """A figure behind its verb: "... has reached 900 articles"."""
    link = next((found for pattern in _LINKS if (found := pattern.search(head))), None)
    if link is None or supposed(head[: link.start()]) or (thing := before(head[: link.start()])) is None:
        return None
    told = link.groupdict()
    later = _LATER.match(rest)
    way: Way = "up" if told.get("up") else "down" if told.get("down") else "" if "now" in told else "other"
    if later and later["way"]:
        way = "up" if later["way"] == "up" else "down"
    if "done_to" in told and amount.measured and not dimension(thing):
        return None
    anew = way != "" or later is not None or bool(told.get("now", "").strip() or told.get("early"))
    if thing in PRONOUNS:
        sure = thing == "we" or told.get("reached") == "reached" or (later is not None and later["way"] is not None)
        return _of_us(head[: link.start()], amount, rest, way, anew=anew) if sure else None
    return figure_of(thing, amount, way, anew=anew, plainly="is" in told and not anew)


def supposed(head: str) -> bool:
    """Whether the clause that a text ends with is only supposed."""
    return _UNREAL.search(_CLAUSE.split(head)[-1]) is not None


def _of_us(head: str, amount: Amount, rest: str, way: Way, *, anew: bool) -> Figure | None:
    """What the user has so many of: "we are at 42 open tickets on the board", "I have reached 65%"."""
    if not amount.measured:
        found = figure_of("", amount, way, anew=anew, place=after(rest, joined=True))
        return replace(found, faint=not anew) if found else None
    if thing := after(rest, joined=False):
        return figure_of(f"the {thing}", amount, way, anew=anew)
    # "I want 100% coverage of the module, and have reached 65%": of what that other figure is.
    for other in reversed(list(amounts(head))):
        if other.unit == amount.unit and (thing := after(head[other.end :].removeprefix(" of"), joined=False)):
            return figure_of(f"the {thing}", amount, way, anew=anew)
    return None


def _held(head: str, amount: Amount, rest: str) -> Figure | None:
    """A figure in whose link the noun phrase stands: "raised the quota to 2,000", "the new limit of 50"."""
    made = _MADE_IT.search(head)
    if made and made["who"].lower() not in NO_ACTOR and not supposed(head[: made.end("who")]):
        way: Way = "up" if made["up"] else "down" if made["down"] else "other"
        thing = before(made["thing"])
        if thing and amount.measured and not dimension(thing):
            return None
        return figure_of(thing, amount, way, anew=True) if thing and thing not in PRONOUNS else None
    if (of := _OF.search(head)) and (of["own"] or _GIVEN.search(head[: of.start()])):
        thing = re.sub(r"^an? ", "the ", of["thing"]).replace(f" {of['new']} ", " ", 1)
        owner = None if of["own"] else before(_GIVEN.sub("", head[: of.start()]))
        place = f"of {owner}" if owner and owner not in PRONOUNS else after(rest, joined=True)
        return figure_of(thing, amount, "other" if of["new"] else "", anew=bool(of["new"]), place=place)
    out = _WITH.search(head)
    if (
        out is None
        or amount.measured
        or supposed(head[: out.start()])
        or (thing := before(head[: out.start()])) is None
    ):
        return None
    done = head[out.start() :].strip() + f" {amount.value}" + re.split(r"[,.;:]", rest)[0]
    return figure_of("" if thing in PRONOUNS else re.sub(r"^an? ", "the ", thing), amount, done=done)


def _listed(head: str, amount: Amount, rest: str) -> Figure | None:
    """A figure before its noun: "the 1,000 calls per day limit of my key"."""
    bound = _BOUND.match(rest)
    if bound is None or not amount.per or not _LISTED.search(head):
        return None
    return figure_of("the limit", amount, place=after(bound["rest"], joined=True))
