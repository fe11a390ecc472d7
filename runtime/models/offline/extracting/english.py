"""Reads English for what is worth keeping: each clause by itself, with whom it is of, and its pronouns resolved."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from ..acts import Forget, Small, Told
from ..english import English
from ..person import open_up
from ..phrasebook import phrasebook
from ..sentences import Sentence, sentences
from .claim import USER, Claim, Entry
from .english_asides import apart
from .english_clauses import Clause, clauses
from .english_context import in_context, places
from .english_due import with_due
from .english_figures import with_figures
from .english_fragments import introduced, labelled
from .english_grammar import KEEP, RELATION, bare, dated_fragment, finite, last_noun
from .english_phrases import NOTE, in_passing, meet_all, product, respelled, respelling, rewritten
from .english_standing import standing
from .english_subjects import ABOUT, of_whom, resolved
from .english_whole import whole
from .english_wishes import imperative, keep_that, wish, without_keep_that
from .passing import dated
from .scene import Scene

_TEMPORAL = re.compile(r"\b(?:as of [\w ]+|from now on|these days|nowadays|since then)\b", re.I)


_QUESTION_TAIL = re.compile(
    r"(?:^|[,;:—–-]|\band\b|\bso\b|\bbut\b)\s*(?:so |and |but |then )?(?:(?:what|which|who|whom|whose|when|where"
    r"|why|how|can|could|would|will|should|shall|do|does|did|is|are|was|were|am|have|has|any|may|might|got any|know"
    r" any|ideas|suggestions|tips|recommendations)\b|what's|who's|where's|how's|when's).*$",
    re.IGNORECASE,
)


_GIVEN = re.compile(
    r"\b(?:since|because|given that|considering(?: that)?|seeing as|now that|as|being that) "
    r"((?:I|we|my|our)\b[^,?]*)",
    re.IGNORECASE,
)


_HYPOTHETICAL = re.compile(
    r"^(?:(?:well|and|but|so|oh|honestly),? )?(?:if\b.*\b(?:would|could|might|were|won|had|"
    r"became)\b|I wish\b|if only\b|were I\b|had I\b)",
    re.I,
)


_AGREED = re.compile(
    r"^(?:so |ok |okay |then |fine,? )*(?:let us |let's |we )?(?:settle (?:it|this|that)|settled(?: it| this)?"
    r"|agreed?|made up our minds?|final (?:decision|answer)|deal)[^:]{0,20}: (?P<what>(?!I\b|we\b|what|how).+)$",
    re.I,
)
"""What is agreed without a verb: "Let's settle it: meetings in English"."""
_LETS = re.compile(
    r"^(?:so |then )?let us (?:all |just |please |also )?(?:use|go with|go for|switch|move to|"
    r"migrate|stick with|stick to|settle on|adopt|standardi[sz]e|call|name|meet|"
    r"schedule|set|drop|host|deploy|store|keep|agree|postpone) (?!it\b|this\b|that\b|these\b|"
    r"the (?:first|second|other)\b)",
    re.I,
)


_REQUESTS = phrasebook("en").words("chatter", "requests")
_MADE_UP = re.compile(r"\b(?:lol|haha+|jk|hehe)\b", re.I)


_BE_RIGHT = re.compile(
    r"^(?:(?:no|nope|sorry|wait|actually)[,.]? )?(?:that is|that's|that was|you are|you have|"
    r"you've got|you got) (?:wrong|mistaken|not (?:true|right|correct)|(?:it|that|me|this) "
    r"wrong|incorrect)",
    re.I,
)


_HAS_DONE = re.compile(
    r"\b(?P<who>he|she|it|who|(?-i:[A-Z])[a-z]+|(?:my|our) \w+)(?: is|'s) (?=(?:just |already |finally |recently "
    r"|now )*(?:opened|moved|started|quit|become|left(?!-)|got|taken|bought|sold|joined|passed|finished"
    r"|switched|changed"
    r"|turned|given|begun|gone back|decided|grown|won|lost (?:her|his|the)|had|stopped|run|founded|written|learned"
    r"|learnt|found|set up|signed|had)\b)",
    re.I,
)
"""What "is" cannot stand before, so that 's means "has": "she's opened a shop"."""
_IS_SO = re.compile(
    rf"\b([A-Za-z]+)'s (?=(?:{'|'.join(sorted(KEEP.words('keep', 'durable')))}|pregnant|dead|closed"
    rf"|cancelled|history|off|over"
    r"|gone|tired|sick|ill|busy|ready|late|asleep|broken|fine|great|so|too|very|not|really|no longer)(?:$|[,;.:]"
    r"| (?:and|but|so|since|now|again|with|to|in|at|about|of|on|for|these|this|\w+)\b))",
    re.I,
)
"""What tells that 's after a noun means "is": "our cat's diabetic"."""
_NEVER_WAS = re.compile(
    r"^(?:I|we|my .+?) (?:(?:have )?never|did not|didn't|do not|don't|have not|haven't|am not|"
    r"was not|wasn't|is not|isn't|does not|doesn't|are not|had not)\b",
    re.I,
)


_AT_PLACE = re.compile(
    r"^(?:at|in) (?P<place>(?-i:[A-Z])[\w&-]+(?: (?-i:[A-Z])[\w&-]+)?),? (?:all|every|each|no|everything|everybody"
    r"|everyone|nobody|people)\b.* (?:is|are|has|have|gets?|goes|go|must|writes?|works?|wears?|speaks?|uses?)\b",
    re.I,
)
"""How things are done at a place: "At Kiln all decisions are written down"."""


_ASIDE = re.compile(
    r",? (?:any )?(?:[\w-]+ ){0,2}(?:ideas|tips|advice|suggestions|recommendations|thoughts)$|"
    r"(?<=\w{3}), (?:so |and )?(?:how|what|which|where|why|who|can you|could you|should I|is "
    r"it|do I|does it)\b(?! (?:matters|counts|happened)\b).*$",
    re.I,
)
"""What is asked at the end of a sentence that tells something."""
_INSTEAD = re.compile(r",? (?:instead of|rather than|in place of) (?P<old>[\w .&+#'-]+)$", re.I)
_PREMISE = re.compile(
    r"^(?:you (?:noted|wrote|think|thought|say|said|remember|have)|your (?:notes?|memory) "
    r"(?:say|says)) (?:down )?(?:that )?(?P<what>(?:I|my|we|our)\b.+)$",
    re.I,
)
_NOT_SO = re.compile(
    r"^(?:but )?(?:I am not|I don't|I do not|that is not|it is not|that is wrong|not true|no "
    r"longer true|not so|I never)\b",
    re.I,
)


class EnglishReader:
    """Reads the entries of a dialogue in order."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.premise = ""
        """What the user says that the assistant believes."""
        self.ear = English()

    def hear_question(self, text: str) -> None:
        """Meets those whom the assistant's question speaks of: "What is your cat's name?"."""
        meet_all(re.sub(r"\byour\b", "my", text, flags=re.I), self.scene)

    def read(self, text: str, entry: Entry) -> Iterator[Claim]:
        """The claims of what the user said."""
        self.ear = English()
        self.scene.thing = ""
        denies = False
        heard = [sentence for sentence in sentences(text) if sentence.language == "en"]
        heard = _with_emphasis(heard)
        for number, (sentence, follows) in enumerate(zip(heard, [*heard[1:], None], strict=False)):
            if keep_that(sentence.text):
                continue
            denies = denies or _BE_RIGHT.match(sentence.text) is not None
            kept = follows is not None and keep_that(follows.text)
            read = self._asked(sentence, entry) if kept else self._parted(sentence, entry)
            read = with_due(read, sentence.text, entry, self.scene)
            for claim in with_figures(read, sentence.text, entry):
                claim.denied = claim.denied or (denies and _NEVER_WAS.match(claim.said) is not None)
                claim.corrects = claim.corrects or denies
                claim.sentence = number
                yield claim
            if not sentence.asks and (stated := self._whole(sentence, entry)):
                yield replace(stated, sentence=number)
            meet_all(sentence.text, self.scene)
            self.scene.before = sentence.text
            self.scene.place = (places(sentence.text) or [self.scene.place])[-1]
            self.scene.product = product(sentence.text) or self.scene.product
            self.scene.antecedent = last_noun(sentence.text) or self.scene.antecedent

    def _whole(self, sentence: Sentence, entry: Entry) -> Claim | None:
        """The sentence as it stands, for where its clauses tell nothing that is known."""
        opened = self.ear._opened(in_context(open_up(sentence.text), self.scene))[0]
        made_up = _HYPOTHETICAL.match(opened) or imperative(opened) or self.ear._inverted(opened)
        return None if made_up or not opened else whole(opened, entry)

    def _asked(self, sentence: Sentence, entry: Entry) -> Iterator[Claim]:
        """The claims of a sentence that is to be remembered, or all of it where it makes none."""
        found = list(self._parted(sentence, entry)) or [Claim(sentence.text, sentence.text, "en", entry)]
        for claim in found:
            claim.asked = True
            yield claim

    def _parted(self, sentence: Sentence, entry: Entry) -> Iterator[Claim]:
        """The claims of a sentence, and of what it tells by the way."""
        text = open_up(respelled(sentence.text))
        text, asked = without_keep_that(text)
        if asked:
            yield from self._asked(Sentence(text, False, "en", text), entry)
            return
        stated = introduced(self.ear._opened(text)[0]) or [label for label in [labelled(text)] if label]
        main, *aside = stated or apart(in_context(text, self.scene))
        yield from self._sentence(Sentence(main, sentence.asks and not stated, "en", main), entry)
        for one in aside:
            yield from self._sentence(Sentence(one, False, "en", one), entry)

    def _sentence(self, sentence: Sentence, entry: Entry) -> Iterator[Claim]:
        text = sentence.text
        if premise := _PREMISE.match(text):
            self.premise = premise["what"]
            return
        if self.premise and _NOT_SO.match(text):
            yield Claim(self.premise, self.premise, "en", entry, denied=True)
        self.premise = ""
        text = _ASIDE.sub("", text)
        text = re.sub(r"^its (?=my|our|a|the|not|not)\b", "it is ", text, flags=re.I)
        text = re.sub(r"(?<=\w)'s been\b| is been\b", " has been", text)
        text = _HAS_DONE.sub(r"\g<who> has ", text)
        text = re.sub(
            r"\b([A-Za-z]+)'s (?=(?:on|at|in|due(?! date)|from|now|off|every|moving|coming|leaving|starting|"
            r"getting) )",
            r"\1 is ",
            text,
        )
        text = re.sub(rf"^((?:my |our )?(?:{RELATION}))'s (?=[a-z]+ing\b)", r"\1 is ", text, flags=re.I)
        text = _IS_SO.sub(r"\1 is ", text)
        text = rewritten(text)
        yield from in_passing(text, entry, self.scene)
        if _HYPOTHETICAL.match(text):
            return
        if agreed := _AGREED.match(text):
            yield Claim(f"We agreed: {agreed['what']}", f"I agreed: {agreed['what']}", "en", entry, heading="decision")
            return
        if note := NOTE.match(text):
            yield from self._remembered(note["what"], entry)
            return
        asked = self.ear.book.fits(text, "intent", "remember")
        what = re.sub(
            r",? (?:would|will|could|can) you$|,? (?:ok|okay|please)$", "", (asked or {}).get("what", ""), flags=re.I
        )
        plainly = re.match(
            r"^(?:please |pls |can you |could you |will you |would you )*(?:remember|note|keep in "
            r"mind|don't forget|make a note)(?: that| this|:)",
            text,
            re.I,
        )
        if asked and what and (not sentence.asks or plainly) and not text.lower().startswith(("i ", "we ", "do you")):
            yield from self._remembered(what.strip(" ,:-"), entry)
            return
        text = re.sub(
            r",? (?:please |and )?(?:for your (?:files|notes|records|information|memory)|remind me (?:about|of)"
            r" (?:it|this|that)(?: if .*)?|remember(?: that| this)?|as"
            r" you know|as I (?:told|said)[\w ]*|btw|by the way|fyi|right|you know)$",
            "",
            text,
            flags=re.I,
        )
        opened, corrects, informs = self.ear._opened(text)
        if opened and (when := _TEMPORAL.search(text[: len(text) - len(opened)])):
            opened = f"{when[0]} {opened}"
        opened = re.sub(r"^(?:guess (?:who|what)|fyi|btw|so|as I (?:told|said)[\w ]*),? ", "", opened, flags=re.I)
        if not opened:
            self.ear.corrects = corrects
            return
        corrects = corrects or self.ear.corrects
        self.ear.corrects = False
        if sentence.asks and not informs:
            if not (wished := wish(text, entry) or wish(opened, entry)):
                yield from self._from_question(opened, entry, corrects)
                return
            yield wished
            return
        if wished := wish(text, entry) or wish(opened, entry) or standing(text, self.scene.before, entry):
            yield wished
            return
        if self.ear._inverted(opened) and not informs and not opened.lower().startswith("had "):
            return
        if imperative(opened):
            meet_all(text, self.scene)
            return
        if re.match(r"^(?:please|pls|can you|could you|would you)\b", text, re.I):
            return
        made_up = _MADE_UP.search(sentence.text) is not None
        if ask := re.search(r"(?:[,;:—]| -| and| so| but)\s*((?:please|pls)\b.+)$", opened, re.I):
            if wished := wish(ask[1], entry):
                yield wished
            opened = opened[: ask.start()]
        if as_a := re.match(
            r"^as (?P<what>an? (?!(?:rule|result|matter|whole|group|reminder|joke|test|treat|favou?r|start"
            r"|bonus)\b)(?:[\w-]+ ){0,3}?[\w-]+),? (?=(?:I|my|we)\b)",
            opened,
            re.I,
        ):
            yield from self._claims(Clause(f"I am {as_a['what']}"), entry, corrects)
            opened = opened[as_a.end() :]
        ours = False
        for clause in clauses(opened, self.scene):
            for claim in self._claims(clause, entry, corrects):
                claim.ours = ours
                claim.hedged = claim.hedged or _hedged(sentence.text)
                if not made_up or _surely(claim) or dated(claim, beyond_today=True) or _durable(claim):
                    yield claim
            ours = ours or re.match(r"(?:we|our|my|I (?:use|run|have|own))\b", clause.text, re.I) is not None
            meet_all(clause.text, self.scene)
            self.scene.antecedent = last_noun(clause.text) or self.scene.antecedent

    def _remembered(self, what: str, entry: Entry) -> Iterator[Claim]:
        what = re.sub(r"^(?:that|this|please|:|,|-|the fact that)[:,]? (?=\w)", "", what, flags=re.I)
        if re.match(r"^to \w+", what):
            yield Claim(f"I want to remember {what}", f"I want to remember {what}", "en", entry, asked=True)
            return
        found = [claim for clause in clauses(what, self.scene) for claim in self._claims(clause, entry, False)]
        if not found and len(what.split()) > 1:
            found = [Claim(what, what, "en", entry)]
        for claim in found:
            claim.asked = True
            yield claim

    def _from_question(self, text: str, entry: Entry, corrects: bool) -> Iterator[Claim]:
        """What a question tells by the way: "I am vegan, what can I bake?", "What fits, since I am vegan?"."""
        if as_a := re.match(
            r"^as (?P<what>an? (?!(?:rule|result|matter|whole|group|reminder|joke|test|treat|favou?r|start"
            r"|bonus)\b)(?:[\w-]+ ){0,3}?[\w-]+), ",
            text,
            re.I,
        ):
            yield from self._claims(Clause(f"I am {as_a['what']}"), entry, corrects)
            text = text[as_a.end() :]
        for given in _GIVEN.findall(text):
            yield from self._claims(Clause(given), entry, corrects)
        head = _GIVEN.sub(" ", text)
        if self.ear._inverted(head):
            # "Could you say when, I work nights": what follows the question's own clause.
            parts = [part for part in re.split(r"\s*[,;:—]\s*", head)[1:] if part]
        else:
            parts = [_QUESTION_TAIL.sub("", head).strip(" ,;:-")]
        for part in parts:
            if part and not self.ear._inverted(part):
                for clause in clauses(part, self.scene):
                    if finite(clause.text) or bare(clause.text):
                        yield from self._claims(clause, entry, corrects)

    def _clause_opened(self, text: str, corrects: bool) -> tuple[str, bool]:
        """A clause without what opens it, as "turns out" does, where a clause follows; and whether it corrects."""
        opened, fixes, _ = self.ear._opened(text)
        if len(text.split()) - len(opened.split()) > 1 and finite(opened):
            return opened, corrects or fixes
        return text, corrects

    def _claims(self, clause: Clause, entry: Entry, corrects: bool) -> Iterator[Claim]:
        if re.match(r"that (?-i:[A-Z])", clause.text):
            return  # what somebody says, thinks or swears
        text, corrects = self._clause_opened(clause.text.strip(" ,"), corrects)
        text = resolved(rewritten(text), clause.heading, self.scene)
        if not text:
            return
        if at := _AT_PLACE.match(text):
            yield Claim(text, text, "en", entry, subject=at["place"], heading="rule", rests_on=[entry.number])
            return
        if (asks := re.match(r"(?:don't|do not|never) (?:ever )?(\w+)", text, re.I)) and asks[1].lower() in _REQUESTS:
            return
        if bare(text):
            begins = text.split()[0].lower()
            verb = "I am" if begins in KEEP.words("subject", "am") or begins.endswith("ing") else "I"
            text = f"{verb} {text[0].lower()}{text[1:]}"
        elif dated_fragment(text):
            text = f"I am {text}"
        if spelled := respelling(text, f"{self.scene.asked} {self.scene.before}"):
            yield Claim(spelled, spelled, "en", entry, corrects=True, partial=True, rests_on=[entry.number])
            return
        correcting = corrects or re.search(r"\b(?:actually|sorry)$", text, re.I) is not None
        text = re.sub(r",? (?:actually|sorry)$", "", text, flags=re.I)
        self.ear.corrects = correcting
        acts = self.ear.hear(Sentence(text, False, "en", text), None)
        self.ear.corrects = False
        corrects = correcting
        told = next((act for act in acts if isinstance(act, Told)), None)
        if any(isinstance(act, Forget) for act in acts):
            return
        if re.match(r"^(?:so |then |ok |okay )?let us\b", text, re.I) and not _LETS.match(text):
            return
        if told is None and any(isinstance(act, Small) and act.kind != "confused" for act in acts):
            return
        worded = told is not None and told.attribute in ("decision", "plan") and _rewrites(told, text)
        plain = (
            told.text
            if told and (told.old or worded) and not (told.attribute.startswith("my ") and not told.old)
            else text
        )
        claim = Claim(
            plain, plain, "en", entry, consequence=clause.consequence, heading=clause.heading, rests_on=[entry.number]
        )
        if told and told.partial and (finite(told.text) or re.match(r"call me ", told.text, re.I)):
            # "Standup is at ten now, not nine" names the old value, and is whole all the same.
            told = replace(told, partial=False)
            claim.text = claim.said = told.text
        if told:
            claim.corrects = told.corrects or corrects
            claim.ended, claim.old, claim.partial = told.ended and _over_now(claim.said), told.old, told.partial
            if told.partial:
                claim.text = claim.said = told.text
        else:
            claim.corrects = corrects
        if not claim.partial and not claim.old and (given := _INSTEAD.search(claim.text)):
            claim.old, claim.corrects = given["old"], True
            claim.text = claim.said = claim.text[: given.start()]
        if not claim.partial:
            of_whom(claim, self.scene)
        about = ABOUT.match(clause.heading)
        if about and claim.subject == USER and about["topic"].lower() in text.lower():
            claim.subject = about["topic"]
        yield claim


def _with_emphasis(heard: list[Sentence]) -> list[Sentence]:
    """The sentences, where "Ever." and "Always." go with the one before."""
    found: list[Sentence] = []
    for sentence in heard:
        if found and re.fullmatch(
            r"(?:not )?(?:ever|always|never|in any answer|at all)(?: please)?", sentence.text, re.I
        ):
            found[-1] = replace(found[-1], text=f"{found[-1].text} {sentence.text.lower()}")
        else:
            found.append(sentence)
    return found


def _over_now(said: str) -> bool:
    """Whether what is over is what the clause tells, and not something that it mentions."""
    found = re.search(r"\bno longer\b", said, re.I)
    return found is None or len(said[: found.start()].split()) <= 4


def _rewrites(told: Told, text: str) -> bool:
    """Whether the phrasebook says it in other words: "Let's use Go" is "We decided to use Go"."""
    return told.text.split()[:2] != text.split()[:2]


def _hedged(text: str) -> bool:
    return KEEP.pattern("hedge", "words").search(text) is not None


def _durable(claim: Claim) -> bool:
    """Whether it names a state that one does not joke into being: "I'm lactose intolerant lol"."""
    return claim.subject == USER and not KEEP.words("keep", "durable").isdisjoint(claim.said.lower().split())


def _surely(claim: Claim) -> bool:
    return re.match(r"^(?:I|we) (?!am|are|was)", claim.said, re.I) is not None
