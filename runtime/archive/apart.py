"""Upkeep in a process of its own, which gives way to all others and ends when it is done.

LanceDB works on as many threads as there are cores, and what it has begun cannot be stopped halfway: a search in the
same process would share the cores with it. And it keeps a megabyte or two of each write until its process ends. So a
process of the lowest priority flushes and maintains, under the same lock as any other writer. Killing it loses nothing.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import ArchiveError, EmbedderFailed, PagekeeperError

GRACE = 5.0
"""Seconds that the process has to finish in, once the one that started it is about to end."""

_NICE = 19
_FAILED = 3
"""The exit status where what went wrong is on the standard output."""


class NotStarted(Exception):
    """No process of our own can be started here (an embedded interpreter, a sandbox), or it knows no Pagekeeper."""


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be done."""

    home: Path
    space: str
    """The fingerprint of the embedder whose vectors are used."""
    dimension: int | None
    through: int
    """The newest outbox entry that is to be flushed: all above it may still be embedded."""
    all_of_it: bool
    """Whether all upkeep is to be done that could be, or only what is due."""

    def words(self) -> list[str]:
        """The order as arguments of a command."""
        return [str(self.home), self.space, str(self.dimension or 0), str(self.through), str(int(self.all_of_it))]

    @classmethod
    def read(cls, words: Sequence[str]) -> Order:
        """The inverse of `words`."""
        home, space, dimension, through, all_of_it = words
        return cls(Path(home), space, int(dimension) or None, int(through), all_of_it == "1")


# -- the process that wants it done -----------------------------------------------------------------


async def run(order: Order) -> None:
    """Have it done. Raises NotStarted; ArchiveError with what went wrong there.

    Where this is cancelled, the process may finish within `GRACE` seconds, and is ended then.
    """
    try:
        process = _start(order)
    except (OSError, ValueError) as error:
        raise NotStarted from error
    told = asyncio.ensure_future(asyncio.to_thread(process.communicate))
    try:
        out, _ = await asyncio.shield(told)
    except asyncio.CancelledError:
        await asyncio.wait({told}, timeout=GRACE)
        process.terminate()
        await told
        raise
    if process.returncode == _FAILED:
        raise ArchiveError(out.strip())
    if process.returncode < 0:
        raise ArchiveError(f"The upkeep of the archive was ended by signal {-process.returncode}. Nothing is lost.")
    if process.returncode:
        raise NotStarted


def _start(order: Order) -> subprocess.Popen[str]:
    # Whatever this process imports from, so does the other: it need not have been started like it.
    path = os.pathsep.join(os.path.abspath(one) for one in sys.path)
    return subprocess.Popen(
        [sys.executable, "-P", "-m", __name__, *order.words()],
        env={**os.environ, "PYTHONPATH": path},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
        errors="replace",
        creationflags=_idle_flags(),
    )


def _idle_flags() -> int:
    """The lowest priority where it is given at the start, and no window; elsewhere the process lowers its own."""
    if sys.platform == "win32":
        return subprocess.IDLE_PRIORITY_CLASS | subprocess.CREATE_NO_WINDOW
    return 0


# -- the process that does it -------------------------------------------------------------------------


class _NoEmbedder:
    """Stands in for the embedder: whoever gave the order has embedded what can be."""

    name = "none"
    english_only = False

    def __init__(self, order: Order) -> None:
        self.fingerprint = order.space
        self.dimension = order.dimension

    async def embed_queries(self, texts: Sequence[str]) -> list[Sequence[float]]:
        return await self.embed_passages(texts)

    async def embed_passages(self, texts: Sequence[str]) -> list[Sequence[float]]:
        raise EmbedderFailed("Nothing is embedded here.")


async def carry_out(order: Order) -> None:
    """Flush what is pending, and do the upkeep, if no other process is at it. Raises PagekeeperError."""
    from ..clock import SystemClock
    from ..ids import RandomIds
    from ..journal.journal import Journal
    from .embedding import Embedding
    from .keeper import Keeper
    from .view import View

    journal = Journal.open(order.home, clock=SystemClock(), ids=RandomIds())
    view = View(journal, order.space, resident=0)
    keeper = Keeper(view, Embedding(view, _NoEmbedder(order)))
    try:
        await view.catch_up()
        if keeper.hold():
            await keeper.tables()
            await keeper.flush(order.through)
            await keeper.maintain(all_of_it=order.all_of_it)
    finally:
        await view.close()
        keeper.close()
        journal.close()


def main() -> None:
    """Carry out the order that the arguments are."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C in a terminal is meant for the one who gave the order
    if sys.platform != "win32":
        os.nice(_NICE)
    try:
        asyncio.run(carry_out(Order.read(sys.argv[1:])))
    except PagekeeperError as error:
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
        print(error)
        sys.exit(_FAILED)


if __name__ == "__main__":
    main()
