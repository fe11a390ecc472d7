"""What stands without a verb and is said of the user all the same: "Priya, 34, a nurse in Ghent, two kids", or
"Allergies: latex"."""

from __future__ import annotations

import re

from .english_grammar import KEEP, NAME, finite

_ABOUT_ME = re.compile(
    r"^(?:(?:a |an |some |the |my |quick |short |little |bit of |brief |very |basic |so )*(?:intro\w*|background"
    r"|bio|profile|context|about (?:me|myself|us)|facts?(?: about me)?|version(?: of me)?|summary(?: of me)?|me"
    r"|myself|who I am|stats|basics|details|info)\b[^:]{0,60}|(?:hi|hello|hey)[^:]{0,20}|who am"
    r" I\b[^:]*):\s*(?P<rest>.+)$",
    re.I,
)
_HERE = re.compile(rf"^(?P<name>{NAME}) here(?:$|\s*[,.:!–-]+\s*)(?P<rest>.*)$")
_NAMED = re.compile(rf"^(?P<first>(?:I am|my name is|this is|name is) (?P<name>{NAME})),\s*(?P<rest>.+)$", re.I)
_LABEL = re.compile(
    r"^(?P<new>(?:the |my |our )?(?:new |current |updated )?)(?P<what>(?:[\w-]+ ){0,2}?(?:allerg(?:y|ies)|blood"
    r" (?:type|group)|(?:phone |mobile )?number|e-?mail(?: address)?|address|birthday|pronouns|hobbies|diet|shoe"
    r" size|size|height|weight|job|profession|employer|time ?zone|native language|languages|deadline|favou?rite [\w"
    r" ]+?|star sign|nationality|medication|stack|editor|database|passport(?: number)?))(?P<since> from today| as"
    r" of \w+(?: \w+)?| from \w+)?(?: is| are)?(?:\s*[:=–-]\s*|(?<=type)\s+|(?<=group)\s+)(?P<value>.+)$",
    re.I,
)
_COUNTED = re.compile(
    r"^(?:an?|one|two|three|four|five|six|no|\d|several|both|only|just one|grown-up) (?P<what>[\w '-]+)$", re.I
)
_STATE = re.compile(
    r"^(?:(?:currently|now|still|originally|happily|recently|also) )*(?P<verb>living|based|working|studying|married"
    r"|born|raised|from|allergic|engaged|single|divorced|widowed|vegan|vegetarian|retired|self-employed|freelance"
    r"|learning|into|in (?=[A-Z])|at (?=[A-Z])|training|left-handed|colou?r-?blind|diabetic|deaf|blind)\b",
    re.I,
)


def introduced(text: str) -> list[str]:
    """The statements of somebody who introduces themselves by fragments; empty where `text` does nothing like it."""
    if here := _HERE.match(text):
        return [f"My name is {here['name']}", *([here["rest"]] if here["rest"] else [])]
    about = _ABOUT_ME.match(text)
    rest = about["rest"] if about else text
    named = _NAMED.match(rest)
    if named:
        said = [named["first"]]
        rest = named["rest"]
    elif about:
        said = []
    else:
        return []
    pieces = [piece for piece in re.split(r"\s*[,;]\s+(?:and |but )?|\s+[-–—]+\s+", rest) if piece]
    told = [of_user(piece, first=not said and not number) for number, piece in enumerate(pieces)]
    if not any(told):
        return []
    return [*said, *_joined(pieces, told)]


def _joined(pieces: list[str], told: list[str]) -> list[str]:
    """The statements, where what is none goes with the one before it."""
    found: list[str] = []
    for piece, statement in zip(pieces, told, strict=True):
        if statement:
            found.append(statement)
        elif found and not finite(piece):
            found[-1] += f", {piece}"
        else:
            found.append(piece)
    return found


def of_user(piece: str, *, first: bool = False) -> str:
    """What a fragment says of the user, as a statement; empty where that is not plain."""
    if re.match(r"(?:I|we|my|our|he|she|it|they|the)\b", piece, re.I):
        return ""
    if re.fullmatch(r"(?:aged? )?\d{2}(?: years old| y/?o)?", piece):
        return f"I am {re.findall(r'[0-9]+', piece)[0]} years old"
    if first and re.fullmatch(NAME, piece):
        return f"My name is {piece}"
    if _STATE.match(piece):
        return f"I am {piece}"
    counted = _COUNTED.match(piece)
    office = re.split(r" (?:at|in|for|with|from|of|by) ", piece)[0]
    if len(office.split()) < 6 and KEEP.pattern("keep", "person").search(office):
        return f"I am {piece}" if re.match(r"(?:an?|the) ", piece, re.I) else f"I am {_article(piece)} {piece}"
    if finite(piece):
        return ""
    if counted and (
        set(counted["what"].lower().split()) & set(KEEP.relations) or re.match(r"two|three|no ", piece, re.I)
    ):
        return f"I have {piece}"
    return ""


_BORN = re.compile(rf"^(?P<name>{NAME}), (?P<what>born .+)$")


def labelled(text: str) -> str:
    """A statement of the user's, of a label and its value; empty where `text` is none."""
    if born := _BORN.match(text):
        return f"{born['name']} is {born['what']}"
    found = _LABEL.match(text)
    if not found:
        return ""
    since = (found["since"] or "").replace(" from today", " now")
    plural = "are" if found["what"].lower().endswith("ies") else "is"
    what = re.sub(r"^(?:my|our|the) ", "", f"{found['new']}{found['what']}", flags=re.I)
    return f"My {what[0].lower()}{what[1:]} {plural}{since} {found['value']}"


def _article(noun: str) -> str:
    return "an" if noun[:1].lower() in "aeiou" else "a"
