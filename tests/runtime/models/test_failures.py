"""What litellm raises, as our errors: the provider's words, and how long it asks to wait."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from types import SimpleNamespace
from typing import Any

import pytest

from pagekeeper.runtime.errors import ContextExceeded, ModelRefused, ModelUnavailable
from pagekeeper.runtime.models.failures import secrets_in, translate


class Raised(Exception):
    """Looks like one of litellm's errors."""

    def __init__(self, message: str, status: int | None, headers: dict[str, str] | None = None, **fields: Any) -> None:
        super().__init__(message)
        self.message = message
        self.status_code = status
        self.response = SimpleNamespace(headers=headers or {})
        self.__dict__.update(fields)


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("litellm.RateLimitError: Raised: OpenAIException - Slow down.", "Slow down."),
        (
            'litellm.X: AnthropicException - {"type":"error","error":{"type":"e","message":"Busy: wait."}}',
            "Busy: wait.",
        ),
        ('litellm.X: VertexAIException - b\'{"error": {"message": "No.", "code": 400}}\'', "No."),
        ("litellm.APIError: APIError: X - {not json}", "APIError: X - {not json}"),
        ("Error code: 400 - What: is this?", "What: is this?"),
        ("litellm.Y: Broken.\nTraceback (most recent call last):\n  File x", "Broken."),
        ("", "Raised"),
    ],
)
def test_the_providers_words(message: str, words: str) -> None:
    assert translate(Raised(message, 400), "m").error.message == f"m: {words}"


def test_the_body_says_it_best() -> None:
    raised = Raised("litellm.RateLimitError: noise", 429, body={"message": "Slow down.", "code": "rate_limit"})
    assert translate(raised, "m").error.message == "m: Slow down."


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "2.5"}, 2.5),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after-ms": "250", "retry-after": "1"}, 0.25),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    failure = translate(Raised("busy", 503, headers), "m")
    assert failure.retry
    assert failure.retry_after == seconds


def test_retry_after_as_a_date() -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=100), usegmt=True)
    wait = translate(Raised("busy", 429, {"retry-after": later}), "m").retry_after
    assert wait is not None
    assert 90 < wait <= 100


@pytest.mark.parametrize(
    ("status", "message", "kind", "retry"),
    [
        (None, "boom", ModelUnavailable, True),
        (529, "overloaded", ModelUnavailable, True),
        (413, "prompt is too long: 210000 tokens > 200000 maximum", ContextExceeded, False),
        (400, "Input is too long for requested model.", ContextExceeded, False),
        (429, "Request too large: tokens per min. Maximum context", ModelUnavailable, True),
        (400, "max_tokens is too large", ModelRefused, False),
        (402, "Insufficient balance", ModelRefused, False),
    ],
)
def test_kinds(status: int | None, message: str, kind: type[Exception], retry: bool) -> None:
    failure = translate(Raised(message, status), "m")
    assert (type(failure.error), failure.retry) == (kind, retry)


def test_what_broke_a_stream_counts() -> None:
    wrapper = Raised("wrapped", 503, original_exception=Raised("No such model.", 404))
    assert translate(wrapper, "m").error.message == "m: No such model."


def test_secrets_in_the_environment() -> None:
    found = secrets_in(
        {"A_API_KEY": "longer-than-b", "B_TOKEN": "12345678", "C_KEY": "short", "PATH": "/usr/local/bin"}
    )
    assert found == ["longer-than-b", "12345678"]
