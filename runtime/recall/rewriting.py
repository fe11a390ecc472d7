"""Makes a question stand by itself: what it leaves to the messages before it is added, by plain code.

A search knows nothing of what was said before. "And before that?" goes on from the question before it, "her" is
somebody of whom was spoken, "it" what was spoken of. Words are added, not put in their places: a search does not mind.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..archive.lines import subject
from ..archive.stopwords import PARTICLES
from ..archive.terms import count_words, is_cjk, spoken
from .people import HE, SHE, names, people

LONGEST = 300
"""Characters of words that may lean on what was said before; whoever says more says what it is about."""
HEARD = 400
"""Characters of an earlier message that are looked at: its end, which is nearest."""
BACK = 6
"""Messages that are looked back on."""
MOST_WORDS = 8
"""Words that stand for "it"."""
DEEPEST = 3
"""Questions that go on from one another."""

_OPENS = re.compile(
    r"^\W*(?:and|but|or|so|what about|how about|what of|then|also|same for|"
    r"ok(?:ay)?,? and|那么?|那|还有|而|然后)(?:\b|(?<=[\u4e00-\u9fff]))",
    re.IGNORECASE,
)
_THING = re.compile(
    r"\b(?:it|its|it['’]s|that|this|those|these|that one|the (?:first|second|last|other|same)(?: one)?|"
    r"there)\b|它|那个|这个|那里|那儿|那边|这件事|那件事",
    re.IGNORECASE,
)
_SHE = re.compile(r"\b(?:she|her|hers|herself|she['’](?:s|d|ll))\b|她", re.IGNORECASE)
_HE = re.compile(r"\b(?:he|him|his|himself|he['’](?:s|d|ll))\b|(?<!其)他(?!们)", re.IGNORECASE)
_THEY = re.compile(r"\b(?:they|them|their|theirs|themselves|they['’](?:re|ve|d|ll))\b|[他她]们", re.IGNORECASE)
_OWN = re.compile(r"\b(?:hers|his|theirs|mine|yours|ours)\b|[她他我你]们?的?呢", re.IGNORECASE)
_SAYS_LITTLE = re.compile(
    r"\b(?:about|again|also|another|before|after|else|ever|exactly|first|happen(?:ed)?|last|mean|more|much|next|one|"
    r"other|previous|previously|really|same|since|tell|then|time|too|well|who|why|know|remember|say|said|guess)\b|"
    r"之前|以前|后来|为什么|什么时候|怎么样?|多少|哪[里儿个些]?|谁|还有|其他|另外|上次|下次|[那这之还再又呢吗么的了是我你他她它们]",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Said:
    """A message of the conversation: who said it, and the words."""

    role: str
    text: str


def rewritten(words: str, before: Sequence[Said], depth: int = DEEPEST) -> str:
    """`words` with what they lean on in the messages `before` them, oldest first; `words` if they lean on nothing."""
    if len(words) > LONGEST or not before or not depth:
        return words
    near = [Said(one.role, one.text[-HEARD:]) for one in before[-BACK:]]
    own = _subject(words)
    whom = _whom(words, near)
    named = bool(whom or names(words) or people(words))
    added = list(whom)
    goes_on = not own or (_OPENS.match(words) is not None and _size(own) <= 1) or _OWN.search(words) is not None
    question = _question(near, depth) if goes_on else ""
    if question and named:
        # "And Ana's?" asks the same of another.
        question = _without(question, [*names(question), *(who.split()[0] for who in people(question))])
    if not goes_on and not whom and _leans_on_thing(words):
        added += _things(near)
    if question:
        added.insert(0, question)
    said = set(spoken(words))
    news = [one for one in dict.fromkeys(added) if one and not set(spoken(one)) <= said]
    return "\n".join([*news[:1], words, *news[1:]]) if question else "\n".join([words, *news])


def _subject(words: str) -> list[str]:
    """What the words are about themselves, without what only points elsewhere."""
    found = subject(_SAYS_LITTLE.sub(" ", _THING.sub(" ", words)))
    return [word for word in found if not PARTICLES.issuperset(word)]


def _size(own: Sequence[str]) -> int:
    return sum(count_words(word) for word in own)


def _leans_on_thing(words: str) -> bool:
    return _THING.search(words) is not None and _size(_subject(words)) <= 2


def _whom(words: str, near: Sequence[Said]) -> list[str]:
    """The person or the people whom a pronoun means: of whom was spoken last."""
    if _SHE.search(words):
        unlike: frozenset[str] = HE
    elif _HE.search(words):
        unlike = SHE
    elif _THEY.search(words):
        unlike = frozenset()
    else:
        return []
    if people(words):
        return []  # "my sister and her job": it is said in the same breath
    # What the user says of people is surer than what the reply says.
    latest = sorted(near, key=lambda one: (one.role == "user", near.index(one)), reverse=True)
    found = (people(one.text, unlike) or names(one.text) for one in latest)
    return next((whom for whom in found if whom), [])


def _things(near: Sequence[Said]) -> list[str]:
    """What was spoken of last: the words of the user's newest message that say something."""
    for one in reversed(near):
        if one.role == "user" and (found := _subject(one.text)):
            joint = "" if is_cjk(found[0][:1]) else " "
            return [joint.join(found[:MOST_WORDS])]
    return []


def _question(near: Sequence[Said], depth: int) -> str:
    """The newest words of the user that stand by themselves, or are made to."""
    for place in range(len(near) - 1, -1, -1):
        one = near[place]
        if one.role == "user" and one.text.strip():
            full = rewritten(one.text, near[:place], depth - 1)
            if _subject(full):
                return full
    return ""


def _without(text: str, gone: Sequence[str]) -> str:
    for name in gone:
        text = re.sub(rf"\b{re.escape(name)}(?:['’]s)?(?!\w)", " ", text)
    return " ".join(text.split())
