"""The pytest plugin, in a project of its own: another process, another root, nothing of this suite's settings."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from datetime import timedelta
from pathlib import Path

import pytest

import pagekeeper
from pagekeeper import (
    ManualClock,
    ScriptedModel,
    assert_archived,
    assert_block,
    assert_logged,
    assert_no_block,
    assert_not_archived,
    call,
)
from pagekeeper.conversations.pytest_plugin import OpenAgent
from pagekeeper.tests.conversations.playing import write
from pagekeeper.tests.packaging.test_imports import SLOW, loaded_after

PACKAGE = Path(pagekeeper.__file__ or "").parent
PLUGIN = "pagekeeper.conversations.pytest_plugin"


def run(folder: Path, *arguments: str) -> tuple[int, str]:
    """Run pytest in a folder; its exit status and what it printed."""
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    command = [sys.executable, "-m", "pytest", "-p", PLUGIN, "-p", "no:cacheprovider", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout


def test_conversations_and_python_tests_stand_side_by_side(tmp_path: Path) -> None:
    write(tmp_path, "title: ok\nsteps:\n- say: I live in Porto.\n  expect: {blocks: {human: Porto}}\n")
    script = "title: 不行\nparameters: [{n: 1}]\nsteps:\n- say: hi\n  expect:\n    reply: Porto\n"
    write(tmp_path, script, "b.conversation.yaml")
    readme = (PACKAGE / "README.md").read_text("utf-8")
    [code] = [text for text in re.findall(r"```python\n(.*?)```", readme, re.DOTALL) if "async def test" in text]
    write(tmp_path, code, "test_it.py")
    write(tmp_path, "[pytest]\nasyncio_mode = auto\n", "pytest.ini")
    status, out = run(tmp_path, "-v")
    assert status == 1
    assert "a.conversation.yaml::ok PASSED" in out
    assert "test_it.py::test_the_name_is_kept PASSED" in out
    assert "b.conversation.yaml:6: expected: the reply holds 'Porto'" in out
    assert "> hi" in out
    assert "Traceback" not in out
    assert "1 failed, 2 passed" in out
    status, out = run(tmp_path, "-q", "-k", "ok")
    assert (status, "1 passed, 2 deselected" in out) == (0, True)


def test_a_mistake_fails_the_collection_with_its_line(tmp_path: Path) -> None:
    write(tmp_path, "title: x\nsteps:\n- sya: hi\n")
    status, out = run(tmp_path)
    assert status == 2
    assert "a.conversation.yaml:3: there is no key `sya` in `steps`. Did you mean 'say'?" in out
    assert "Traceback" not in out


def test_the_plugin_is_installed_and_light() -> None:
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {PLUGIN: PLUGIN}
    assert not loaded_after(f"import {PLUGIN}") & (SLOW | {"yaml"} - loaded_after("import pytest"))


async def test_memory_is_asserted(
    pagekeeper_agent: OpenAgent, pagekeeper_model: ScriptedModel, pagekeeper_clock: ManualClock
) -> None:
    pagekeeper_model.enqueue(call("archival_insert", content="The cat is called Miso."), "Kept.")
    async with pagekeeper_agent("ada") as agent:
        await agent.send("My cat is called Miso.")
        await assert_archived(agent, "cat", "Miso", at=1)
        await assert_not_archived(agent, "cat", "Biscuit")
        await assert_logged(agent, "cat", "My cat")
        await assert_block(agent, "persona", contains="memory", revision=1, resident=True)
        await assert_no_block(agent, "cats")
    pagekeeper_clock.advance(timedelta(days=3))
    async with pagekeeper_agent("ada") as agent:  # the same home: a restart
        with pytest.raises(AssertionError, match=r"finds 'Biscuit'\nthere is: 1\. The cat is called Miso\."):
            await assert_archived(agent, "cat", "Biscuit")
        with pytest.raises(AssertionError, match="does not find 'miso'"):
            await assert_not_archived(agent, "cat", "miso")
        with pytest.raises(AssertionError, match="at rank 2"):
            await assert_archived(agent, "cat", "Miso", at=2)
        with pytest.raises(AssertionError, match="the revision of block 'human' is 9"):
            await assert_block(agent, "human", revision=9)
        with pytest.raises(AssertionError, match="there is no block 'human'"):
            await assert_no_block(agent, "human")
        with pytest.raises(AssertionError, match="finds 'Biscuit'"):
            await assert_logged(agent, "cat", "Biscuit")
