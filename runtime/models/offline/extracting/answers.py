"""Completes a short answer by the question that it answers: "What's your sister's name?" "Ana."."""

from __future__ import annotations

import re

from ..person import open_up
from ..sentences import sentences
from ..stems import is_cjk

_MOST = 8
"""Words of an answer that may need its question; of Chinese characters, twice as many."""
_YES = re.compile(
    r"^(?:(?:god|hell|oh|aye),? )?(?:yes|yeah|yep|yup|sure|correct|right|exactly|i do|i am|indeed|that's right"
    r"|of course|definitely|absolutely)\b[,.! ]*",
    re.I,
)
_NO = re.compile(
    r"^(?:(?:god|hell|oh|ew|ugh),? )?(?:no|nope|nah|i don't|i do not|i am not|not really|not at all|never)\b[,.! ]*",
    re.I,
)
_YES_ZH = re.compile(r"^(?:是的?|对的?|对啊|没错|嗯+|有的?|会的?|吃的?|当然|可以|好的?)[，,。！ ]*$")
_NO_ZH = re.compile(r"^(?:不是|没有|不会|不吃|不[喝抽养用爱]|不|没|不对)[，,。！ ]*$")
_WH_ZH = re.compile(
    r"叫什么名字|叫什么|什么时候|哪一天|哪天|哪里|哪儿|哪个城市|什么地方|哪家公司|什么工作|"
    r"几口人|几次|多少次|几个人|几年级|多少岁|多大|几岁|几号|几点|多久|哪[支家款门位座所条台只][\u4e00-\u9fff]{0,3}|"
    r"哪个[\u4e00-\u9fff]{0,3}|哪种[\u4e00-\u9fff]{0,3}|哪些[\u4e00-\u9fff]{0,3}|"
    r"什么[\u4e00-\u9fff]{0,4}(?=过敏|$)|什么|谁|多少|怎么(?=通勤|上班|上学|去公司|去学校|回家|做饭|健身|锻炼)"
)
_VERB = re.compile(
    r"^(?:(?:won|don|can|didn|isn|doesn)'t|will|do|did|can|not|is|was|has|have|let|ok|okay|hm+|oh|lol)\b", re.I
)
_OWN = re.compile(r"^(?:i|my|we|our|it|that|this|he|she|they)\b|^the (?:[\w-]+ ){1,3}(?:is|are|was|has)\b", re.I)
_PATTERNS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), answer)
    for pattern, answer in (
        (
            r"^(?:which|what) (?:city|town|country|place|part of \w+) (?:are|do) you (?:in|live in|"
            r"living in|based in|from|call home)$",
            "I live in {a}",
        ),
        (r"^what (?:is|are) your (?P<x>.+?) (?:called|named)$", "My {x} is called {a}"),
        (
            r"^(?:which|what) [\w -]+? (?:is|are) (?:the|your|our) (?P<x>[\w -]+?) (?P<v>(?:built|"
            r"written|made|hosted|running|deployed|based)(?: (?:with|in|on|by|using))?)$",
            "Our {x} is {v} {a}",
        ),
        (r"^(?:what time|when) do you (?:usually |normally |typically )?(?P<x>[\w ]+)$", "I {x} at {a}"),
        (
            r"^(?:what time|when) (?:does|do) your (?P<x>.+?) (?P<v>start|begin|end|finish|leave|"
            r"arrive)$",
            "My {x} {v}s at {a}",
        ),
        (
            r"^(?:which|what) [\w -]+? (?:should|shall|do|will) (?:we|I|you) (?:use|pick|choose|go "
            r"with)(?P<x> (?:for|in) .+)?$",
            "We use {a}{x}",
        ),
        (r"^when (?:will|are) you (?:be |going to be )?(?P<x>in [\w ]+)$", "I will be {x} {a}"),
        (r"^what is your (?P<x>.+?)(?:'s)? name$", "My {x}'s name is {a}"),
        (r"^what (?:is|are) your (?P<x>.+)$", "My {x} is {a}"),
        (r"^what (?:is|are) (?:his|her|their|its) name$", "name"),
        (r"^(?:when|what day|what date) (?:is|are) your (?P<x>.+)$", "My {x} is on {a}"),
        (r"^(?:when|what time) (?:is|are) (?P<x>(?:the|our) .+)$", "{x} is {a}"),
        (r"^who is your (?P<x>.+)$", "My {x} is {a}"),
        (r"^what (?:kind|sort|type) of (?P<x>[\w -]+)$", "The {x} is {a}"),
        (r"^what do you do (?P<x>there|at .+|in .+)$", "My work {x} is {a}"),
        (r"^how old are you(?: now)?$", "I am {a} years old"),
        (r"^how old is your (?P<x>.+)$", "My {x} is {a} years old"),
        (r"^what do you do(?: for (?:a living|work))?$", "I work as {a}"),
        (r"^where are you (?P<x>from|originally from)(?: these days| now)?$", "I am {x} {a}"),
        (r"^where are you (?P<x>based|living)(?: these days| now)?$", "I am {x} in {a}"),
        (r"^where do you (?P<x>live|work|study)(?: these days| now)?$", "I {x} in {a}"),
        (r"^where does your (?P<x>.+?) (?P<v>live|work|study)$", "My {x} {v}s in {a}"),
        (
            r"^(?:what|which)(?: [\w -]+?)? (?:do|did|are|have) you (?P<x>\w+(?: \w+){0,2}?)(?: these "
            r"days| now| for that)?$",
            "I {x} {a}",
        ),
        (r"^who do you (?P<x>work for|live with|work with)$", "I {x} {a}"),
        (
            r"^(?:do|are) you (?:have )?(?:allergic to (?:anything|something)|any (?:food )?allergies).*$",
            "I am allergic to {a}",
        ),
        (r"^any (?:food )?allergies.*$", "I am allergic to {a}"),
        (
            r"^(?:is there anything|what) (?:do |should )?you (?:do not|don't|cannot|can't|not) eat.*$",
            "I do not eat {a}",
        ),
        (r"^any (?P<x>pets|children|kids|siblings|hobbies).*$", "I have {a}"),
        (r"^do you have (?:any |a )?(?P<x>pets?|children|kids|siblings|car|bike)\b.*$", "I have {a}"),
        (r"^(?:what|how) should i call you$", "Call me {a}"),
        (
            r"^(?:which|what) (?P<x>[\w -]+?) (?:are you on|do you use|are you using|should we use|will you use)$",
            "I use {a}",
        ),
    )
)


_ABOUT = re.compile(r"^(?:what|how) about (?:the |your |any )?(?P<x>[\w -]+s)$", re.I)
_ROUTINE = re.compile(r"\b(?:nightly|hourly|daily|weekly|monthly|automatically|every \w+)\b", re.I)
"""What goes on by itself: "What about backups?" "Nightly to the NAS"."""


def completed(question: str, answer: str) -> str:
    """The statement that `answer` makes to the last thing that was asked, or the answer alone where none is needed."""
    asked = [sentence for sentence in sentences(question) if sentence.asks]
    given = sentences(answer)
    if not asked or not given:
        return answer
    first = given[0].text
    if is_cjk(first) and len(first) > 2 * _MOST:
        first = re.split("[，,]", first)[0]
    chinese = is_cjk(asked[-1].text)
    question = asked[-1].text if chinese else open_up(asked[-1].text)
    whole = _chinese(question, first) if chinese else _english(question, first)
    if not whole and not chinese and "," in first:
        # "Two girls, Ada is nine and Wren is four": what answers is the first of it.
        first = first[: first.index(",")]
        whole = _english(question, first)
    if not whole:
        return answer
    rest = answer[answer.find(first) + len(first) :].lstrip(".!,，。！ ")
    if is_cjk(whole):
        return f"{whole}{'，' if first != given[0].text else '。'}{rest}"
    return f"{whole}. {rest}"


def _english(question: str, answer: str) -> str:
    question = re.sub(
        r"^(?:[\w ,]*?[,:] |and |so |by the way,? |oh,? |ok,? )?(?=(?:what|when|where|who|which|"
        r"how|do|are|is|any|have|does|did|can)\b)",
        "",
        question,
        flags=re.I,
    )
    plain = re.sub(r"\s*(?:,? (?:please|by the way|then|exactly|currently))$", "", question, flags=re.I)
    yes, no = _YES.match(answer), _NO.match(answer)
    if (yes or no) and re.match(r"^(?:so )?you (?:live|work|are|have|use|speak|play|study|come)\b", plain, re.I):
        return _declared(plain, answer[(yes or no).end() :].strip(" ,."), bool(no))  # type: ignore[union-attr]
    if (yes or no) and (stated := _yes_or_no(plain, negated=bool(no))):
        more = answer[(yes or no).end() :].strip() if (yes or no) else ""  # type: ignore[union-attr]
        if not more or re.match(
            r"^(?:never|thanks|please|i do|i am|always|of course|not at all|why|right|how|what)\b", more, re.I
        ):
            return stated
        if _OWN.match(more):
            return f"{stated}. {more}"
        if re.match(r"(?:for|in|on|at|with|to|from|since|until|by|next|every|of|as) ", more, re.I) and not no:
            return f"{stated} {more}"
        answer = more
    if counted := _counted(plain, answer):
        return counted
    if len(answer.split()) > _MOST or _OWN.match(answer) or _VERB.match(answer):
        return ""
    said = re.sub(
        r"^(?:it is|it's|that is|that's|they are|he is|she is|called|named|just|only|mostly|oh|um|uh|well),? ",
        "",
        answer,
        flags=re.I,
    ).strip(" .!")
    about = _ABOUT.match(plain)
    if about and _ROUTINE.search(said):
        return f"My {about['x']} run {said}"
    if re.search(r" for$", plain) and re.match(r"\w+ing\b", said):
        return f"I am {said}"
    for pattern, statement in _PATTERNS:
        found = pattern.match(plain)
        if found and said:
            if re.match(r"^(?:in|on|at|for|as)\b", said, re.I):
                said = said[0].lower() + said[1:]
                statement = re.sub(r" (?:in|on|as|at) \{a\}", " {a}", statement)
            if statement == "I {x} {a}" and found["x"].split()[0].endswith("ing"):
                statement = "I am {x} {a}"
            if statement == "name":
                return f"Their name is {said}"
            return statement.format(a=said, **{name: value or "" for name, value in found.groupdict().items()})
    return ""


def _counted(question: str, answer: str) -> str:
    """ "Do you keep quails?" "Six of them, in the garden"."""
    asked = re.match(
        r"^do you (?P<verb>have|keep|own|collect|grow|breed|play|raise|run|foster) (?:any |some )?(?P<what>[\w -]+)$",
        question,
        re.I,
    )
    many = re.match(
        r"^(?:yes,? |yep,? |yeah,? )?(?:just |only |about )?(?P<many>one|two|three|four|five|six|seven|eight"
        r"|nine|ten|a dozen|\d+|a few|a couple|several|lots)"
        r"(?: of (?:them|those))?(?P<rest>$|[,.]? .*)$",
        answer,
        re.I,
    )
    if not asked or not many or re.match(r" (?!in|at|on|from|since|and|all)[a-z]", many["rest"]):
        return ""
    return f"I {asked['verb']} {many['many'].lower()} {asked['what']}{many['rest']}"


def _declared(question: str, rest: str, denied: bool) -> str:
    """ "So you live in Oslo?" "No, in Bergen"."""
    stated = re.sub(
        r"^(?:so )?you are\b", "I am", re.sub(r"^(?:so )?you (?!are\b)", "I ", question, flags=re.I), flags=re.I
    )
    if not denied:
        return re.sub(r"\byour\b", "my", stated)
    put = re.match(r"^(?P<how>in|at|for|as|on|a|an) (?P<what>[^,.]+)$", rest, re.I)
    if not put:
        return ""
    verb = re.match(r"^I \w+(?= (?:in|at|for|as|on|a|an) )", stated)
    return f"{verb[0]} {put[0]}" if verb else ""


def _yes_or_no(question: str, *, negated: bool) -> str:
    found = re.match(r"^(?P<aux>do|are|have|did|were|can|will) you (?P<rest>.+)$", question, re.I)
    if not found or re.search(
        r"\b(?:want|need|mean|like me|anything|something|help|any|mind|ready|sure|try)\b", found["rest"], re.I
    ):
        return ""
    aux, rest = (
        found["aux"].lower(),
        re.sub(r"\b(?:still|usually|normally|ever|perhaps|by any chance)\b ?", "", found["rest"]),
    )
    rest = re.sub(r"\byour\b", "my", rest)
    verb = {"are": "am", "were": "was"}.get(aux, aux)
    if negated:
        return f"I {verb} not {rest}"
    return f"I {rest}" if aux == "do" else f"I {verb} {rest}"


def _chinese(question: str, answer: str) -> str:
    if re.search("帮助|帮忙|帮你|需要什么|想要什么|想了解|想问", question):
        return ""
    if len(answer) > 2 * _MOST or answer.startswith(("我", "咱", "你", "不知道", "随便")):
        return ""
    plain = re.sub(r"^(?:那么?|请问|对了|好的?|嗯)[，, ]?|(?:呢|呀|啊)$", "", question)
    plain = re.sub("^请问", "", re.split(r"[，,…—]+", plain)[-1])
    plain = plain.replace("您", "我").replace("你", "我")
    if (
        re.search(r"什么.*过敏|过敏", plain)
        and not plain.startswith("我对")
        and not _YES_ZH.match(answer)
        and not _NO_ZH.match(answer)
    ):
        return f"我对{answer}过敏"
    if re.search("避开|忌口|不吃|不能吃", plain) and not _YES_ZH.match(answer) and not _NO_ZH.match(answer):
        what = re.split("[，,]", answer)[0]
        return f"我对{what}过敏" if "过敏" in answer else f"我不吃{re.sub('^不(?:能)?吃', '', what)}"
    plain = re.sub("大概|大约|一般|通常", "", plain)
    if (owned := re.match(r"^有没有(?P<what>[^，。的]+)$", plain)) and (
        yes := re.match(r"^有[，,](?P<more>.+)$", answer)
    ):
        return f"我有{owned['what']}，{yes['more']}"
    if wanted := re.match(r"^有没有(?P<what>[^，。]+的[^，。]+)$", plain):
        return "" if _NO_ZH.match(answer) else f"我{wanted['what']}是{answer}"
    if plain.endswith(("吗", "么")) and not plain.endswith("什么"):
        body = plain[:-1]
        if body.startswith(("有", "养", "会", "喜欢", "抽烟", "喝酒", "结婚", "吃")):
            body = f"我{body}"
        if counted := re.match(r"^(?:有的?|养了|对)[，,](?P<what>[一两三四五六七八九十\d].+)$", answer):
            return f"我有{counted['what']}"
        answer = re.split(r"[，,]", answer)[0]
        if "我" not in body:
            return ""
        if _YES_ZH.match(answer):
            return body
        denied = re.sub(r"^(我[们的]?\S{0,4}?)(有|吃|喝|会|是|喜欢|住|养)", r"\1不\2", body).replace("不有", "没有")
        return denied if _NO_ZH.match(answer) and denied != body else ""
    if re.match(r"^(?:我|该|应该)*(?:怎么称呼|叫什么|贵姓|怎么叫)", plain):
        return f"我叫{re.sub('(?:就行|就好|就可以|即可|吧)了?$', '', answer)}"
    if place := re.match(r"^(?:不|没有?|不是)[，, ]*在(?P<place>[^，。]{2,6})$", answer):
        return re.sub(r"在[^，。吗]{2,6}", f"在{place['place']}", plain.rstrip("吗吧呢"))
    found = _WH_ZH.search(plain)
    if not found:
        return ""
    if not plain.startswith(("我", "他", "她", "它")):
        plain = f"我的{plain}"
        found = _WH_ZH.search(plain)
        if not found:
            return ""
    if re.match(r"^我(?:现在|目前)?在(?:哪个城市|哪里|哪儿|什么地方)$", plain):
        return f"我住在{answer}"
    said = (
        re.sub(r"^(?:是|叫|在|对|就是|应该是)", "", answer)
        if plain[: found.start()].endswith(("是", "叫", "在", "对"))
        else answer
    )
    if found[0].startswith("叫什么"):
        said = "叫" + re.sub(r"^叫", "", answer)
    return plain[: found.start()] + said + plain[found.end() :]
