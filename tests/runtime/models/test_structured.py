"""Replies that are to be JSON: asked for in a provider's own way, by a tool that must be called, or in words."""

from __future__ import annotations

from pagekeeper.prompts import load
from pagekeeper.runtime.models.base import REPLY_TOOL, ModelRequest, serves
from pagekeeper.runtime.models.litellm_model import LitellmModel
from pagekeeper.runtime.models.offline import OfflineModel
from pagekeeper.runtime.models.prompted import as_text
from pagekeeper.runtime.models.scripted import ScriptedModel

SCHEMA = {"type": "object", "properties": {"operations": {"type": "array"}}, "required": ["operations"]}
ASKED = ModelRequest(({"role": "system", "content": "Extract."},), purpose="extract", schema=SCHEMA)


def test_a_provider_that_keeps_to_schemas_is_given_the_schema() -> None:
    options = LitellmModel("openai/gpt-4o")._options_for(ASKED)
    assert options["response_format"] == {"type": "json_schema", "json_schema": {"name": REPLY_TOOL, "schema": SCHEMA}}
    assert "tools" not in options


def test_another_is_given_one_tool_that_it_has_to_call() -> None:
    options = LitellmModel("openai/some-local-model")._options_for(ASKED)
    assert "response_format" not in options
    [tool] = options["tools"]
    assert tool["function"] == {"name": REPLY_TOOL, "description": load("reply_tool"), "parameters": SCHEMA}
    assert options["tool_choice"] == {"type": "function", "function": {"name": REPLY_TOOL}}
    options["tools"][0]["function"]["parameters"]["properties"].clear()
    assert SCHEMA["properties"], "litellm's providers write into what they are given"


def test_one_without_tools_is_told_in_words() -> None:
    told = as_text(ASKED)
    assert told.schema is None
    assert told.messages[0]["content"].startswith("Extract.\n\nReply with one JSON object")
    assert '"required": ["operations"]' in told.messages[0]["content"]


def test_a_model_says_what_it_serves() -> None:
    scripted = ScriptedModel("hello")
    assert serves(scripted, "turn")
    assert not serves(scripted, "extract")
    scripted.enqueue_for("extract", "{}")
    assert serves(scripted, "extract")
    assert not serves(scripted, "reflect")
    assert serves(LitellmModel("openai/gpt-4o"), "extract")
    assert serves(OfflineModel(), "turn")


def test_the_schema_is_part_of_what_a_request_is() -> None:
    assert ModelRequest(ASKED.messages, purpose="extract").canonical() != ASKED.canonical()
