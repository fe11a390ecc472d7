"""In a process of its own: litellm is imported late, talks to nobody but the provider, and prints nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pagekeeper
from pagekeeper.tests.support.openai_server import OpenAIServer, stalled, text

SCRIPT = """
import asyncio, contextlib, ipaddress, sys

strangers = []

def watch(event, arguments):
    if event == "socket.getaddrinfo" and arguments[0] not in ("127.0.0.1", "localhost"):
        strangers.append(arguments)
    elif event == "socket.connect" and isinstance(arguments[1], tuple):
        if not ipaddress.ip_address(arguments[1][0]).is_loopback:
            strangers.append(arguments)

sys.addaudithook(watch)

from pagekeeper.runtime.models import gateway, known, replay, scripted
from pagekeeper.runtime.models.base import ModelReply, ModelRequest
from pagekeeper.runtime.models.litellm_model import LitellmModel

base = sys.argv[1]
request = ModelRequest(messages=({"role": "user", "content": "hello"},))
models = [LitellmModel("openai/gpt-4o-mini", api_base=base, api_key="k", stream=stream) for stream in (True, False)]
assert models[0].window == 128_000
assert "litellm" not in sys.modules, "litellm was imported early"

async def main():
    for model in models:
        items = [item async for item in model.stream(request)]
        assert items[-1].text == "ok", items
    for wait in (0.0, 0.001, 0.003, 0.2):
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(wait):
                async for _ in models[0].stream(request):
                    pass

asyncio.run(main())
assert not strangers, strangers
print("fine")
"""


def test_nothing_is_said_and_nobody_else_is_asked(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT, encoding="utf-8")
    with OpenAIServer() as server:
        server.enqueue("ok", "ok", *[stalled(text("a", "b"), 2)] * 4)
        root = Path(pagekeeper.__file__).parent.parent
        ended = subprocess.run(
            [sys.executable, "script.py", server.url],
            cwd=tmp_path,
            env={"PYTHONPATH": str(root), "PATH": "/usr/bin:/bin"},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
    assert (ended.stdout, ended.stderr, ended.returncode) == ("fine\n", "", 0)
