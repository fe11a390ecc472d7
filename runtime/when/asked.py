"""The time that a question asks about: how things stand now, how they stood then, or what happened.

"Where did I live in March?" asks how things stood, so what held in March answers it, whatever has become of it since.
"What did I buy in March?" asks for something that happened, and that is found by its day, not by how long it held.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from .stretches import Stretch, days_in, days_of, stretches

Span = tuple[datetime, datetime]
"""From, and until before."""

_STATES = (
    "live|reside|stay|rent|work|study|use|run on|own|have|drive|ride|like|love|hate|prefer|eat|drink|take|play|speak|"
    "wear|need|want|pay|earn|weigh|smoke|belong|know|believe|think|call|go by|commute|sleep|attend|host|keep|look like"
)
_STOOD = re.compile(
    r"\b(?:did|didn['’]?t) (?:[\w'’-]+ ){1,4}?(?:still |usually |mostly |already |even )?(?:" + _STATES + r")\b|"
    r"\bused? to\b|\b(?:was|were|wasn['’]?t|weren['’]?t|had)\b|"
    r"住|在哪|上班|工作|职业|老板|公司|学校|用的?(?:是|什么|哪)|叫什么|喜欢|爱吃|吃什么|开什么|是谁|是什么|是哪|有没有|有什么|养",
    re.IGNORECASE,
)
_HAPPENED = re.compile(
    r"^\W*(?:and |so )?(?:when|how (?:long ago|often)|who (?:did|was it)|what happened)\b|"
    r"\b(?:was|were|had)\b (?:[\w'’-]+ ){0,4}?(?!called|named|used|employed|based|located|married|engaged|allergic|"
    r"supposed|interested|retired|divorced|paid|scared|obsessed)(?:\w{2,}ed|made|bought|said|told|sent"
    r"|built|lost|found|"
    r"born|done|written|held|given|taken|met|gone|broken|stolen)\b|"
    r"\b(?:was|were) (?:[\w'’-]+ ){1,4}?(?:doing|going to|planning|talking about)\b|"
    r"\b(?:have|had|eat|take) (?:[\w'’-]+ ){0,3}?(?:for|at) (?:breakfast|lunch|dinner|supper)\b|"
    r"[买去做说见吃看聊发学]了|决定|发生|去过|什么时候|何时|哪天",
    re.IGNORECASE,
)
_DID = re.compile(r"\bdid\b", re.IGNORECASE)
_BEFORE = re.compile(r"\b(?:before|until|till|prior to)\b|[之以]前", re.IGNORECASE)
_FORMERLY = re.compile(
    r"\bused? to\b|\bbefore\b(?! (?:I|we|you|the|my|our|a|an|\w+ing)\b)|\b(?:previous(?:ly)?|formerly?|original(?:ly)?|"
    r"back then|at the time|no longer|any ?more|in the past|old (?:job|home|address|phone|number|name|car|boss|flat|"
    r"apartment|employer|city))\b|之前|以前|从前|原来|原先|曾经|过去|起初|当时|那时",
    re.IGNORECASE,
)
_NOW = re.compile(
    r"\b(?:now|nowadays|currently|current|at the moment|at present|presently|these days|still|as of today|right now|"
    r"today|latest)\b|现在|目前|如今|眼下|当前|最新|今天",
    re.IGNORECASE,
)
_AS_OF = re.compile(r"[,，]?\s*(?:\bas (?:of|at)(?: the)?|截至|截止到?|到)\s*$", re.IGNORECASE)
"""What stands before the day of which a question says that it asks how things stood then, ..."""
_SAYS_SO = re.compile(r"as (?:of|at)\b|截", re.IGNORECASE)
_STANDS_THEN = re.compile(r"\s*(?:那时候?|那会儿|当时|为止|的?时候|时(?=[，,]))[，,]?")
"""... and what stands after it."""
_AGO = re.compile(r"[天日周期拜月年]\s*[之以]?前")
"""In Chinese "two years ago" and "before" are one word."""
_BEFORE_DATE = re.compile(
    r"(?:\s*\b(?:on|in|at|during|the (?:morning|afternoon|evening|night|day) of))+\s*$", re.IGNORECASE
)
_MOMENT = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class When:
    """The time that a question asks about."""

    span: Span | None = None
    """The stretch of time at which things stood as it asks; None where it names none, or asks for what happened."""
    past: bool = False
    """What was replaced since may answer as well."""
    former: bool = False
    """It asks for what is over, and so not for what holds now."""


def when_of(text: str, now: datetime, zone: ZoneInfo) -> When:
    """The time that `text`, asked at `now` in `zone`, is about."""
    if _NOW.search(text):
        return When()
    former = _FORMERLY.search(text) is not None
    stood = _STOOD.search(text) is not None and not _HAPPENED.search(text)
    if marked := as_of_in(text, now, zone):
        return When(days_of(marked, zone), past=True)
    over = [span for span in days_in(text, now, zone) if span[0] < now]
    if not over:
        return When(past=former or (stood and _DID.search(text) is not None), former=former)
    if not stood:
        return When(past=True)
    span = min(over)
    if _BEFORE.search(text) and not _AGO.search(text):
        span = (span[0] - _MOMENT, span[0])
    return When(span, past=True)


def as_of_in(text: str, now: datetime, zone: ZoneInfo) -> Stretch | None:
    """The stretch of which `text` says outright that it asks how things stood then: "as of 3 May", "截至三月"."""
    for one in stretches(text, now.astimezone(zone).date(), bare_weekdays=False):
        before, after = _AS_OF.search(text[: one.start]), _STANDS_THEN.match(text, one.end)
        says_so = before or after or _SAYS_SO.match(text, one.start)
        if says_so and days_of(one, zone)[0] < now:
            start, end = before.start() if before else one.start, after.end() if after else one.end
            return replace(one, start=start, end=end)
    return None


def without_dates(text: str, now: datetime, zone: ZoneInfo) -> str:
    """`text` without the words that name times; where it says as of when it asks, without that time alone.

    "Where were we going on 25 April, as of the 15th?" still asks of the 25th.
    """
    marked = as_of_in(text, now, zone)
    every = [marked] if marked else stretches(text, now.astimezone(zone).date(), bare_weekdays=False)
    for one in reversed(every):
        start = one.start
        if opened := _BEFORE_DATE.search(text[:start]):
            start = opened.start()
        text = f"{text[:start]} {text[one.end :]}"
    return re.sub(r"[\s,，]+(?=[?？.]|$)", "", " ".join(text.split()))
