"""Who is speaking: what a user says as "I" is noted as "The user", and told back as "you"."""

from __future__ import annotations

import re

from .data import load
from .stems import IRREGULAR, is_cjk, word_set

_GRAMMAR = load("en.toml")["grammar"]
_MODAL = word_set(_GRAMMAR["modals"])
_ADVERB = word_set(_GRAMMAR["adverbs"])
_NO_ADVERB = word_set(_GRAMMAR["no_adverbs"])
_PRESENT = word_set(_GRAMMAR["present"])
_SHARED = word_set(_GRAMMAR["shared"])
_CONTRACTED: dict[str, str] = _GRAMMAR["contracted"]
_NEGATED: dict[str, str] = _GRAMMAR["negated"]
_SURELY_THIRD = word_set("is was has does isn't wasn't hasn't doesn't") | _MODAL
_WORD = re.compile(r"[A-Za-z]+(?:['’][A-Za-z]+)?")
_HAD = re.compile(r"\bI would (?=(?:been|never|always|already|gone|had|better)\b)")
_IS = re.compile(
    r"\b((?:my|our|the|his|her) (?:\w+ ){0,3}?\w+)'s "
    r"(?=(?:gone|over|off|dead|called|named|a|an|the|not|on|in|at|from|due|now|allergic|\d)\b)",
    re.IGNORECASE,
)
_POSSESSED = "user's"


def open_up(text: str, *, negations: bool = False) -> str:
    """`text` with its contractions opened: I'm becomes I am; with `negations` also don't, do not."""

    def opened(match: re.Match[str]) -> str:
        word = match[0].replace("’", "'").lower()
        plain = _CONTRACTED.get(word) or (_NEGATED.get(word) if negations else None)
        if plain is None:
            return match[0]
        return plain[0].upper() + plain[1:] if match[0][0].isupper() else plain

    return _HAD.sub("I had ", _IS.sub(r"\1 is ", _WORD.sub(opened, text)))


def to_third(text: str) -> str:
    """What is noted: "I live in Oslo with my dog" is "The user lives in Oslo with the user's dog"."""
    if is_cjk(text):
        return re.sub(r"(?:本人|俺)|我(?!们|家)", "用户", text).replace("我家", "用户家")
    words = _split(text)
    out: list[str] = []
    subject = False
    at = 0
    while at < len(words):
        word, low = words[at], words[at].lower()
        if low == "i":
            out.append("the user")
            verb = _verb_at(words, at + 1)
            if verb < len(words):
                out.extend(words[at + 1 : verb])
                out.append(third(words[verb]))
                at = verb
                subject = True
        elif low == "and" and subject and at + 2 < len(words) and words[at + 2].lower() in _SHARED:
            out.extend([word, words[at + 1], third(words[at + 2])])
            at += 2
        else:
            swap = {"my": "the user's", "me": "the user", "mine": "the user's", "myself": "themselves"}
            clock = at > 0 and words[at - 1].rstrip()[-1:].isdigit()
            out.append("is" if low == "am" and not clock else swap.get(low, word))
        at += 1
    return _capital("".join(out))


_ASKED = {"The user asked: ": "You asked: ", "用户要求：": "你要求："}
"""What opens what the user asked of the assistant, whose words are theirs: "always answer me briefly"."""


def to_second(text: str) -> str:
    """What is told: "The user lives in Oslo" is "You live in Oslo"; "we" is "you" too."""
    for asked, told in _ASKED.items():
        if text.startswith(asked):
            return told + to_first(text.removeprefix(asked))
    if is_cjk(text):
        return re.sub(r"我们|咱们", "你们", text).replace("用户", "你").replace("我", "你")
    return _from_third(text, ("you", "your", "are", "were"), plural=True)


def to_first(text: str) -> str:
    """The inverse of `to_third`, as far as it matters to the templates."""
    if is_cjk(text):
        return text.replace("用户", "我")
    return _from_third(text, ("I", "my", "am", "was"), plural=False)


def _from_third(text: str, forms: tuple[str, str, str, str], *, plural: bool) -> str:
    subject, possessive, present, past = forms
    words = _split(re.sub(r"\bthe (?=users?\b)", "", text, flags=re.IGNORECASE))
    out: list[str] = []
    at = 0
    seen = False
    while at < len(words):
        word, low = words[at], words[at].lower().replace("’", "'")
        if low == "user":
            verb = _verb_at(words, at + 1)
            starts = _is_subject(words, at) or (verb < len(words) and words[verb].lower() in _SURELY_THIRD)
            out.append(subject if starts else {"I": "me"}.get(subject, subject))
            if starts and verb < len(words):
                out.extend(words[at + 1 : verb])
                out.append(_base(words[verb], present, past))
                at = verb
                seen = True
        elif low == _POSSESSED:
            out.append(possessive)
        elif low == "and" and seen and at + 2 < len(words) and _base(words[at + 2], "", "").lower() in _SHARED:
            out.extend([word, words[at + 1], _base(words[at + 2], present, past)])
            at += 2
        elif plural and low in ("we", "us", "our", "ours", "i", "my", "me", "mine", "themselves", "ourselves"):
            swap = {
                "our": "your",
                "my": "your",
                "ours": "yours",
                "mine": "yours",
                "themselves": "yourself",
                "ourselves": "yourselves",
            }
            out.append(swap.get(low, "you"))
            if low == "i" and at + 2 < len(words) and words[at + 2].lower() in ("am", "was"):
                out.extend([words[at + 1], {"am": "are", "was": "were"}[words[at + 2].lower()]])
                at += 2
        else:
            out.append(word)
        at += 1
    return _capital("".join(out))


def _split(text: str) -> list[str]:
    """Words and what stands between them, alternately."""
    return re.findall(r"[A-Za-z]+(?:['’][A-Za-z]+)?|[^A-Za-z]+", text)


def _verb_at(words: list[str], at: int) -> int:
    """The place of the verb after a subject; the list's length if there is none before the clause ends."""
    while at < len(words):
        word = words[at]
        if not word[0].isalpha():
            if word.strip():
                return len(words)
        elif not _adverb(word) and not (word.lower() == "no" and words[at + 2 : at + 3] == ["longer"]):
            return at
        at += 1
    return at


def _adverb(word: str) -> bool:
    low = word.lower()
    return low in _ADVERB or (low.endswith("ly") and len(low) > 4 and low not in _NO_ADVERB)


def _is_subject(words: list[str], at: int) -> bool:
    """Whether the user at `at` is what a verb goes with: nothing before it, or a word that starts a clause."""
    before = next((word for word in reversed(words[:at]) if word[0].isalpha()), "")
    gap = words[at - 1] if at else ""
    return not before or bool(set(gap) & set(".,;:!?(")) or before.lower() in {
        "and", "but", "because", "since", "when", "while", "that", "if", "where", "so", "as", "what", "before", "after",
        "until", "though", "although", "or", "which", "who", "whenever", "once", "now", "than", "is",
    }  # fmt: skip


def third(verb: str) -> str:
    """The form of a verb in the third person: "I live", "she lives"."""
    low = verb.lower().replace("’", "'")
    fixed = {
        "am": "is",
        "have": "has",
        "do": "does",
        "don't": "doesn't",
        "haven't": "hasn't",
        "was": "was",
        "were": "was",
        "go": "goes",
    }
    if low in fixed:
        return fixed[low]
    if low in _MODAL or (low in IRREGULAR and low not in _PRESENT) or (low.endswith("ed") and low not in _PRESENT):
        return verb
    if low.endswith(("ss", "sh", "ch", "x", "zz", "o")):
        return verb + "es"
    if low.endswith("y") and low[-2:-1] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + "s"


def _base(verb: str, present: str, past: str) -> str:
    low = verb.lower().replace("’", "'")
    fixed = {
        "is": present,
        "isn't": f"{present} not",
        "was": past,
        "has": "have",
        "does": "do",
        "doesn't": "don't",
        "hasn't": "haven't",
        "goes": "go",
    }
    if low in fixed:
        return fixed[low]
    if not low.endswith("s") or low.endswith("ss") or low in _MODAL:
        return verb
    if low.endswith("ies") and len(low) > 4:
        return verb[:-3] + "y"
    if low.endswith(("sses", "shes", "ches", "xes", "zzes", "oes")):
        return verb[:-2]
    return verb[:-1]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
