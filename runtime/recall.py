"""Recall before a turn: what memory holds about the user's words, for the `<memory>` note.

It costs nothing where there is nothing to look for: nothing is searched for a greeting, or in an empty archive. What
has little to do with the words is left out, since nothing is better than something irrelevant.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from .archive.archive import Archive
from .archive.lines import line, subject
from .archive.query import Query
from .archive.ranking.twins import alike
from .context.tokens import TokenCounter
from .scope import Scope

MOST = 8
"""Memories in one note."""
LONGEST = 600
"""Characters of one memory."""
ASKED = 1200
"""Characters of the user's words that are searched for: of longer ones the beginning and the end."""

_SMALL_TALK = re.compile(
    r"(?:hi|hey|hello|howdy|yo|good (?:morning|afternoon|evening|night|day)|"
    r"thanks?(?: you)?(?: (?:so|very) much)?|thx|ty|"
    r"cheers|bye|goodbye|see you(?: later| soon)?|ok(?:ay)?|yes|yep|yeah|no|nope|sure|cool|great|nice|perfect|awesome|"
    r"fine|right|good|please|continue|go on|got it|well done|how are you(?: doing)?(?: today)?|what'?s up|lol|haha|"
    r"there|again|everyone|all|"
    r"你好|您好|嗨|早上好|早安|下午好|晚上好|晚安|谢谢(?:你|您)?|多谢|感谢|再见|拜拜|好的?|是的?|不是|对|嗯|可以|行|没事|继续|哈+)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class RecalledNote:
    """What stands in the `<memory>` note: one line for each memory. It is not escaped yet."""

    text: str
    ids: tuple[str, ...]


class Recall:
    """Looks into an archive before a turn."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive

    async def note(
        self,
        scope: Scope,
        words: str,
        in_view_ids: Collection[str],
        budget_tokens: int,
        counter: TokenCounter,
    ) -> RecalledNote | None:
        """The note for the user's `words`; None where there is nothing that is worth its tokens.

        What is in view is not recalled. `budget_tokens` is the most that the note's lines may take.
        Raises ArchiveError.
        """
        if budget_tokens <= 0 or not worth_looking(words):
            return None
        asked = words if len(words) <= ASKED else f"{words[: ASKED // 2]}\n{words[-ASKED // 2 :]}"
        hits = await self._archive.search(Query(scope, asked, exclude=frozenset(in_view_ids), limit=MOST))
        lines: list[str] = []
        ids: list[str] = []
        texts: list[str] = []
        left = budget_tokens
        for hit in hits:
            if hit.weak or any(alike(hit.text, other) for other in texts):
                continue
            said = line(hit, scope.timezone, question=asked, most=LONGEST)
            cost = counter.count(said) + 1
            if cost > left:
                break
            left -= cost
            lines.append(said)
            ids.append(hit.id)
            texts.append(hit.text)
        return RecalledNote("\n".join(lines), tuple(ids)) if lines else None


def worth_looking(words: str) -> bool:
    """Whether `words` are about anything that memory could know of: no greeting, no thanks, no bare yes."""
    rest = _SMALL_TALK.sub(" ", words) if len(words) <= 80 else words
    return bool(subject(rest))
