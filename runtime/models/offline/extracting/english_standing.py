"""Standing wishes that English puts without a verb: "from now on kilometres, please", "type hints, always", "short
chunks with that and everything else"."""

from __future__ import annotations

import re

from ..person import third
from .claim import Claim, Entry
from .english_grammar import finite, subject_of

_OPENED = re.compile(r"^(?:(?:so|and|but|ok|okay|oh|also|please|pls|right|no(?=[,:])|ugh|yuck|eww?)[,:]? )+", re.I)
_WHY = re.compile(
    r",? (?:because|since|cos|as I|so that)\b.*$|[,;] (?:I|we|it|that|my|our|they|there)(?:'\w+)?\b.*$", re.I
)
_PLEASE = re.compile(r",? (?:please|pls|plz|thanks|ok|okay)(?=$|,)", re.I)
_HENCE = re.compile(
    r"^(?P<when>from (?:now|here|this point|today)(?: on| out| onwards?)+),? (?P<what>.+)$"
    r"|^(?P<what2>.+?),? (?P<when2>from"
    r" (?:now|here|this point) (?:on|out|onwards?))$",
    re.I,
)
_ALWAYS = re.compile(r"^(?P<what>.+?),? always(?P<even>, (?:even|also|in|for|with) .+)?$", re.I)
_EVERYWHERE = re.compile(
    r"^(?P<what>[^,]+?),? (?P<where>(?:(?:with|in|for) )?(?:(?:this|that) and )?(?:everything(?:"
    r" else)?|in general|everywhere|across the"
    r" board|by default|as a rule|whatever I ask))$",
    re.I,
)
_OURS = re.compile(r"^(?:here |for us |with us )?(?:it is|it's|ours are|ours is|ours) (?P<what>.+)$", re.I)
_FUTURE = re.compile(
    r"^(?P<what>.+?),? (?P<when>in (?:the )?future|going forward|by default|in general|as a rule|for"
    r" everything|every time)"
    r"(?P<more>,.*)?$",
    re.I,
)
_STOP = re.compile(
    r"^stop (?P<what>(?:calling me|asking (?:me )?(?:if|whether|how|about)|telling me|suggesting"
    r"|recommending|apologi[sz]ing|saying|ending every"
    r"|starting every|adding|explaining) ?.*)$",
    re.I,
)
_ALWAYS_SO = re.compile(r"^always (?P<what>[a-z]+er|(?:the |a |an |in |with |under |on )[\w ]+)$", re.I)
_NEVER = re.compile(r"^(?:please )?(?:don't|do not|never) ever (?P<what>[a-z]+ .+)$", re.I)
_OUT = re.compile(
    r"^(?:please |just )?(?P<verb>leave|keep) (?P<what>it|them|that|those|[a-z ]+?) out of"
    r" (?P<where>everything|all .+|anything|any .+)$",
    re.I,
)
_IMPERATIVE = re.compile(
    r"^(?:put|use|give|cc|copy|leave|keep|write|answer|make|don't|do not|never|always|stop|call|tell"
    r"|ask)\b",
    re.I,
)
_OF_THIS = re.compile(
    r"\b(?:this|the|our|a) (?:story|game|scene|chat|poem|role-?play|thread|conversation|novel)\b", re.I
)
_SMALL = re.compile(
    r"^(?:thanks?|yes|yeah|sure|good|great|nice|cheers|love|same|no(?=,|$)|you|it|that|this|they|he|she|i|we"
    r"|my|our|there"
    r"|what|how|why|when|where|who|is|are|was|can|could|would|do|does|if|not)\b",
    re.I,
)


def standing(text: str, before: str, entry: Entry) -> Claim | None:
    """The wish that a sentence without a verb of its own makes for all times; `before`: the sentence before."""
    plain = _PLEASE.sub("", _OPENED.sub("", text)).strip(" ,")
    if never := _NEVER.match(_WHY.sub("", plain)):
        return _wish(f"I want the assistant never to {never['what']}", entry)
    if out := _OUT.match(plain):
        what = out["what"]
        if re.fullmatch(r"it|them|that|those", what, re.I):
            what = subject_of(_OPENED.sub("", before)) if before and finite(before) else ""
        return (
            _wish(f"I want the assistant to {out['verb'].lower()} {what} out of {out['where']}", entry)
            if what
            else None
        )
    plain = _WHY.sub("", plain)
    if (stop := _STOP.match(plain)) and not re.search(r"\b(?:this|that|the) \w+$", plain):
        return _wish(f"I want the assistant to stop {stop['what'].strip()}", entry)
    if hence := _HENCE.match(plain):
        return _listed(hence["when"] or hence["when2"], hence["what"] or hence["what2"], entry)
    if always := _ALWAYS.match(plain):
        ours = _OURS.match(always["what"])
        return _listed("always", f"{ours['what'] if ours else always['what']}{always['even'] or ''}", entry)
    if so := _ALWAYS_SO.match(plain):
        return _listed("always", so["what"], entry)
    if future := _FUTURE.match(plain):
        return _listed(future["when"], f"{future['what']}{future['more'] or ''}", entry)
    if where := _EVERYWHERE.match(plain):
        return _listed(where["where"], where["what"], entry)
    return None


def _listed(when: str, what: str, entry: Entry) -> Claim | None:
    what = what.strip(" ,")
    if _OF_THIS.search(what):
        return None
    head = re.split(r" when(?:ever)? you |,", what)[0]
    if (
        _SMALL.match(what)
        or _IMPERATIVE.match(what)
        or len(what.split()) > 20
        or (finite(head) and not re.match(r"no ", head, re.I))
        or len(head) < 3
    ):
        return None
    what = re.sub(r"\byou (\w+)", lambda you: f"the assistant {third(you[1])}", what, flags=re.I)
    return _wish(f"I want, {when.lower()}: {what[0].lower()}{what[1:]}", entry)


def _wish(stated: str, entry: Entry) -> Claim:
    return Claim(stated, stated, "en", entry, wish=True)
