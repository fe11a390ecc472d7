"""What the event of a forgetting says, also where an older build wrote it and left something out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..scope import DEFAULT_USER


def said(payload: Mapping[str, Any]) -> dict[str, Any]:
    """The payload of a `memory.forgotten`, whole.

    The first builds did not say whose memory it was, what was named, and whether a line was a block's description.
    Then it is the user's whose lines went, all that was withheld counts as named, and no line was a description.
    """
    lines = [{"about": False, **line} for line in payload["lines"]]
    owner = next((line["user"] for line in lines if line["user"]), DEFAULT_USER)
    withheld = list(dict.fromkeys(item["item"] for item in payload["items"]))
    return {"user": owner, "ids": withheld, **payload, "lines": lines}
