"""Parts an English sentence into clauses, each with a subject of its own."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from ....when import stretches
from .english_grammar import NAME, bare, dated_fragment, finite, subject_of, verbal
from .english_phrases import meet_all
from .english_subjects import TOGETHER
from .judging import HEADING
from .scene import Scene

_CUT = re.compile(
    r"\s*[;:]\s+|\s*(?:\.\.\.|…)\s*|\s+[-–—]+\s+|\s*—\s*|\s*,(?!\d)\s*|\s+(?=(?:and|but|because|"
    r"since|although|though|while|then)\s|so (?:I|we|my|our|no|please|pls|the|that|you|it|"
    r"when|if|don't|do not|this|let|let's|what|how|which|where|can|could|ping|keep|give|make|"
    r"be|use|any|she|he|they|there|not)\b)"
)
_LINK = re.compile(
    r"^(?:(?:and|but|so|then|plus|also|or|yet|because|although|though|while|which is why|that is why) )+", re.I
)
_WHEN_IT_IS = re.compile(
    r"^(?:(?:from|as of) [\w ]+? )?(?:it|that|this|which|they|the next one|the next) (?:is|are|was|will be|starts?"
    r"|takes place|happens|ends?) (?:on|in|at|from|until|due|next|this|every|tomorrow|around|between)\b",
    re.I,
)
"""When what the clause before tells takes place: "I have an exam, it's in May"."""
_ENTERING = re.compile(
    r"^(?:starting|moving|working|living|joining|studying|training|leaving|flying) (?:at|as|in|to|for|with)\b"
)
"""What somebody goes on to do, at the end of a sentence: "..., starting at Kiln on Monday"."""
_NOW_IN = re.compile(
    rf"^(?:(?:right now|now|these days),? )?it is (?P<place>{NAME})(?P<since> (?:since|now|these days|from"
    rf"|at the moment)\b.*)?$",
    re.I,
)
_WHERE = re.compile(r"\b(?:live|lived|living|moved|in|from|countries|cities|places) (?-i:[A-Z])|\blived in\b")
"""What speaks of where one lives, so that "it's Bergen now" tells where that is."""
_LIMIT = re.compile(r"^no [\w ]+? (?:before|after|on|until|at|between) .+$", re.I)
"""What the user has none of at some time: "no meetings before ten"."""


@dataclass(slots=True)
class Clause:
    """A clause of a sentence."""

    text: str
    consequence: bool = False
    heading: str = ""


def clauses(text: str, scene: Scene) -> list[Clause]:
    """The clauses of a sentence, each with a subject; what is no clause goes with the one before it."""
    if len(text) > 600:
        return []
    found: list[Clause] = []
    start, heading = 0, ""
    pieces: list[tuple[str, str]] = []
    mark = ""
    for gap in _CUT.finditer(text):
        pieces.append((mark, text[start : gap.start()]))
        mark, start = gap[0], gap.end()
    pieces.append((mark, text[start:]))
    if len(pieces) > 1 and TOGETHER.match(text) and re.match(r"^and I\b", pieces[1][1], re.I):
        pieces[:2] = [("", f"{pieces[0][1]} {pieces[1][1]}")]
    for mark, piece in pieces:
        if found and re.match(r"^(?:let us|let's) ", piece, re.I):
            break
        if found and re.match(r"^(?:that is|which is) when (?:I|we) ", piece, re.I):
            _extend(found, mark, piece)
            continue
        if re.match(r"^(?:and |so |but )?(?:that is|that's|which is) (?:when|why|where|how|what)\b", piece, re.I):
            continue
        link = _LINK.match(piece)
        plain = piece[link.end() :] if link else piece
        word = link[0].split()[0].lower() if link else ""
        if not plain.strip():
            continue
        if found and (moved := _NOW_IN.match(plain)) and _WHERE.search(found[-1].text):
            found.append(Clause(f"I live in {moved['place']}{moved['since'] or ''}"))
            continue
        if found and re.match(r"(?:do not|don't) ", plain, re.I) and not re.match(r"(?:I|we|they)\b", found[-1].text):
            continue  # what the assistant had better not do: "my name is Otto, don't laugh"
        if found and _WHEN_IT_IS.match(plain) and stretches(plain, date(2000, 1, 1)):
            _extend(found, mark, plain)
            continue
        if word == "because" or (
            piece.lower().startswith(("since ", "if ", "when ", "unless ", "until ", "which ", "who ")) and found
        ):
            _extend(found, mark, piece)
        elif finite(plain) or TOGETHER.match(plain) or (not found and bare(plain)):
            if mark.strip() == ":" and found and HEADING.search(found[-1].text):
                heading = found.pop().text
            found.append(Clause(plain, consequence=word in ("so", "which"), heading=heading))
            heading = ""
        elif (
            found
            and verbal(plain)
            and not (
                re.match(r"(?:\w+ly )?(?!is\b|was\b|has\b|does\b)[a-z]+[^s\W]s ", plain)
                and re.match(r"(?:I|we) ", found[-1].text)
            )
            and (word in ("and", "but", "then") or mark.strip() == ",")
            and len(found[-1].text.split()) > 2
        ):
            found.append(Clause(f"{subject_of(found[-1].text)} {plain}", found[-1].consequence))
        elif (
            found
            and mark.strip() == ","
            and _ENTERING.match(plain)
            and re.search(r"\b(?:I|me|my|we|us|our)\b", found[-1].text)
        ):
            found.append(Clause(f"I am {plain}"))
        elif (
            found
            and word == "plus"
            and re.match(r"(?:an?|two|three|my|our) ", plain)
            and re.search(r"\b(?:have|own)\b", found[-1].text)
        ) or (word == "so" and found and _LIMIT.match(plain)):
            found.append(Clause(f"I have {plain}"))
        elif word in ("so", "then") and found:
            break
        elif found and mark.strip() != ":":
            meet_all(piece, scene)
            _extend(found, mark, piece)
        elif mark.strip() == ":" and found and re.search(r"\d", plain) and not HEADING.search(found[-1].text):
            _extend(found, mark, plain)
        elif mark.strip() == ":" and found:
            head = found.pop() if HEADING.search(found[-1].text) else found[-1]
            found.append(Clause(plain, heading=head.text))
        elif mark.strip() == ":" and heading and HEADING.search(heading):
            found.append(Clause(f"{heading}: {plain}", heading=heading))
        else:
            meet_all(plain, scene)
            heading = f"{heading} {plain}".strip() if mark.strip() == "," and heading else plain
            if dated_fragment(plain):
                found.append(Clause(plain))
    if not found and heading:
        found.append(Clause(heading))
    return found


def _extend(found: list[Clause], mark: str, piece: str) -> None:
    if found:
        joint = mark if mark.strip() else " "
        found[-1].text += f"{joint if joint.endswith(' ') else joint + ' '}{piece}"
