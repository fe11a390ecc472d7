"""`pagekeeper chat` around the app: what is said once its screen is gone."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from pagekeeper.cli import chat, main
from pagekeeper.runtime.errors import HomeError
from pagekeeper.tui import app


def test_why_the_agent_did_not_open_is_said_after_leaving(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    @asynccontextmanager
    async def damaged(options: object) -> AsyncIterator[Any]:
        raise HomeError("The journal is damaged.", hint="Mend it.")
        yield

    def run(opening: Any) -> int:
        async def enter() -> int:
            try:
                async with opening():
                    return 0
            except HomeError:
                return 1  # as the app does, which shows it meanwhile

        return asyncio.run(enter())

    for stream in (sys.stdin, sys.stdout, sys.stderr):
        monkeypatch.setattr(stream, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(chat, "open_agent", damaged)
    monkeypatch.setattr(app, "run", run)
    assert main(["--home", str(tmp_path)]) == 1
    assert "pagekeeper: The journal is damaged.\nMend it." in capsys.readouterr().err
