"""What people leave unsaid when they type: put into plain words before it is read, by the words, the question and what
is remembered."""

from __future__ import annotations

import json
from datetime import datetime

import pytest

from pagekeeper.runtime.models.base import ModelRequest
from pagekeeper.runtime.models.offline.extracting import extract
from pagekeeper.runtime.models.offline.extracting.claim import Entry
from pagekeeper.runtime.models.offline.extracting.english_fiction import Stage
from pagekeeper.runtime.models.offline.extracting.english_replies import in_place, spelled_out
from pagekeeper.runtime.models.offline.extracting.english_slips import without_slips
from pagekeeper.runtime.models.offline.extracting.english_standing import standing
from pagekeeper.runtime.models.offline.extracting.english_talk import in_plain_words
from pagekeeper.runtime.models.offline.extracting.own_words import own_words
from pagekeeper.runtime.models.offline.extracting.revising import Memory

AT = datetime(2026, 5, 4, 9, 15)


@pytest.mark.parametrize(
    ("typed", "plain"),
    [
        ("a scarf for my bf. Milo's into climbing", "a scarf for my boyfriend Milo. Milo is into climbing"),
        ("dad's moved to Ryde", "my dad's moved to Ryde"),
        ("she is a mum and has a blog", "she is a mum and has a blog"),
        ("dont ask til friday", "don't ask until friday"),
        ("they gave me the deputy head post!", "I am now the deputy head!"),
        ("I could watch old trains for hours.", "I love watching old trains."),
        ("got a loom off a guy in Otley.", "got a loom."),
        ("he can't do gluten", "he can't eat gluten"),
        ("he can't do mornings", "he can't do mornings"),
        ("they moved yoga to tuesdays because of the floor", "Yoga was moved to tuesdays"),
        ("physio moved me again. the 3rd of june now", "My physio appointment was moved to the 3rd of june"),
        ("my hours have changed. was nine to five, now it's noon to eight", "My shifts are now noon to eight"),
        ("new number: 07700 900771", "My phone number is now 07700 900771"),
        ("jo changed phones, it's 07700 900772", "Jo's phone number is now 07700 900772"),
        ("started at a bakery called Crumb in june", "started at Crumb in june, a bakery"),
        ("our car failed its MOT, it is a Skoda", "our car failed its MOT, it is a Skoda"),
        ("can you check this form, i start at Kiln on monday", "can you check this form? i start at Kiln on monday"),
        ("tell her i said hi, i miss her", "tell her i said hi, i miss her"),
        ("im coeliac btw, so no bread", "im coeliac, so no bread"),
        ("Our youngest, Pip, just started school", "Our youngest Pip just started school"),
        ("the wedding's the 4th of july", "the wedding is the 4th of july"),
        ("I've packed in the squash", "I gave up squash"),
        ("moved the review to friday", "Review was moved to friday"),
        ("shes allergic to cats", "she's allergic to cats"),
        ("gran's 80th is on the 2nd of june", "My gran's 80th birthday is on the 2nd of june"),
        ("got the job! junior cook at Marlow", "got the job. I am the junior cook at Marlow"),
        ("torn hamstring, so no football", "I have a torn hamstring, so no football"),
    ],
)
def test_what_is_typed_short_is_put_in_plain_words(typed: str, plain: str) -> None:
    assert in_plain_words(typed) == plain


LOOM = Memory("m1", "The user has a loom.", "user", "has", "a loom")
RABBITS = Memory("m1", "The user keeps twelve rabbits.", "user", "pet", "twelve rabbits")
CAT = Memory("m1", "The user has a cat called Olive.", "user", "pet", "Olive")
TRIP = Memory("m1", "The user is going to Malmö in June.", "user", "plan", "Malmö in June")
PARTNER = Memory("m1", "The user's partner is Sandro.", "user", "partner", "Sandro")
EDITOR = Memory("m1", "The user edits in Emacs.", "user", "editor", "Emacs")
PILLS = Memory("m1", "The user takes 20 mg of citalopram.", "user", "health", "20 mg of citalopram")
SMOKES = Memory("m1", "The user has quit smoking.", "user", "habit", "quit smoking")
STORE = Memory("m1", "The project uses MongoDB.", "project", "database", "MongoDB")


@pytest.mark.parametrize(
    ("typed", "asked", "memory", "plain"),
    [
        ("oh I sold it in May", "Is that for the loom?", LOOM, "oh. I no longer have a loom, in May"),
        ("I sold it in May", "Is that for the bike?", LOOM, "I sold it in May"),
        ("twelve?! no, two.", "For your twelve rabbits?", RABBITS, "I keep two rabbits, not twelve."),
        ("we lost Olive on monday", "", CAT, "Olive died on monday"),
        ("we lost Henrik on monday", "", CAT, "we lost Henrik on monday"),
        ("scrap Malmö, too dear", "", TRIP, "Malmö is cancelled, too dear"),
        ("no we had to cancel", "Shall I look for a room in Malmö?", TRIP, "no. Malmö in June is cancelled."),
        ("no we had to cancel", "Shall I order the flowers?", TRIP, "no we had to cancel"),
        ("that fell through", "And the trip to Malmö in June?", TRIP, "Malmö in June is cancelled."),
        ("me and Sandro called it a day", "", PARTNER, "I split up with Sandro"),
        ("scrap the second paragraph", "", TRIP, "scrap the second paragraph"),
        ("we broke up in spring", "", PARTNER, "I broke up with Sandro in spring"),
        ("Zed now, since a week", "In Emacs, press C-s.", EDITOR, "I edit in Zed, not Emacs. since a week"),
        ("they've upped me to 40 on the citalopram", "", PILLS, "I take 40 mg of citalopram, not 20."),
        ("I'm smoking again", "", SMOKES, "I am smoking again, not quit smoking"),
        (
            "we're going with sqlite, mongodb was too much",
            "",
            STORE,
            "we swapped MongoDB for sqlite, mongodb was too much",
        ),
        ("Liz please", "Good morning, Elizabeth.", LOOM, "Call me Liz."),
    ],
)
def test_what_a_reply_leaves_to_the_question_or_to_memory_is_said(
    typed: str, asked: str, memory: Memory, plain: str
) -> None:
    assert spelled_out(typed, asked, "", [memory]).strip() == plain


def test_here_and_there_are_the_place_that_was_spoken_of() -> None:
    assert spelled_out("been here six years", "", "Cork", []) == "I have lived in Cork for six years"
    assert in_place("When will you be there?", "Lecce") == "When will you be in Lecce?"


def test_a_slip_is_said_again_as_it_was_meant() -> None:
    said = ["train to Hull is the 4th, any tips", "sorry, 5th. is it far?"]
    entries = [Entry(number, "user", AT, text) for number, text in enumerate(said, 1)]
    first, second = without_slips(entries)
    assert (first.text, second.text) == ("any tips", "train to Hull is the 5th. is it far?")


@pytest.mark.parametrize(
    ("said", "wish"),
    [
        ("from now on miles and Fahrenheit please", "I want, from now on: miles and Fahrenheit"),
        ("docstrings, always", "I want, always: docstrings"),
        ("numbered steps please, in general", "I want, in general: numbered steps"),
        ("don't ever rename my files", "I want the assistant never to rename my files"),
        ("no tables in future, just text", "I want, in future: no tables, just text"),
        ("stop suggesting podcasts", "I want the assistant to stop suggesting podcasts"),
        ("from now on I'm at Kiln", ""),
        ("thanks, always", ""),
        ("I am late, always", ""),
    ],
)
def test_a_standing_wish_needs_no_verb(said: str, wish: str) -> None:
    claim = standing(said, "", Entry(1, "user", AT, said))
    assert (claim.text if claim else "") == wish


def test_a_scene_that_is_played_is_nobodys_life() -> None:
    stage = Stage()
    assert stage.own("Let's roleplay an interview") != ""
    assert stage.own("I have ten years at sea and a parrot") == ""
    assert stage.own("ok out of character, I live in Ghent").strip(" ,") == "I live in Ghent"
    assert stage.own("I have a dog") == "I have a dog"


@pytest.mark.parametrize(
    ("said", "own"),
    [
        ("say I moved to Basel on 80k, what is left? I have two kids", ""),
        ("Thanks. Invent me a CV: Rex Plum, lives in Hull", "Thanks. "),
        ('look at this\n    x = Person(name="Ida", city="Rome")', "look at this"),
        ("THE LIFT IS OUT OF ORDER UNTIL FRIDAY", ""),
        ("I MOVED TO OSLO AT LAST", "I MOVED TO OSLO AT LAST"),
    ],
)
def test_what_is_made_up_or_pasted_is_not_the_users_own(said: str, own: str) -> None:
    assert own_words(said, "en") == own


def told(*said: str, memories: tuple[Memory, ...] = ()) -> list[tuple[str, str]]:
    """Operation and text of what a dialogue makes; what begins with > is the assistant's."""
    entries = [
        {
            "n": at,
            "speaker": "assistant" if text.startswith(">") else "user",
            "at": "2026-05-04T09:15",
            "text": text.lstrip("> "),
        }
        for at, text in enumerate(said, 1)
    ]
    known = [
        {"id": one.id, "text": one.text, "subject": one.subject, "attribute": one.attribute, "value": one.value}
        for one in memories
    ]
    given = {"now": "2026-05-04T09:15", "memories": known, "dialogue": entries}
    request = ModelRequest(messages=({"role": "user", "content": json.dumps(given)},), purpose="extract")
    return [(one["op"], one["text"]) for one in json.loads(extract(request))["operations"]]


def test_what_is_put_in_plain_words_is_kept() -> None:
    assert told("we lost Olive on sunday", memories=(CAT,)) == [("clear", "Olive died on Sunday 2026-05-03.")]
    assert ("add", "The user wants the assistant never to rename the user's files.") in told(
        "don't ever rename my files"
    )
    assert told("the parrot was promoted to head of sales") == []
    assert told("back in a bit") == []
    assert told("salary is tuna") == []
    assert told("how long do i boil eggs") == []
    assert told("im reading a thing about wasps, do they really sleep") == []
    assert told("the neighbour's cat is on my fence again, staring") == []
    assert told("can you fix this css, my header keeps jumping and its driving me mad") == []
    assert told("from now on in this story the narrator is a crow") == []
    assert told("pretend im a new guest", "> Welcome!", "hi im Brenda and i live in Stoke") == []
    assert told("my character is a monk from Lisbon") == []
    assert told("what about my back yard?", "> What about backups?", "nightly to the NAS") != []
