"""Fixtures for all tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import settings

from pagekeeper.tests.support.openai_server import OpenAIServer

# No test is timed: these machines are noisy.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--kill all`: see tests/e2e/test_kill.py."""
    parser.addoption("--kill", choices=["sample", "all"], default="sample", help="at which points processes are killed")


@pytest.fixture
def openai_server() -> Iterator[OpenAIServer]:
    """A local server that speaks the OpenAI protocol; see tests/support/openai_server.py."""
    with OpenAIServer() as server:
        yield server
