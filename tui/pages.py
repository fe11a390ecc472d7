"""The texts of what is shown to be read: help, the context by section, the history of a block, what was found."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from rich.text import Text

from ..runtime.text import counted
from .blocks_panel import changed_lines
from .commands import COMMANDS, KEYS
from .entries import Kind
from .gauge import Filling, percent
from .look import Look
from .wrapping import visible

if TYPE_CHECKING:
    from ..runtime.archive.query import Hit
    from ..runtime.core.history import Version
    from ..runtime.erasing.erase import Erased
    from ..runtime.forgetting.forget import Forgotten
    from ..runtime.recall.why import Why
    from ..runtime.sleeptime.rules import Rule
    from ..runtime.sleeptime.work import Worked


def help_page(look: Look) -> Text:
    """Commands and keys."""
    told = [
        (command.full, f"{command.about} ({command.key})" if command.key else command.about) for command in COMMANDS
    ]
    text = Text()
    for title, pairs in (("Commands", told), ("Keys", list(KEYS))):
        text.append(title + "\n", look.accent)
        for left, right in pairs:
            text.append(left.ljust(22), look.primary)
            text.append(right + "\n", look.text)
        text.append("\n")
    text.rstrip()
    return text


def context_page(filling: Filling, look: Look) -> Text:
    """What takes how much of the window, in tokens."""
    text = Text()

    def line(name: str, number: str, words: str = "") -> None:
        text.append(f"{name:<14}{number:>12}{words}\n", look.text)

    for name, tokens in (*filling.parts, ("free", filling.free)):
        text.append("░ " if name == "free" else "█ ", look.section(name))
        share = percent(tokens / filling.usable) if filling.usable else ""
        text.append(f"{name:<12}{tokens:>12,}{share:>10}\n", look.text)
    text.append("\n")
    line("used", f"{filling.used:,}", f"{percent(filling.share):>10}  counted here")
    line("usable", f"{filling.usable:,}")
    line("for the reply", f"{filling.reserve:,}")
    if filling.reported is None:
        text.append("The provider has reported nothing.\n", look.dim)
    else:
        line("reported", f"{filling.reported:,}", "            by the provider, last request")
        line("difference", f"{filling.difference:+,}", "            to what was counted of it")
    text.append(f"epoch {filling.epoch}", look.dim)
    return text


def history_page(versions: Sequence[Version], look: Look) -> Text:
    """What each revision of a block changed, newest first."""
    styles = {"same": look.dim, "added": look.added, "removed": look.removed}
    pieces: list[Text] = []
    before = ""
    for version in versions:
        block, began = version.block, version.began
        text = Text(f"revision {block.revision}", look.primary)
        text.append(f"  {began.at:%Y-%m-%d %H:%M} UTC  by {began.writer}", look.dim)
        changed = [(kind, line) for kind, line in changed_lines(before, block.value) if kind != "same"]
        for kind, line in changed or [("same", "(the value did not change)")]:
            text.append("\n")
            text.append({"added": "+ ", "removed": "- ", "same": "  "}[kind], look.dim)
            text.append(visible(line) or " ", styles[kind])
        if version.gone:
            text.append("\nthen it was deleted", look.warning)
        pieces.append(text)
        before = "" if version.gone else block.value
    return Text("\n\n").join(reversed(pieces))


def search_page(question: str, hits: Sequence[Hit], zone: tzinfo, look: Look) -> Text:
    """What was found, best first; of long texts the part that is about the question."""
    # Late, since the archive's modules are slow to import; whoever has found something has them.
    from ..runtime.archive.lines import LONGEST, excerpt

    pieces: list[Text] = []
    for hit in hits:
        text = Text(visible(hit.label), look.primary)
        strength = f"weak, score {hit.score:.2f}" if hit.weak else f"score {hit.score:.2f}"
        text.append(f"  {hit.at.astimezone(zone):%Y-%m-%d}  {strength}  {hit.short}\n", look.dim)
        text.append(visible(excerpt(hit.text, question, LONGEST)), look.dim if hit.weak else look.text)
        pieces.append(text)
    return Text("\n\n").join(pieces) if pieces else Text("Nothing was found.", look.dim)


def rules_page(rules: Sequence[Rule], look: Look) -> Text:
    """The standing rules, with what shows those that wait for a decision."""
    pieces: list[Text] = []
    for rule in rules:
        text = Text(rule.short, look.primary)
        text.append("  holds\n" if rule.accepted else f"  proposed, sure by {rule.confidence:.0%}\n", look.dim)
        text.append(visible(rule.text), look.text)
        for shown in () if rule.accepted else rule.evidence:
            text.append(f"\n  since {visible(shown)}", look.dim)
        pieces.append(text)
    return Text("\n\n").join(pieces) if pieces else Text("There are none.", look.dim)


def why_page(found: Why, zone: ZoneInfo, look: Look) -> Text:
    """Where a memory comes from, and what became of it."""
    from ..runtime.recall.why import as_text

    first, _, rest = as_text(found, zone).partition("\n")
    return Text(visible(first) + "\n", look.primary).append("\n".join(map(visible, rest.split("\n"))), look.text)


def forgotten_words(done: Forgotten) -> str:
    """What was forgotten, and how it comes back."""
    counts = ((done.passages, "passage"), (done.lines, "line"), (done.messages, "message"))
    told = ", ".join(counted(count, noun) for count, noun in counts)
    return f"Forgotten: {told}. /undo {done.event.id} brings it back."


def erased_words(done: Erased) -> str:
    """What was erased, in numbers: the receipt holds nothing of it, and neither does this."""
    numbers = ((done.passages, "passage"), (done.messages, "message"), (done.recordings, "recording"))
    parts = [counted(count, noun) for count, noun in numbers if count]
    parts += [f"{counted(done.revisions, 'revision')} of blocks"] if done.revisions else []
    lines = [f"Erased for good from {', '.join(parts) or 'the record'}. Receipt: {done.events[0].id}."]
    if done.kept:
        lines.append(f"Kept, with a part of it: {counted(len(done.kept), 'text')}.")
    lines += [f"The file {file} in the home still holds it: delete it yourself." for file in done.files]
    return "\n".join([*lines, "Exports and backups that were made before still hold it."])


def progress_words(through: int, messages: int, waits: bool = False) -> str:
    """How far memory work is."""
    if waits:
        return "Memory work begins when the turn has ended …"
    return f"memory work: {min(through, messages):,} of {counted(messages, 'message')} … Esc stops it"


def worked_words(done: Worked) -> list[tuple[Kind, str]]:
    """What memory work did, and what kept it from more."""
    from ..runtime.sleeptime.telling import report

    told: list[tuple[Kind, str]] = [("info", "Memory work. " + "\n".join(report(done)))]
    told += [("warning", f"Not used: {fault}.") for fault in done.faults]
    for name, command in (("disputed", "/disputes"), ("rules proposed", "/rules")):
        if done.counts.get(name):
            told.append(("info", f"{command} lets you decide."))
    if done.busy:
        told.append(("warning", "Another process is doing this agent's memory work."))
    if done.error:
        told.append(("warning", f"It stopped: {done.error}\nWhat is left is tried again later; nothing is lost."))
    return told
