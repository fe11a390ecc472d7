"""What `doctor` looks at: each check says how one thing is, and none stops the others."""

from __future__ import annotations

import platform
import re
import shutil
import stat
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ..runtime.errors import EmbedderFailed, EmbedderMismatch, HomeError, JournalBroken, PagekeeperError
from ..runtime.text import counted

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from ..assembly import Home
    from ..runtime.archive.embedders.base import Embedder
    from ..runtime.archive.state import ArchiveState
    from ..runtime.config import Settings
    from ..runtime.journal.journal import Journal

COMPROMISED = {("litellm", "1.107.0")}
LITTLE_SPACE = 200 * 1024 * 1024
"""Bytes of free disk below which a warning is due."""
COMPARED = 5_000
"""Events up to which the state tables are always compared with what the events make of them."""

State = Literal["ok", "warning", "failed"]


@dataclass(frozen=True, slots=True)
class Check:
    """How one thing is. `hint` says what to do where it is not well."""

    name: str
    state: State
    text: str
    hint: str = ""


def check_versions() -> Check:
    """Whether what Pagekeeper is built on is installed, and none of it is known to be dangerous."""
    from .. import __version__

    found = {name: _version(name) for name in _required()}
    text = f"pagekeeper {__version__}, Python {platform.python_version()}, " + ", ".join(
        f"{name} {version or 'missing'}" for name, version in found.items()
    )
    if missing := [name for name, version in found.items() if version is None]:
        return Check("versions", "failed", text, f"Install {', '.join(missing)}: `pip install pagekeeper` again.")
    if bad := [f"{name} {version}" for name, version in found.items() if (name, version) in COMPROMISED]:
        return Check("versions", "failed", text, f"Remove {', '.join(bad)} at once: that release was compromised.")
    return Check("versions", "ok", text)


def _required() -> list[str]:
    """The packages that this one needs, as its installation says; of a bare tree, those that matter most."""
    try:
        required = metadata.requires("pagekeeper") or []
    except metadata.PackageNotFoundError:
        required = ["lancedb", "litellm", "pyarrow", "sqlalchemy", "textual"]
    return [re.split(r"[^\w.-]", one, maxsplit=1)[0] for one in required if "extra ==" not in one]


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def check_home(home: Path) -> Check:
    """Whether the home can be written, is closed to others, and has room."""
    from ..runtime.home import prepare
    from .opening import is_missing

    if is_missing(home):
        hint = "`pagekeeper ask TEXT` makes it; --home names another."
        return Check("home", "warning", f"there is no home {home} yet", hint)
    try:
        prepare(home)
    except HomeError as error:
        return Check("home", "failed", error.message, error.hint)
    free = shutil.disk_usage(home).free
    text = f"{home}, {_size(free)} free"
    if free < LITTLE_SPACE:
        return Check("home", "warning", text, "Free some space: what cannot be written is not acknowledged.")
    if stat.S_IMODE(home.stat().st_mode) & 0o077:
        return Check("home", "warning", f"{text}, open to other users", f"chmod 700 {home}")
    return Check("home", "ok", text)


def check_settings(settings: Settings) -> Check:
    """Which settings are in force. A password in a URL is not shown."""
    given = {name: getattr(settings, name) for name in settings.__slots__ if getattr(settings, name) is not None}
    text = ", ".join(f"{name} = {re.sub('//[^/@]*@', '//…@', str(value))}" for name, value in given.items())
    return Check("settings", "ok", text or "none; everything is as it comes")


def check_journal(connection: Connection, *, deep: bool) -> Check:
    """Whether the journal is whole, and its state tables are what its events make of them.

    The tables of a long journal are compared only if it is to go `deep`: that takes about a second for 1,000 events.
    """
    from sqlalchemy import func, select

    from ..runtime.journal import tables
    from ..runtime.journal.refold import check, differences

    if faults := check(connection):
        return Check("journal", "failed", " ".join(faults), LOST)
    count = connection.execute(select(func.count()).select_from(tables.events)).scalar_one()
    agents = connection.execute(select(func.count()).where(tables.agents.c.deleted_at.is_(None))).scalar_one()
    text = f"{counted(count, 'event')} of {counted(agents, 'agent')}, schema {tables.SCHEMA_VERSION}"
    if count > COMPARED and not deep:
        return Check("journal", "ok", f"{text}; `--deep` compares the state tables with them")
    if wrong := differences(connection):
        where = ", ".join(f"{name} ({counted(rows, 'row')})" for name, rows in wrong.items())
        return Check("journal", "failed", f"{text}; these tables differ from the events: {where}", REBUILD)
    return Check("journal", "ok", text)


LOST = (
    "Nothing here can mend it: the journal is what all else is made from. Keep a copy of the home first. Then put "
    "journal.sqlite back from a backup; or `pagekeeper memory import` what `memory export` wrote, into a new home; or "
    "try `sqlite3 journal.sqlite .recover`, which saves what can still be read."
)
"""What helps where the journal itself is damaged."""
REBUILD = "`pagekeeper doctor --rebuild` makes them again from the events."


def check_unanswered(home: Home) -> Callable[[Connection], Check]:
    """Whether a process that died left something unanswered."""

    def look(connection: Connection) -> Check:
        from ..runtime.directory import list_agents
        from ..runtime.recovery import left_inputs

        left = [one for entry in list_agents(connection) for one in left_inputs(connection, home.locks, entry.id)]
        if not left:
            return Check("inputs", "ok", "none is unanswered")
        begun = sum(one.interrupted is not None for one in left)
        hint = "`pagekeeper resume --retry` answers them." if begun else "`pagekeeper resume` answers them."
        return Check("inputs", "warning", f"{len(left)} unanswered, {begun} of them begun", hint)

    return look


def check_erasure(connection: Connection) -> Check | None:
    """Whether an erasure was cut off. None where all is well: most homes never see one."""
    from ..runtime.erasing.complete import under_way

    if not under_way(connection):
        return None
    hint = "Open an agent of this home to complete it: `pagekeeper memory forget --erase` with the same words, say."
    return Check("erasure", "warning", "one was cut off: files may still hold what was erased", hint)


def check_memory_work(connection: Connection) -> Check:
    """Whether memory work gets on; what failed is tried again by itself."""
    from sqlalchemy import select

    from ..runtime.directory import list_agents
    from ..runtime.journal import tables
    from ..runtime.journal.fold.rows import current

    names = {entry.id: entry.name for entry in list_agents(connection)}
    rows = connection.execute(select(tables.sleep).where(current(tables.sleep)).order_by(tables.sleep.c.row)).all()
    failed = [row for row in rows if row.failures and row.stream in names]
    if not failed:
        text = f"done for {counted(len(rows), 'user')}, none has failed" if rows else "none yet"
        return Check("memory work", "ok", text)
    row = failed[-1]
    whose = f"{row.user} of agent {names[row.stream]}"
    text = f"failed {counted(row.failures, 'time')} for {whose}; the last time: {row.error}"
    hint = "Nothing is lost: it is tried again, at once by `pagekeeper memory work`."
    return Check("memory work", "warning", text, hint)


async def check_archive(journal: Journal, settings: Settings) -> AsyncIterator[Check]:
    """How the archive is, and whether the embedder is the one that it was made with, and works."""
    from ..runtime.archive import vectors
    from ..runtime.archive.archive import Archive
    from ..runtime.archive.embedders.wordllama import WordLlamaEmbedder
    from ..runtime.chosen import make_embedder

    missing: EmbedderFailed | None = None
    embedder: Embedder
    try:
        embedder = make_embedder(settings)
    except EmbedderFailed as error:
        # To look at the archive, any will do: nothing is embedded.
        missing, embedder = error, WordLlamaEmbedder()
    archive = await Archive.open(journal, embedder, clock=journal.clock, background=False, check=False)
    try:
        state = await archive.state()
    finally:
        await archive.close()
    text = (
        f"{counted(state.passages, 'passage')} and {counted(state.messages, 'message')} "
        f"in generation {state.generation}, "
        f"{state.pending:,} pending, {state.unembedded:,} without a vector, {_size(state.bytes)}"
    )
    if state.broken is not None:
        yield Check("archive", "failed", f"{text}; {state.broken}", "`pagekeeper doctor --rebuild` makes it again.")
    else:
        yield Check("archive", "ok", text)
        yield check_upkeep(state)
    if missing is not None:
        yield failed("embedder", missing)
        return
    try:
        vectors.check(await journal.read(vectors.current_space), embedder.fingerprint)
        if "/" not in embedder.name:  # a provider's is not asked: that may cost something
            await embedder.embed_queries(["hello"])
    except EmbedderMismatch as error:
        yield Check("embedder", "failed", error.message, error.hint)
    except EmbedderFailed as error:
        yield Check("embedder", "failed", error.message, error.hint)
    else:
        yield Check("embedder", "ok", embedder.fingerprint)


def check_upkeep(state: ArchiveState) -> Check:
    """When the archive's tables were last put in order, and how they lie on the disk."""
    if not state.generation:
        return Check("upkeep", "ok", "none is due: there are no tables yet")
    when = f"{state.maintained:%Y-%m-%d %H:%M} UTC" if state.maintained else "never"
    vectors = (
        f"vectors indexed in {counted(state.vector_parts, 'part')}" if state.vector_parts else "vectors not indexed"
    )
    tables = f"{counted(state.fragments, 'fragment')}, {counted(state.indexes, 'index', 'indexes')}"
    return Check("upkeep", "ok", f"last {when}; {tables}, {vectors}, {counted(state.unindexed, 'row')} since")


async def check_model(settings: Settings) -> Check:
    """Whether the model is known, and its provider's key is there. Nothing is sent."""
    from ..runtime.models import gateway
    from .opening import suggestion

    if settings.model in (None, "offline"):
        return Check("model", "ok", "offline: no language model, no network", suggestion(settings) or "")
    await gateway.load()
    if (fault := gateway.unknown(settings.model)) is not None:
        return failed("model", fault)
    window = settings.window or gateway.model_info(settings.model).get("max_input_tokens")
    text = settings.model + (f", window {window:,} tokens" if window else "")
    if missing := gateway.missing_keys(settings.model):
        # A server of one's own may want none; a provider's own endpoint does.
        own = settings.api_base is not None
        hint = f"Set {', '.join(missing)}{', if the server wants a key' if own else ''}."
        return Check("model", "warning" if own else "failed", f"{text}; no key is set", hint)
    if not window:
        return Check("model", "warning", f"{text}; its window is not known", "Set `window` in config.toml.")
    return Check("model", "ok", f"{text}, its key is set")


def failed(name: str, error: Exception) -> Check:
    """A check that could not be made."""
    if isinstance(error, JournalBroken):
        return Check(name, "failed", error.message, LOST)
    if isinstance(error, PagekeeperError):
        return Check(name, "failed", error.message, error.hint)
    return Check(name, "failed", f"{type(error).__name__}: {error}", "This is a fault of Pagekeeper.")


def _size(count: int) -> str:
    size = float(count)
    for unit in ("bytes", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.0f} {unit}"
        size /= 1024
    return f"{size:.1f} GiB"
