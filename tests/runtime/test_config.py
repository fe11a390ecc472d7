"""Settings: which one wins, and errors that name the key and the line."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from pagekeeper.runtime import config
from pagekeeper.runtime.config import NO_SETTINGS, PREFIX, Settings, keys, load, variable
from pagekeeper.runtime.errors import ConfigError


def write(home: Path, text: str) -> Path:
    (home / "config.toml").write_text(text, "utf-8")
    return home


def test_a_home_without_settings_sets_nothing(tmp_path: Path) -> None:
    assert load(tmp_path, {}) == Settings()
    assert load(tmp_path / "not there", {}) == Settings()
    assert load(write(tmp_path, ""), {}) == Settings()


def test_options_win_over_the_environment_and_that_over_the_file(tmp_path: Path) -> None:
    write(tmp_path, 'model = "a"\nwindow = 8192\ntimezone = "Asia/Tokyo"\n[recall]\nbudget = 0\n')
    environment = {"PAGEKEEPER_MODEL": "b", "PAGEKEEPER_WINDOW": "16000", "PAGEKEEPER_TIMEOUTS_FIRST_TOKEN": "1.5"}
    settings = load(tmp_path, environment, {"model": "c", "window": None})
    assert settings == Settings(
        model="c", window=16000, timezone="Asia/Tokyo", recall_budget=0, timeouts_first_token=1.5
    )


def test_the_schema_and_the_settings_are_the_same() -> None:
    assert {"_".join(key) for key, _ in keys()} == {field.name for field in fields(Settings)}


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("# hello\n\nwindow = 'big'\n", 3, "'window' must be a whole number"),
        ("model = 'a'\nwindow = 12\n", 2, "'window' must be at least 1024"),
        ("model = '''\nwindow = 12\n'''\nwindow = 13", 4, "'window' must be at least 1024"),
        ("[timeouts]\n\nfirst_token = 0\n", 3, "'timeouts.first_token' must be more than 0"),
        ("timeouts = {first_token = 0}\n", 1, "'timeouts.first_token' must be more than 0"),
        ("user = 'u'\nrecall.budget = -1\n", 2, "'recall.budget' must be at least 0"),
        ("recall = 3\n", 1, "'recall' must be a table of settings"),
        ('"api_base" = """\nftp://x"""\n', 1, "'api_base' must be a URL"),
        ("\nmodel = ''\n", 2, "'model' is empty"),
        ("\ntool_calls = 'x'\n", 2, "'tool_calls' is none of 'native', 'prompted'"),
        ("\n\nwindw = 8192\n", 3, "'windw' is no setting. Did you mean 'window'?"),
        ("zzz = 1\nyyy = 2\n", 1, "'zzz' is no setting. Settings here are: model"),
        ("[embedder]\nname = 'x'\ncolour = 1\n", 3, "'embedder.colour' is no setting"),
    ],
)
def test_a_wrong_setting_is_named_with_its_line(tmp_path: Path, text: str, line: int, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(write(tmp_path, text), {})
    assert f"config.toml, line {line}: {words}" in str(caught.value)


def test_broken_toml_is_named_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"config.toml is not TOML: .*line 2"):
        load(write(tmp_path, "model = 'a'\nwindow 3\n"), {})


def test_a_file_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_bytes(b"model = '\xff'\n")
    with pytest.raises(ConfigError, match="not UTF-8"):
        load(tmp_path, {})


def test_keys_of_providers_are_no_settings_and_are_not_repeated(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="environment variable") as caught:
        load(write(tmp_path, "api_key = 'sk-secret'\n"), {})
    assert "sk-secret" not in str(caught.value)
    with pytest.raises(ConfigError) as caught:
        load(write(tmp_path, "window = 'sk-secret'\n"), {})
    assert "sk-secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("PAGEKEEPER_WINDOW", "big", "must be a whole number."),
        ("PAGEKEEPER_WINDOW", "3", "must be at least "),
        ("PAGEKEEPER_SLEEPTIME_ENABLED", "perhaps", "must be true or false."),
        ("PAGEKEEPER_SLEEPTIME_POLICY", "keep", "is none of 'preserve-history', "),
        ("PAGEKEEPER_API_BASE", "sk-secret", "must be a URL"),
    ],
)
def test_a_wrong_variable_is_named(tmp_path: Path, name: str, value: str, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, {name: value})
    assert caught.value.message.startswith(f"{name} {words}")
    assert "sk-secret" not in str(caught.value)


@pytest.mark.parametrize("zone", ["Mars/Olympus", "../../etc/passwd", "\0", "x" * 5000])
def test_an_unknown_time_zone_is_refused(tmp_path: Path, zone: str) -> None:
    with pytest.raises(ConfigError, match="The given 'timezone': there is no time zone"):
        load(tmp_path, {}, {"timezone": zone})


def test_an_unknown_time_zone_says_where_it_was_set(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"^PAGEKEEPER_TIMEZONE: there is no time zone 'Europe/Brelin'"):
        load(tmp_path, {"PAGEKEEPER_TIMEZONE": "Europe/Brelin"})
    write(tmp_path, "user = 'u'\n\ntimezone = 'Europe/Brelin'\n")
    with pytest.raises(ConfigError, match=r"config.toml, line 3: 'timezone': there is no time zone 'Europe/Brelin'"):
        load(tmp_path, {})


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"timezone": ""}, "The given 'timezone' is empty"),
        ({"timezone": 5}, "The given 'timezone' must be text"),
        ({"model": 5}, "The given 'model' must be text"),
        ({"window": True}, "The given 'window' must be a whole number"),
        ({"core_budget": 3}, "The given 'core_budget' must be at least 200"),
        ({"step_cap": 0}, "The given 'step_cap' must be at least 1"),
        ({"recall_bugdet": 3}, "'recall_bugdet' is no setting. Did you mean 'recall_budget'?"),
        ({"recall": {"budget": 3}}, "'recall' is no setting."),
        ({5: 3}, "5 is no setting."),
    ],
)
def test_a_wrong_option_is_named(tmp_path: Path, options: dict[str, object], words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, {}, options)
    assert str(caught.value).startswith(words)


def test_every_setting_has_a_variable() -> None:
    assert {variable(key) for key, _ in keys()} >= {"PAGEKEEPER_MODEL", "PAGEKEEPER_RECALL_BUDGET", "PAGEKEEPER_USER"}


def test_a_variable_that_is_no_setting_is_told_once_with_the_nearest_name(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "_told", set())
    known = {variable(key): "" for key, _ in keys()} | {PREFIX + name: "1" for name in NO_SETTINGS}
    unknown = {"PAGEKEEPER_MODLE": "sk-secret", "PAGEKEEPER_RECALLBUDGET": "3", "PAGEKEEPER_XYZ": "1"}
    others = {"PAGEKEEPER": "1", "PAGEKEEPER_EMPTY": "", "MY_PAGEKEEPER_X": "1"}
    for _ in range(2):
        assert load(tmp_path, {**known, **unknown, **others}) == Settings()
    assert [record.getMessage() for record in caplog.records] == [
        "The environment variable PAGEKEEPER_MODLE is no setting. Did you mean PAGEKEEPER_MODEL?",
        "The environment variable PAGEKEEPER_RECALLBUDGET is no setting. Did you mean PAGEKEEPER_RECALL_BUDGET?",
        "The environment variable PAGEKEEPER_XYZ is no setting. runtime/config.schema.json lists what there is.",
    ]
