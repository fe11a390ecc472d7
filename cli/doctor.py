"""`pagekeeper doctor`: looks at a home and what it needs, and says what is wrong and what helps."""

from __future__ import annotations

import argparse
import asyncio
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING

from ..runtime.home import JOURNAL
from ..runtime.text import counted
from . import DONE, FAILED
from .grammar import Commands, json_option
from .opening import Place, is_missing, journal_of, opened_home, place
from .output import note, progress, show, show_json

if TYPE_CHECKING:
    from ..assembly import Home
    from ..runtime.journal.journal import Journal
    from .checks import Check


def add(commands: Commands) -> None:
    """Add the grammar of this command."""
    help = "check a home: journal, archive, embedder, model, versions"
    parser = commands.command("doctor", help, run=lambda options: asyncio.run(_doctor(options)))
    rebuild = "first make the state tables and the archive again from the journal's events"
    parser.add_argument("--rebuild", action="store_true", help=rebuild)
    parser.add_argument("--deep", action="store_true", help="compare all state tables with the events, however many")
    json_option(parser, "as JSON")


async def _doctor(options: argparse.Namespace) -> int:
    checks = await _examine(options)
    bad = any(check.state == "failed" for check in checks)
    if options.json:
        show_json({"ok": not bad, "checks": [asdict(check) for check in checks]})
    else:
        for check in checks:
            show(f"{check.state:<8}{check.name}: {check.text}")
            if check.hint:
                show(f"        {check.hint}")
    return FAILED if bad else DONE


async def _examine(options: argparse.Namespace) -> list[Check]:
    """All checks that can be made; what a failed one leaves without ground is left out."""
    from ..runtime.errors import PagekeeperError
    from . import checks

    found = [checks.check_versions()]
    try:
        where = place(options)
    except PagekeeperError as error:
        return [*found, checks.failed("settings", error)]
    found += [checks.check_settings(where.settings), checks.check_home(where.home)]
    writable = found[-1].state != "failed"
    try:
        if is_missing(where.home):
            pass  # there is nothing to look at, and looking makes nothing
        elif writable:
            found += await _examine_home(where, rebuild=options.rebuild, deep=options.deep)
        elif (where.home / JOURNAL).is_file():
            found += await _look_at_home(where, deep=options.deep)
    except Exception as error:
        found.append(checks.failed("journal", error))
    try:
        found.append(await checks.check_model(where.settings))
    except Exception as error:
        found.append(checks.failed("model", error))
    return found


async def _examine_home(where: Place, *, rebuild: bool, deep: bool) -> list[Check]:
    from ..runtime.errors import PagekeeperError
    from . import checks

    unmade: Check | None = None
    async with opened_home(where) as home:
        if rebuild:
            await _rebuild_tables(home)
            try:
                await _rebuild_archive(home, where)
            except PagekeeperError as error:
                unmade = checks.failed("archive", error)
        found = [await home.journal.read(partial(checks.check_journal, deep=deep))]
        if found[-1].state == "failed":
            return found
        found.append(await home.journal.read(checks.check_unanswered(home)))
        if (cut_off := await home.journal.read(checks.check_erasure)) is not None:
            found.append(cut_off)
        found.append(await home.journal.read(checks.check_memory_work))
        return found + ([unmade] if unmade is not None else await _examine_archive(home.journal, where))


async def _look_at_home(where: Place, *, deep: bool) -> list[Check]:
    """What can be checked of a home that cannot be written."""
    from . import checks

    with journal_of(where, reading=True) as journal:
        found = [await journal.read(partial(checks.check_journal, deep=deep))]
        return found if found[-1].state == "failed" else found + await _examine_archive(journal, where)


async def _examine_archive(journal: Journal, where: Place) -> list[Check]:
    from . import checks

    found: list[Check] = []
    try:
        found += [check async for check in checks.check_archive(journal, where.settings)]
    except Exception as error:
        found.append(checks.failed("archive", error))
    return found


async def _rebuild_tables(home: Home) -> None:
    """Make the state tables again from the events."""
    from ..runtime.journal.refold import rebuild

    for name, rows in (await home.journal.write(rebuild)).items():
        note(f"Made {name} again: {counted(rows, 'row')} differed.")


async def _rebuild_archive(home: Home, where: Place) -> None:
    """Make the archive again from the events. Raises ArchiveError, EmbedderFailed or HomeError."""
    from ..runtime.archive.archive import Archive
    from ..runtime.chosen import make_embedder

    embedder = make_embedder(where.settings)
    archive = await Archive.open(home.journal, embedder, clock=home.clock, background=False, check=False)
    try:
        with progress() as tell:
            await archive.rebuild(lambda done, count: tell(f"{done:,} of {count:,} rows"))
    finally:
        await archive.close()
    note("Made the archive again.")
