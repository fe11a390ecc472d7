"""Whom or what a Chinese clause is of, and what the next one is of where it names nobody."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..kin import RELATION, RELATIONS, any_of, whole
from .chinese_names import LEADS, introduced, is_mine, named
from .chinese_plain import plain, untimed
from .chinese_wishes import NICKNAME
from .claim import USER, Claim, Entry, Someone
from .keeping import keeping
from .scene import Scene

_KEEP = keeping("zh")
_TABLE = _KEEP.table["subject"]


_WHERE = "家里的?(?:两个|俩|几个)?|楼上的?|楼下的?|隔壁的?|对门的?|对面的?|新来的?|带我的|以前的|现在的|我?大学的?"
_LONG_RELATION = any_of(word for word in RELATIONS if len(word) > 1)
_BARE_RELATION = re.compile(
    rf"^(?:{_WHERE})?(?:{_LONG_RELATION}|(?<=家里的)[猫狗]|(?<=家里)[猫狗]|[猫狗](?=叫|是|不|也|怕|最|爱|喜欢|今年|得|生))"
    r"(?!们|圈|节|[说讲问]$|好$|的?(?:问题|角度|关系))"
)
_OWN = re.compile(
    rf"^(?:我们?|咱们?)(?:家里?)?(?:的)?(?:{_WHERE})?(?:一个|有个|最好的|要好的|两个|这个|[那这][只条个位])?"
    rf"(?P<of>[大小老前]??)(?P<relation>{RELATION})(?P<rest>(?!圈|节).*)$"
)
_TOGETHER = re.compile(
    r"^(?:我?(?:跟|和|与)(?P<a>[^，。]{1,6}?)|(?P<b>[^，。]{1,6}?)(?:跟|和|与)我)(?=分手|分了|"
    r"分开|离婚|离了|结婚|订婚|在一起|复婚|复合|吵架|领证|搬|去|住|合伙|合租)"
)
_WHEN_I = re.compile(
    r"^(现在|目前|以前|之前|平时|最近|其实|本来|后来|周末|一般|通常|从小|当时)我(?!们?的|[妈爸家姐妹哥弟爷奶老儿女])"
)
_PRONOUN = re.compile(r"^(?P<who>他|她|它)(?!们)(?P<of>的)?")
_DOCTOR = re.compile(r"^(?:医生|大夫|体检报告|检查)(?:让|叫|嘱咐|要求|建议|说|查出)我?(?P<rest>.+)$")
_PLACE = re.compile(
    r"^(?:公司|单位|学校|宿舍|寝室|办公室|团队|项目组|部门|实验室|小区)(?![的里]?(?:搬|在|选|采用|改|换|用))"
)
_MINE_CHANGED = re.compile(
    r"^(?:我们?|咱们?)(?:的(?=[^，。]{2,6})|(?=[^，。的]{1,4}(?:会|课|班|赛|考试|活动)))(?P<thing>[^，。的]{2,6}?)(?=[改推延挪调](?:签|期|约|迟|时间)?[到成至为]|提前到|取消|定在|停了|停办|解散)"
)
_CEASED = re.compile(
    r"^(?P<thing>[^，。我]{2,8}?)(?:已经|都|也|就)?(?:取消|停了|停办|没了|黄了|关门|倒闭|跑路|停业|歇业|关张|解散|散了|不办|不开了)"
)
_HAVE = re.compile(rf"^我(?:家|还|也)?有(?:一)?[个位只条][^，。]{{0,6}}?(?P<relation>{RELATION})$")
"""Somebody whom the user tells of by having them."""
_OURS_NAMED = re.compile(
    r"^(?:我们?|咱们?)(?:的|这个)?(?:新)?(?:项目|公司|团队|店|产品|乐队|社团|学校|小区|工作室|组|队|群|频道|公众号|博客)(?:的名字)?(?:叫"
    r"|名叫)(?P<name>[^，。]{1,12})$"
)
_OURS = re.compile(
    r"^(?P<whole>(?:(?:我们?|咱们?)(?:的)?)?(?P<thing>公司|单位|学校|店|办公室|工作室|实验室|诊所|工厂|厂))(?P<rest>[^，。]*?(?:搬|迁|在(?!招"
    r"|用|做|开|裁)|位于|离).+)$"
)
_TOPIC = re.compile(
    r"^(?!现在|给|让|请|帮|就|要|叫|等|跟|和|因为|除了)(?P<topic>[^我，。]{1,8}?)我(?!们?的|妈|爸|家)(?P<rest>.{2,})$"
)
_CONTACT = re.compile(
    r"^(?:新的?)?(?P<what>邮箱|手机号?码?|电话号?码?|微信号?|号码|QQ号?|地址|住址|收货地址)(?=是|为|改|换|[:：\s]*[A-Za-z\d@])"
)
_MEASURED = re.compile(
    r"^(?!.*(?:报|第|共|约|才|只|还|要|花|等|跑|一直|的))(?P<what>[\u4e00-\u9fff]{2,8}?)(?:是|为|有)?"
    r"(?P<value>\d+(?:[./]\d+)?[\w%/]*)$"
)
_THING = re.compile(rf"^(?P<thing>[^，。]{{2,16}}?)(?P<rest>(?:的)?(?:{_TABLE['verbs_of_things']}).*)$")
_KNOWN_THING = re.compile(
    rf"^(?:{any_of(word for word in _KEEP.words('keep', 'things') if len(word) > 1)})(?={_TABLE['verbs_of_things']})"
)
_PREDICATE = re.compile(rf"(?:{_TABLE['predicates']})")
_OF_A_THING = re.compile(r"现在|每|一共|[两一二三四五六七八九十\d]|改|换|用|定|推迟|提前|截止|在|是|跑|支持")
_IN_MY_PLACE = re.compile(
    r"^(?:家(?=在|住)|家里|家中|屋里|阳台上?|院子里|桌上|店里|(?<=家))(?=在|住|有|养|没|住|还|新|的|不|种|放|装|摆|只)"
)


@dataclass(frozen=True, slots=True)
class Topic:
    """What a clause is of."""

    subject: str
    someone: Someone | None
    phrase: str
    """How the user names it."""


ME = Topic(USER, None, "我")
Found = tuple[Claim | None, Topic | None]
"""The claim of a clause, and what the next one is of if it names nothing; None where nobody knows."""


class Subjects:
    """Finds of whom clauses are, among those whom the dialogue has spoken of."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene

    def meet(self, relation: str) -> None:
        """Somebody is spoken of by what they are to the user."""
        self.scene.meet(Someone(whole(relation), "", relation))

    def claim(self, piece: str, entry: Entry, topic: Topic | None) -> Found:
        """What `piece` claims of whom; `topic` is what the clause before it was of."""
        today = entry.at.date()
        piece = _WHEN_I.sub(r"我\1", piece)
        if (respelled := re.match(r"^是(?P<name>[\u4e00-\u9fff]{2,3})$", piece)) and self._respells(respelled["name"]):
            return Claim(respelled["name"], respelled["name"], "zh", entry, corrects=True, partial=True), topic
        if called := NICKNAME.match(piece):
            return _made(f"我叫{called['name']}", f"我叫{called['name']}", entry), topic
        bare = untimed(piece, today)
        if contact := _CONTACT.match(bare):
            return self._contact(contact["what"], f"我的{piece}", f"我的{bare}", entry)
        if (measured := _MEASURED.match(bare)) and topic == ME:
            whole = f"我的{measured[0].removeprefix('我')}"
            return _made(whole, whole, entry), topic
        if together := _TOGETHER.match(bare):
            text = piece if "我" in piece else f"我{piece}"
            return _made(text, plain("我" + bare[together.end() :], today), entry), ME
        if mine := is_mine(piece):
            someone = self.scene.meet(Someone(mine[1], mine[0], mine[1]))
            claim = Claim(piece, piece, "zh", entry, naming=mine[0], introduces=someone.relation)
            return claim, Topic(self.scene.subject(someone), someone, mine[0])
        if own := _OWN.match(bare):
            return self._of_someone(own, piece, entry)
        if pronoun := _PRONOUN.match(piece):
            phrase = self._last()
            if not phrase:
                return None, None
            return self.claim(phrase + ("的" if pronoun["of"] else "") + piece[pronoun.end() :], entry, topic)
        if doctor := _DOCTOR.match(bare):
            return _made(piece, f"我{doctor['rest'].removeprefix('我')}", entry), ME
        if _BARE_RELATION.match(bare) and (own := _OWN.match(f"我{bare}")):
            return self._of_someone(own, f"我{piece}" if piece == bare else piece.replace(bare, f"我{bare}"), entry)
        return self._of_me(bare, piece, entry) or self._known(piece, entry) or self._of_other(bare, piece, entry, topic)

    def _last(self) -> str:
        """How the user would name who was spoken of last: 我姐姐小安; empty for nobody."""
        if not self.scene.people:
            return ""
        last = self.scene.people[-1]
        return f"我{last.of or last.relation}{last.name}" if last.relation else last.name

    def _respells(self, name: str) -> bool:
        asked, size = self.scene.asked, len(name)
        alike = (asked[at : at + size] for at, char in enumerate(asked) if char == name[0])
        return any(len(one) == size and one != name for one in alike)

    def _of_me(self, bare: str, piece: str, entry: Entry) -> Found | None:
        """Of a clause that begins with the user."""
        if ours := _OURS_NAMED.match(piece):
            return _made(piece, f"我{piece}", entry), Topic(ours["name"], None, ours["name"])
        if changed := _MINE_CHANGED.match(bare):
            said = plain(f"我{bare[changed.end() :]}", entry.at.date())
            thing = changed["thing"]
            return Claim(piece, said, "zh", entry, subject=thing), Topic(thing, None, f"我的{thing}")
        bare = _IN_MY_PLACE.sub(lambda found: "我家" if found[0].startswith("家") else f"我在{found[0]}", bare)
        ours = _OURS.match(bare)
        if not re.match(r"^(?:我|咱|本人|俺)", bare) and not (ours and re.match("[^，。]{2,3}(?:搬|迁|位于)", bare)):
            return None
        if ours:
            said = plain(f"我{ours['rest']}", entry.at.date())
            return Claim(piece, said, "zh", entry, subject=ours["thing"]), Topic(ours["thing"], None, ours["whole"])
        if have := _HAVE.match(bare):
            someone = self.scene.meet(Someone(whole(have["relation"]), "", have["relation"]))
            topic = Topic(self.scene.subject(someone), someone, f"我{have['relation']}")
            return _made(piece, plain(bare, entry.at.date()), entry), topic
        said = re.sub(r"^(?:我们家?|咱们?|本人|俺|我家|我)", "我", bare)
        if contact := re.match(r"^我(?:的)?(?:新的?)?(?P<what>邮箱|手机号?|电话|微信号?|地址|住址)", bare):
            return self._contact(contact["what"], piece, said, entry)
        text = piece if "我" in piece or "咱" in piece else f"我{piece}"
        return _made(text, plain(said, entry.at.date()), entry), ME

    def _contact(self, what: str, text: str, said: str, entry: Entry) -> Found:
        return _made(text, plain(said, entry.at.date()), entry), Topic(what, None, f"我{what}")

    def _of_other(self, bare: str, piece: str, entry: Entry, topic: Topic | None) -> Found:
        """Of a clause that begins neither with the user nor with somebody known."""
        today = entry.at.date()
        if topic and topic.someone and (new := re.match(r"新的?(?:那[个位])?(?=叫|姓|是)", piece)):
            return self.claim(f"{topic.phrase}{piece[new.end() :]}", entry, topic)
        if who := introduced(piece):
            someone = self.scene.meet(Someone("", who[1], who[0]))
            return Claim(piece, f"我{who[0]}叫{who[1]}", "zh", entry, who[1], someone), Topic(who[1], someone, who[1])
        if place := _PLACE.match(bare):
            return (
                Claim(piece, plain(f"我{bare}", today), "zh", entry, subject=place[0]),
                Topic(place[0], None, place[0]),
            )
        if _KNOWN_THING.match(bare):
            return self._of_thing(bare, piece, entry, topic)
        preposed = _TOPIC.match(bare)
        without = plain(bare, today)
        if not preposed and (_PREDICATE.match(without) or _PREDICATE.match(bare)):
            if topic is None:
                return None, None
            if topic.subject != USER and topic.someone is None and not _OF_A_THING.match(without):
                topic = ME
            text = f"{topic.phrase}{piece}"
            if _CONTACT.match(f"{topic.subject}是"):
                return _made(text, plain(f"我的{topic.subject}{bare}", today), entry), topic
            return (
                Claim(text, plain(f"我{bare}", today), "zh", entry, topic.subject, topic.someone, bare=True),
                topic,
            )
        if preposed:
            rest = re.sub(r"(?<!不)[了的啊呢]+$", "", preposed["rest"])
            said = f"我{rest}{preposed['topic']}"
            return _made(piece, plain(said, today), entry), ME
        return self._of_thing(bare, piece, entry, topic)

    def _of_thing(self, bare: str, piece: str, entry: Entry, topic: Topic | None) -> Found:
        without = plain(piece, entry.at.date())
        if ceased := _CEASED.match(without):
            thing = ceased["thing"]
            return Claim(piece, f"我{without}", "zh", entry, subject=thing), Topic(thing, None, thing)
        found = _THING.match(without)
        if found and not LEADS.match(found["thing"]):
            thing = found["thing"].removesuffix("的")
            return Claim(piece, f"我{without}", "zh", entry, subject=thing), Topic(thing, None, thing)
        if topic is None:
            return None, None
        over = _KEEP.pattern("keep", "over").search(piece) or _KEEP.pattern("keep", "event").search(piece)
        text = piece if over else f"{topic.phrase}{piece}"
        of = ME if over else topic
        said = plain(f"我{bare}", entry.at.date())
        loose = not over and topic == ME and not self.scene.asked.endswith(("？", "?"))
        return Claim(text, said, "zh", entry, of.subject, of.someone, bare=True, loose=loose), topic

    def _of_someone(self, own: re.Match[str], piece: str, entry: Entry) -> Found:
        found = named(own["rest"])
        relation = own["of"] + own["relation"]
        someone = self.scene.meet(Someone(whole(own["relation"]), found.name, relation))
        topic = Topic(self.scene.subject(someone), someone, f"我{relation}{someone.name}")
        if found.only:
            # What follows without a subject ("今年六岁") is said of whom was named.
            return Claim(piece, piece, "zh", entry, naming=found.name, introduces=someone.relation), topic
        if not found.rest:
            has = re.match("^我家?有", piece) and not found.name
            return (_made(piece, plain(piece, entry.at.date()), entry) if has else None), topic
        said = plain(f"我{found.rest.removeprefix('的')}", entry.at.date())
        return Claim(piece, said, "zh", entry, topic.subject, someone), topic

    def _known(self, piece: str, entry: Entry) -> Found | None:
        for someone in reversed(self.scene.people):
            if someone.name and piece.startswith(someone.name):
                someone = self.scene.meet(someone)
                said = plain(f"我{piece[len(someone.name) :].removeprefix('的')}", entry.at.date())
                topic = Topic(self.scene.subject(someone), someone, someone.name)
                return Claim(piece, said, "zh", entry, topic.subject, someone), topic
        return None


def _made(text: str, said: str, entry: Entry) -> Claim:
    return Claim(text, said, "zh", entry)
