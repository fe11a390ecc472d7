"""What a search may be narrowed by: a value that does not exist is refused, rather than found nowhere."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from pagekeeper.runtime.errors import UsageError
from pagekeeper.runtime.models.scripted import ScriptedModel
from pagekeeper.tests.support.agents import open_agent
from pagekeeper.tests.support.embedding import HashEmbedder


@pytest.mark.parametrize(
    ("conditions", "words"),
    [
        (
            {"kinds": ("facts",)},
            "`kinds` of a search cannot be 'facts'. Use fact, episode, insight, skill, document, rule.",
        ),
        ({"roles": ("bot",)}, "`roles` of a search cannot be 'bot'. Use user, assistant."),
        ({"tables": ("passages",)}, "`tables` of a search cannot be 'passages'. Use passage, message."),
        (
            {"statuses": ("gone",)},
            "`statuses` of a search cannot be 'gone'. Use active, superseded, retired, disputed, proposed.",
        ),
        ({"tag_match": "some"}, "`tag_match` of a search cannot be 'some'. Use any, all."),
        ({"kinds": "fact"}, "`kinds` of a search must be a tuple of texts, not 'fact'."),
        ({"tags": (5,)}, "`tags` of a search must be a tuple of texts, not (5,)."),
        ({"limit": 0}, "`limit` of a search must be a number from 1 up, not 0."),
        ({"limit": "10"}, "`limit` of a search must be a number from 1 up, not '10'."),
        ({"least_trust": 1.5}, "`least_trust` of a search must be a number from 0 to 1, not 1.5."),
        ({"least_trust": "0"}, "`least_trust` of a search must be a number from 0 to 1, not '0'."),
        ({"start": "2026-01-31"}, "`start` of a search must be a `date`, not '2026-01-31'."),
        (
            {"end": datetime(2026, 1, 31)},
            "`end` of a search must be a `date`, not datetime.datetime(2026, 1, 31, 0, 0).",
        ),
        ({"end": 5}, "`end` of a search must be a `date`, not 5."),
        ({"valid_at": "2026-01-31"}, "`valid_at` of a search must be a `datetime` with a time zone, not '2026-01-31'."),
        ({"valid_at": datetime(2026, 1, 31)}, "`valid_at` of a search must be a `datetime` with a time zone"),
        ({"valid_at": date(2026, 1, 31)}, "`valid_at` of a search must be a `datetime` with a time zone"),
        ({"valid_until": datetime(2026, 1, 31, tzinfo=UTC)}, "`valid_until` of a search says until when"),
        ({"conversation": 5}, "`conversation` of a search must be an id, not 5."),
        ({"exclude": "p-1"}, "`exclude` of a search must be several ids, not 'p-1'."),
        ({"kind": ("fact",)}, "A search has no condition 'kind'."),
    ],
)
async def test_what_there_is_not_is_refused(tmp_path: Path, conditions: dict[str, Any], words: str) -> None:
    async with open_agent(tmp_path, ScriptedModel(), embedder=HashEmbedder()) as agent:
        with pytest.raises(UsageError) as caught:
            await agent.memory.search("peanuts", **conditions)
        assert str(caught.value).startswith(words)
        assert await agent.memory.search("peanuts", kinds=["fact"], roles=("user", "assistant")) == []
