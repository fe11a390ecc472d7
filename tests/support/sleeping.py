"""Agents whose memory work is scripted: what the model is asked to extract, and what it answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from pagekeeper.runtime.models.base import ModelRequest
from pagekeeper.runtime.models.scripted import ScriptedModel


def operation(text: str = "The user lives in Porto.", op: str = "add", **details: Any) -> dict[str, Any]:
    """An operation as a model writes it."""
    return {"op": op, "text": text, "importance": 5, "confidence": 0.9, "explicit": True, "from": [1], **details}


def home(city: str, **details: Any) -> dict[str, Any]:
    """That the user lives in a city."""
    about = {"subject": "user", "attribute": "home", "value": city, "single": True}
    return operation(f"The user lives in {city}.", **{**about, **details})


def answer(*operations: dict[str, Any]) -> str:
    """A model's answer to a request for extraction."""
    return json.dumps({"operations": list(operations)})


def asked(model: ScriptedModel) -> list[dict[str, Any]]:
    """What the model was asked to extract, each time."""
    return [question(request) for request in model.requests if request.purpose == "extract"]


def question(request: ModelRequest) -> dict[str, Any]:
    """The JSON of one request."""
    read: dict[str, Any] = json.loads(request.messages[-1]["content"])
    return read


def model_of(*replies: Any, extracts: Any = ()) -> ScriptedModel:
    """A model with replies for turns, and answers for memory work."""
    model = ScriptedModel(*replies)
    model.enqueue_for("extract", *extracts)
    return model


Reaction = Callable[[ModelRequest], Any]


def found(text: str, *evidence: str, confidence: float = 0.8) -> dict[str, Any]:
    """An insight or a rule as a model writes it."""
    return {"text": text, "evidence": list(evidence), "confidence": confidence}


def reflected(*insights: str, rules: tuple[str, ...] = ()) -> Reaction:
    """A model's answer to a request for reflection: each rests on all episodes that it was shown."""

    def answer(request: ModelRequest) -> str:
        ids = [one["id"] for one in question(request)["episodes"]]
        return json.dumps(
            {"insights": [found(it, *ids) for it in insights], "rules": [found(it, *ids) for it in rules]}
        )

    return answer
