"""How dates are written: the longer patterns before what may be part of them."""

from __future__ import annotations

import re

from .readers import (
    MONTHS,
    WEEKDAYS,
    Read,
    absolute,
    bare_weekday,
    counted,
    day_of_month,
    holiday,
    month_from_today,
    month_of_year,
    on,
    season,
    weekday,
    weekday_of_week,
    weekend,
)

_MONTH = "(?P<month>" + "|".join(f"{name}|{name[:3]}" for name in MONTHS) + r"|sept)\b\.?"
_DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_OF_EACH = r" of (?:the|each|every) (?:month|quarter|year)\b"
"""What makes a weekday one that comes again: "the first Monday of the month"."""
_WEEKDAY = (
    "(?P<weekday>" + "|".join(WEEKDAYS) + "|(?-i:Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)" + r")\b"
    r"(?!\s+(?:mornings|afternoons|evenings|nights|league|market|school|roast|club)\b)(?:\s+(?:morning"
    r"|afternoon|evening|night))?"
)
_COUNT = (
    r"(?P<count>\d{1,3}|(?:an? )?couple of|half an?|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
)
_COUNT_ZH = r"(?P<count>\d{1,3}|[一二两三四五六七八九]?十[一二三四五六七八九]?|[一二两三四五六七八九半])"
_WHICH_ZH = "(?P<which>上上个?|下下个?|上个?|下个?|这个?|本)"
_YEAR_ZH = "(?P<which>前年|去年|今年|明年|后年)的?"
_MONTH_ZH = r"(?P<month>\d{1,2}|十[一二]?|[一二三四五六七八九])\s*月份?"
_DAY_ZH = r"(?P<day>\d{1,2}|[一二三]?十[一二三四五六七八九]?|[一二三四五六七八九])\s*[日号]"
_WEEK_ZH = "(?:周|星期|礼拜)"
_PART_OF_DAY = "(?: (?:morning|afternoon|evening|night))?"

_ABSOLUTE = (
    r"(?<!\d)(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})(?!\d)",
    r"(?P<year>\d{4})\s*年\s*(?P<month>\d{1,2})\s*月\s*(?P<day>\d{1,2})\s*[日号]",
    r"(?P<year>\d{4})\s*年\s*(?P<month>\d{1,2})\s*月",
    rf"(?<!\d){_MONTH_ZH}\s*{_DAY_ZH}",
    rf"(?<!\d){_MONTH_ZH}(?P<day>[二三]?十[一二三四五六七八九]?)(?![一二三四五六七八九十百个多几来天年月周点\d])",
    r"(?<![\d个])(?P<month>\d{1,2})\s*月(?!\d)",
    r"(?<![\d个一二三四五六七八九十])(?P<month>十[一二]?|[一二三四五六七八九])月(?![\d亮饼])",
    rf"\b{_DAY}(?:\s+of)?\s+{_MONTH}(?:,?\s+{_YEAR})?(?!\w)",
    rf"\b{_MONTH}\s+{_DAY}(?:,?\s+{_YEAR})?\b(?!\d)",
    rf"\b{_MONTH},?\s+(?:of\s+)?{_YEAR}\b",
    # "may" and "march" alone are more often verbs.
    rf"\b(?:in|of|during|since|by|until|till|from|early|late|mid)\s+{_MONTH}(?!\w)",
    rf"\b(?!may\b|march\b|mar\b|jan\b|sun\b){_MONTH}(?!\w)",
    r"(?P<year>\d{4})\s*年",
    rf"\b{_YEAR}\b",
)

_FROM_TODAY: tuple[tuple[str, Read], ...] = (
    (r"\bday before yesterday\b|(?<!大)前天", on("day", -2)),
    (r"大前天", on("day", -3)),
    (rf"\b(?<!before )yesterday\b{_PART_OF_DAY}|昨天|昨日|昨晚|\blast night\b", on("day", -1)),
    (r"\bday after tomorrow\b|(?<!大)后天", on("day", 2)),
    (r"大后天", on("day", 3)),
    (rf"\b(?<!after )tomorrow\b{_PART_OF_DAY}|明天|明日|明晚|明早", on("day", 1)),
    (r"\btoday\b|今天|今日|\btonight\b|今晚|今早|\bthis (?:morning|afternoon|evening)\b", on("day", 0)),
    (rf"\b{_WEEKDAY},? (?:of )?(?P<which>last|next|this) week\b", weekday_of_week),
    (rf"\b(?:(?P<which>last|this|next)|the coming|this coming) {_WEEKDAY}(?!{_OF_EACH})", weekday),
    (rf"{_WHICH_ZH}{_WEEK_ZH}(?P<weekday>[一二三四五六日天1-6])(?![个天])", weekday_of_week),
    (rf"{_WHICH_ZH}{_WEEK_ZH}末", weekend),
    (r"\b(?P<which>last|this|next) weekend\b", weekend),
    (r"\bweek before last\b|上上个?(?:周|星期|礼拜)", on("week", -2)),
    (r"\bweek after next\b|下下个?(?:周|星期|礼拜)", on("week", 2)),
    (r"\blast week\b(?! of)|上个?(?:周|星期|礼拜)", on("week", -1)),
    (r"\bthis week\b(?! of)|这个?(?:周|星期|礼拜)|本周", on("week", 0)),
    (r"\bnext week\b(?! of)|下个?(?:周|星期|礼拜)", on("week", 1)),
    (r"\bmonth before last\b|上上个?月", on("month", -2)),
    (r"\blast month\b|上个?月", on("month", -1)),
    (r"\bthis month\b|这个月|本月", on("month", 0)),
    (r"\bnext month\b|下个?月", on("month", 1)),
    (r"\b(?P<which>last|this|next) (?P<season>spring|summer|autumn|fall|winter)\b", season),
    (rf"{_YEAR_ZH}(?P<season>[春夏秋冬])[天季]", season),
    (r"\byear before last\b|前年", on("year", -2)),
    (r"\blast year\b|去年", on("year", -1)),
    (r"\bthis year\b|今年", on("year", 0)),
    (r"\bnext year\b|明年", on("year", 1)),
    (r"后年", on("year", 2)),
    (rf"\b{_COUNT} (?P<unit>day|week|month|year)s? (?P<back>ago)\b", counted),
    (rf"{_COUNT_ZH}个?(?P<unit>天|日|周|星期|礼拜|月|年)(?P<back>以?前|之前)", counted),
    (rf"\bin {_COUNT} (?P<unit>day|week|month|year)s?(?:' time)?(?!\w| of\b)", counted),
    (rf"\b{_COUNT} (?P<unit>day|week|month|year)s? from (?:now|today)\b", counted),
    (rf"{_COUNT_ZH}个?(?P<unit>天|日|周|星期|礼拜|月|年)(?:以后|之后|后)", counted),
    (rf"再过{_COUNT_ZH}个?(?P<unit>天|日|周|星期|礼拜|月|年)", counted),
)

_OF_A_YEAR_OR_MONTH: tuple[tuple[str, Read], ...] = (
    (rf"{_YEAR_ZH}\s*{_MONTH_ZH}\s*{_DAY_ZH}", month_of_year),
    (rf"{_YEAR_ZH}\s*{_MONTH_ZH}", month_of_year),
    (rf"\b{_MONTH}(?:\s+{_DAY})?,? (?:of )?(?P<which>last|next|this) year\b", month_of_year),
    (rf"\b{_DAY} (?:of )?{_MONTH},? (?:of )?(?P<which>last|next|this) year\b", month_of_year),
    (rf"\b(?P<which>last|next|this) {_MONTH}(?:\s+{_DAY})?(?!\w)", month_from_today),
    (rf"(?P<which>上个?月|下个?月|这个月|本月)\s*的?{_DAY_ZH}", day_of_month),
    (r"\b(?:the )?(?P<day>[0-3]?\d)(?:st|nd|rd|th) of (?P<which>last|next|this) month\b", day_of_month),
)

_LOOSE: tuple[tuple[str, Read], ...] = (
    (
        r"\b(?P<holiday>christmas (?:eve|day)|christmas|boxing day|new year['’]s (?:eve|day)|new year|halloween|"
        r"valentine['’]s day)\b(?! (?:card|gift|present|tree|party|dinner|market)s?\b)",
        holiday,
    ),
    (r"(?P<holiday>平安夜|圣诞节?|元旦|国庆节?|劳动节|五一(?!\d)|儿童节|情人节)", holiday),
    (rf"(?<!every )(?<!each )\b{_WEEKDAY}(?!{_OF_EACH})", bare_weekday),
    (rf"(?<![每一两]){_WEEK_ZH}(?P<weekday>[一二三四五六日天])(?![个天次])", bare_weekday),
    (r"\b(?:on|by|until|from|as of|as at) the (?P<day>[0-3]?\d)(?:st|nd|rd|th)\b", day_of_month),
    (rf"(?:截至|截止到?){_DAY_ZH}", day_of_month),
)

PATTERNS: tuple[tuple[re.Pattern[str], Read, bool], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), read, relative)
    for table, relative in (
        (_OF_A_YEAR_OR_MONTH, True),
        (tuple((pattern, absolute) for pattern in _ABSOLUTE), False),
        (_FROM_TODAY, True),
        (_LOOSE, True),
    )
    for pattern, read in table
)
