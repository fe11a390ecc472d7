"""Answers questions from what is in view, or from what a search finds, and names the memory that it used."""

from __future__ import annotations

import re
from dataclasses import replace

from .acts import Act, Asked, Small, Told
from .as_of import as_of, looked_up, standing
from .described import by_description, description
from .facts import fact, line_of, owner, same
from .hearing import hear
from .items import Item
from .latest import standing_now, told_last
from .person import to_second
from .phrasebook import phrasebook
from .question import expansion, question
from .recall import BESIDE, ENOUGH, FAR, MOST, NEAR, SURE, Hit, rank, ranked
from .stems import is_cjk
from .step import Step
from .subjects import asked_about, is_of_another
from .view import View
from .who import by_name
from .words import closeness, terms

QUERY = 300


def answer(asked: Asked, view: View, step: Step) -> None:
    """Takes the next step towards answering `asked`."""
    book = phrasebook(asked.language)
    if not re.search(r"[^\W\d_]", asked.text):
        step.say(book, "confused")  # a sum, or marks alone: no memory is asked for
        return
    asked = _in_context(asked, view)
    if (then := as_of(asked, view)) and _answered_as_of(*then, view, step):
        return
    if not asked.previous and not _wide(asked) and not asked_about(asked.text).names:
        # A line in view answers without a search, unless what was recalled says that it is over.
        hits = told_last(asked, rank(asked, [*view.lines(), *[it for it in view.recalled if it.source == "passage"]]))
        if hits and hits[0].fit >= SURE and hits[0].item.source == "block":
            _tell(asked, hits, step, view.today)
            return
    query = asked.text[:QUERY]
    if _search(query, asked, view, step):
        return
    if _looks_for_whom(asked, view, step):
        return
    named = _named(asked, view)
    if named and _search(named.text[:QUERY], named, view, step):
        return
    hits = _of_whom_is_meant(asked, named, [*view.lines(), *view.passages(), *view.summary])
    if asked.previous:
        former = [hit for hit in hits if hit.former and hit.fit >= ENOUGH]
        if former:
            _tell(asked, former, step)
            return
    if hits and hits[0].fit >= ENOUGH:
        way = named or asked
        if asked.previous and not hits[0].former:
            log = _from_log(asked, view, besides=hits[0].text)
            if log:
                _quote(asked, log, step)
            else:
                step.say(book, "unknown_before", facts=_shown(hits[0]))
            return
        _tell(way, hits, step, view.today)
        return
    log = _from_log(asked, view)
    if log:
        _quote(asked, log, step)
    elif closest := [hit for hit in hits if hit.fit >= NEAR and owner(hit.text) <= question(asked).owner]:
        step.say(book, "closest", facts=_shown(closest[0]))
    elif far := _far(asked, view):
        step.say(book, "closest", facts=_shown(far))
    else:
        step.say(book, "unknown")


def _answered_as_of(asked: Asked, day: str, view: View, step: Step) -> bool:
    """Takes the next step towards telling how things stood on a day; False where memory does not know."""
    if looked_up(asked, day, view, step):
        return True
    if _looks_for_whom(asked, view, step):
        return True
    named = _named(asked, view)
    if named and looked_up(named, day, view, step):
        return True
    ways = [named] if named and description(asked) else [asked, named]
    hits = [hit for hit in standing(ways, day, view) if not (named and is_of_another(named.text, hit.text))]
    if hits:
        _tell(named or asked, hits, step)
    return bool(hits)


def _looks_for_whom(asked: Asked, view: View, step: Step) -> bool:
    """Asks for a search for whom a question describes, if that was not made yet: the first of two steps."""
    what = description(asked)
    return what is not None and _search(what.text[:QUERY], None, view, step)


def _named(asked: Asked, view: View) -> Asked | None:
    """The question with a name for whom it means, where memory or the log tells one."""
    known = [*view.lines(), *view.passages()]
    meant = by_description(asked, known) or by_description(asked, [one for one in view.messages() if _tells(one)])
    return by_name(meant or asked, known) or meant


def _of_whom_is_meant(asked: Asked, named: Asked | None, items: list[Item]) -> list[Hit]:
    """The memories that fit, the best first; of whom the question describes, where that one's name is known."""
    if named is None:
        return ranked([asked], items)
    found = ranked([named], items) if description(asked) else []
    if not found or found[0].fit < ENOUGH:
        found = ranked([asked, named], items)
    return [hit for hit in found if not is_of_another(named.text, hit.text)]


def _far(asked: Asked, view: View) -> Hit | None:
    """What the search by meaning found, in other words than the question's. Its scores say little of Chinese."""
    if asked.language != "en":
        return None
    found = [item for item in view.active() if item.score >= FAR]
    replaced = _replaced(view)
    found += [
        item
        for item in view.messages()
        if item.score >= FAR and not item.weak and _tells(item) and not any(_covers(old, item.text) for old in replaced)
    ]
    best = max(found, key=lambda item: item.score, default=None)
    if best is None:
        return None
    if best.source == "message":
        told = next(line_of(act) for act in _heard(best.text) if isinstance(act, Told))
        best = next((line for line in view.lines() if same(fact(line.text).text, told)), replace(best, text=told))
    return Hit(best, fact(best.text), fact(best.text).text, False, NEAR)


def everything(small: Small, view: View, step: Step) -> None:
    """Tells all that the blocks in view hold about the user."""
    book = phrasebook(small.language)
    if view.can("archival_search") and not view.results("archival_search"):
        step.call("archival_search", query="about the user" if small.language == "en" else "关于用户", limit=10)
        return
    told: list[Item] = []
    for item in [*view.lines(), *view.active()]:
        # A block and the archive may hold the same, or what the other has replaced.
        if not any(_covers(text, fact(item.text).text) for one in told for text in _all_of(one)):
            told.append(item)
    if told:
        step.say(book, "everything", facts=" ".join(f"{to_second(fact(one.text).text)} [{one.ref}]" for one in told))
    else:
        step.say(book, "nothing")


def _all_of(item: Item) -> tuple[str, ...]:
    """What an item tells, and what that replaced."""
    return fact(item.text).text, *fact(item.text).before


def _search(query: str, asked: Asked | None, view: View, step: Step) -> bool:
    """Asks for the searches that were not made yet; whether there were any. `asked` is put in other words as well."""
    made = {(call.name, call.arguments.get("query")) for call in view.done}
    wanted = False
    # A memory may say it in other words: a search that knows words alone is told them.
    for words in filter(None, (query, expansion(asked) if asked else "")):
        if view.can("archival_search") and ("archival_search", words) not in made:
            step.call("archival_search", query=words, limit=10)
            wanted = True
    if view.can("conversation_search") and ("conversation_search", query) not in made:
        step.call("conversation_search", query=query, limit=10, roles=["user"])
        wanted = True
    if wanted and asked and view.can("core_memory_page_in"):
        for label in _pages(asked, view):
            step.call("core_memory_page_in", label=label)
    return wanted


def _pages(asked: Asked, view: View) -> list[str]:
    """Blocks that are out of view and whose label or description the question is about."""
    words = [term for term in question(asked).terms if term.weight > 0.4]
    about = {label: terms(f"{re.sub(r'[-_./]', ' ', label)} {text}") for label, text in view.others.items()}
    fits = {label: max((closeness(term, there) for term in words), default=0.0) for label, there in about.items()}
    return sorted((label for label, fit in fits.items() if fit >= 0.75), key=lambda label: -fits[label])[:2]


def _in_context(asked: Asked, view: View) -> Asked:
    """A question that leans on the one before it ("and what is his job?"), with that one beside it."""
    leans = phrasebook(asked.language).leans(asked.text)
    if not leans or not view.last_words:
        return asked
    before = next((act for act in hear(view.last_words[:1000]) if isinstance(act, Asked)), None)
    return replace(asked, context=before.text) if before else asked


def _wide(asked: Asked) -> bool:
    """Whether several memories may be asked for: "what pets do I have"."""
    return bool(re.search(r"\b(?:all|list|every|everything)\b|哪些|所有", asked.text, re.IGNORECASE))


def _tell(asked: Asked, hits: list[Hit], step: Step, today: str = "") -> None:
    """Tells the best memory, and those that fit as well. With `today`, what is only to come is told where it is asked
    for alone."""
    if not (_wide(asked) or asked.previous):
        hits = told_last(asked, standing_now(asked, hits, today) if today else hits)
    best = hits[0]
    told: dict[str, str] = {}
    for hit in hits:
        if hit.fit < BESIDE * best.fit or hit.former != best.former or len(told) == MOST:
            break
        # Two memories may hold the same sentence: it is said once.
        told.setdefault(to_second(hit.text), _shown(hit))
    text = " ".join(told.values())
    if best.former and asked.previous:
        text = phrasebook(asked.language).say("before", fact=text)
    if text not in step.lines:
        step.lines.append(text)


def _shown(hit: Hit) -> str:
    return f"{to_second(hit.text)} [{hit.item.ref}]"


def _from_log(asked: Asked, view: View, besides: str = "") -> Hit | None:
    """What the user once said that answers, where memory holds nothing: never a question or a request."""
    said = [item for item in view.messages() if item.kind in ("user", "") and _tells(item)]
    replaced = _replaced(view)
    for hit in rank(asked, said):
        stale = not asked.previous and any(_covers(old, hit.text) for old in replaced)
        if hit.fit >= ENOUGH and not stale and not (besides and _covers(besides, hit.text)):
            return hit
    return None


def _replaced(view: View) -> list[str]:
    """What was so and is so no more, of which the log still tells."""
    before = [old for item in [*view.lines(), *view.active()] for old in fact(item.text).before]
    return before + [fact(item.text).text for item in view.passages() if item.over and item.until]


def _tells(item: Item) -> bool:
    return any(isinstance(act, Told) for act in _heard(item.text))


def _heard(text: str) -> list[Act]:
    return hear(text[:1000])


def _covers(known: str, said: str) -> bool:
    """Whether what was said is what is known already."""
    there = terms(known)
    words = [term for term in terms(said).terms if term.weight > 0.4]
    return all(term.stem in there.stems or (is_cjk(term.stem) and term.stem in there.raw) for term in words)


def _quote(asked: Asked, hit: Hit, step: Step) -> None:
    book = phrasebook(asked.language)
    words = {"fact": hit.text[:300]}
    line = book.say("from_log", date=hit.item.date, **words) if hit.item.date else book.say("from_log_undated", **words)
    step.lines.append(f"{line} [{hit.item.ref}]")
