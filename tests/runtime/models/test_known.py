"""What is suggested to a user who has a key."""

from __future__ import annotations

import pytest

from pagekeeper.runtime.models import known
from pagekeeper.runtime.models.gateway import model_info


def test_the_key_that_is_set_decides() -> None:
    assert known.suggested_model({}) is None
    assert known.suggested_model({"OPENAI_API_KEY": " "}) is None
    assert known.suggested_model({"MISTRAL_API_KEY": "x", "PATH": "/bin"}) == "mistral/mistral-small-latest"


@pytest.mark.parametrize("model", [model for _, model in known.MODELS])
def test_each_suggestion_is_a_model_that_calls_tools(model: str) -> None:
    assert model_info(model)["supports_function_calling"]
