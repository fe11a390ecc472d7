"""When what a claim tells happened, began or ends, and the claim with its relative dates made absolute."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from ....when import Stretch, clock_in, stretches
from .claim import Claim
from .judging import Meaning
from .keeping import keeping

_DURATION = re.compile(
    r"\b(?:for|since) (?:about |over |almost |nearly |more than |the (?:last|past) "
    r")?(?P<count>\d{1,2}|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve) "
    r"(?P<unit>year|month|week)s?\b(?! ago)",
    re.IGNORECASE,
)
_SINCE = re.compile(
    r"(?:\b(?:since|as of|from|starting|beginning|effective)\s*(?:the |on |in )?$|[自从打]\s*$)", re.IGNORECASE
)
_FROM = re.compile(r"\b(?:from|starting|beginning|effective|as of)\b|从|自", re.IGNORECASE)
_SINCE_AFTER = re.compile(r"^\s*(?:onwards?\b|on\b(?! \w+day)|起|开始|以来|之后就)")
_UNTIL = re.compile(
    r"(?:\b(?:until|till|through|up to|no later than)\s*(?:the |on |in |end of |at least )*$|"
    r"(?:直到|一直到|截至|待到|住到|做到|持续到|用到|有效期到|"
    r"(?<![延迟前改调挪搬换移定期])到)\s*$)",
    re.IGNORECASE,
)
_UNTIL_AFTER = re.compile(r"^\s*(?:为止|之前|前(?!天|年))")
_PREPOSITION = re.compile(
    r"\b(?:on|in|at|by|since|until|till|from|of|during|for|to|before|after|around|about|as of|"
    r"through|starting|early|late|mid|the)\s*$",
    re.IGNORECASE,
)
_LEADING = re.compile(r"^(?:in|of|during|since|by|until|till|from|early|late|mid|on)\s+", re.IGNORECASE)
_WEEKDAY = re.compile(r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:周|星期|礼拜)([一二三四五六日天])", re.IGNORECASE)
_MONTH_NAMED = re.compile(r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*|月", re.IGNORECASE)
_NAMED_DAY = re.compile(
    r",? (?:the )?(?:\d{1,2}(?:st|nd|rd|th)?(?: of)? )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)", re.I
)
_YEAR = re.compile(r"\d{4}")
_OF_YEAR = re.compile(
    r"\b(?:in|since|until|till|from|by|of|during|after|before|year|to|early|late|mid|around|"
    r"about)\s*$|[自从在到至于,，]\s*$",
    re.IGNORECASE,
)
_RANGE = re.compile(r"\b(?P<day>\d{1,2})(?:st|nd|rd|th)?\s*(?:to|-|–|—|until|through|and)\s*(?:the )?$", re.IGNORECASE)
_HOLIDAY = re.compile(r"christmas|boxing|new year|halloween|valentine|节|圣诞|元旦|国庆|五一|平安夜", re.IGNORECASE)
_AGAIN = frozenset(("birthday", "schedule", "habit"))
"""What comes again: its days are left as they were said."""
_MONTHS = "January February March April May June July August September October November December".split()  # noqa: SIM905


@dataclass(frozen=True, slots=True)
class Timing:
    """Days as YYYY-MM-DD, or YYYY-MM-DDTHH:MM where the time of day was said; empty where nothing was."""

    text: str
    event: str = ""
    begins: str = ""
    ends: str = ""


def timed(claim: Claim, meaning: Meaning) -> Timing:
    """The times of `claim`, and its text with absolute dates."""
    text, today = claim.text, claim.entry.at.date()
    if meaning.attribute in _AGAIN and not keeping(claim.language).pattern("keep", "change").search(text):
        return Timing(text)
    ahead = not meaning.past
    event = begins = ends = ""
    within = False
    swaps: list[tuple[Stretch, str]] = []
    again = keeping(claim.language).pattern("keep", "often").search(text) is not None
    for found in stretches(text, today, ahead=ahead):
        before, inside = text[: found.start], text[found.start : found.end]
        if _WEEKDAY.fullmatch(inside.strip()) and _NAMED_DAY.match(text[found.end :]):
            continue  # "Monday 30 March" names one day
        if (again and _WEEKDAY.fullmatch(inside.strip())) or (_YEAR.fullmatch(inside) and not _OF_YEAR.search(before)):
            continue
        if first := _RANGE.search(before):
            event = event or _from_day(found.day, int(first["day"]))
        role = _role(before, inside, text[found.end :])
        if role == "begins":
            found = _begun(text, found, today, meaning, before[-14:] + inside)
            begins = begins or found.day.isoformat()
        elif role == "ends":
            found = _again(text, found, today, ahead=True)
            ends = ends or found.first.isoformat()
        elif (
            not event
            and (found.after - found.first).days > 300
            and not (meaning.past or meaning.moment or meaning.planned)
        ):
            pass  # "this year" says of a state little more than that it is so
        elif not event:
            event = found.day.isoformat()
            within = found.day == found.first < today < found.after
            if found.after.toordinal() - found.first.toordinal() == 1 and (clock := clock_in(text)):
                event += f"T{clock:%H:%M}"
        if found.relative and meaning.attribute != "birthday":
            swaps.append((found, _absolute(text, found, claim.language)))
    if (lasting := _DURATION.search(text)) and not begins and not meaning.past:
        ago = stretches(f"{lasting['count']} {lasting['unit']}s ago", today)
        begins = ago[0].day.isoformat() if ago else ""
    for found, words in reversed(swaps):
        text = text[: found.start] + words + text[found.end :]
    if meaning.moment and event and not begins and (meaning.past or event[:10] <= today.isoformat()):
        # Of "this week" nobody can tell the day: since today it surely is so.
        begins = today.isoformat() if within else event[:10]
    return Timing(text, event, begins, ends)


def _begun(text: str, found: Stretch, today: date, meaning: Meaning, words: str) -> Stretch:
    """Since when: "since" looks back, and "from" and "as of" to the nearer day."""
    back, on = _again(text, found, today, ahead=False), _again(text, found, today, ahead=True)
    if meaning.past or not _FROM.search(words):
        return back
    return on if on.day - today <= today - back.day else back


def _from_day(last: date, day: int) -> str:
    """The first day of "5 to 12 June"."""
    try:
        return last.replace(day=day).isoformat()
    except ValueError:
        return ""


def _again(text: str, found: Stretch, today: date, *, ahead: bool) -> Stretch:
    """The same words, read the other way."""
    return next((one for one in stretches(text, today, ahead=ahead) if one.start == found.start), found)


def _role(before: str, inside: str, after: str) -> str:
    low = inside.lower()
    if low.startswith(("since ", "from ")) or _SINCE.search(before) or _SINCE_AFTER.match(after):
        return "begins"
    if low.startswith(("until ", "till ")) or _UNTIL.search(before) or _UNTIL_AFTER.match(after):
        return "ends"
    return "event"


def _absolute(text: str, found: Stretch, language: str) -> str:
    """The words of a relative date, as they are understood on any day."""
    words, days = text[found.start : found.end], found.after.toordinal() - found.first.toordinal()
    if language == "zh":
        return _absolute_zh(words, found, days)
    leading = _LEADING.match(words)
    lead = leading[0] if leading else ""
    bare = words[len(lead) :]
    if (
        _MONTH_NAMED.search(bare)
        and not re.search(r"\b(?:last|next|this|month|weekend)\b", bare, re.I)
        and not _WEEKDAY.search(bare)
    ):
        return f"{lead}{bare} {found.first.year}"
    if _HOLIDAY.search(bare):
        return f"{lead}{bare} {found.first.year}"
    prefix = "" if lead or _PREPOSITION.search(text[: found.start]) else ("on " if days == 1 else "in ")
    if days == 1:
        named = _WEEKDAY.search(bare)
        return f"{lead}{prefix}{f'{named[0].capitalize()} ' if named else ''}{found.day.isoformat()}"
    if days == 2:
        return f"{lead}{prefix or ''}the weekend of {found.first.isoformat()}".replace(
            "in the weekend", "on the weekend"
        )
    if found.day != found.first:
        return f"{lead}around {found.day.isoformat()}"
    if days == 7:
        return f"{lead}{prefix}the week of {found.first.isoformat()}"
    if days < 32:
        return f"{lead}{prefix}{_MONTHS[found.first.month - 1]} {found.first.year}"
    if days < 93:
        return f"{lead}{prefix}{bare.split()[-1]} {found.first.year}"
    return f"{lead}{prefix}{found.first.year}"


def _absolute_zh(words: str, found: Stretch, days: int) -> str:
    first = found.first
    if _HOLIDAY.search(words):
        return f"{first.year}年{words}"
    if days == 1:
        named = _WEEKDAY.search(words)
        shown = f"{found.day.year}年{found.day.month}月{found.day.day}日"
        return f"{shown}（周{named[1]}）" if named else shown
    if days == 2:
        return f"{first.year}年{first.month}月{first.day}日那个周末"
    if found.day != found.first:
        return f"{found.day.year}年{found.day.month}月{found.day.day}日左右"
    if days == 7:
        return f"{first.year}年{first.month}月{first.day}日那一周"
    if days < 32:
        return f"{first.year}年{first.month}月"
    if days < 93:
        return f"{first.year}年{words[-2:]}"
    return f"{first.year}年"
