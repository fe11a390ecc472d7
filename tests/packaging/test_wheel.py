"""What is built from a clean copy is the tree: one top-level package, with every module, prompt, style and schema."""

from __future__ import annotations

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
def wheel(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The names in a wheel that is built from the copy."""
    out = tmp_path_factory.mktemp("wheel")
    build = f"from setuptools import build_meta; print(build_meta.build_wheel({str(out)!r}))"
    subprocess.run([sys.executable, "-c", build], cwd=tree, check=True, capture_output=True)
    (made,) = out.glob("*.whl")
    with zipfile.ZipFile(made) as archive:
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
