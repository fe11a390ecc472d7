"""What tests of erasing need: a life in which a secret gets everywhere, and a look at every byte of a home."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pagekeeper.assembly import Agent
from pagekeeper.runtime.core.edit import Append, Replace
from pagekeeper.runtime.models.replay import RecordingModel
from pagekeeper.runtime.models.scripted import ScriptedModel, call
from pagekeeper.tests.support.agents import open_agent
from pagekeeper.tests.support.embedding import HashEmbedder

WINDOW = 10_000
FILL = "The harbour of the old town was full of boats that day and nobody knew why. " * 60


def spelled(secret: str) -> dict[str, bytes]:
    """The secret as a file may spell it."""
    return {
        "utf-8": secret.encode(),
        "utf-16-le": secret.encode("utf-16-le"),
        "utf-16-be": secret.encode("utf-16-be"),
        "json": json.dumps(secret)[1:-1].encode(),
        "json in json": json.dumps(json.dumps(secret)[1:-1])[1:-1].encode(),
    }


def holding(home: Path, *secrets: str) -> list[str]:
    """The files of a home that hold a secret, each with the spelling: every byte of every file is looked at."""
    found = []
    for path in sorted(home.rglob("*")):
        if not path.is_file():
            continue
        content = path.read_bytes().lower()
        for secret in secrets:
            for name, wanted in spelled(secret).items():
                if wanted.lower() in content:
                    found.append(f"{path.relative_to(home)}: {secret} in {name}")
    return found


def opened(home: Path, model: Any, name: str = "ada", **options: Any) -> Any:
    """An agent whose archive is embedded without weights."""
    return open_agent(home, model, name, **{"embedder": HashEmbedder(), **options})


async def live(home: Path, sentence: Callable[[str], str], secret: str, **options: Any) -> None:
    """Have a secret told, noted, edited, archived, recalled, compacted, summarised, forgotten and recorded.

    `home` is a folder that is there already.
    """
    said = sentence(secret)
    model = ScriptedModel(window=WINDOW, summaries=[f"They spoke of boats. {said}", f"Boats again. {said}"])
    recording = RecordingModel(model, home / "talk.jsonl")
    async with opened(home, recording, **options) as agent:
        model.enqueue(
            ["Noted. ", call("core_memory_append", label="human", content=said)],
            [call("archival_insert", content=f"{said} It was told on a Sunday.", tags=["told", secret])],
            f"I keep it. {said}",
        )
        await agent.send(f"Hello there. {said} I like tea.")
        await agent.memory.edit("human", Append("Likes tea."))
        await agent.memory.edit("human", Replace(said, f"{said} Truly."))
        await agent.memory.insert("Ada plays the cello in an orchestra.")
        await agent.memory.archive.flush()
        model.enqueue([call("archival_search", query=secret)], "It is as you said.")
        await agent.send(f"Tell me about {secret} please")
        for _ in range(5):
            model.enqueue("yes " * 300)
            await agent.send(FILL)
        await agent.memory.insert(f"{said} Once more.")
        await agent.memory.archive.flush()
        await agent.memory.archive.maintain()
        # It was forgotten before: what the forgetting itself says goes as well.
        found = await agent.memory.candidates(secret)
        await agent.memory.forget([one.id for one in found if one.id.startswith("p-")][:1], f"because of {secret}")
        # Not flushed: these rows are pending.
        await agent.memory.insert(f"Pending: {said}")
        assert "summary" in {request.purpose for request in model.requests}


def words_of(agent: Agent) -> str:
    """All that the window of an agent says."""
    return json.dumps(list(agent._conversation.context.request().messages), ensure_ascii=False)
