"""Reads Chinese for what is worth keeping: each clause by itself, with whom it is of, and what it leaves unsaid."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from ....when import stretches
from ..chinese import Chinese
from ..phrasebook import phrasebook
from ..sentences import Sentence, sentences
from ..words import terms
from .claim import USER, Claim, Entry, Someone
from .keeping import keeping
from .scene import Scene

_KEEP = keeping("zh")
_RELATION = "|".join(sorted(_KEEP.relations, key=len, reverse=True))
_ENDS = _KEEP.table["subject"]["ends"]
_ADVERBS = re.compile(_KEEP.table["subject"]["adverbs"])
_FIRST = re.compile(
    rf"^(?P<who>我们?)?(?:{_KEEP.table['subject']['adverbs']}|{_KEEP.table['subject']['small_adverbs']})+(?=.)"
)
_CLOCK = re.compile(
    r"^(?:的?(?:凌晨|清晨|早上|上午|中午|下午|傍晚|晚上|"
    r"夜里))?(?:[\d一二两三四五六七八九十:：]+点(?:半|[\d一二三四五六七八九十]+分)?钟?)?(?=.)"
)
_TIME_ALONE = re.compile(r"^(?:自|从|打)?(?:起|开始|以后|之后|之前|前|底|初)?$")
_COMMA = re.compile(r"\s*[，,、；;—…]+\s*(?=[^\d])|\s*[：:]\s*")
_LINK = re.compile(
    r"^(?:而且|结果|于是|如今|并且|还有|另外|同时|然后|但是|不过|可是|所以|因此|但|也就是说|"
    r"也就是|也|还|且|和|只是|就是|其实|对了|哦|嗯|话说|顺便说一下|顺便|说起来|那|早)(?=.)"
)
_SAID = re.compile(
    r"^(?:我(?:之前|以前|早就|都)?(?:说过|告诉过你|跟你说过|讲过|提过)[，,]?|如我所说[，,]?|"
    r"(?:你|您)(?:也)?知道的?[，,]?|之前说过[，,]?)(?=.)"
)
_TOPIC = re.compile(r"^(?!现在|给|让|请|帮|就|要)(?P<topic>[^我，。]{1,8}?)我(?P<rest>.{2,})$")
_KIN = "|".join(
    sorted(
        (word for word, group in _KEEP.relations.items() if group in ("family", "partner", "child") and len(word) > 1),
        key=len,
        reverse=True,
    )
)
_BARE_KIN = re.compile(rf"^(?:{_KIN})(?!们)")
_WHOLE = {
    "姐": "姐姐",
    "妹": "妹妹",
    "哥": "哥哥",
    "弟": "弟弟",
    "妈": "妈妈",
    "爸": "爸爸",
    "老妈": "妈妈",
    "老爸": "爸爸",
}
_NEW_PET = re.compile(
    rf"(?:[：:，,]|^)(?P<what>(?:一|两|三)[只条匹头][\u4e00-\u9fff]{{0,3}}?(?P<relation>"
    rf"{'|'.join(sorted(_KEEP.table['relations']['pet'].split(), key=len, reverse=True))}))[，,"
    rf"]?(?:名|取名|名字)?叫(?P<name>[\u4e00-\u9fff]{{1,4}}|[A-Z]\w+)"
)
_WITHOUT = re.compile(
    r"别(?:放|加|带|用)(?P<what>[\u4e00-\u9fff]{1,5})[，,][^。]*(?:我[^，。]*(?:受不了|不吃|"
    r"过敏|讨厌|不爱|不喜欢|拉肚子|吃不了)|[^，。]*我受不了)"
)
_TITLE = re.compile(r"(?:规矩|规定|规范|约定|决定|结论|原则|备忘|消息|情况|定了|是这样)$")
_DOCTOR = re.compile(r"^医生(?:让|叫|嘱咐|要求|建议|说)我(?P<rest>.+)$")
_LEADING = re.compile(
    r"^(?:业余时间|空闲时间?|闲暇时|闲的时候|下班后|每(?:年|月|周|"
    r"天)(?:[一二三四五六七八九十\d]+月)?|下了班|周末|平日|平时|白天|晚上|夜里|早上|没事时?|"
    r"有空时?|到时候|今后)(?=[^，。]{2,})"
)
_OWN = re.compile(
    rf"^(?:我们?|咱们?)(?:家)?(?:的)?(?:一个|有个|最好的|"
    rf"要好的)?(?P<of>[大小老前]?)(?P<relation>{_RELATION})(?P<rest>.*)$"
)
_NAME = re.compile(rf"^(?!{_ENDS})(?P<name>[\u4e00-\u9fff]{{1,3}}?|[A-Z][a-z]+)(?={_ENDS})")
_TOGETHER = re.compile(
    r"^(?:我(?:跟|和|与)(?P<a>[^，。]{1,6}?)|(?P<b>[^，。]{1,6}?)(?:跟|和|与)我)(?=分手|分了|"
    r"分开|离婚|结婚|订婚|在一起|复婚|吵架|领证|搬|去|住)"
)
_PRONOUN = re.compile(r"^(?P<who>他|她|它)(?P<of>的)?")
_FRAGMENT = re.compile(
    r"^(?:要[^，。]{1,4}到|叫(?!我)|不叫|不姓|(?:玩|住|待|"
    r"请假)[一二三四五六七八九十两几\d]+[天晚周个]|名叫|取名|名字叫|名字是|起名|因为|由于|"
    r"不是|而不是|而非|毕竟|主要是|图的是|大名|小名|跟我|[两一二三四五六七八九十\d]+(?:天|个|"
    r"只|年|周|月|次|小时|分钟))"
)
_CAUSE = re.compile(r"^(?:因为|由于|毕竟|主要是)")
_STANDING = re.compile(
    r"以后|今后|从现在起|从今天起|从今以后|往后|每次|一直|永远|始终|默认|总是|一律|都用|"
    r"不要再|别再"
)
_FROM_NOW = re.compile(
    r"^(?:[你您]?请?(?:以后|今后|往后|从现在起|从今天起|从今以后|每次|默认|始终))[，,]?(?!我|咱|他|"
    r"她|例会|会议|站会)(?=[^，。]*(?:别|不要|都|请|用|给我|加|带|回答|回复|写|叫|称呼))|"
    r"^(?=[^，。我]{1,6}(?:都|一律)(?:给我)?(?:用|按|写)[^，。]*$)(?=.*给我)"
)
_CASE = re.compile(
    r"^(?:当)?我(?P<case>要?[^，。]{1,8})(?:的时候|时)[，,]?(?:就|请|你)?(?P<what>(?:别|不要|"
    r"不用|请|先|用|直接|只|加).+)$"
)
_ONCE = re.compile(r"这次|这一次|这回|这句|这段|这篇|这条|本次|刚才|上面")
_WISH = re.compile(
    r"(?:你|您|请|麻烦|希望你)?(?:都|要|就|能|可以)?(?P<what>(?:用|别|不要|不用|少|多|先|只|"
    r"直接)?[^，。]{0,12}?(?:回答|回复|答复|称呼|叫我|跟我说|和我说|写代码|说话|给我|举例|"
    r"解释|表情|废话|客套|加注释|列表|用中文|用英文|简短|简洁|详细)[^，。]*)"
)
_NICKNAME = re.compile(
    r"^(?:你|您|大家|可以|就|以后|直接|请|都)*(?:叫|喊|"
    r"称呼)我(?P<name>[^，。]{1,8}?)(?:就行了?|就好了?|吧|即可|就可以了?)?$"
)
_THING = re.compile(
    r"^(?P<thing>[^，。]{1,16}?)(?P<rest>(?:的)?(?:选|采用|定为|存|换|搬|归|由|支持|放在|排练|"
    r"训练|开会|上课|集合|需|必|得|用|改用|换成|换到|迁移到|迁到|切到|是|在|改到|改成|改为|"
    r"截止|定在|定于|跑|装|放|延到|延期到|推迟到|推迟|提前到|挪到|没有|没|有|要|禁止|必须|"
    r"规定|约定|从|每|到期|上线|一律|都|到|不|改).*)$"
)
_DENIES = re.compile(r"^(?:不对|不是|错了|你记错了|你搞错了|你弄错了|那是错的|这不对|那不对|记错了)")
_NEVER = re.compile(r"^我?(?:从来没|从没|没有|没|并没|并不|不是|不)")
_COMMAND = re.compile(
    r"^(?:别|不要|请|帮我|麻烦|你|您|记得提醒|(?:到时候?|届时)?提醒我|推荐|给我|换|来|再|求|教|想个|写|列|算|"
    r"查|翻|做个|出个|选|看看|拜托)"
)


class ChineseReader:
    """Reads the entries of a dialogue in order."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.ear = Chinese()
        self.marks = re.compile(
            "|".join(sorted(map(re.escape, phrasebook("zh").words("question", "marks")), key=len, reverse=True))
        )

    def hear_question(self, text: str) -> None:
        """Meets those whom the assistant's question speaks of."""
        for found in re.finditer(rf"[你您](?:家)?(?:的)?(?P<relation>{_RELATION})", text):
            self.scene.meet(Someone(_WHOLE.get(found["relation"], found["relation"]), "", found["relation"]))

    def read(self, text: str, entry: Entry) -> Iterator[Claim]:
        """The claims of what the user said."""
        denies = corrects = False
        for sentence in sentences(text):
            if _DENIES.match(sentence.text):
                denies = corrects = True
            for claim in self._sentence(sentence, entry):
                claim.denied = denies and _NEVER.match(claim.said) is not None and not claim.old
                claim.corrects = claim.corrects or corrects
                yield claim

    def _sentence(self, sentence: Sentence, entry: Entry) -> Iterator[Claim]:
        text = sentence.text
        asked = self.ear.book.fits(text, "intent", "remember")
        what = (asked or {}).get("what", "").strip("，,：: ")
        if what and not what.startswith(("我吗", "吗")) and not self._asks(what):
            text = what
        else:
            what = ""
            if self.ear.book.fits(text, "intent", "forget") and not text.startswith(("我忘", "别忘")):
                return
        if text.startswith(self.ear.book.words("inline", "hypothetical")):
            return
        plain, corrects, _ = self.ear._opened(text)
        if not what and (wish := self._wish(plain or text, entry)):
            yield wish
        subject: tuple[str, Someone | None, str] | None = (USER, None, "我")
        last: Claim | None = None
        if pet := _NEW_PET.search(text):
            self.scene.meet(Someone(pet["relation"], pet["name"], pet["relation"]))
            stated = f"我养了{pet['what']}，叫{pet['name']}"
            yield Claim(stated, stated, "zh", entry)
        if without := _WITHOUT.search(text):
            yield Claim(f"我不吃{without['what']}", f"我不吃{without['what']}", "zh", entry)
        pieces = [piece for piece in _COMMA.split(text) if piece]
        heading = (
            pieces[0]
            if len(pieces) > 1 and re.match(r"^.{2,10}[：:]", text) and not re.search(r"[我他她]", pieces[0][1:])
            else ""
        )
        if heading and _TITLE.search(heading):
            pieces = pieces[1:]
        held: list[Claim] = []
        for place, piece in enumerate(pieces):
            piece = _SAID.sub("", _LINK.sub("", piece.strip()))
            if piece and place + 1 < len(pieces) and _TIME_ALONE.match(self._plain(piece, entry)):
                pieces[place + 1] = piece + pieces[place + 1]
                continue
            asks = (sentence.asks and place == len(pieces) - 1) or self._asks(piece)
            if not piece or ((asks or _COMMAND.match(piece)) and not _NICKNAME.match(piece)):
                continue
            if (
                last is not None
                and (_FRAGMENT.match(piece) or re.match(r"^[就也]?在[^，。]{1,6}$", piece))
                and not re.match(r"不是[^，。]*[，,]?是", piece)
            ):
                if last.old == "" and (old := re.match(r"(?:而?不是|而非|不叫|不在|不姓)(?P<old>.{1,12})$", piece)):
                    last.old, last.corrects = old["old"], True
                elif not _CAUSE.match(piece) or re.search(r"用|选|决定", last.said):
                    last.text += f"，{piece}"
                    last.said = f"{last.said}，{piece}" if re.match(r"叫|名|取|起|大名|小名", piece) else last.said
                continue
            if place and re.match(r"^我?一?(?:吃|碰|闻|喝)[了就]", piece) and len(pieces[place - 1]) < 6:
                cause = re.sub("不行|免了|算了", "", pieces[place - 1])
                piece = cause + (piece if piece.startswith("我") else f"我{piece}")
            claim, subject = self._claim(piece, entry, subject)
            if claim is None:
                if last is not None and len(piece) < 12 and terms(piece).kinds() & terms(last.text).kinds():
                    last.text += f"，{piece}"
                continue
            claim.heading = heading
            claim.corrects = claim.corrects or corrects or bool(re.search(r"改|换|其实|更正|不是", piece))
            claim.asked = bool(what)
            claim.hedged = _KEEP.pattern("hedge", "words").search(piece) is not None
            last = claim
            held.append(claim)
            for mention in re.finditer(rf"(?<=.)我(?:家)?(?:的)?(?P<relation>{_RELATION})", piece):
                self.scene.meet(Someone(_WHOLE.get(mention["relation"], mention["relation"]), "", mention["relation"]))
        if what and not held:
            held.append(Claim(what, what, "zh", entry, asked=True))
        yield from held

    def _asks(self, piece: str) -> bool:
        found = self.marks.search(piece)
        return found is not None and not re.search(
            r"十几|[了着过]几[只个条位匹头]|几乎|好几|几个月|几年|没什么|怎么都|什么都|哪儿都|谁都", piece
        )

    def _wish(self, text: str, entry: Entry) -> Claim | None:
        if _FROM_NOW.match(text) and not _ONCE.search(text) and not _NICKNAME.match(text):
            plain = re.split(r"[，,。]", _FROM_NOW.sub("", text))[0].removeprefix("请").removeprefix("你")
            stated = f"我希望助手以后{plain}"
            return Claim(stated, stated, "zh", entry, wish=True)
        if case := _CASE.match(text):
            stated = f"我希望助手在我{case['case']}的时候{re.split(r'[，,。]', case['what'])[0]}"
            return Claim(stated, stated, "zh", entry, wish=True)
        found = _WISH.search(text)
        if (
            not found
            or _ONCE.search(text)
            or not _STANDING.search(text)
            or text.startswith("我")
            or _NICKNAME.match(text)
        ):
            return None
        stated = f"我希望助手以后{found['what'].replace('我', '我')}"
        stated = re.split(r"[，,。]", stated)[0]
        return Claim(stated, stated, "zh", entry, wish=True)

    # ---- subjects

    def _claim(
        self, piece: str, entry: Entry, subject: tuple[str, Someone | None, str] | None
    ) -> tuple[Claim | None, tuple[str, Someone | None, str] | None]:
        """The claim of a clause, and the subject that the next one takes if it has none."""
        respelled = re.match(r"^是(?P<name>[\u4e00-\u9fff]{2,3})$", piece)
        if respelled and any(
            respelled["name"][0] + rest in self.scene.asked for rest in _tails(self.scene.asked, respelled["name"])
        ):
            return Claim(respelled["name"], respelled["name"], "zh", entry, corrects=True, partial=True), subject
        if named := _NICKNAME.match(piece):
            text = f"我叫{named['name']}"
            return Claim(text, text, "zh", entry), subject
        bare = self._untimed(piece, entry)
        if (measured := _MEASURED.match(bare)) and subject and subject[0] == USER:
            whole = f"我的{measured[0]}"
            return Claim(whole, whole, "zh", entry), subject
        if together := _TOGETHER.match(bare):
            said = "我" + bare[together.end() :]
            return Claim(piece, self._plain(said, entry), "zh", entry), (USER, None, "我")
        if own := _OWN.match(bare):
            return self._of_someone(own, piece, entry)
        if pronoun := _PRONOUN.match(piece):
            phrase = self.scene.phrase()
            if not phrase:
                return None, None
            return self._claim(phrase + ("的" if pronoun["of"] else "") + piece[pronoun.end() :], entry, subject)
        if doctor := _DOCTOR.match(bare):
            return Claim(piece, f"我{doctor['rest']}", "zh", entry), (USER, None, "我")
        if (_BARE_KIN.match(bare) or re.match(r"^[猫狗](?:狗|咪)?叫", bare)) and (kin := _OWN.match(f"我{bare}")):
            return self._of_someone(kin, f"我{piece}" if piece == bare else piece.replace(bare, f"我{bare}"), entry)
        bare = re.sub(r"^(?:家里|家中)(?=有|养|没|住|还|新|的|不)", "我家", bare)
        if re.match(r"^(?:我|咱|本人|俺)", bare):
            said = re.sub(r"^(?:我们家?|咱们?|本人|俺|我家|我)", "我", bare)
            if held := re.match(r"^我(?:的)?(?P<what>邮箱|手机号?|电话|微信号?|地址|住址)", bare):
                made = Claim(piece, self._plain(said, entry), "zh", entry)
                return made, (held["what"], None, f"我{held['what']}")
            whole = piece if "我" in piece or "咱" in piece else f"我{piece}"
            return Claim(whole, self._plain(said, entry), "zh", entry), (USER, None, "我")
        if known := self._known(piece, entry):
            return known
        if topic := _TOPIC.match(bare):
            said = f"我{topic['rest'].rstrip('了的啊呢')}{topic['topic']}"
            return Claim(piece, self._plain(said, entry), "zh", entry), (USER, None, "我")
        without = self._plain(bare, entry)
        if without.startswith(self.ear.book.words("chatter", "predicates")) or re.match(_PREDICATE, without):
            if subject is None:
                return None, None
            name, someone, phrase = subject
            if name != USER and someone is None and not re.match(r"改|换|用|定|推迟|提前|截止|在|是|跑|支持", without):
                name, phrase = USER, "我"
            made = Claim(f"{phrase}{piece}", self._plain(f"我{bare}", entry), "zh", entry, name, someone, bare=True)
            return made, subject
        if topic := _TOPIC.match(bare):
            said = f"我{topic['rest'].rstrip('了的啊呢')}{topic['topic']}"
            return Claim(piece, self._plain(said, entry), "zh", entry), (USER, None, "我")
        if bare != piece and not _THING.match(_FIRST.sub("", bare)):
            return Claim(f"我{piece}", self._plain(f"我{bare}", entry), "zh", entry, bare=True), (USER, None, "我")
        thing = self._of_thing(piece, entry)
        if thing is not None and thing.subject != USER:
            return thing, (thing.subject, None, thing.subject)
        return thing, (USER, None, "我")

    def _of_someone(
        self, own: re.Match[str], piece: str, entry: Entry
    ) -> tuple[Claim | None, tuple[str, Someone | None, str] | None]:
        rest = own["rest"]
        name = _NAME.match(rest)
        if name and name["name"] in _KEEP.relations:
            name = None
        relation = own["of"] + own["relation"]
        someone = self.scene.meet(
            Someone(_WHOLE.get(own["relation"], own["relation"]), name["name"] if name else "", relation)
        )
        rest = rest[name.end() :] if name else rest
        naming = re.match(
            r"^(?:的名字)?(?:叫|是|名叫|名字叫|名字是|取名|小名)(?P<name>[\u4e00-\u9fff]{1,3}|[A-Z][a-z]+)$", rest
        )
        if naming and not re.search(r"师|员|生|家|人|医|工$", naming["name"]):
            someone = self.scene.meet(replace(someone, name=naming["name"]))
            named = Claim(piece, piece, "zh", entry, naming=naming["name"], introduces=someone.relation)
            # What follows without a subject ("今年六岁") is said of whom was named.
            return named, (self.scene.subject(someone), someone, f"我{relation}{someone.name}")
        if not rest:
            return None, (self.scene.subject(someone), someone, f"我{relation}")
        said = self._plain(f"我{rest.removeprefix('的') if rest.startswith('的') else rest}", entry)
        phrase = f"我{relation}{someone.name}"
        return Claim(piece, said, "zh", entry, self.scene.subject(someone), someone), (
            self.scene.subject(someone),
            someone,
            phrase,
        )

    def _known(self, piece: str, entry: Entry) -> tuple[Claim, tuple[str, Someone | None, str]] | None:
        for someone in reversed(self.scene.people):
            if someone.name and piece.startswith(someone.name):
                someone = self.scene.meet(someone)
                said = self._plain(f"我{piece[len(someone.name) :].removeprefix('的')}", entry)
                return (
                    Claim(piece, said, "zh", entry, self.scene.subject(someone), someone),
                    (self.scene.subject(someone), someone, piece[: len(someone.name)]),
                )
        return None

    def _of_thing(self, piece: str, entry: Entry) -> Claim | None:
        plain = self._plain(piece, entry)
        found = _THING.match(plain)
        if (
            not found
            and not _KEEP.pattern("keep", "over").search(piece)
            and not _KEEP.pattern("keep", "event").search(piece)
        ):
            return None
        thing = found["thing"] if found else plain[:8]
        return Claim(piece, f"我{plain}", "zh", entry, subject=thing.removesuffix("的") if found else USER)

    def _untimed(self, piece: str, entry: Entry) -> str:
        """`piece` without the date and the time of day that it begins with."""
        while found := next((one for one in stretches(piece, entry.at.date()) if one.start == 0), None):
            piece = re.sub(
                r"^(?:就|才|都|也)(?=从|在|搬|离|去)|^(?:到|至|-|—|~|"
                r"～)(?:[\d一二三四五六七八九十]+[号日])?|^(?:之前|以前|前(?!夫|妻|端|台)|之后|以后|期间|"
                r"左右|底|初|末|中旬|最后一周|起|开始)",
                "",
                piece[found.end :],
            )
        return _LEADING.sub("", _CLOCK.sub("", piece))

    def _plain(self, said: str, entry: Entry) -> str:
        """`said` without the words of its dates and without adverbs, by which it is judged."""
        found = stretches(said, entry.at.date())
        for one in reversed(found):
            if not re.search(r"每$|从[^，。]*到$", said[: one.start]) and not re.match(r"到|至", said[one.end :]):
                said = said[: one.start] + said[one.end :]
        said = re.sub(
            r"(?:自|从|打)?(?:起|开始)(?=吃素|用|住|在|做|学|上|练|戒|不)|^我(?:自|从)(?=开始|起)",
            lambda found: "我" if found[0].startswith("我") else "",
            said,
        )
        said = re.sub(
            r"^(我?)(?:自|从|打)?(?:起|开始|以来|之前|以前|之后|期间|左右)(?:就|都|要(?=交|完成|"
            r"提交))?(?=.)",
            lambda found: found[1] + ("要" if found[0].endswith("要") else ""),
            said,
        )
        said = re.sub(r"^我(?:白天|晚上|夜里|早上|下午|自己)(?=做|开|写|修|当|教|在|画|弹)", "我", said)
        said = re.sub(r"^(我?)(?:底|初|中旬|末)(?=.)", r"\1", said)
        said = _ADVERBS.sub("", _FIRST.sub(lambda found: found["who"] or "", said))
        return re.sub(
            r"(?:了|啦|呢|哦|啊|呀|嘛|的|吧)+$",
            lambda found: "的" if found[0] == "的" and said.endswith(("生的", "岁的")) else "",
            said,
        ).strip()


_MEASURED = re.compile(
    r"^(?!.*(?:报|第|共|约|才|只|还|要|花|等|跑|一直|的))(?P<what>[\u4e00-\u9fff]{2,8}?)(?:是|为|有)?(?P<value>\d+(?:[./]\d+)?[\w%/]*)$"
)
_PREDICATE = re.compile(
    r"(?:[\d一二三四五六七八九十]+岁|人在|在吃|在读|在学|在练|迷上|退学|割|切|支持|最低|晕|坐轮椅|收集|定居|拿到|上周|送|"
    r"攒|取消|出车|修|专业|生日|老家|家乡|爱好|职业|血型|身高|体重|母语|预产期|右手|左手|左脚|"
    r"右脚|膝盖|房租|月薪|值|上夜班|干|新家|新房|新公司|新单位|大学|本科|满|落地|抢到|买到|在修|"
    r"在卖|在跑|在送|领养|收养|买|卖掉|卖了|搬|跑|爬|骑|飞|入职|辞职|离职|跳槽|毕业|升职|结婚|"
    r"离婚|分手|戒|养|生了|怀孕|做|当|去|考|报名|拿到|参加|完成|开了|开始|换|改|学|住|吃|喝|"
    r"写代码|对.{1,8}过敏|不吃|不喝|没有|有|喜欢|讨厌|最|老家|爱|用|打算|计划|准备|想|每|负责|"
    r"带|教|读|租|订|定|约|摔|扭|骨折|住院|做手术|确诊|查出|被|得了|丢|种|装)"
)


def _tails(said: str, name: str) -> list[str]:
    """What follows the first character of `name` where it stands in `said`, as long as the rest of the name."""
    size = len(name) - 1
    return [
        said[at + 1 : at + 1 + size]
        for at, char in enumerate(said)
        if char == name[0] and said[at : at + len(name)] != name
    ]
