"""Hears English: what each sentence does, by the templates of en.toml."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

from .acts import Act, Forget, Small, Told, add
from .ear import Ear
from .english_asking import ASKING, clause_after, inverted, question
from .english_clauses import OWN, VERBS, complete, declares
from .naming import named
from .person import open_up
from .phrasebook import Statement, phrasebook
from .sentences import LONGEST, Sentence
from .stems import stem
from .words import lexicon

_CLAUSE = re.compile(
    r"(?:\s*[,;]\s*(?:and |but |plus |so |also )*|\s+(?:and|but|plus)\s+)"
    r"(?=(?:now |also |then |currently |recently |still |actually |today |these days,? |nowadays |that )?"
    r"(?:I|[Mm]y|[Ww]e|[Oo]ur)\b)"
)
_LEANS = re.compile(r"\b(?:it|them|him|there|that one|one)$", re.IGNORECASE)
_MIND = re.compile(
    r"^(?:oh |well |actually |sorry )?(?:(?:I|we)(?: have)? changed (?:my|our) minds? (?:about|on)|"
    r"(?:I|we) (?:was|were) wrong about|a? ?(?:small )?correction (?:on|about|to|for)) "
    r"(?:the |my |our )?([^:,;]{2,40}?) ?[:,;–—-] ?(.+)$",
    re.IGNORECASE,
)
_SLIP = re.compile(
    r"^(.{6,}?)(?:,|\.\.\.| [-–—])? (?:sorry|no(?=,)|wait|oops|I mean|I meant|or rather|correction)"
    r"(?:,? (?:sorry|no|wait|I mean|I meant|make that))*,? ((?:[\w'-]+ ?){1,4})$",
    re.IGNORECASE,
)
_HOLDS_ON = re.compile(
    r"\b(?:because|since|so that|that|when|if|where|while|although|though|as|after|before|until|why)\b", re.IGNORECASE
)
_NAME_AND = re.compile(
    r"^I am ([A-Z][\w'-]+(?: [A-Z][\w'-]+)?)"
    r"(?:,? and (?=I\b)|, (?:and )?| (?=from\b)| and (?=live|work|am|have|like|love))(?!who|not)(.+)$"
)
_NOW = re.compile(
    r"(?:now|currently|nowadays|these days|today|by now|at the moment|from now on),? (?=(?:I|my|we|our)\b)",
    re.IGNORECASE,
)
_TAIL = re.compile(rf"(?:,| -)? (?:{'|'.join(phrasebook('en').words('openers', 'tails'))})$", re.IGNORECASE)
_NOT_OLD = re.compile(
    r"^(.{3,}?),? (?:(?:and |but )?not|instead of|rather than) (.{1,60}?)(?: (?:now|anymore|any more))?$", re.IGNORECASE
)
_ADVERBIAL = re.compile(
    r"^(?:(?:as of|since|from|starting|in|on|at|after|during|last|this|next|every|for|by|until|with|before)"
    r"(?: [\w'-]+){1,5}?|\w+ly),? (?=(?:i|my|we|our) )",
    re.IGNORECASE,
)


class English(Ear):
    """Reads a message in English."""

    language = "en"
    longest_small = 120
    marks = " ,:;.!-–—…"
    informing = "did you know"
    from_to = re.compile(r"\bfrom (.{1,40}?) (to .+)$", re.IGNORECASE)

    def hear(self, sentence: Sentence, before: Act | None) -> list[Act]:
        """What `sentence` does; `before` is what the one before it in the message did."""
        text = open_up(sentence.text)
        small = self._small(text)
        if small:
            return [small]
        about = _MIND.match(text)
        if about:
            # "I changed my mind about steak: medium" is about the steak.
            self.corrects = True
            new = re.sub(r"^(?:it|that|they|i) (?:is|are|want) ", "", about[2], flags=re.IGNORECASE)
            text = new if re.match(r"(?:I|my|we|our)\b", new, re.IGNORECASE) else f"The {about[1]} is {new}"
        greeted = text
        text, corrects, informs = self._opened(text)
        text = self._introduced(text) if text != greeted else text
        corrects, self.corrects = corrects or self.corrects, False
        if not text:
            self.corrects = corrects
            return [] if corrects else [Small("heard", "en")]
        small = self._small(text)
        if small and not corrects:
            return [small]
        asks = sentence.asks and not informs
        if asks and _TAIL.search(text):
            text, asks = _TAIL.sub("", text), inverted(_TAIL.sub("", text))
        told = self._asked_to_remember(text, corrects, asks)
        if told:
            return told
        forget = self._forget(text)
        if forget:
            return [forget]
        early = None if asks or inverted(text) else self._statement(text, early=True)
        if early:
            return [self._told(text, corrects, early)]
        asked = question(text, asks)
        if asked:
            return [asked]
        return self._tell(text, corrects, before)

    # ---- small talk and openers

    def _without_gaps(self, text: str) -> str:
        return re.sub(r"\s*,\s*", " ", text)

    def _introduced(self, text: str) -> str:
        """After a greeting, "im kate" is a name, though it is written small: a word that means nothing else."""
        words = text.split()
        if len(words) != 3 or words[:2] != ["I", "am"] or not words[2].isalpha() or len(words[2]) < 3:
            return text
        known = lexicon().knows(stem(words[2])) or words[2].endswith(
            ("ing", "ed", "an", "ish", "ese", "ful", "less", "ly")
        )
        common = words[2] in _listed("openers", "states")
        return text if known or common else f"My name is {words[2].capitalize()}"

    def _opener(self, text: str, which: str) -> int:
        best = 0
        for opener in _openers(which):
            found = opener.match(text, 0, 120)
            if found is None or found.end() <= best:
                continue
            words = found[0].lower().split()
            rest = text[found.end() :]
            if (
                not rest
                or rest[0] in self.marks.strip()
                or (len(words) > 1 and words[:2] not in (["i", "said"], ["i", "told"], ["i", "mentioned"]))
                or words[0] not in self._words("careful") | {"i"}
                or rest.split()[0].lower().rstrip(",.!:") in self._words("clause")
            ):
                best = found.end()
        return best

    def _words(self, name: str) -> frozenset[str]:
        return _listed("openers", name)

    # ---- remember, forget, ask

    def _asked_to_remember(self, text: str, corrects: bool, asks: bool) -> list[Act] | None:
        found = self.book.fits(text[:LONGEST], "intent", "remember")
        if found is None or not found.get("what"):
            return None
        what = found["what"].strip(" ,:-") + text[LONGEST:]
        first = what.split()[0].lower() if what.split() else ""
        if (first in ASKING and not clause_after(what)) or (asks and not complete(what)):
            return None
        if first == "to" and "remind" not in what:
            return [Told(f"I want to remember {what}", "en", keep="archive", tags=("plan",))]
        acts = self._tell(what, corrects, None, explicit=True)
        return acts or None

    def _forget(self, text: str) -> Forget | None:
        found = self.book.fits(open_up(text[:LONGEST], negations=True), "intent", "forget")
        if found is None:
            return None
        what = named(found["what"])
        for _ in range(3):
            for pattern in self.book.patterns("intent", "forget_tail"):
                what = re.sub(rf"[ ,]+{pattern.source()}$", "", what, flags=re.IGNORECASE)
        return self._to_forget(what)

    _inverted = staticmethod(inverted)

    # ---- statements

    def _tell(self, text: str, corrects: bool, before: Act | None, *, explicit: bool = False) -> list[Act]:
        text = _TAIL.sub("", text).strip(" ,")
        if not text:
            return [Small("heard", "en")]
        first = text.split()[0].lower().strip(",")
        if not explicit:
            if first in _listed("inline", "hypothetical") or any(
                text.lower().startswith(start + " ")
                for start in self.book.words("inline", "hypothetical")
                if " " in start
            ):
                return [Small("confused", "en")]
            if self.book.fits(text, "chatter", "says") is not None:
                return [Small("heard", "en")]
        named = _NAME_AND.match(text)
        if named and len(text) <= LONGEST:
            rest = (
                named[2]
                if re.match(r"(?:I|my)\b", named[2])
                else f"I {named[2]}"
                if re.match(r"(?:live|work|am|have|like|love)\b", named[2])
                else f"I am {named[2]}"
            )
            return [self._clause(f"My name is {named[1]}", corrects), *self._tell(rest, corrects, None)]
        text = self._slipped(text)
        acts: list[Act] = []
        for clause in self._clauses(text):
            act = self._one(clause, corrects, acts[-1] if acts else before, explicit)
            if act:
                add(acts, act)
        return acts

    def _clauses(self, text: str) -> list[str]:
        """The clauses of a sentence that stand on their own, each with its own subject."""
        if len(text) > LONGEST:
            return [text]
        parts: list[str] = []
        start = 0
        for gap in _CLAUSE.finditer(text):
            left, right = text[start : gap.start()], text[gap.end() :]
            if not complete(left) or not complete(right) or _HOLDS_ON.search(left) or _LEANS.search(right):
                continue
            over = self._inline("ended").search(left) or (self._inline("past").search(left) and not _NOW.match(right))
            # "My feet grew, I need a 40": without "and", what no template knows goes with what follows.
            loose = gap[0].strip() in (",", ";") and self._statement(left) is None
            if not over and not loose:
                parts.append(left)
                start = gap.end()
        return [*parts, text[start:]]

    def _slipped(self, text: str) -> str:
        """What was meant where the speaker slips: "Our son is Ilya, sorry, I mean Elias"."""
        slip = _SLIP.match(text) if len(text) <= LONGEST else None
        fit = self._statement(slip[1]) if slip else None
        value = fit[1].get("value", "") if fit else ""
        if not slip or not value or slip[2].lower().startswith(("i ", "my ", "we ")) or value not in slip[1]:
            return text
        return slip[1][: slip[1].rindex(value)] + slip[2]

    def _one(self, text: str, corrects: bool, before: Act | None, explicit: bool) -> Act | None:
        text = re.sub(
            r"^(?:that|and|but|so|also|plus) (?=(?:I|my|we|our|the|\w+ (?:is|are|has))\b)",
            "",
            text,
            flags=re.IGNORECASE,
        )
        now = _NOW.match(text)
        if now:
            text, corrects = text[now.end() :], True
        words = text.lower().split()
        first = words[0].strip(",'")
        fit = self._statement(text)
        partial = None if fit and fit[0].attribute == "name" else self._partial(text, corrects)
        if partial:
            return partial
        if first in _listed("chatter", "pronouns") and not explicit:
            if isinstance(before, Told):
                return replace(before, text=f"{before.text}. {text[0].upper()}{text[1:]}", whole="")
            if not set(words) & OWN - ({"me", "us"} if first in ("it", "that", "this") else set()):
                return Small("confused", "en")
        if first in _listed("chatter", "requests") and not explicit and not corrects and fit is None:
            return Small("confused", "en")
        if first in ("you", "your", "are") and not explicit and (fit is None or fit[0].attribute != "name"):
            return Small("heard", "en")
        if first in _listed("chatter", "bare"):
            verb = "I am" if first in _listed("chatter", "bare_adjectives") else "I"
            text = f"{verb} {text[0].lower()}{text[1:]}"
        elif not explicit and not declares(text):
            return Small("confused", "en")
        return self._clause(text, corrects)

    def _partial(self, text: str, corrects: bool) -> Told | None:
        """A correction that names only the new value."""
        if len(text) > 120:
            return None
        low = text.lower().split()
        own = low[0] in ("i", "my", "we", "our", "the") and not re.match(
            r"(?:i|we) (?:mean|meant|said)\b", text, re.IGNORECASE
        )
        if not own:
            found = self.book.fits(text, "ellipsis", "says")
            if (
                found
                and (corrects or "old" in found or low[0] in ("it", "make", "that", "change"))
                and not re.match(r"(?:I|my|we|our|the)\b", found["new"], re.I)
            ):
                if not corrects and "old" not in found and low[0] in ("it", "that") and "now" not in low:
                    return None
                return Told(found["new"], "en", corrects=True, old=found.get("old", ""), partial=True)
            does = any(word in VERBS or word.endswith(("n't", "n’t")) for word in low)
            if corrects and len(low) <= 4 and not does and low[0] not in _listed("chatter", "bare"):
                return Told(text, "en", corrects=True, partial=True)
        return None

    def _bare(self, text: str) -> str:
        opened = open_up(text, negations=True)
        # "As of Monday I am the head of QA" tells what "I am the head of QA" tells.
        return opened[led.end() :] if (led := _ADVERBIAL.match(opened)) else opened

    def _replaced(self, text: str) -> tuple[str, str] | None:
        found = _NOT_OLD.match(text)
        if (
            found is None
            or not re.match(r"(?:I|my|we|our|the|it)\b", text, re.IGNORECASE)
            or re.search(r"\b(?:am|is|are|do|does|was|can|have|did|will)$", found[1])
        ):
            return None
        return found[1], found[2]

    def _of_user(self, text: str) -> bool:
        return text.lower().startswith(("i ", "my "))

    def _attribute(self, attribute: str) -> str:
        return attribute.lower()

    def _rewrites(self, statement: Statement, ended: bool, text: str) -> bool:
        own = (statement.attribute == "name" and ended) or _SOMEBODY_MOVED.match(text)
        return super()._rewrites(statement, ended, text) and not own


_SOMEBODY_MOVED = re.compile(
    r"^(?:my|our) (?:[a-z]+ ){0,2}?(?:"
    + "|".join(sorted(set(phrasebook("en").table["macros"]["family"].strip("()").split("|"))))
    + r"|friend|boss|colleague|neighbour|neighbor|parents)\b.* moved to\b",
    re.IGNORECASE,
)
"""A person who moved is at a new place, and is not that place, as a meeting is at its new hour."""


@cache
def _openers(which: str) -> tuple[re.Pattern[str], ...]:
    return tuple(
        re.compile(pattern.source() + r"(?:(?=\s*[,:;.!–—…-])|\s+|$)", re.IGNORECASE)
        for pattern in phrasebook("en").patterns("openers", which)
    )


@cache
def _listed(*path: str) -> frozenset[str]:
    return frozenset(phrasebook("en").words(*path))
