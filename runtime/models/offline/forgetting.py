"""Forgets: looks for all that carries a fact, then withholds just that. The fact is not repeated on the way out."""

from __future__ import annotations

import re

from .acts import Asked, Forget, Told
from .chinese import Chinese
from .english import English
from .facts import fact, line_of
from .hearing import hear
from .items import Item, items
from .noting import QUERY
from .person import to_first, to_second, to_third
from .phrasebook import phrasebook
from .question import expansion
from .reading import read
from .recall import BESIDE, ENOUGH, MOST, Hit, rank
from .stems import is_cjk
from .step import Step
from .view import Call, View
from .who import by_name
from .words import LIGHT, Term, Terms, closeness, lexicon, terms

CARRIES = 0.62
"""The share of the fact's weighty words from which on a candidate carries it."""
PART = 0.95
"""The share of a memory's own words from which on another says all that it says."""
NEARLY = 0.35
"""The share from which on a memory is meant where none carries more."""
REASON = {"en": "The user asked to forget it.", "zh": "用户要求忘掉。"}


def forget(wish: Forget, view: View, step: Step) -> None:
    """Takes the next step towards forgetting what `wish` names."""
    book = phrasebook(wish.language)
    if wish.which == "all":
        step.say(book, "forget_what")
        return
    if not view.can("memory_forget"):
        step.say(book, "not_there")
        return
    listed = [call for call in view.results("memory_forget") if "query" in call.arguments]
    gone = [call for call in view.results("memory_forget") if "ids" in call.arguments]
    if gone:
        _confirm(gone, wish, step)
        return
    if not listed:
        targets = _targets(wish, view, step)
        for target in targets:
            step.call("memory_forget", query=target[:QUERY], reason=REASON[wish.language])
        if not (step.calls or targets or step.lines):
            step.say(book, "not_there")
        return
    carriers = [item for call in listed if not call.failed for item in _carriers(call)]
    if carriers and len(listed) == 1 and all(item.source == "message" for item in carriers):
        # Only the log says it in these words: what was noted of it is worded as it was told.
        told = next((_told(item) for item in carriers if _told(item)), "")
        if told:
            step.call("memory_forget", query=told[:QUERY], reason=REASON[wish.language])
            return
    if not carriers:
        step.say(book, "not_there")
        return
    step.call("memory_forget", ids=list(dict.fromkeys(item.ref for item in carriers)), reason=REASON[wish.language])
    _keep_the_rest(carriers, [str(call.arguments["query"]) for call in listed], step)


def _keep_the_rest(carriers: list[Item], queries: list[str], step: Step) -> None:
    """Where only what a memory replaced is to be forgotten, notes again what holds now."""
    for item in carriers:
        known = fact(item.text)
        if item.source == "message" or item.over or not known.before:
            continue
        if all(_share(known.text, query) < CARRIES for query in queries):
            if item.source == "block":
                step.call("core_memory_append", label=item.ref.rpartition(":")[0], content=known.text)
            else:
                step.call("archival_insert", content=known.text)


def _carriers(call: Call) -> list[Item]:
    """Which of the listed candidates carry what was asked for.

    Where none holds most of its words, the one memory that holds the most of them is meant, and what repeats that.
    """
    query = str(call.arguments["query"])
    found = items(call.result or "")
    facts = set(read(query))
    carriers = [
        item for item in found if _share(item.text, query) >= CARRIES or (facts and facts.intersection(read(item.text)))
    ]
    memories = [item for item in found if item.source != "message"]
    if carriers or not memories:
        # What a line says that goes whole is gone from the others that say a part of it, too.
        lines = [item.text for item in carriers if item.source != "message"]
        parts = [one for one in memories if any(_share(text, one.text) >= PART for text in lines)]
        return [*carriers, *(one for one in parts if one not in carriers)]
    best = max(memories, key=lambda item: _share(item.text, query))
    if _share(best.text, query) < NEARLY:
        return []
    return [item for item in found if item is best or _share(item.text, fact(best.text).text) >= CARRIES]


def _targets(wish: Forget, view: View, step: Step) -> list[str]:
    """The facts to look for: what the user named, or, where only its subject is named, the memories of it.

    Where those are not in view, asks for a search first, and returns nothing yet.
    """
    if wish.which == "last":
        calls = [
            call
            for call in view.earlier
            if call.name in ("core_memory_append", "core_memory_replace", "archival_insert", "archival_update")
        ]
        written = [str(call.arguments.get("new_content") or call.arguments.get("content") or "") for call in calls]
        return [fact(written[-1]).text] if written else []
    if _states(wish.what):
        return [wish.what]
    asked = Asked(wish.what, wish.language, phrasebook(wish.language).about(_as_question(wish)))
    hits = [hit for hit in rank(asked, [*view.lines(), *view.active()]) if hit.fit >= ENOUGH]
    query = f"{wish.what} {expansion(asked)}"[:QUERY]
    searched = any(call.arguments.get("query") == query for call in view.results("archival_search"))
    if not searched and view.can("archival_search"):
        step.call("archival_search", query=query, limit=10)
        return []
    meant, unclear = _meant(wish, hits, view)
    if unclear:
        step.say(phrasebook(wish.language), "forget_which", facts=" ".join(to_second(text) for text in unclear[:MOST]))
        return []
    return meant or [wish.what]


def _meant(wish: Forget, hits: list[Hit], view: View) -> tuple[list[str], list[str]]:
    """The memories that are meant, or else, where that is unclear, those of which one may be.

    What is asked for by its meaning alone ("where I live") is found by that. Of words that name a thing, a memory must
    hold the most: that somebody's birthday is on a day is no birthday present.
    """
    if phrasebook(wish.language).about(_as_question(wish)) or len(_telling(wish.what)) < 2:
        best = [hit.text for hit in hits if hit.fit >= BESIDE * hits[0].fit]
        return list(dict.fromkeys(best))[:MOST], []
    # What was put in other words since is still the fact that is named.
    texts = dict.fromkeys(fact(item.text).text for item in [*view.lines(), *view.passages()])
    called = by_name(Asked(wish.what, wish.language), [*view.lines(), *view.passages()])
    ways = [wish.what, *([called.text] if called else [])]
    shares = {text: max(_share(text, way) for way in ways) for text in texts}
    named = {
        text: share
        for text, share in shares.items()
        if share >= NEARLY and any(_share(text, way) == share and _names_it(text, way) for way in ways)
    }
    most = max(named.values(), default=0.0)
    if most >= CARRIES or len(named) == 1:
        return [text for text, share in named.items() if share >= 0.9 * most][:MOST], []
    return [], [text for text, share in shares.items() if share >= NEARLY]


def _names_it(text: str, what: str) -> bool:
    """Whether a memory holds the thing that is named, "present" of "a birthday present for Ann", or else all that is
    said of it: "the pills that the doctor gave me"."""
    there = terms(text)
    _, being, how = what.partition(" being ")
    if being and not any(closeness(term, there) >= 0.5 for term in terms(how).terms):
        return False
    thing, of_it = (what.rpartition("的")[2], "") if is_cjk(what) else (_THING.split(what)[0], _THAT.split(what)[-1])
    found = [term for term in terms(thing).terms if term.weight > 0.3]
    if not found or closeness(found[-1], there) >= 0.5:
        return True
    said = terms(of_it).terms if of_it != what else ()
    return bool(said) and all(closeness(term, there) >= 0.5 for term in said)


_THING = re.compile(r"\b(?:for|of|from|to|with|about|that|which|who|whom|at|in|on|by|being|my|his|her|their)\b(?!$)")
_THAT = re.compile(r"\b(?:that|which|who|whom)\b")


def _telling(what: str) -> list[Term]:
    return [term for term in terms(what).terms if term.weight > 0.4]


def _told(item: Item) -> str:
    """What a message of the user told."""
    acts = hear(item.text[:1000]) if item.kind == "user" else []
    return next((line_of(act) for act in acts if isinstance(act, Told)), "")


def _states(what: str) -> bool:
    """Whether what is to be forgotten is named by its own words, not as "where I live" or "my job"."""
    if is_cjk(what):
        return Chinese().told(what).attribute != "" and not any(
            mark in what for mark in phrasebook("zh").words("question", "marks")
        )
    first = what.split()[0].lower() if what.split() else ""
    if first in ("my", "our", "the"):
        return English().told(what).attribute != ""
    return first not in ("what", "where", "who", "when", "which", "how", "why", "about")


def _as_question(wish: Forget) -> str:
    words = wish.what
    if wish.language == "zh":
        return words
    return f"what is {words}" if words.lower().startswith("my ") else words


def _share(text: str, query: str) -> float:
    """How much of the fact that the query words a candidate holds: its share by weight, rare words above all."""
    there = terms(text[:4000])
    wanted = _weighed(query)
    total = sum(weight for _, weight in wanted)
    if not total:
        return 0.0
    most = max(weight for _, weight in wanted)
    if not any(_holds(term, there) >= 0.4 for term, weight in wanted if weight == most):
        return 0.0
    return sum(weight * _holds(term, there) for term, weight in wanted) / total


def _weighed(query: str) -> list[tuple[Term, float]]:
    """The fact's words: what only this fact says weighs more than what says the kind of fact."""
    out = []
    for term in terms(to_first(to_third(query))).terms:
        if term.weight <= 0.3:
            continue
        general = term.stem in LIGHT or (term.names and not term.member_of and lexicon().knows(term.stem))
        out.append((term, 0.4 if general else 1.2))
    return out


def _holds(term: Term, there: Terms) -> float:
    """Unlike in a search, a word of the same kind is another fact: the word itself counts, or one of its meaning."""
    if term.stem in there.stems or (is_cjk(term.stem) and term.stem in there.raw):
        return 1.0
    near = closeness(term, there)
    return near if near != 0.75 or term.names else 0.0


def _confirm(gone: list[Call], wish: Forget, step: Step) -> None:
    book = phrasebook(wish.language)
    last = gone[-1]
    if last.failed:
        step.say(book, "failed", error="memory_forget")
        return
    count = len(last.arguments.get("ids", []))
    step.say(book, "forgotten_one" if count == 1 else "forgotten", count=str(count))
