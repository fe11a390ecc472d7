"""Notes what the user told: identity in the `human` block, the rest in the archive, corrections in place of the old."""

from __future__ import annotations

import re

from .acts import Told
from .facts import Fact, fact, line_of, same, with_history
from .items import Item
from .person import to_first, to_second
from .phrasebook import phrasebook
from .replacing import PASSAGE, replaced
from .stems import is_cjk
from .step import Step
from .view import Call, View
from .words import terms

BLOCK = "human"
MOST_LINE = 300
"""Characters of a line of the block; longer ones go to the archive."""
FULL = 0.9
"""Share of the block's limit from which on lines go to the archive."""
_WRITES = ("core_memory_append", "core_memory_replace", "archival_insert", "archival_update")
MOST_SEARCHES = 4
QUERY = 200


def note(told: list[Told], view: View, step: Step) -> None:
    """Takes the next step towards noting all of `told`."""
    writes = [call for call in view.done if call.name in _WRITES]
    if writes:
        _after(writes, view, step)
        return
    wanted = [query for query in _lookups(told) if view.can("archival_search")]
    asked = {call.arguments.get("query") for call in view.done if call.name == "archival_search"}
    missing = [query for query in wanted if query not in asked]
    if missing:
        for query in missing:
            step.call("archival_search", query=query, limit=10)
        return
    for one in told:
        _write(one, view, step)


def _lookups(told: list[Told]) -> list[str]:
    """What to search for before writing: an archived fact may be there already, or be about to be replaced."""
    queries = []
    for one in told:
        if one.corrects or one.keep == "archive":
            words = f"{one.text} {one.old}".strip()
            queries.append(words[:QUERY])
    return queries[:MOST_SEARCHES]


def _write(told: Told, view: View, step: Step) -> None:
    book = phrasebook(told.language)
    known = [*view.lines(), *view.active()]
    if told.partial:
        whole = _completed(told, view, known)
        if whole is None:
            step.say(book, "unclear_correction")
            return
        told = whole
    line = line_of(told)
    for item in known:
        if same(fact(item.text).text, line) or same(fact(item.text).text, line_of(told, whole=True)):
            step.say(book, "known", facts=_shown(item.text, item.ref))
            return
    target = replaced(told, view, known)
    if target is None:
        _add(told, line_of(told, whole=True), view, step)
        return
    written = with_history(line, fact(target.text))
    if target.source == "passage":
        step.call("archival_update", id=target.ref, content=written)
        return
    block = view.blocks[target.ref]
    stored = next(line for line in block.lines() if line.strip().removeprefix("- ") == target.text)
    mark = "- " if stored.strip().startswith("- ") else ""
    step.call(
        "core_memory_replace",
        label=block.label,
        old_content=_unique(block.value, stored),
        new_content=_like(block.value, stored, mark + written),
    )


def _unique(value: str, line: str) -> str:
    """`line`, with the line break before or after it where it occurs inside another line too."""
    if value.count(line) == 1:
        return line
    return next((piece for piece in (f"\n{line}", f"{line}\n", f"\n{line}\n") if value.count(piece) == 1), line)


def _like(value: str, line: str, new: str) -> str:
    """`new` with the same line breaks around it as `_unique` put around `line`."""
    piece = _unique(value, line)
    return ("\n" if piece.startswith("\n") else "") + new + ("\n" if piece.endswith("\n") else "")


def _add(told: Told, line: str, view: View, step: Step) -> None:
    block = view.blocks.get(BLOCK)
    fits = block is not None and len(line) <= MOST_LINE and len(block.value) + len(line) < FULL * block.limit
    if told.keep == "core" and fits and view.can("core_memory_append"):
        step.call("core_memory_append", label=BLOCK, content=line)
    elif view.can("archival_insert"):
        tags = [tag for tag in told.tags if tag != "about user"]
        step.call("archival_insert", content=line, **({"tags": tags} if tags else {}))
    else:
        step.say(phrasebook(told.language), "failed", error="archival_insert")


def _completed(told: Told, view: View, known: list[Item]) -> Told | None:
    """The whole sentence of a correction that names only the new value: the old fact with the value put in."""
    target: Item | None = None
    if told.old:
        target = next((item for item in known if told.old.lower() in fact(item.text).text.lower()), None)
    if target is None:
        target = _mentioned(view, known)
    if target is None:
        return None
    old = fact(target.text)
    first = to_first(old.text).rstrip(".。")
    value = told.old if told.old and told.old.lower() in first.lower() else _slot(told.text, old, first)
    if not value:
        return None
    at = first.lower().index(value.lower())
    text = first[:at] + told.text + first[at + len(value) :]
    return Told(
        text,
        told.language,
        old.attribute,
        told.text,
        single=True,
        keep="archive" if target.source == "passage" else "core",
        corrects=True,
        surely=True,
        old=value,
        whole=text,
    )


def _slot(new: str, old: Fact, first: str) -> str:
    """The words of the old fact that `new` stands for: a word of the same kind, or the fact's value."""
    kinds = terms(new).kinds()
    for word in re.findall(r"[\w'+#.-]+", first) if not is_cjk(first) else []:
        if kinds and kinds & terms(word).kinds():
            return str(word)
    value = old.value
    value = re.sub(r"^(?:in|at|on|to|from|called|named|the|a|an) ", "", value)
    return value if value and value.lower() in first.lower() else ""


def _mentioned(view: View, known: list[Item]) -> Item | None:
    """The memory that the assistant's last reply named; of several, the last."""
    spoken = view.last_reply.lower()
    found = [(spoken.rfind(to_second(fact(item.text).text).rstrip(".。").lower()), item) for item in known]
    best = max(((at, n) for n, (at, _) in enumerate(found) if at >= 0), default=None)
    return found[best[1]][1] if best else None


# ---- afterwards


def _after(writes: list[Call], view: View, step: Step) -> None:
    """Says what was written, or tries another way where a write failed."""
    tried = {str(call.arguments.get("content")) for call in writes if call.name == "archival_insert"}
    for call in writes:
        if call.result is None:
            continue
        book = phrasebook("zh" if is_cjk(_written(call)) else "en")
        if not call.failed:
            key = "corrected" if call.name in ("core_memory_replace", "archival_update") else "noted"
            step.say(book, key, facts=_shown(_written(call), _place(call)))
        elif call.name != "archival_insert" and view.can("archival_insert"):
            if _written(call) not in tried:
                step.call("archival_insert", content=_written(call).strip())
        else:
            step.say(book, "failed", error=(call.result or "").removeprefix("Error:").strip()[:200])


def _written(call: Call) -> str:
    return str(call.arguments.get("new_content") or call.arguments.get("content") or "").strip().removeprefix("- ")


def _place(call: Call) -> str:
    if call.name.startswith("core"):
        return str(call.arguments.get("label"))
    ids = PASSAGE.findall(call.result or "")
    new = [ref for ref in ids if ref != call.arguments.get("id")]
    return str((new or ids or ["archive"])[-1])


def _shown(line: str, ref: str) -> str:
    """A memory as it is told to the user, with where it lies; what it replaced is not repeated."""
    return f"{to_second(fact(line).text)} [{ref}]"
