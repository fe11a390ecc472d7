"""Dialogues in both languages that the offline model must understand: a development set, not a judging one."""

from __future__ import annotations

from pathlib import Path

import pytest

from pagekeeper.runtime.models.offline import OfflineModel
from pagekeeper.tests.support.dialogues import Dialogue, play, read

HERE = Path(__file__).parent
DIALOGUES = [*read(HERE / "english.txt"), *read(HERE / "chinese.txt")]


@pytest.mark.parametrize("dialogue", DIALOGUES, ids=lambda dialogue: dialogue.title)
def test_understands(dialogue: Dialogue) -> None:
    assert play(dialogue, OfflineModel()) == []
