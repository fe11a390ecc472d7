"""Words that memory can say nothing about: greetings, thanks, a bare yes, and sums."""

from __future__ import annotations

import re

from ..archive.lines import subject

SHORT = 80
"""Characters up to which words are looked through for small talk; whoever says more says something."""

_SMALL_TALK = re.compile(
    r"(?:hi|hey|hello|howdy|yo|good (?:morning|afternoon|evening|night|day)|"
    r"thanks?(?: you)?(?: (?:so|very) much)?|thx|ty|"
    r"cheers|bye|goodbye|see you(?: later| soon)?|ok(?:ay)?|yes|yep|yeah|no|nope|sure|cool|great|nice|perfect|awesome|"
    r"fine|right|good|please|continue|go on|got it|well done|how are you(?: doing)?(?: today)?|what'?s up|lol|haha|"
    r"there|again|everyone|all|"
    r"你好|您好|嗨|早上好|早安|下午好|晚上好|晚安|谢谢(?:你|您)?|多谢|感谢|再见|拜拜|好的?|是的?|不是|对|嗯|可以|行|没事|继续|哈+)",
    re.IGNORECASE,
)

_ASKS = re.compile(
    r"[?？]|^\W*(?:and )?(?:why|when|where|who|whose|how|what|which|为什么|怎么|什么时候)", re.IGNORECASE
)
_ASKS_SUM = re.compile(
    r"(?:what(?:['’]s| is| does| are)|how much (?:is|are|does)|calculate|compute|work out|solve|tell me|can you|"
    r"could you|and|make|makes|equals?|is|请问|请|算一下|算算|计算|帮我算|等于|得|是|多少|几)",
    re.IGNORECASE,
)
_NUMBER = (
    r"(?:\d[\d,_]*(?:\.\d+)?|\.\d+|\b(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|"
    r"fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|"
    r"hundred|thousand|million|half of|half|pi)\b|[零一二两三四五六七八九十百千万]+)"
)
_OPERATOR = (
    r"(?:[-+*/×÷^%!√–−·]|\*\*|(?<=[\d ])x(?=[\d ])|"
    r"\b(?:plus|minus|times|over|divided by|multiplied by|to the power of|squared|cubed|mod|modulo|percent of|percent|"
    r"sqrt|(?:the )?(?:square |cube )?root of)\b|(?<=% )of\b|加上|减去|乘以|除以|的平方|百分之|加|减|乘|除)"
)
_NUMBERS = re.compile(_NUMBER, re.IGNORECASE)
_OPERATORS = re.compile(_OPERATOR, re.IGNORECASE)
_MARKS = re.compile(r"[\s()（）=?？.。,，!！]+")
_DAY = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}")


def worth_looking(words: str) -> bool:
    """Whether `words` are about anything that memory could know of: no greeting, no thanks, no bare yes, no sum."""
    rest = _without_small_talk(words)
    return bool(subject(rest)) and not is_sum(rest)


def may_go_on(words: str) -> bool:
    """Whether `words` ask something, though they do not say of what: "And before that?", "Why?"."""
    rest = _without_small_talk(words)
    return _ASKS.search(rest) is not None and re.search(r"\w", rest) is not None and not is_sum(rest)


def _without_small_talk(words: str) -> str:
    return _SMALL_TALK.sub(" ", words) if len(words) <= SHORT else words


def is_sum(words: str) -> bool:
    """Whether `words` are arithmetic and nothing else: "12*7?", "what is three plus 4", "3加4等于几"."""
    if len(words) > SHORT or _DAY.search(words):
        return False
    rest, numbers = _NUMBERS.subn(" ", _ASKS_SUM.sub(" ", words))
    rest, operators = _OPERATORS.subn(" ", rest)
    return numbers > 0 and operators > 0 and not _MARKS.sub("", rest)
