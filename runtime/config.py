"""Settings: `config.toml` in the home, overridden by the environment, overridden by options.

What may be set is in config.schema.json; a setting that breaks it is a ConfigError that names the key and where the
value came from, with the line. Keys of providers are no settings: they stay in the providers' environment variables,
and nothing here holds or shows one.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any

from .errors import ConfigError
from .home import CONFIG

Key = tuple[str, ...]
"""The path of a setting: ("recall", "budget") is `budget` in the table `[recall]`."""

_ZONE: Key = ("timezone",)

PREFIX = "PAGEKEEPER_"
NO_SETTINGS = ("HOME", "DEBUG", "FAILPOINT", "EVAL_DATA")
"""What else variables of this prefix are for: the home itself, and what developers and tests use."""
_told: set[str] = set()
"""Variables that were warned of already."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings in force. None: not set, so what uses it has its own default."""

    model: str | None = None
    api_base: str | None = None
    window: int | None = None
    """Tokens."""
    core_budget: int | None = None
    """Tokens."""
    timezone: str | None = None
    """An IANA name, which is known to be one."""
    user: str | None = None
    step_cap: int | None = None
    tool_calls: str | None = None
    """`native` or `prompted`."""
    recall_budget: int | None = None
    """Tokens; 0 is off."""
    memory_unused_days: float | None = None
    memory_fewest_uses: int | None = None
    memory_most: int | None = None
    """Passages of one user of an agent."""
    timeouts_first_token: float | None = None
    """Seconds."""
    timeouts_between_tokens: float | None = None
    """Seconds."""
    sleeptime_enabled: bool | None = None
    sleeptime_messages: int | None = None
    sleeptime_minutes: float | None = None
    sleeptime_when: str | None = None
    """`any` or `all`."""
    sleeptime_policy: str | None = None
    sleeptime_time_limit: float | None = None
    """Seconds."""
    sleeptime_consolidate_turns: int | None = None
    sleeptime_consolidate_idle_minutes: float | None = None
    embedder_name: str | None = None
    embedder_dimension: int | None = None
    embedder_api_base: str | None = None
    embedder_query_prefix: str | None = None
    embedder_passage_prefix: str | None = None


def load(
    home: Path, environment: Mapping[str, str] | None = None, options: Mapping[str, Any] | None = None
) -> Settings:
    """The settings in force in `home`. `options` are by the names of Settings; None among them means not given.

    Raises ConfigError.
    """
    environment = os.environ if environment is None else environment
    values = _from_file(home / CONFIG) | _from_environment(environment)
    named = {"_".join(key): value for key, value in values.items()}
    return Settings(**named | _from_options(options or {}))


@cache
def schema() -> dict[str, Any]:
    """The published JSON schema of config.toml."""
    text = Path(__file__).with_name("config.schema.json").read_text("utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def keys(table: dict[str, Any] | None = None, path: Key = ()) -> Iterator[tuple[Key, dict[str, Any]]]:
    """Every setting, with its own schema."""
    for name, child in (schema() if table is None else table)["properties"].items():
        if "properties" in child:
            yield from keys(child, (*path, name))
        else:
            yield (*path, name), child


def variable(key: Key) -> str:
    """The environment variable that overrides a setting."""
    return PREFIX + "_".join(key).upper()


def _from_file(path: Path) -> dict[Key, Any]:
    try:
        text = path.read_bytes().decode("utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except IsADirectoryError:
        raise ConfigError(f"{path} is a folder, and the settings' file belongs there.", hint="Move it away.") from None
    except OSError as error:
        raise ConfigError(f"{path} cannot be read ({error.strerror}).", hint="Check whose file it is.") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8 (byte {error.start}).", hint="Save it as UTF-8.") from None
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path} is not TOML: {error}.", hint="Mend the line, or remove it.") from None
    if document:
        _check(document, text, path)
    values = dict(_leaves(document))
    if (zone := values.get(_ZONE)) is not None:
        _check_zone(zone, f"{path}, line {_line(text, _ZONE)}: 'timezone'")
    return values


def _from_environment(environment: Mapping[str, str]) -> dict[Key, Any]:
    found: dict[Key, Any] = {}
    _warn_of_unknown(environment)
    for key, rule in keys():
        text = environment.get(variable(key), "")
        if not text:
            continue
        try:
            found[key] = _READERS[rule["type"]](text)
        except ValueError:
            raise ConfigError(f"{variable(key)} {_TYPES[rule['type']]}.", hint=rule["description"]) from None
        for error in _errors_of(found[key], rule):
            raise ConfigError(f"{variable(key)} {_words(error)}.", hint=rule["description"])
        if key == _ZONE:
            _check_zone(text, variable(key))
    return found


def _warn_of_unknown(environment: Mapping[str, str]) -> None:
    """Say, once in a process, which variables look like settings and are none: it is a warning and no error, since the
    environment is shared with other programs and releases. Values are never told."""
    given = [name for name, value in environment.items() if name.startswith(PREFIX) and value]
    if not given:
        return
    known = [*(variable(key).removeprefix(PREFIX) for key, _ in keys()), *NO_SETTINGS]
    for name in sorted(set(given) - {PREFIX + one for one in known} - _told):
        _told.add(name)
        close = get_close_matches(name.removeprefix(PREFIX).upper(), known, 1, 0.5)
        hint = f"Did you mean {PREFIX}{close[0]}?" if close else "runtime/config.schema.json lists what there is."
        import logging  # late, since this is read at every start, and mostly nothing is to be said

        logging.getLogger(__name__).warning("The environment variable %s is no setting. %s", name, hint)


def _truth(text: str) -> bool:
    """Raises ValueError for what is neither yes nor no."""
    return ("false", "true").index(text.strip().lower()) == 1


_READERS: dict[str, Callable[[str], Any]] = {"string": str, "integer": int, "number": float, "boolean": _truth}


def _from_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """What a caller or a command sets, by the names of Settings."""
    given = {name: value for name, value in options.items() if value is not None}
    rules = {"_".join(key): rule for key, rule in keys()} if given else {}
    for name, value in given.items():
        if name not in rules:
            raise ConfigError(f"{name!r} is no setting.", hint=_about_unknown(str(name), list(rules)))
        if name == "user":
            continue  # where it is used it is checked as a name
        for error in _errors_of(value, rules[name]):
            raise ConfigError(f"The given {name!r} {_words(error)}.", hint=rules[name]["description"])
    if "timezone" in given:
        _check_zone(given["timezone"], "The given 'timezone'")
    return given


def _check(document: dict[str, Any], text: str, path: Path) -> None:
    """Raise a ConfigError for the first setting that breaks the schema, in the order of the lines."""
    faults = []
    for error in _errors_of(document, schema()):
        key = tuple(str(step) for step in error.absolute_path)
        if error.validator == "additionalProperties":
            for name in sorted(error.instance.keys() - error.schema["properties"].keys()):
                hint = _about_unknown(name, list(error.schema["properties"]))
                faults.append((_line(text, (*key, name)), f"{'.'.join((*key, name))!r} is no setting", hint))
        else:
            hint = error.schema.get("description", "")
            faults.append((_line(text, key), f"{'.'.join(key)!r} {_words(error)}", hint))
    if faults:
        line, words, hint = min(faults)
        raise ConfigError(f"{path}, line {line}: {words}.", hint=hint)


def _errors_of(value: Any, rule: dict[str, Any]) -> list[Any]:
    from jsonschema import Draft202012Validator  # late: it takes a tenth of a second, and most homes set nothing

    return list(Draft202012Validator(rule).iter_errors(value))


_TYPES = {
    "string": "must be text",
    "integer": "must be a whole number",
    "number": "must be a number",
    "boolean": "must be true or false",
    "object": "must be a table of settings",
}
"""What a value must be that is not of a type of the schema."""


def _words(error: Any) -> str:
    """What is wrong with a value, without the value: it may be a key that was pasted in the wrong place."""
    expected = error.validator_value
    return {
        "type": _TYPES.get(str(expected), ""),
        "minimum": f"must be at least {expected}",
        "exclusiveMinimum": f"must be more than {expected}",
        "minLength": "is empty",
        "enum": f"is none of {', '.join(map(repr, expected))}" if isinstance(expected, list) else "",
        "pattern": "must be a URL that starts with http:// or https://",
    }[error.validator]


def _about_unknown(name: str, known: list[str]) -> str:
    if any(word in name.lower() for word in ("key", "token", "secret", "password")):
        return "Keys stay in the provider's own environment variable, such as OPENAI_API_KEY."
    close = get_close_matches(name, known, 1)
    return f"Did you mean {close[0]!r}?" if close else f"Settings here are: {', '.join(known)}."


def _line(text: str, key: Key) -> int:
    """The line on which a setting of a whole TOML document starts.

    The parser does not tell, so the document is parsed up to each line in turn: the first part that holds the key ends
    with its last line, and starts after the last part that could be parsed.
    """
    lines = text.split("\n")
    start = 1
    for count in range(1, len(lines) + 1):
        try:
            part: Any = tomllib.loads("\n".join(lines[:count]))
        except tomllib.TOMLDecodeError:
            continue
        for step in key:
            part = part.get(step) if isinstance(part, dict) else None
        if part is not None:
            return start
        start = count + 1
    return len(lines)


def _leaves(table: dict[str, Any], path: Key = ()) -> Iterator[tuple[Key, Any]]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _leaves(value, (*path, name))
        else:
            yield (*path, name), value


def _check_zone(name: str, where: str) -> None:
    """`where` says where the name was given."""
    from zoneinfo import ZoneInfo

    try:
        ZoneInfo(name)
    except (OSError, ValueError, KeyError):  # an unknown one is a KeyError; a strange one any of them
        hint = "Name one as in `Europe/Berlin` or `UTC`."
        raise ConfigError(f"{where}: there is no time zone {name[:80]!r}.", hint=hint) from None
