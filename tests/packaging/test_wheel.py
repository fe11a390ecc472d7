"""What is built from a clean copy is the tree: one top-level package, with every module, prompt, style and schema."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SHIPPED = {".py", ".md", ".tcss", ".json", ".toml"}
NOT_SHIPPED = {"tests", "benchmarks"}
ROOT_FILES = {"__init__.py", "__main__.py", "assembly.py", "py.typed"}


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the repository without what builds and tools left in it, in a folder of another name."""
    copy = tmp_path_factory.mktemp("clone") / "any-name"
    litter = shutil.ignore_patterns(".*", "__pycache__", "build", "dist", "*.egg-info")
    shutil.copytree(ROOT, copy, ignore=litter)
    return copy


@pytest.fixture(scope="module")
def built(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel that is built from the copy."""
    out = tmp_path_factory.mktemp("wheel")
    build = f"from setuptools import build_meta; print(build_meta.build_wheel({str(out)!r}))"
    subprocess.run([sys.executable, "-c", build], cwd=tree, check=True, capture_output=True)
    (made,) = out.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def wheel(built: Path) -> list[str]:
    """The names in it."""
    with zipfile.ZipFile(built) as archive:
        return archive.namelist()


def test_a_wheel_installs_one_top_level_package(wheel: list[str]) -> None:
    tops = {name.split("/")[0] for name in wheel}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"pagekeeper"}


def test_a_wheel_holds_the_tree_and_nothing_else(wheel: list[str]) -> None:
    expected = {name for name in ROOT_FILES if (ROOT / name).exists()}
    for folder in ROOT.iterdir():
        if folder.is_dir() and (folder / "__init__.py").exists() and folder.name not in NOT_SHIPPED:
            files = (file for file in folder.rglob("*") if file.suffix in SHIPPED)
            expected |= {file.relative_to(ROOT).as_posix() for file in files}
    assert {name.removeprefix("pagekeeper/") for name in wheel if name.startswith("pagekeeper/")} == expected


def test_no_stray_module_stands_at_the_root() -> None:
    assert {file.name for file in ROOT.glob("*.py")} <= ROOT_FILES


def test_the_licence_is_in_the_wheel(wheel: list[str]) -> None:
    assert any(name.endswith("/licenses/LICENSE") for name in wheel)


def test_pytest_collects_conversations_where_the_wheel_is_installed(built: Path, tmp_path: Path) -> None:
    site, project = tmp_path / "site", tmp_path / "project"
    with zipfile.ZipFile(built) as archive:
        archive.extractall(site)
    project.mkdir()
    script = "title: it notes\nsteps:\n- say: I live in Porto.\n  expect: {blocks: {human: Porto}}\n"
    (project / "x.conversation.yaml").write_text(script, encoding="utf-8")
    test = "import pagekeeper\ndef test_where(pagekeeper_model): print('from', pagekeeper.__file__)\n"
    (project / "test_where.py").write_text(test, encoding="utf-8")
    # Nothing names the plugin: what is installed says that it has one.
    command = [sys.executable, "-m", "pytest", "-v", "-s", "-p", "no:cacheprovider"]
    environment = {**os.environ, "PYTHONPATH": str(site)}
    done = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, timeout=120)
    assert "x.conversation.yaml::it notes PASSED" in done.stdout, done.stdout
    assert f"from {site}" in done.stdout
    assert "2 passed" in done.stdout
