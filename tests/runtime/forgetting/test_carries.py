"""What carries a fact, and what does not: labelled cases by which the rule of runtime/forgetting/facts.py is judged.

LEARNED are those that the rule was made with. FRESH were written after it, and not used to change it: of these it
missed 4 of 36 carriers and took 6 of 43 others along, where a share of the fact's words by their rarity in the log
(the rule before it) missed 22 and took 4.
"""

from __future__ import annotations

import json
import sys

import pytest

from pagekeeper.runtime.archive.terms import terms
from pagekeeper.runtime.forgetting.facts import Facts, sentences
from pagekeeper.runtime.forgetting.log import Carriers

Case = tuple[str, list[str], list[str]]
"""A fact, texts that carry it, and texts that do not."""

MEMORIES = [
    "Ada likes jazz and green tea.",
    "Ada works as a nurse at the hospital in Lyon.",
    "Ada's sister Mia lives in Berlin and works as an architect.",
    "The team uses PostgreSQL because of JSONB.",
    "Ada's favourite colour is teal.",
    "Ada's phone number is 555 0199.",
    "Ada has a dog named Rex, three years old.",
    "Ada is learning Spanish.",
    "Ada's birthday is on May 3.",
    "Ada moved to Lyon in 2019.",
    "Ada plans a trip to Japan in spring.",
    "Ada prefers short answers.",
    "小林是护士。",
    "小林的妹妹住在上海。",
    "小林喜欢绿茶。",
    "小林养了一只猫，叫豆豆。",
]
"""What else is remembered."""

LEARNED: list[Case] = [
    (
        "Ada is allergic to peanuts.",
        [
            "Hi, I'm Ada and I'm allergic to peanuts.",
            "Noted: you are allergic to peanuts, Ada.",
            "Peanuts make me very ill, you know.",
            "Does this sauce contain peanuts?",
            "The peanut allergy is severe, so carry the pen.",
            "My allergy to PEANUTS got worse.",
        ],
        ["I'm allergic to cats.", "Ada likes green tea.", "Is hay fever an allergy?"],
    ),
    (
        "User has a peanut allergy; carries an EpiPen. Lives in Lyon with her sister.",
        ["I'm allergic to peanuts", "I always carry an EpiPen", "I live in Lyon with my sister", "Peanuts again!"],
        [
            "My sister Mia lives in Berlin and works as an architect.",
            "My dog Rex is three years old and loves the beach.",
            "I'm allergic to cats.",
        ],
    ),
    (
        "Ada works as a nurse at the Croix-Rousse hospital in Lyon.",
        [
            "I work as a nurse at the hospital in Lyon.",
            "How do nurses at Croix-Rousse handle night shifts?",
            "As a nurse in Lyon you could apply.",
        ],
        [
            "My sister Mia works as an architect.",
            "I need a new laptop for work.",
            "I like running in the morning before work.",
            "I moved to Lyon in 2019 with my sister.",
            "The weather in Lyon is mild.",
        ],
    ),
    (
        "The user is getting divorced from Tom; the lawyer is Ms Keller.",
        [
            "Tom and I are getting divorced.",
            "I have an appointment with Ms Keller about the divorce.",
            "The divorce hearing is in May.",
            "Ms Keller called back.",
        ],
        [
            "I have a meeting with the accountant next week.",
            "My birthday is on the third of May.",
            "I'm getting a new laptop.",
        ],
    ),
    (
        "My phone number is 555 0199",
        ["Call me: 555 0199", "Your number 555 0199 is saved.", "my phone number: 555-0199"],
        ["What's the number of people in Paris?", "I dropped my phone in the garden.", "Write 20 random numbers."],
    ),
    (
        "allergic to peanuts",
        ["Hi, I'm Ada and I'm allergic to peanuts.", "no peanuts please", "peanut butter is out of the question"],
        ["I'm allergic to cats.", "Ada likes green tea."],
    ),
    (
        "Favourite colour: teal",
        ["My favourite colour is teal.", "I'd paint the wall teal."],
        ["My favourite film is Alien.", "What colour is the sky?"],
    ),
    (
        "Mia, Ada's sister, was diagnosed with multiple sclerosis in March and is treated at the Charité in Berlin.",
        [
            "Mia has multiple sclerosis.",
            "My sister was diagnosed with MS in March, multiple sclerosis.",
            "How is Mia's treatment at the Charité going?",
            "sclerosis",
        ],
        [
            "My sister Mia lives in Berlin and works as an architect.",
            "Let's plan the trip to Berlin in March.",
            "Ada likes jazz and green tea.",
            "I started treatment of the wood floor.",
        ],
    ),
    (
        "我不吃香菜",
        ["我叫小林，不吃香菜。", "记住了：你不吃香菜。", "这道菜有香菜吗？", "请不要放香菜"],
        [
            "我不吃辣。",
            "我喜欢喝绿茶，不喜欢咖啡。",
            "推荐几家好吃的餐厅。",
            "青菜怎么做？",
            "香港天气怎么样",
            "我不喜欢这道菜",
        ],
    ),
    (
        "小林对花生过敏，一直随身带着药。",
        ["我对花生过敏。", "这个有花生吗？", "好的，你对花生过敏，我记住了。", "花生过敏很严重"],
        ["我妹妹对猫过敏。", "我叫小林，是一名护士。", "花店几点开门？", "一直下雨", "我今年带着生日蛋糕去"],
    ),
    (
        "用户住在上海浦东，电话是13800138000。",
        ["我住在浦东。", "我的电话是13800138000", "你住在上海浦东，对吗？"],
        ["我妹妹住在北京。", "打电话给医生", "用户体验很重要"],
    ),
    (
        "user: We decided to use PostgreSQL because we need JSONB.",
        ["Which database? PostgreSQL.", "JSONB is why we use PostgreSQL", "我们决定用PostgreSQL，因为需要JSONB。"],
        ["We decided to move the meeting.", "I need a new laptop for work.", "We use MySQL at work."],
    ),
    (
        "My salary is 85,000 euros a year.",
        ["I earn a salary of 85,000 euros.", "Is a salary of 85,000 good for Lyon?", "What tax do I pay on my salary?"],
        ["My dog is three years old.", "A trip to Japan costs 3,000 euros.", "This year I want to run a marathon."],
    ),
]

FRESH: list[Case] = [
    (
        "The user takes sertraline for depression.",
        [
            "I started taking sertraline last month.",
            "Does sertraline interact with ibuprofen?",
            "My depression is getting better.",
            "How long until the sertraline works, doctor says six weeks?",
        ],
        [
            "I took the train to work.",
            "Which medication helps against headache?",
            "The Great Depression book was in my history class? No, it was about bread.",
        ],
    ),
    (
        "Ada's wifi password is hunter2-blue-Otter",
        [
            "the wifi password is hunter2-blue-Otter",
            "Saved: hunter2-blue-Otter.",
            "Is hunter2-blue-Otter strong enough?",
        ],
        ["I forgot my email password.", "The wifi is slow today.", "Blue is a nice colour."],
    ),
    (
        "Ada is planning to quit her job at Siemens in June.",
        [
            "I want to quit at Siemens.",
            "When you leave Siemens in June, will you travel?",
            "I'm going to resign from Siemens.",
        ],
        ["Our meeting is in June.", "My job is fine.", "How do I quit vim?", "Ada's passport expires in June."],
    ),
    (
        "User was arrested in 2012 for shoplifting in Marseille",
        [
            "I was arrested for shoplifting once.",
            "Back in Marseille, 2012, the shoplifting thing...",
            "Would a shoplifting arrest show up in a background check?",
        ],
        ["In 2012 I finished school.", "What can I visit in Nice?", "My brother was late.", "Let's go shopping."],
    ),
    (
        "Ada and Ben are trying for a baby; IVF at Clinique Bellevue.",
        ["Ben and I are trying for a baby.", "The IVF appointment is on Tuesday.", "How good is Clinique Bellevue?"],
        ["My friend's baby is cute.", "I have a dentist appointment on Tuesday.", "I am trying to learn Spanish."],
    ),
    (
        "I voted for the Greens.",
        ["I voted for the Greens in the last election.", "Since you voted for the Greens, ..."],
        ["Ada likes jazz and green tea.", "Who can vote in France?", "The greens in the salad were fresh, though."],
    ),
    (
        "Home address: 12 rue des Lilas, 69003 Lyon",
        ["I live at 12 rue des Lilas.", "Send it to rue des Lilas 12, 69003 Lyon", "Is 69003 a nice postcode?"],
        ["I moved to Lyon in 2019 with my sister.", "12 people came.", "My home is my castle."],
    ),
    (
        "The user's cat Miso died in March.",
        ["Miso died last week.", "I miss Miso so much, she was such a good cat.", "Sorry to hear about Miso."],
        ["How do I make miso... no, pho soup at home?", "The neighbour's cat is loud.", "March was cold."],
    ),
    (
        "Prefers dark mode and the Dvorak keyboard",
        ["I use the Dvorak layout.", "You prefer dark mode and Dvorak."],
        ["It gets dark early.", "I prefer short answers.", "Which mode of transport is best?"],
    ),
    (
        "用户正在吃抗抑郁药舍曲林。",
        ["我在吃舍曲林。", "舍曲林有副作用吗？", "抗抑郁药要吃多久？"],
        ["我正在吃饭。", "用户手册在哪里？", "我感冒了，该吃什么药？", "树林很美"],
    ),
    (
        "小林打算六月从华为辞职。",
        ["我想六月辞职。", "离开华为以后做什么？", "你打算从华为辞职，对吗？"],
        ["六月去日本。", "我打算学西班牙语。", "小林喜欢绿茶。"],
    ),
    (
        "我女朋友叫周敏，在杭州当律师。",
        ["周敏生日快到了。", "我女朋友周敏在杭州。"],
        ["我朋友在北京。", "周五开会。", "敏感肌用什么面霜？", "我妹妹住在上海。"],
    ),
    (
        "银行卡密码是 884213",
        ["我的银行卡密码是884213。", "884213 这个密码安全吗"],
        ["密码忘了怎么办？", "银行几点开门？", "手机号码是多少"],
    ),
]


def judge(cases: list[Case]) -> tuple[list[str], list[str], int, int]:
    """What was missed, what was taken along wrongly, and how many texts carry a fact and how many do not."""
    missed, taken, yes, no = [], [], 0, 0
    for fact, carriers, others in cases:
        known = set(terms(fact))
        # What says the same would be forgotten with it.
        rest = [text for text in MEMORIES if len(known.intersection(terms(text))) < len(set(terms(text))) / 2]
        facts = Facts.of([fact], rest)
        missed += [f"{fact} | {text}" for text in carriers if not facts.carried_by(text)]
        taken += [f"{fact} | {text}" for text in others if facts.carried_by(text)]
        yes, no = yes + len(carriers), no + len(others)
    return missed, taken, yes, no


@pytest.mark.parametrize(("cases", "misses", "extras"), [(LEARNED, 5, 5), (FRESH, 5, 7)], ids=["learned", "fresh"])
def test_most_of_the_carriers_go_and_most_of_the_others_stay(cases: list[Case], misses: int, extras: int) -> None:
    missed, taken, _yes, _no = judge(cases)
    assert len(missed) <= misses, "\n".join(missed)
    assert len(taken) <= extras, "\n".join(taken)


def test_a_word_that_other_memories_hold_tells_little() -> None:
    alone = Facts.of(["Ada likes the colour blue."])
    assert alone.carried_by("Ada is here.")
    among = Facts.of(["Ada likes the colour blue."], ["Ada plays the cello."])
    assert not among.carried_by("Ada is here.")
    assert among.carried_by("Ada's colour is blue, I'd say she likes it.")


def test_a_word_that_the_log_is_full_of_tells_little() -> None:
    facts = Facts.of(["Ada is allergic to peanuts."]).lighter({"ada"})
    assert not facts.carried_by("Ada is here.")
    assert facts.carried_by("peanuts")


def test_what_is_only_common_words_is_carried_by_all_of_them_or_is_no_fact() -> None:
    assert not Facts.of(["Hi! Thanks."]).carried_by("Hi.")
    assert not Facts.of(["Yes."])
    assert not Facts.of(["🎉"])
    likes = Facts.of(["I like the house."])
    assert not likes.carried_by("I like work.")
    assert likes.carried_by("What a house, how I like it.")


def test_a_long_text_is_one_fact() -> None:
    text = " ".join(f"Section {word} explains gizmos." for word in ("alpha", "beta", "gamma", "delta", "epsilon"))
    facts = Facts.of([text])
    assert not facts.carried_by("Tell me of gamma.")
    assert facts.carried_by(f"You wrote: {text}")


def test_only_the_sentences_that_carry_it_leave_a_summary() -> None:
    facts = Facts.of(["Ada is allergic to peanuts."], ["Ada plays the cello."])
    summary = "Ada plays the cello. She can't eat peanuts! 她不喝咖啡。\n- Peanuts: never\n- Lives in Lyon"
    assert facts.without(summary) == "Ada plays the cello. 她不喝咖啡。\n- Lives in Lyon"


@pytest.mark.parametrize(
    "text", ["Saying", "Gas", "sky", "ties", "skis", "Zoë’s", "d'accord", "Ｗｉｄｅ", "ﬁne", "Ärzte"]
)
def test_no_text_is_ruled_out_that_holds_the_words(text: str) -> None:
    """The quick look beforehand must not know better than the careful one."""
    facts = Facts.of([f"{text} quuxly"])
    assert facts.found(text)
    assert Carriers(facts).may(json.dumps(text, ensure_ascii=False))
    assert Carriers(facts).may(json.dumps(json.dumps({"a": f"x\n{text}"})))


def test_sentences_end_where_people_end_them() -> None:
    assert sentences("One. Two v1.2! 三。四\n五; six") == ["One.", "Two v1.2!", "三。", "四", "五;", "six"]


if __name__ == "__main__":
    for name, cases in (("learned", LEARNED), ("fresh", FRESH)):
        missed, taken, yes, no = judge(cases)
        sys.stdout.write(f"{name}: missed {len(missed)} of {yes}, took {len(taken)} of {no} along\n")
        sys.stdout.writelines(f"  missed: {it}\n" for it in missed)
        sys.stdout.writelines(f"  taken: {it}\n" for it in taken)
