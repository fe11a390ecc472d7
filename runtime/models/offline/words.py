"""What a text is about: its weighty words, the meanings that words.toml gives them, and the kinds of answer it holds."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from .data import load
from .stems import is_cjk, stem, tokens

_LONGEST = 4
"""Words in a phrase, or characters in a Chinese word, that are looked up as one."""

STOP = frozenset(
    """a an the i me my mine myself we us our ours ourselves you your yours he him his she her hers it its they them their
    user users be am is are was were been being do does did doing have has had having will would shall should can could may
    might must to of in on at by for with from into onto about as and or but nor so if then than that this these those there
    here not no yes also too very really just quite please what which who whom whose when where why how any some all both each
    don't doesn't didn't isn't aren't wasn't weren't can't couldn't won't wouldn't haven't hasn't hadn't i'm i've i'd i'll
    we're we've we'd we'll you're you've it's that's what's who's where's there's he's she's they're up out off over again
    once ever actually currently now nowadays today still already yet before previously formerly earlier originally anymore
    longer ago later always usually often never sometimes mostly basically well let get s t oh ok okay hey hi hello
    one's own per via tell know remember remind mention said told think guess sure exactly again recall""".split()
)
LIGHT = frozenset(
    stem(word)
    for word in """use have get go make take want need thing kind sort type one new good like keep give come put say call
    look find got lot bit time way day decide choose pick go-to main current previous first last next many much people use
    team company stuff set run work start""".split()
)
STOP_ZH = (
    "什么时候|为什么|怎么样|什么|哪里|哪儿|哪个|哪种|哪家|哪些|怎么|多少|是不是|有没有|能不能|会不会|现在|目前|以前|之前|原来|"
    "过去|曾经|告诉|记得|知道|我们|咱们|用户|你们|他们|她们|自己|这个|那个|一个|一只|一条|一种|一下|已经|还是|或者|但是|不过|"
    "而且|其实|就是|可以|的|了|吗|呢|吧|啊|呀|我|你|您|他|她|它|是|在|和|跟|与|也|都|就|很|把|被|给|对|谁|哪|几|么|请|过|着|"
    "得|地|个|这|那|最|不|没|会|能|要|到|之|其|于|从|有|还|再|又|才|只|为|以|及|上|下|里|中|们|说|所|而|但|因|将|"
    "位|次|天|用|想|家|年|来|去|时|后|前|大|小|多|叫|做"
).split("|")
_STOP_ZH = re.compile("|".join(sorted(map(re.escape, STOP_ZH), key=len, reverse=True)))

_DATE = re.compile(
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:january|february|march|april|may|june|july|august|september|"
    r"october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b|\b\d{1,4}[-/.]\d{1,2}|\b(?:19|20)\d\d\b|"
    r"\b\d{1,2}(?::\d\d)?\s?(?:am|pm|a\.m|p\.m|o'clock)|\b\d{1,2}:\d\d\b|\b(?:today|tomorrow|tonight|yesterday|noon|midnight|"
    r"morning|evening|afternoon|night|christmas|easter|spring|summer|autumn|winter|weekends?)\b|"
    r"\b(?:next|last|this|every) (?:week|month|year|day|quarter|night)|\b(?:days?|weeks?|months?|years?) ago|\b\d+(?:st|nd|rd|th)\b|"
    r"\bsince\b|[一二三四五六七八九十\d]+[年月日号点]|星期[一二三四五六日天]|周[一二三四五六日天末]|礼拜|明天|昨天|今天|后天|早上|晚上|下午|上午|"
    r"中午|去年|明年|今年|下个?月|上个?月|下周|上周|春节|春天|夏天|秋天|冬天|国庆|每[天周月年]|年底|年初",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"\b(?:in|at|to|from|near|on|under|behind|above|inside|outside|next to|around|between|by) (?:the |a |an |my |our |\S*[A-Z])|[在住到去来自从位于]|(?:市|省|区|县|国|里|上面|下面)",
)
_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fifteen|twenty|thirty|forty|fifty|"
    r"sixty|hundred|thousand|million|dozen|once|twice|twins|triplets|half|couple|no)\b|[一两二三四五六七八九十百千万半]",
    re.IGNORECASE,
)
_REASON = re.compile(r"\b(?:because|since|so that|in order to|due to|thanks to|as|for|so)\b|因为|由于|为了|所以|是因|方便", re.IGNORECASE)
_PROPER = re.compile(r"(?<=[a-z,'\u201c\"] )[\"'\u201c]?[A-Z][\w-]*|(?:叫|名叫|名字是|是)[\u4e00-\u9fff]|[\u4e00-\u9fff] ?[A-Z][a-z]+")
_SAYS_DATE = {"when", "what time", "what day", "which day", "how long", "what date", "which date", "which month", "what month"}


@dataclass(frozen=True, slots=True)
class Term:
    """One weighty word (or phrase) of a text."""

    stem: str
    weight: float
    names: frozenset[str]
    """The meanings that it names: `same` groups, and kinds."""
    member_of: frozenset[str]
    """The kinds that it is an example of."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What a text is about."""

    terms: tuple[Term, ...]
    types: frozenset[str]
    """The kinds of answer that it holds: date, place, number, reason, name."""
    stems: frozenset[str]
    raw: str
    """The text in lower case, in which Chinese words are looked for."""

    def kinds(self) -> frozenset[str]:
        """The kinds that its words are examples of."""
        return frozenset(kind for term in self.terms for kind in term.member_of)


class Lexicon:
    """The tables of words.toml, by stem."""

    def __init__(self) -> None:
        self.names: dict[str, set[str]] = {}
        self.members: dict[str, set[str]] = {}
        table = load("words.toml")
        for name, words in table["same"].items():
            self._add(self.names, words, name)
        for kind, entry in table["kinds"].items():
            self._add(self.names, entry["names"], "kind:" + kind)
            self._add(self.members, entry["members"], "kind:" + kind)

    def _add(self, table: dict[str, set[str]], words: str, name: str) -> None:
        for word in words.split(","):
            table.setdefault(key(word.strip()), set()).add(name)

    def term(self, word: str, weight: float) -> Term:
        return Term(word, weight, frozenset(self.names.get(word, ())), frozenset(self.members.get(word, ())))

    def knows(self, word: str) -> bool:
        return word in self.names or word in self.members


def key(word: str) -> str:
    """A word or phrase as the tables hold it."""
    return word if is_cjk(word) else " ".join(stem(part) for part in word.split())


@cache
def lexicon() -> Lexicon:
    """The tables, read once."""
    return Lexicon()


@cache
def terms(text: str) -> Terms:
    """What `text` is about."""
    words = tokens(text)
    found: list[Term] = []
    at = 0
    while at < len(words):
        word = words[at]
        if is_cjk(word):
            found.extend(_chinese(word))
            at += 1
            continue
        at += _english(words, at, found)
    unique = tuple({term.stem: term for term in found}.values())
    return Terms(unique, _types(text), frozenset(term.stem for term in unique), text.lower())


def _english(words: list[str], at: int, found: list[Term]) -> int:
    """Adds the phrase or word at `at`; returns how many words it took."""
    known = lexicon()
    for length in range(_LONGEST, 1, -1):
        run = words[at : at + length]
        if len(run) < length or any(is_cjk(word) for word in run):
            continue
        phrase = " ".join(stem(word) for word in run)
        if known.knows(phrase):
            found.append(known.term(phrase, 0.7 if any(stem(word) in LIGHT for word in run) else 1.0))
            # The parts count a little too, so that "green tea" still meets "tea".
            found.extend(known.term(stem(word), 0.3) for word in run if word.lower() not in STOP)
            return length
    word = words[at].lower()
    if word not in STOP or words[at] in ("R", "Go"):
        root = stem(word)
        found.append(known.term(root, 0.35 if root in LIGHT else 1.0))
        if "-" in word:
            found.extend(known.term(stem(part), 0.3) for part in word.split("-") if part and part not in STOP)
    return 1


def _chinese(run: str) -> list[Term]:
    """The known words of a run of Chinese characters, the longest first; what is left, in pairs of characters."""
    known = lexicon()
    found: list[Term] = []
    rest: list[str] = []
    at = 0
    while at < len(run):
        for length in range(min(_LONGEST + 2, len(run) - at), 0, -1):
            word = run[at : at + length]
            if known.knows(word):
                weight = 0.4 if {"use", "own"} & known.names.get(word, set()) else 1.0
                if length > 1 or word not in STOP_ZH:
                    found.append(known.term(word, weight if length > 1 else weight * 0.7))
                rest.append(" ")
                at += length
                break
        else:
            rest.append(run[at])
            at += 1
    for piece in _STOP_ZH.sub(" ", "".join(rest)).split():
        pairs = [piece[i : i + 2] for i in range(len(piece) - 1)] or [piece]
        found.extend(Term(pair, 0.6 / len(pairs) + 0.3, frozenset(), frozenset()) for pair in pairs)
    return found


def _types(text: str) -> frozenset[str]:
    checks = (("date", _DATE), ("place", _PLACE), ("number", _NUMBER), ("reason", _REASON), ("name", _PROPER))
    return frozenset(name for name, pattern in checks if pattern.search(text))


def closeness(asked: Term, there: Terms) -> float:
    """How well a text holds what a question's word asks for: 0 to 1."""
    if asked.stem in there.stems or (is_cjk(asked.stem) and asked.stem in there.raw):
        return 1.0
    best = 0.0
    for term in there.terms:
        if asked.names & term.member_of:
            best = max(best, 0.85)
        elif asked.names & term.names:
            best = max(best, 0.75)
        elif asked.member_of & term.names:
            best = max(best, 0.5)
        elif _same_root(asked.stem, term.stem):
            best = max(best, 0.85)
    return best


def _same_root(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return len(short) >= 4 and short.isascii() and long.startswith(short) and len(long) - len(short) <= 5
