"""What a conversation has in view: the revision of each block whose value can be read from its request alone.

It is derived from the head and from the parts of the messages that came after it, as a reader of the request would.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..context.parts import Part

View = dict[str, int]
"""Label to revision."""


def look(view: View, parts: Iterable[Part]) -> None:
    """Bring `view` up to date with the parts of one more message."""
    for part in parts:
        if part.get("withheld"):
            continue
        if part["type"] == "block":
            view[part["label"]] = max(part["rev"], view.get(part["label"], 0))
        elif part["type"] == "edit" and view.get(part["label"]) == part["from"]:
            view[part["label"]] = part["to"]
        elif part["type"] == "note":
            look(view, part["parts"])
