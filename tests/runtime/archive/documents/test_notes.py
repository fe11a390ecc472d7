"""Notes as JSON lines: what a line may say, and how one that cannot be read is named."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date, datetime

import pytest

from pagekeeper.runtime.archive.documents.jsonl import KEYS, notes
from pagekeeper.runtime.archive.drafts import Draft
from pagekeeper.runtime.errors import UsageError
from pagekeeper.tests.support.archives import scope

LIKE = Draft("", "document", ("given",))


def read(*lines: str) -> list[tuple[int, Draft]]:
    return list(notes(iter(lines), LIKE, scope()))


def test_a_line_says_what_it_likes() -> None:
    full = {
        "text": "阿达周日去帆船。",
        "kind": "fact",
        "tags": ["sport"],
        "event_time": "2026-01-31",
        "valid_from": "2026-01-31T09:30",
        "valid_to": "2026-02-01T00:00:00+08:00",
        "expires_at": None,
        "speaker": "Ada",
        "session": 3,
        "ordinal": 4,
        "entities": ["Ada"],
        "participants": [],
        "location": "Kiel",
        "importance": 1,
        "confidence": 0.5,
        "trust": 0,
    }
    assert full.keys() == KEYS.keys()
    expected = Draft(
        "阿达周日去帆船。",
        "fact",
        ("sport", "given"),
        date(2026, 1, 31),
        datetime(2026, 1, 31, 9, 30),
        datetime.fromisoformat("2026-02-01T00:00:00+08:00"),
        speaker="Ada",
        session=3,
        ordinal=4,
        entities=("Ada",),
        location="Kiel",
        importance=1.0,
        confidence=0.5,
        trust=0.0,
    )
    found = read(json.dumps(full), " \n", '"a bare string"\r\n', '{"text": " kept "}')
    rest = [(3, replace(LIKE, text="a bare string")), (4, replace(LIKE, text=" kept "))]
    assert found == [(1, expected), *rest]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"text": "a", "tag": ["x"]}', "there is no key 'tag'. Did you mean 'tags'?"),
        ('{"content": "a"}', "the key 'text' is missing"),
        ('{"texts": "a"}', "Is it 'texts'"),
        ('{"text": 1}', "the key 'text' must be text"),
        ('{"text": null}', "the key 'text' must be text"),
        ('{"text": " "}', "the key 'text' is empty"),
        ('{"text": "\\ud800"}', "the key 'text' holds a lone surrogate"),
        ('"\\ud800"', "the key 'text' holds a lone surrogate"),
        ('{"text": "a", "text": "b"}', "the key 'text' is there twice"),
        ('{"text": "a", "kind": "poem"}', "the key 'kind' must be one of"),
        ('{"text": "a", "kind": []}', "the key 'kind' must be one of"),
        ('{"text": "a", "tags": "x"}', "the key 'tags' must be a list"),
        ('{"text": "a", "tags": [""]}', "the key 'tags' is empty"),
        ('{"text": "a", "entities": [["x"]]}', "the key 'entities' must be text"),
        ('{"text": "a", "speaker": {}}', "the key 'speaker' must be text"),
        ('{"text": "a", "event_time": "soon"}', "the key 'event_time' must be a day or a time"),
        ('{"text": "a", "event_time": 5}', "the key 'event_time' must be a day or a time"),
        ('{"text": "a", "event_time": "9999-12-31"}', "the key 'event_time' must be of a year"),
        ('{"text": "a", "importance": 1.5}', "the key 'importance' must be a number from 0 to 1"),
        ('{"text": "a", "importance": true}', "the key 'importance' must be a number"),
        ('{"text": "a", "trust": NaN}', "NaN"),
        ('{"text": "a", "session": 1e400}', "the key 'session' must be a whole number"),
        (f'{{"text": "a", "ordinal": {2**64}}}', "the key 'ordinal' must be a whole number"),
        (json.dumps({"text": "a", "tags": [str(tag) for tag in range(32)]}), "32 tags at most"),
        (json.dumps({"text": "a", "tags": ["x" * 101]}), "101 characters"),
        ("{", "line 3: it is not JSON (Expecting property name enclosed in double quotes, column 2)."),
        ("[" * 100_000, "it is not JSON"),
        ("12", "neither an object nor a string"),
        ('{"format": "pagekeeper-agent", "version": 1, "agent": "ag-1"}', "the head of an agent's export"),
    ],
)
def test_a_fault_names_its_line_and_its_key(line: str, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        read('{"text": "fine"}', "", line)
    assert caught.value.message.startswith("line 3: ")
    assert words in caught.value.message


def test_what_ends_before_it_begins_is_refused_with_its_line() -> None:
    good = json.dumps({"text": "Ada rented a boat.", "valid_from": "2026-03-01", "valid_to": "2026-03-01"})
    ((_, note),) = read(good)
    assert (note.valid_from, note.valid_to) == (date(2026, 3, 1), date(2026, 3, 2)), "one day is that day"
    bad = json.dumps({"text": "x", "valid_from": "2026-03-01", "valid_to": "2026-02-01T00:00:00+08:00"})
    with pytest.raises(UsageError, match=r"line 2: A passage holds until 2026-02-01.* and only from 2026-03-01 on"):
        read(good, bad)
