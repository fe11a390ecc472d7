"""Small made sets in each shape in which LoCoMo, MemDaily and BEAM are published."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

LOCOMO: dict[str, Any] = {
    "speaker_a": "Ada",
    "speaker_b": "Bob",
    "session_1_date_time": "1:56 pm on 8 May, 2023",
    "session_1": [
        {"speaker": "Ada", "dia_id": "D1:1", "text": "I bought a telescope yesterday."},
        {"speaker": "Bob", "dia_id": "D1:2", "text": "Look at this!", "blip_caption": "a photo of a grey donkey"},
        {"speaker": "Ada", "dia_id": "D1:3", "text": "My sister plays the cello in Ghent."},
    ],
    "session_2_date_time": "11:05 am on 3 June, 2023",
    "session_2": [
        {"speaker": "Bob", "dia_id": "D2:1", "text": "We moved to a lighthouse."},
        {"speaker": "Ada", "dia_id": "D2:2", "text": "I sold the telescope to a pirate."},
    ],
    "session_2_summary": "They talk.",
    "events_session_1": {"Ada": ["She buys a telescope."]},
    "qa": [
        {"question": "Who plays the cello?", "answer": "her sister", "evidence": ["D1:3"], "category": 4},
        {"question": "What about the telescope?", "answer": "sold", "evidence": ["D1:1; D2:02"], "category": 1},
        {"question": "When did Bob move?", "answer": "June", "evidence": ["D:2:1", "D"], "category": 2},
        {"question": "What donkey did Ada show?", "evidence": ["D1:2"], "category": 5, "adversarial_answer": "grey"},
        {"question": "What is not told?", "answer": "x", "evidence": [], "category": 3},
        {"question": "What is lost?", "answer": "x", "evidence": ["D9:9"], "category": 3},
    ],
}
LOCOMO_PUBLISHED = [
    {
        "sample_id": f"conv-{number}",
        "conversation": {name: value for name, value in LOCOMO.items() if name != "qa" and "events" not in name},
        "qa": LOCOMO["qa"],
        "event_summary": {},
    }
    for number in (1, 2)
]


def _trajectory(number: int, place: str) -> dict[str, Any]:
    return {
        "tid": number,
        "message_list": [
            {"mid": 0, "message": "我将要参加书法展览。", "time": "2024年04月01日 周一 08:30", "place": place},
            {"mid": 1, "message": f"书法展览的地点是{place}。", "time": "2024年04月01日 周一 09:00", "place": place},
            {"mid": 2, "message": "我表弟叫张伟。", "time": "2024年04月02日 周二 07:08", "place": place},
        ],
        "question_list": [
            {
                "qid": 0,
                "question": "书法展览的地点是什么？",
                "answer": place,
                "target_step_id": [1],
                "time": "2024年04月04日 周四 07:42",
            }
        ],
    }


MEMDAILY = [_trajectory(0, "北京"), _trajectory(1, "上海")]
MEMDAILY_PUBLISHED = {"simple": {"roles": MEMDAILY, "events": MEMDAILY[:1]}, "noisy": {"roles": MEMDAILY}}

BEAM_CHAT: list[dict[str, Any]] = [
    {
        "batch_number": 1,
        "time_anchor": "March-15-2024",
        "turns": [
            [
                {"role": "user", "id": 0, "time_anchor": "March-15-2024", "content": "The quota is 500. ->-> 1,1"},
                {"role": "assistant", "id": 1, "content": "Then cache the answers.\n\n" + "Plain advice. " * 200},
            ],
            [
                {"role": "user", "id": 2, "content": "I painted the shed green."},
                {"role": "assistant", "id": 3, "content": "Nice."},
            ],
        ],
    },
    {
        "batch_number": 2,
        "turns": [
            [
                {"role": "user", "id": 4, "time_anchor": "April-05-2024", "content": "The quota is 900 now."},
                {"role": "assistant", "id": 5, "content": "Good to know."},
            ]
        ],
    },
]
BEAM_QUESTIONS: dict[str, Any] = {
    "abstention": [{"question": "What is my shoe size?", "rubric": ["none"]}],
    "knowledge_update": [
        {
            "question": "What is the quota?",
            "rubric": ["900"],
            "source_chat_ids": {"original_info": [0], "updated_info": [4]},
        }
    ],
    "contradiction_resolution": [
        {
            "question": "Did I paint the shed?",
            "rubric": ["yes"],
            "source_chat_ids": {"first_statement": [2], "second_statement": [2]},
        }
    ],
    "information_extraction": [{"question": "Which colour?", "rubric": ["green"], "source_chat_ids": [2, 3]}],
}


def write(path: Path, value: Any) -> Path:
    """The file at `path`, which holds `value` as JSON from now on."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, ensure_ascii=False), "utf-8")
    return path


def beam(folder: Path, questions_beside: bool = True) -> Path:
    """A folder with a chat of BEAM and the questions about it."""
    write(folder / "chat.json", BEAM_CHAT)
    write(folder / ("" if questions_beside else "probing_questions") / "probing_questions.json", BEAM_QUESTIONS)
    return folder
