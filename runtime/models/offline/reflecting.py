"""Reflects on episodes and facts by rule: what recurs three times is an insight, what is wished three times a rule."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ..base import ModelRequest
from .data import load
from .marks import content
from .person import third
from .stems import IRREGULAR, is_cjk, stem, tokens, word_set
from .words import STOP, terms

FEWEST = 3
"""Memories that must show the same before anything is said of it."""
MOST = 5
_DATED = re.compile(
    r"\(?\b(?:on |in |around |at )?(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day,? )?\d{4}(?:-\d\d){1,2}\b\)?|"
    r"\d{4}年(?:\d{1,2}月)?(?:\d{1,2}日)?(?:（周.）|左右)?|\b(?:yesterday|today|again)\b|今天|昨天|又",
    re.IGNORECASE,
)
_WISH = re.compile(
    r"^The user (?:wants|wanted|asked|prefers|asks) (?P<what>.+?)\.?$|^用户(?:希望|要求|想要|让)(?P<zh>.+?)。?$"
)
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+\b")
_MONTHS_AND_DAYS = word_set(
    "January February March April May June July August September October November December "
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday"
)
_IDLE = frozenset(
    stem(verb)
    for verb in ("be", "is", "was", "have", "get", "make", "take", "want", "need", "use", "go", "do", "wants")
)
"""Verbs that say little of what is done."""
_PLAIN = re.compile(r"^The user (?:\w+ly |also |often |usually )?(?P<verb>[a-z]+)\b ?(?P<rest>.*?)\.?$")


@dataclass(frozen=True, slots=True)
class Item:
    """An episode or a fact."""

    id: str
    text: str
    episode: bool


def reflect(request: ModelRequest) -> str:
    """Insights and rules, as the JSON that prompts/reflect.md asks for. What cannot be read shows nothing."""
    texts = [content(message) for message in request.messages if message["role"] == "user"]
    try:
        given = json.loads(texts[-1]) if texts else {}
    except json.JSONDecodeError:
        given = {}
    items = list(_items(given)) if isinstance(given, dict) else []
    wishes = [item for item in items if _WISH.match(item.text)]
    rules = list(_rules(wishes))
    insights = list(_insights([item for item in items if item not in wishes]))
    return json.dumps({"insights": insights[:MOST], "rules": rules[:MOST]}, ensure_ascii=False)


def _items(given: dict[str, Any]) -> Iterator[Item]:
    for kind in ("episodes", "facts"):
        listed = given.get(kind)
        for one in listed if isinstance(listed, list) else ():
            if isinstance(one, dict) and one.get("id") and one.get("text"):
                plain = re.sub(r"\s+", " ", _DATED.sub(" ", str(one["text"]))).replace(" .", ".").replace(" ,", ",")
                yield Item(str(one["id"]), plain.strip(), kind == "episodes")


def _found(text: str, items: Iterable[Item]) -> dict[str, Any]:
    """A finding: the surer, the more memories show it."""
    evidence = list(dict.fromkeys(item.id for item in items))
    return {"text": text, "evidence": evidence, "confidence": min(0.9, 0.4 + 0.1 * len(evidence))}


# ---- insights


def _insights(items: list[Item]) -> Iterator[dict[str, Any]]:
    """What recurs: first what is done, then with whom, then what it is about; each memory speaks for one of them."""
    used: set[str] = set()
    for language in ("en", "zh"):
        mine = [item for item in items if is_cjk(item.text) == (language == "zh")]
        finders = (_deeds, _company, _topics) if language == "en" else (_deeds_zh,)
        for finder in finders:
            for text, group in finder([item for item in mine if item.id not in used]):
                group = [item for item in group if item.id not in used]
                if len(group) >= FEWEST and any(item.episode for item in group):
                    used |= {item.id for item in group}
                    yield _found(text, group)


def _deeds(items: list[Item]) -> Iterator[tuple[str, list[Item]]]:
    """ "The user ran before work", three times: the user often runs before work."""
    groups: dict[str, list[Item]] = {}
    for item in items:
        if (verb := _verb(item.text)) and stem(verb) not in _IDLE:
            groups.setdefault(stem(verb), []).append(item)
    for group in sorted(groups.values(), key=len, reverse=True):
        if len(group) >= FEWEST:
            verb = _verb(group[0].text)
            yield f"The user often {third(IRREGULAR.get(verb, _present(verb)))}{_shared(group)}.", group


def _verb(text: str) -> str:
    """What a sentence says that the user did: `run` of "went running" and of "ran"."""
    found = _PLAIN.match(text)
    if not found:
        return ""
    gone = re.match(r"(?:for a |on a )?(\w+ing)\b", found["rest"])
    if found["verb"] in ("went", "goes", "go") and gone:
        return _present(gone[1])
    return str(found["verb"])


def _present(verb: str) -> str:
    if verb.endswith("ing") and len(verb) > 5:
        verb = verb[:-3]
        return verb[:-1] if verb[-1] == verb[-2] and verb[-1] not in "aeiousl" else verb
    if verb.endswith("ied"):
        return verb[:-3] + "y"
    if verb.endswith("ed") and len(verb) > 4:
        bare = verb[:-2]
        return (
            bare[:-1]
            if bare[-1] == bare[-2] and bare[-1] not in "aeiousl"
            else bare + ("e" if bare[-1] in "vcgsz" else "")
        )
    if verb.endswith("s") and not verb.endswith("ss"):
        return verb[:-1]
    return verb


def _shared(group: list[Item]) -> str:
    """The longest run of words that at least three sentences have after their verb."""
    runs: Counter[str] = Counter()
    for item in group:
        found = _PLAIN.match(item.text)
        words = found["rest"].split() if found else []
        runs.update(
            {" ".join(words[at : at + size]).strip(",") for size in range(1, 6) for at in range(len(words) - size + 1)}
        )
    best = max(
        (run for run, times in runs.items() if times >= FEWEST and _whole(run)),
        key=lambda run: len(run.split()),
        default="",
    )
    return f" {best}" if best else ""


def _whole(run: str) -> bool:
    """Whether a run of words may stand by itself: it does not end in a word that wants another."""
    words = run.lower().split()
    return words[-1] not in STOP and any(word not in STOP for word in words) and not words[0].endswith("ing")


def _company(items: list[Item]) -> Iterator[tuple[str, list[Item]]]:
    """Who is part of it again and again."""
    groups: dict[str, list[Item]] = {}
    for item in items:
        for name in dict.fromkeys(_NAME.findall(item.text)):
            if name not in _MONTHS_AND_DAYS and re.search(
                rf"\b(?:with|met|and|visited|saw|called|helped) {name}\b", item.text
            ):
                groups.setdefault(name, []).append(item)
    for name, group in sorted(groups.items(), key=lambda one: -len(one[1])):
        yield f"The user often spends time with {name}.", group


def _topics(items: list[Item]) -> Iterator[tuple[str, list[Item]]]:
    """A word of weight, or a kind of things, that several share."""
    groups: dict[str, list[Item]] = {}
    names: dict[str, str] = {}
    for item in items:
        about = {term.stem for term in terms(item.text).terms if term.weight >= 1}
        for word in tokens(item.text):
            if stem(word) in about and _thing(word):
                names.setdefault(stem(word), word.lower())
                group = groups.setdefault(stem(word), [])
                if item not in group:
                    group.append(item)
    for key, group in sorted(groups.items(), key=lambda one: -len(one[1])):
        yield f"Much of what happens to the user has to do with {names[key]}.", group


def _thing(word: str) -> bool:
    """Whether a word names what something may have to do with: none that tells what somebody did."""
    did = word in IRREGULAR or (word.endswith("ed") and len(word) > 4)
    return word.lower() not in STOP and not word[0].isupper() and not word.isdigit() and not did


def _deeds_zh(items: list[Item]) -> Iterator[tuple[str, list[Item]]]:
    """The longest words that at least three sentences share: 用户经常去游泳。"""
    plain = {item: re.sub(r"^用户|[。了，]", "", item.text) for item in items}
    runs: Counter[str] = Counter()
    for text in plain.values():
        runs.update({text[at : at + size] for size in range(2, 9) for at in range(len(text) - size + 1)})
    for run in sorted((run for run, times in runs.items() if times >= FEWEST), key=len, reverse=True):
        if not re.match(r"^[的了在和跟与是]|.*[的了在和跟与是去]$", run):
            yield f"用户经常{run}。", [item for item, text in plain.items() if run in text]


# ---- rules


def _rules(wishes: list[Item]) -> Iterator[dict[str, Any]]:
    """How the assistant is to answer, where it was wished three times in words of the same style."""
    for style in load("styles.toml").values():
        words = re.compile(style["words"], re.IGNORECASE)
        group = [wish for wish in wishes if words.search(_what(wish))]
        if len(group) >= FEWEST:
            yield _found(style["zh" if is_cjk(group[-1].text) else "en"], group)


def _what(wish: Item) -> str:
    found = _WISH.match(wish.text)
    return (found["what"] or found["zh"] or "") if found else ""
