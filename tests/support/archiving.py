"""A process that archives: `python -m pagekeeper.tests.support.archiving HOME COUNT ACTION...`.

It prints the id of each passage once it is acknowledged, then does what it is asked to, in order: flush,
maintain, rebuild, reembed, wait.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from pagekeeper.tests.support.archives import Home, put, scope
from pagekeeper.tests.support.embedding import HashEmbedder


async def main(home: Path, count: int, *actions: str) -> None:
    opened = Home(home)
    async with opened.archive(resident=0) as archive:
        for number in range(count):
            (made,) = await put(archive, scope(), [f"word{number} of process {sys.argv[0]}"])
            print(made, flush=True)
        for action in actions:
            if action == "flush":
                await archive.flush()
            elif action == "maintain":
                await archive.maintain()
            elif action == "rebuild":
                await archive.rebuild()
            elif action == "reembed":
                await archive.reembed(HashEmbedder(16, "other"))
            else:
                print("waiting", flush=True)
                sys.stdin.readline()
    opened.journal.close()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:]))
