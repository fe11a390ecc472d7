"""What the offline model makes of Chinese as it is typed: said shortly, in runs of clauses, in fun, or for a text."""

from __future__ import annotations

from typing import Any

import pytest

from .test_extracting import extract, memory, one


@pytest.mark.parametrize(
    ("said", "attribute", "text"),
    [
        ("转转上的靠谱不？昨天淘了台理光 GR2，屏有点花", "event", "理光 GR2"),
        ("家里三只猫，猫砂囤多少合适", "pet", "三只猫"),
        ("高血压，咸菜跟腊肉都得戒，早饭吃点啥", "diet", "咸菜跟腊肉"),
        ("端午前就搬湖州了，通勤久点", "home", "湖州"),
        ("这周三刚去华盛报到，还在领电脑", "workplace", "华盛"),
        ("路边捡了一只，灰的，起名叫芋头，跟家里那只不对付", "pet", "芋头"),
        ("主管说下周二之前要看到报价单，我还没动", "deadline", "报价单"),
        ("我换教练了，现在跟贺教练，严得很", "colleague", "贺教练"),
        ("以后总结都别超过五行，就一段话", "rule", "五行，就一段话"),
        ("换微信了，老的那个不用了，新的是 wei_2077", "contact", "wei_2077"),
        ("车库里领回来一只小花猫，瘦瘦的，就叫布丁了", "pet", "布丁"),
        ("我家那位是护林员，半个月下山一趟", "job", "护林员"),
        ("家住六楼没电梯，洗衣机咋搬", "home", "六楼"),
        ("我有个弟弟", "family", "弟弟"),
        ("我们团队七个人", "trait", "团队七个人"),
        ("刚生完二胎，夜里咋带", "event", "二胎"),
        ("收了辆二手飞度，过户要带啥", "event", "飞度"),
        ("编辑器换 Helix 了，怎么配主题", "editor", "Helix"),
        ("记个事儿：车库门密码 7719", "trait", "7719"),
    ],
)
def test_what_is_said_shortly_is_kept(said: str, attribute: str, text: str) -> None:
    assert any(told["attribute"] == attribute and text in told["text"] for told in extract(said))


@pytest.mark.parametrize(
    "said",
    [
        "哈哈哈我是玉皇大帝，快跪下",
        "我中了两千万，辞职了。逗你的，周报怎么写",
        "接着写：我推开门，师父说我三年没练剑了，我住进了后山",
        "看下这封邮件：我们公司在苏州，主要做轴承",
        "写个请假条，理由就写我牙疼",
        "作文题目是我的妈妈，要求写她是老师",
        "还是坐高铁还是坐飞机，选不出来",
        "手都握不住杯子",
        "反正也没人管",
        "写封感谢信给房东",
        "配置哪错了\nname: zhang\nport: 8080\neditor: emacs",
        "客服电话打不通，急死",
        "楼下广场舞音响震天，窗户关了也没用",
        "晚上打算炒个饭对付一下",
        "公交上人贴人，包都挤变形了",
        "手柄得按着才能用",
        "有个同事借我钱不还，咋办",
        "据说那家馆子老板是潮州人",
        "应用题：小红每天看十页书，几天看完",
        "帮我编个理由，说我姥姥住院了",
        "写首情诗，我喜欢她五年了，她在书店上班",
        "润色一下这段简历，我毕业于名校，热爱运动",
        "我要是有钱就不上班了，天天钓鱼",
        "我们组今天聚餐，吃火锅",
        "我还是自己弄吧",
        "烘干机轰隆隆响，听着心慌",
        "滚轮一碰就跳页，烦",
        "表头加粗，带上月份",
        "翻一下：我丈夫是牙医",
        "我是孙悟空",
    ],
)
def test_remarks_jokes_and_texts_are_not_kept(said: str) -> None:
    assert extract(said) == []


@pytest.mark.parametrize(
    ("said", "subject", "attribute", "value"),
    [
        ("我姐不在贵阳了，去了三亚", "user's 姐姐", "home", "三亚"),
        ("我弟不在圆通干了，去了一家修船的", "user's 弟弟", "workplace", "一家修船的"),
    ],
)
def test_who_is_no_longer_in_one_place_is_in_the_next(said: str, subject: str, attribute: str, value: str) -> None:
    told = one(said)
    assert (told["subject"], told["attribute"]) == (subject, attribute)
    assert told["text"].rstrip("。").endswith(value)


def test_what_the_next_message_takes_back_as_a_joke_is_not_kept() -> None:
    assert extract("我在月球上开了家面馆", "a:生意怎么样？", "逗你的，面馆菜单怎么排版") == []


@pytest.mark.parametrize(
    ("question", "answer", "text"),
    [
        ("好的。老师您好，我是……请问孩子叫什么名字？", "果果。字体大点", "用户的孩子叫果果。"),
        ("请问怎么称呼您？", "老郑就行", "用户叫老郑。"),
    ],
)
def test_a_name_alone_answers_the_question(question: str, answer: str, text: str) -> None:
    assert text in [told["text"] for told in extract(f"a:{question}", answer)]


@pytest.mark.parametrize(
    ("dialogue", "held"),
    [
        (("又喝上了，每天一杯",), memory("用户戒了咖啡，已经不喝了。", "habit", "不喝咖啡")),
        (("烟又抽上了，一天半包",), memory("用户戒了烟。", "habit", "戒烟")),
        (("搬完了，从常州到无锡这一趟累死",), memory("用户住在常州。", "home", "常州")),
        (("a:您是福州人吧？", "哎不是，我是莆田的"), memory("用户是福州人。", "origin", "福州")),
        (("又回去开出租了",), memory("用户以前开出租，现在送快递。", "job", "快递员")),
    ],
)
def test_what_is_so_again_or_by_now_takes_the_place_of_what_was(
    dialogue: tuple[str, ...], held: dict[str, Any]
) -> None:
    told = one(*dialogue, memories=[held])
    assert (told["op"], told["id"]) == ("update", "p-1")


def test_a_place_that_closed_ends_what_was_done_there() -> None:
    told = one("游泳馆跑路了，卡里还有钱", memories=[memory("用户每周去两次游泳馆。", "habit", "每周去两次游泳馆")])
    assert (told["op"], told["id"]) == ("clear", "p-1")


def test_a_standing_wish_is_noted_once() -> None:
    assert one("以后都用繁体回我")["attribute"] == "rule"
