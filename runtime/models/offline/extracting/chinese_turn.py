"""What in a Chinese message is of this turn alone: questions, what is asked for, what others say, what is going on."""

from __future__ import annotations

import re

from ..kin import RELATION, any_of
from ..phrasebook import phrasebook
from .keeping import keeping

_MARKS = re.compile(any_of(phrasebook("zh").words("question", "marks")))
_ASKS_NOT = re.compile(
    r"十几|[了着过]几[只个条位匹头]|几乎|好几|几个月|几年|几天|没多久|没什么|怎么都|什么都|哪儿都|谁都"
)
_ASIDE = 5
"""Characters of a clause that 呢 makes a question of; at the end of a longer one it only softens."""
_COMMAND = re.compile(
    r"^(?:(?:表格)?第[一二三四五六七八九十\d]+[列行段句页题](?!.*[了是])|[加带附标]上(?!.*[狗猫孩娃爸妈老了])|[标注写]明(?!.*了)|别|不要|请|帮我|替我|帮忙|麻烦|你|您|记得提醒|(?:到时候?|届时)?提醒我|推荐|给我(?!妈|爸|家|姐|妹|哥|弟|儿|女|孩|老|爷|奶)|换个|来[个点]|再(?:来|给|写|说|讲|出|换|试|加|帮)|求你?|教|想个|写(?:[个一封份篇段条]|[^，。我了每]{0,6}(?:信|邮件|文案|稿|公告|通知|申请|检讨|总结|报告|作文|海报)(?![^，。]*(?:默认|一律|都|统一|时|用)))|列|算|"
    r"查|翻|做个|出个|选|看看|拜托|存个?档|备个?案|说个?事|报个?备|把(?![^，。]*(?:[了过]|从|每|周|号|点)))"
)
_EDIT = re.compile(
    r"^(?:用[^，。A-Za-z我]{1,4}$|结尾|开头|语气|标点|排版|格式|颜色|改成|换成|改得|改为|调成|调[高低亮暗大小]|删掉|去掉|缩短|放大|控制在|压缩|标题|字号)(?!.*了)"
)
"""What is to be done with the text at hand."""
_URGED = re.compile(r"(?<![特分区类级个性])别(?!人|的|墅|名|处)|请")
_BY_THE_WAY = re.compile(r"^用\s*[A-Za-z]")
"""How what is asked for is done."""
_STUCK = keeping("zh").pattern("drop", "stuck")
_TOMORROW = re.compile(
    r"^我?明[天早晚儿][^，。]{0,2}(?:要|得)(?!.*(?:手术|面试|考|答辩|婚|飞|搬|出差|入职|复查|体检|演出|比赛|看牙|开庭|签))"
)
"""What is to be done tomorrow, if it is no appointment."""
_TODAY = re.compile(
    r"^我?(?:今天|今晚|晚上|中午|下午|早上|待会儿?|一会儿?|明早|明晚|周末)(?:我|还|又|再|也|先|就|真|好|特别)*(?:想|打算|准备|要|得)(?!.*(?:每|都|手术|面试|考|答辩|"
    r"婚|飞|搬|出差|入职|复查|体检|演出|比赛|看牙|开庭|签|药|针|胰岛素|班|课|训练|排练|陪护|值))"
)
"""What is to be done today, if it is no appointment."""
_REPORTED = re.compile(
    r"^[^，。]{1,6}上[他她]?写|^有[位个]?[^，。我]{1,4}(?:留言|评论|发帖)?说|^论文[里中]|^(?:作业|题目|作文题目?|老师|考试)(?:要求|是|为|叫)|^(?:据说|传闻|听说)|^(?:网上|有人|新闻|报道|文章|书|说明书|公告|通知|帖子|视频|资料|文档|他们|她们|人家|题目|老师课上|广告|评论)[^，。]{0,6}(?:说|写|讲|称|提到|显示|要求)"
)
_CHOICE = re.compile("^(?:吃|喝|去|选|用|要|看|买|穿|走|坐|先|[今明后]天|周.)[^我，。]*(?<![一都])还是[^，。]+$")
"""One thing or the other, of which to choose."""
_STATES = re.compile("[着在还才是有戴穿没住吃]")
_UNREAL = re.compile("^我?(?:要是|如果|假如)我?(?:有钱|中了?[^，。]*奖|是|能|会|当)")
_SUPPOSED = ("想象", "设想", "比方", "打个比方")


_JOKES = re.compile(r"^哈{2,}[，,]?我是|^(?:哈{2,}|笑死)?[，,]?(?:逗你|骗你|开个?玩笑|我编的|瞎说的)")
"""What is said in fun."""
_WRITTEN = re.compile(
    r"^(?:理由|内容|借口|原因|落款|署名|标题|开头|结尾)[^，。]{0,3}(?:说|写|用)|^要求[写用]|^(?:主题|大意)是|^就说"
)
"""What a text that is asked for is to say."""
_REMARK = re.compile(
    "^(?:起码|反正|好歹|大不了|难怪|怪不得|活该|居然|竟然|果然|幸好|幸亏|可惜|非[说得要]|上来|老(?=[找忘记掉断坏卡弹连]))[^我]*$|"
    "^[^我]{0,6}[捏拿抓握站坐睡撑忍绷憋笑哭]不[住稳着动](?![^，。]*每)|关机$|打不通|没人接|占线|联系不上|^[^我]*(?:居然|竟然)|^一人一|^[^我]{0,6}都(?:不行|没用|白搭|无所谓)$|"
    f"^(?:楼[上下]|隔壁|对面|前面|门口|路口|外面|窗外|(?:地铁|公交|火车|车|网)上|群里|朋友圈|这边)(?!.*(?:{RELATION}))[^我捡养住]*$|"
    "^[^我]*(?:跟[^，。]{1,6}一样|似的)$|^[^我]{1,6}(?:[全净]是|还(?:说|显示|提示))|^(?:我?这边)?[^我]{0,4}网(?:络|速)?不太?好|"
    f"^我?(?:{RELATION})(?:又|老|总)?(?:[嫌骂夸笑吼]|闹着|又?不肯|还?不听)|"
    "^有[个位](?:朋友|同事|人|同学|亲戚|客户|网友|哥们)(?!叫|姓|在)|不吃东西$|都不(?:满意|高兴|同意|吭声|说话)|迟到了?[一二三四五六七八九十两半\\d]|"
    "^(?!.*[每常爱]|.*喜欢).*(?:走走|逛逛|歇歇|转转|坐坐|躺躺|晒晒|聊聊|试试)$|^我?还是[^，。]{1,8}吧$|"
    "^(?:想|打算|准备)(?:[给送帮带陪跟][^我，。]{0,2})?[她他它]|还没(?:找|定|想|买|弄|搞|开始|动|写|看|收拾|决定)"
)
"""What is only remarked on something."""


def asks(piece: str) -> bool:
    """Whether a clause is a question by its words."""
    softened = _STATES.search(piece) is not None and len(piece) > (_ASIDE - 2 if piece.startswith("我") else _ASIDE)
    piece = piece.removesuffix("呢") if softened else piece
    if _CHOICE.match(piece) or piece.count("还是") > 1:
        return True
    return _MARKS.search(piece) is not None and not _ASKS_NOT.search(piece)


def supposes(text: str) -> bool:
    """Whether it begins a supposition."""
    return (
        text.startswith((*phrasebook("zh").words("inline", "hypothetical"), *_SUPPOSED))
        or _UNREAL.match(text) is not None
    )


def reports(text: str) -> bool:
    """Whether a sentence tells what others say or write."""
    return _REPORTED.search(text) is not None


def jokes(text: str) -> bool:
    """Whether a sentence is said in fun."""
    return _JOKES.search(text) is not None


def requests(piece: str, *, first: bool, asking: bool) -> bool:
    """Whether a clause asks for something, or says how: `first` if no fact came before it, `asking` if its sentence
    asks."""
    return bool(_COMMAND.match(piece) or (first and _EDIT.match(piece)) or (asking and _BY_THE_WAY.match(piece)))


def remarks(piece: str) -> bool:
    """Whether a clause is only a remark, or what a text that is asked for is to say."""
    return _REMARK.search(piece) is not None or _WRITTEN.match(piece) is not None


def passes(piece: str) -> bool:
    """Whether a clause urges, tells what is going on just now, or what is to be done tomorrow."""
    urged = not piece.startswith("我") and _URGED.search(piece)
    return bool(urged or _STUCK.search(piece) or _TODAY.match(piece) or _TOMORROW.match(piece))
