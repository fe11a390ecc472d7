"""What litellm raises, as our errors: in the provider's own words, with what to do about it, and whether to try again.

It looks at names and attributes alone, so that it can be read (and tested) without importing litellm.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from ..errors import ContextExceeded, ModelError, ModelRefused, ModelTimeout, ModelUnavailable

_TOO_LONG = re.compile(
    r"context[ _](length|window|size)|maximum context|prompt is too long|input is too long"
    r"|too many (input )?tokens|exceeds? the (maximum|available)[^.]{0,40}(tokens|context)",
    re.IGNORECASE,
)
_NO_KEY = re.compile(
    r"missing (\w+ )?(api[ _]key|credentials)|no (\w+ )?api[ _]key|api_key client option", re.IGNORECASE
)
_CHECK_KEY = "Check the provider's key."
_SECRET_NAME = re.compile(r"(_KEY|_TOKEN|_SECRET|_PASSWORD)$")


@dataclass(frozen=True, slots=True)
class _Words:
    text: str
    code: str


class Failure(Exception):
    """A request that failed: the error to raise, and whether asking again may help."""

    def __init__(
        self,
        error: ModelError,
        *,
        retry: bool = False,
        retry_after: float | None = None,
        key_wanted: bool = False,
        asked: bool = True,
    ) -> None:
        super().__init__(error.message)
        self.error = error
        self.retry = retry
        self.retry_after = retry_after
        """Seconds that the provider asked to wait."""
        self.key_wanted = key_wanted
        """The provider wants a key, or a better one."""
        self.asked = asked
        """Whether the provider was asked at all."""


def translate(error: Exception, model: str, secrets: Iterable[str] = ()) -> Failure:
    """The failure that `error` stands for. `secrets` are cut out of its words, should they repeat one."""
    # litellm wraps what breaks a stream; the wrapper's own status says nothing.
    error = getattr(error, "original_exception", None) or error
    names = {kind.__name__ for kind in type(error).__mro__}
    status = _status(error)
    said = _words(error, names)
    message = f"{model}: {redact(said.text, secrets)}"
    rejected = status in (400, 413, 422)
    if "ContextWindowExceededError" in names or (rejected and _TOO_LONG.search(said.text)):
        return Failure(ContextExceeded(message, hint="The conversation must become shorter."))
    if _NO_KEY.search(said.text) and not said.code:
        # litellm finds no key, and says so with any status.
        return Failure(ModelRefused(message, hint=_CHECK_KEY), key_wanted=True, asked=False)
    wait = _retry_after(error)
    if "APITimeoutError" in names or status == 408:
        return Failure(ModelTimeout(message), retry=True, retry_after=wait)
    if status == 429 and "quota" not in said.code:
        return Failure(ModelUnavailable(message), retry=True, retry_after=wait)
    if status == 429:
        return Failure(ModelRefused(message, hint="Look at the plan and the balance of your account there."))
    if "APIConnectionError" in names or status is None or status >= 500:
        hint = "Is its server running, and reachable from here?" if "onnect" in said.text else ""
        return Failure(ModelUnavailable(message, hint=hint), retry=True, retry_after=wait)
    if status == 401:
        return Failure(ModelRefused(message, hint=_CHECK_KEY), key_wanted=True)
    if status == 404:
        return Failure(ModelRefused(message, hint="Check the model's name."))
    if "LLM Provider NOT provided" in said.text:
        unknown = f"{model}: no provider is known for this name."
        return Failure(ModelRefused(unknown, hint="Put the provider before it, e.g. openai/gpt-4o."))
    return Failure(ModelRefused(message))


def redact(text: str, secrets: Iterable[str]) -> str:
    """`text` without the given secrets."""
    for secret in secrets:
        if len(secret) >= 4:
            text = text.replace(secret, "[key]")
    return text


def secrets_in(environ: Mapping[str, str]) -> list[str]:
    """The values of the environment that look like keys, longest first; very short ones are no secrets."""
    found = {value for name, value in environ.items() if _SECRET_NAME.search(name) and len(value) >= 8}
    return sorted(found, key=lambda value: (-len(value), value))


def _status(error: Exception) -> int | None:
    status = getattr(error, "status_code", None)
    try:
        return int(status) if status is not None else None
    except (TypeError, ValueError):
        return None


def _words(error: Exception, names: set[str]) -> _Words:
    """What the provider said, without the names that litellm puts before it."""
    body = getattr(error, "body", None)
    if isinstance(body, dict) and isinstance(body.get("message"), str) and body["message"]:
        return _Words(body["message"], str(body.get("code") or body.get("type") or ""))
    # litellm appends its own traceback to errors that it did not expect.
    text = str(getattr(error, "message", "") or error).partition("\nTraceback (most recent call last)")[0]
    labels = "|".join(map(re.escape, [*names, "Timeout Error"]))
    prefix = re.compile(rf"\s*(?:litellm\.\w+|{labels}):\s*|\s*(?:\w+Exception|Error code: \d+)\s*-\s*")
    while found := prefix.match(text):
        text = text[found.end() :]
    return _from_json(text) or _Words(text.strip() or type(error).__name__, "")


def _from_json(text: str) -> _Words | None:
    """The message in an error object that stands in `text`, as Anthropic's and Google's do."""
    start, end = text.find("{"), text.rfind("}")
    try:
        found: Any = json.loads(text[start : end + 1]) if 0 <= start < end else None
    except ValueError:
        return None
    inner = found.get("error", found) if isinstance(found, dict) else None
    if isinstance(inner, dict) and isinstance(inner.get("message"), str):
        return _Words(inner["message"], str(inner.get("code") or inner.get("type") or ""))
    return None


def _retry_after(error: Exception) -> float | None:
    response = getattr(error, "response", None)
    headers = getattr(error, "litellm_response_headers", None) or getattr(response, "headers", None) or {}
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after")
    seconds = _number(value)
    if seconds is not None or not value:
        return seconds
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        return None


def _number(value: Any) -> float | None:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if 0 <= number < 1e9 else None
