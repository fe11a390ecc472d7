"""Enough of English grammar to part a sentence into clauses: where the verb is, and whose it is."""

from __future__ import annotations

import re

from ..phrasebook import phrasebook
from ..stems import IRREGULAR, tokens, word_set
from ..words import STOP, terms
from .keeping import keeping

KEEP = keeping("en")

RELATION = "|".join(sorted(map(re.escape, KEEP.relations), key=len, reverse=True))

NAME = r"(?-i:(?:[DLO]['’])?[A-Z][\w-]*[a-z]\w*(?: (?:(?:de|da|van|von|der|del|la) )*[A-Z][\w-]+){0,2})"

_AUXILIARY = word_set(
    "am is are was were has have had does do did will would can cannot could must should may might won't can't"
)

_PAST = KEEP.words("keep", "event")

_LASTING = KEEP.words("keep", "lasting")

PRONOUN = word_set("i we you he she it they that this there everyone everybody nobody someone who")

_NO_SUBJECT = word_set("""
to in at on for with from by of about into over under after before because since if when while until
as than like not never without near during what which who where how why please and or but so then
also""")

LEAD = re.compile(
    r"^(?:(?:in|on|at|for|since|as of|from|after|before|during|with|until|by|as) (?:[\w'’-]+ "
    r"){0,5}?[\w'’-]+|(?:now|today|yesterday|tomorrow|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|the rest(?: of)?|"
    r"last|next|this|these|every|each|most|two|three|four|five|\d+)(?: [\w'’-]+){0,3}?|\w+ly|tomorrow|yesterday),? "
    r"(?=(?:I|we|my|our|he|she|the (?:kids|children|dog|cat|baby|twins|wife|husband|boys|girls)|the team"
    r"|nobody|everyone|everybody|no one)\b)",
    re.IGNORECASE,
)

_ADVERBS = word_set("""
also still then now never always just somehow usually often even both once only already""")

_VERBS = word_set(
    "start begin finish turn come return keep stay share need require feed want turn love hate cook"
    " leave drive swim retire arrive"
)

_FINITE_WORDS = word_set("""
need require requires feeds needs starts ends begins gets goes lives works likes plays costs runs
used uses takes says means wants keeps closes opens expires moves teaches speaks studies""")

_PRESENT_LIKE = word_set("""
is are has men women people children kids feet mice teeth read put set cut let cost hit hurt quit run
come become left""")

_AFTER_VERB = word_set("""
a an the my our his her their to in at on for with from about of two three four five six seven eight nine ten up like as
every no all only not that me us him them it for""")

_BEFORE_NOUN = word_set("""
a an the my our his her their its this that these those no some any many few several two three four five six seven eight
nine ten one both all every each most more new old big small good best first last next other own same""")

_OFFICE = re.compile(
    r"^(?:the |a |an |now )?(?:new )?(?:head|lead|director|manager|chief|senior|junior|vp|"
    r"deputy|partner|captain|chair)\b.* (?:as of|since|from|starting)\b",
    re.I,
)


def leads(rest: str) -> bool:
    """Whether what follows a subject begins with its verb."""
    words = [word.strip(",.'").lower() for word in rest.split()]
    first = next((word for word in words if not word.endswith("ly") and word not in _ADVERBS), "")
    if first in _AUXILIARY or first.removesuffix("n't") in _AUXILIARY or first in _FINITE_WORDS or _inflected(first):
        return True
    if first in _LASTING or first in ("start", "begin", "finish", "arrive", "turn", "come", "leave"):
        return True
    return first.endswith("s") and not first.endswith("ss") and len(words) > 1


def placed(rest: str) -> bool:
    return re.match(r"(?:in|from|at|near|over in|across) ", rest) is not None and verb_place(rest) is not None


def _inflected(word: str) -> bool:
    return (
        word in _PAST
        or (word in IRREGULAR and word not in ("people", "children", "kids", "feet", "men", "women"))
        or (word.endswith("ed") and len(word) > 4)
        or (word.endswith("s") and (word.removesuffix("s") in _LASTING or word.removesuffix("es") in _LASTING))
        or (word.endswith("ies") and f"{word[:-3]}y" in _LASTING)
        or (word.endswith("s") and len(word) > 4 and word[:-1] in _VERBS)
    )


def agreeing(rest: str) -> str:
    """A predicate as it goes with "she" in place of "they"."""
    words = rest.split(" ", 1)
    plain = {"are": "is", "have": "has", "do": "does"}.get(words[0].lower(), words[0])
    return " ".join([plain, *words[1:]])


def verb_place(clause: str) -> int | None:
    """Which word of a clause is its verb; None where it has none."""
    words = [word.strip(",.'\"").lower() for word in clause.split()]
    for at, word in enumerate(words[:8]):
        if clause.split()[at] == "May":
            continue
        if at and (word in _AUXILIARY or word.removesuffix("n't") in _AUXILIARY or word in _FINITE_WORDS):
            return at
    if (named := _named_subject(clause, words)) is not None:
        return named
    for at, word in enumerate(words[:6]):
        if (
            at
            and not words[at - 1].endswith("'s")
            and (
                word in _PAST
                or (word in IRREGULAR and word.endswith(("ed", "t", "k", "w", "ne", "me", "ld")))
                or (word.endswith("ed") and len(word) > 4)
                or (word.endswith("s") and word.removesuffix("s") in _LASTING)
                or (word.endswith("es") and word.removesuffix("es") in _LASTING)
                or (word in _LASTING and words[at - 1].endswith("s") and at > 1 and words[at - 2].endswith("'s"))
            )
        ):
            return at
    return None


_NO_NAME = frozenset(
    (
        *phrasebook("en").words("chatter", "requests"),
        *["name", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"],
    )
)
_NAMED_SUBJECT = re.compile(rf"^(?:(?:Dr|Mr|Mrs|Ms|Aunt|Uncle) )?{NAME}(?= [a-z])")


def _named_subject(clause: str, words: list[str]) -> int | None:
    """Where the verb is that follows a name: "Leo turns seven"."""
    name = _NAMED_SUBJECT.match(clause)
    at = len(name[0].split()) if name else 0
    if not at or at >= len(words) - 1 or words[0] in STOP | _NO_SUBJECT | _NO_NAME:
        return None
    word = words[at]
    third = word.endswith("s") and not word.endswith(("ss", "us", "'s")) and len(word) > 3
    follows = words[at + 1] in _AFTER_VERB or words[at + 1].isdigit() or words[at + 1].endswith("ing")
    return at if third and follows else None


def guessed_verb(clause: str) -> int | None:
    """Where the verb of "the office network blocks SSH" may be."""
    words = [word.strip(",.'\"").lower() for word in clause.split()]
    for at in range(1, min(len(words) - 1, 7)):
        # "Mum's carer comes on Mondays": what ends like a verb, and goes on like one.
        if (
            words[at].endswith("s")
            and len(words[at]) > 3
            and not words[at].endswith(("ss", "us", "is", "'s"))
            and words[at + 1] in _AFTER_VERB - {"s"}
            and not words[at - 1].endswith("s")
            and words[at - 1] not in _NO_SUBJECT | _BEFORE_NOUN
            and (at > 1 or (clause[:1].isupper() and words[0] not in _NO_NAME and not terms(words[0]).kinds()))
        ):
            return at
        if (
            words[at] in _LASTING | _VERBS
            and words[at - 1].endswith("s")
            and not words[at - 1].endswith(("ss", "'s", "is", "us"))
            and (words[at + 1] in _AFTER_VERB or (at == 2 and words[0] in ("my", "our")))
        ):
            return at
    if words and words[0] in ("my", "our", "the") and len(words) > 3:
        for at in range(2, min(len(words) - 1, 6)):
            if (
                words[at].endswith("s")
                and not words[at].endswith("ss")
                and not words[at - 1].endswith("s")
                and words[at - 1] not in _NO_SUBJECT
            ):
                return at
    return None


def finite(clause: str) -> bool:
    """Whether a clause has a subject and a verb of its own."""
    words = [word.strip(",.'\"").lower() for word in clause.split()]
    while len(words) > 2 and (words[0] in _ADVERBS or (words[0].endswith("ly") and len(words[0]) > 4)):
        words, clause = words[1:], clause.split(" ", 1)[1]
    if words[:1] in (["at"], ["in"]) and re.match(
        r"\w+ (?-i:[A-Z])[\w&-]+(?: (?-i:[A-Z])[\w&-]+)?,? (?:all|every|each|no|people)\b", clause
    ):
        return True
    if len(words) < 2 or (words[0] in _NO_SUBJECT and not LEAD.match(clause)):
        return False
    if LEAD.match(clause):
        return True
    if words[0].split("'")[0] in PRONOUN or words[0] in ("everything", "nothing", "everything's", "nothing's"):
        return True
    if bare(clause) or words[0] in _AUXILIARY:
        return False
    return verb_place(clause) is not None or guessed_verb(clause) is not None


def verbal(clause: str) -> bool:
    """Whether a clause begins with its verb, so that it takes the subject of the one before it."""
    words = [word.strip(",.'\"").lower() for word in clause.split()]
    first = next(
        (
            word
            for word in words
            if not (
                word.endswith("ly")
                or word
                in (
                    "also",
                    "still",
                    "then",
                    "now",
                    "never",
                    "always",
                    "just",
                    "somehow",
                    "usually",
                    "often",
                    "somehow",
                    "even",
                    "both",
                    "once",
                )
            )
        ),
        "",
    )
    return (
        first in _AUXILIARY
        or first.removesuffix("n't") in _AUXILIARY
        or first in _PAST
        or (first in IRREGULAR and first not in ("people", "children", "kids", "feet", "men"))
        or first in _LASTING
        or first.removesuffix("s") in _LASTING
        or first.removesuffix("es") in _LASTING
        or first in ("allergic", "vegetarian", "vegan", "married", "single", "can't", "cannot")
    ) and len(words) > 1


def subject_of(clause: str) -> str:
    lead = LEAD.match(clause)
    plain = clause[lead.end() :] if lead else clause
    at = verb_place(plain)
    subject = " ".join(plain.split()[: at or 1]) if at else plain.split()[0]
    while (
        subject.split()[-1].lower() in ("also", "still", "never", "always", "just", "only", "really")
        and len(subject.split()) > 1
    ):
        subject = " ".join(subject.split()[:-1])
    first = plain.split()[0].lower()
    return plain.split()[0] if first in ("i", "we", "they", "he", "she") else subject


def bare(text: str) -> bool:
    """Whether a clause begins with its verb and means the user: "moved to Bath", "living in Malmö"."""
    words = text.split()
    if len(words) == 2 and words[1].lower() in ("day", "time", "season", "week"):
        return False
    if len(words) > 1 and re.match(_bare_pattern(), text, re.IGNORECASE):
        return True
    first = words[0].strip(",.'").lower() if len(words) > 1 else ""
    if first in KEEP.words("subject", "no_verbs"):
        return False
    if first.endswith("ing") and re.search(r" (?:is|are|was|were|takes|makes|helps|costs|keeps) ", text.split(",")[0]):
        return False  # "climbing with Ulf is on Mondays"
    past = first in IRREGULAR and first not in _PRESENT_LIKE
    if first in ("cut", "hurt", "hit", "put", "split") and words[1].lower() == "my":
        return True
    return (
        (first.endswith("ing") and len(first) > 4)
        or (first in _PAST)
        or past
        or (first.endswith("ed") and len(first) > 4)
    )


def _bare_pattern() -> str:
    return rf"^{KEEP.table['subject']['bare'][0]}"


def dated_fragment(text: str) -> bool:
    """ "Head of analytics as of June" tells what "I am head of analytics as of June" tells."""
    return _OFFICE.match(text) is not None


def last_noun(text: str) -> str:
    if unwanted := re.match(r"^no (?P<what>[a-z][\w-]+(?: [a-z][\w-]+)?) (?:in|for|with|on)\b", text, re.I):
        return unwanted["what"]
    words = [
        word
        for word in tokens(re.sub(r"\b(?:please|pls|anyway|too|though|lol|now)\b", "", text, flags=re.I))
        if word.lower() not in STOP and not word[0].isdigit() and not terms(word).kinds() & {"month", "weekday"}
    ]
    return words[-1] if words else ""
