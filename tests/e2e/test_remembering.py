"""What was said before a compaction is found after it, asked in other words, with the embedder that is the default."""

from __future__ import annotations

from pathlib import Path

from pagekeeper.runtime.models.scripted import ScriptedModel, call
from pagekeeper.runtime.stream import EpochStarted, Recalled
from pagekeeper.tests.support.agents import assert_paired, open_agent

FACTS = {
    "My sister Ana keeps bees on the roof of her house in Porto.": "In which town does Ana have her hives?",
    "The staging server was moved from Frankfurt to Helsinki because of the rent.": "Why did we relocate staging?",
    "Our cat Miso must take half a pill against his thyroid trouble every evening.": "What medicine does the cat get?",
    "I learned to play the cello from my grandfather when I was seven.": "Who taught me my instrument?",
    "The contract with Brightwater ends on 14 March and will not be renewed.": "When does the Brightwater deal expire?",
    "Bruno prefers his coffee black and is annoyed by anyone who offers sugar.": "How should I serve Bruno his coffee?",
}

_PEOPLE = ("Carla", "Dmitri", "Elena", "Farid", "Greta", "Hugo", "Ines", "Jonas", "Keiko", "Liam")
_DOINGS = (
    "painted the garden fence green over the weekend",
    "is preparing a talk about compilers for the autumn meeting",
    "lost a glove on the tram and found it again in the office",
    "wants to repair the old bicycle before the summer holidays",
    "cooked lentils with cumin and thought them rather dull",
)
DISTRACTORS = [f"{person} {doing}." for doing in _DOINGS for person in _PEOPLE]


async def test_facts_of_the_first_turn_are_found_among_fifty_distractors_after_compactions(tmp_path: Path) -> None:
    told = "\n".join(FACTS)
    model = ScriptedModel(*["I see. " * 20] * (1 + len(DISTRACTORS)), window=8_192)
    compactions = 0
    async with open_agent(tmp_path, model) as agent:
        for words in [told, *DISTRACTORS]:
            async for event in agent.stream(words + " That was all that there is to say about it for today. " * 4):
                compactions += isinstance(event, EpochStarted) and event.reason == "compaction"
        assert compactions
        assert all(told[:40] not in str(message) for message in model.requests[-1].messages[1:])
        for fact, question in FACTS.items():
            model.enqueue(call("conversation_search", query=question, roles=["user"], limit=5), "There it is.")
            recalled = [event.text async for event in agent.stream(question) if isinstance(event, Recalled)]
            found = model.requests[-1].messages[-1]["content"]
            assert fact in found or any(fact in text for text in recalled), question
    assert_paired(model.requests)
