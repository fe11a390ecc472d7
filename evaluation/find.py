"""From a path to the sets that are there. A file is known by what is in it, not by its name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..runtime.errors import DatasetError
from . import beam, locomo, memdaily
from .dataset import Dataset
from .reading import read

LOADERS = (locomo, memdaily, beam)
KNOWN = ", ".join(loader.NAME for loader in LOADERS)


def find(path: Path) -> list[Dataset]:
    """The sets at `path`, a file or a folder; files of one set are joined. Raises DatasetError."""
    found: dict[str, Dataset] = {}
    for dataset in _load(path):
        if dataset.name in found:
            found[dataset.name].join(dataset)
        else:
            found[dataset.name] = dataset
    datasets = [dataset for dataset in found.values() if dataset.questions]
    if not datasets:
        raise DatasetError(f"{path} holds no questions of {KNOWN}.")
    for dataset in datasets:
        _check_names(dataset, path)
    return datasets


def _load(path: Path) -> Iterator[Dataset]:
    if not path.exists():
        raise DatasetError(f"There is no {path}.", hint=f"Name a file or a folder of {KNOWN}.")
    files = sorted(path.rglob("*.json")) if path.is_dir() else [path]
    if path.name == beam.QUESTIONS:
        raise DatasetError(f"{path} holds questions alone.", hint=f"Name the folder, or the {beam.CHAT} beside it.")
    for file in files:
        document = read(file)
        loader = next((loader for loader in LOADERS if loader.is_it(document)), None)
        if loader is not None:
            yield loader.load(document)
        elif not beam.is_questions(document):
            document.fail(f"is of none of the sets that are known ({KNOWN})")


def _check_names(dataset: Dataset, path: Path) -> None:
    names = [talk.name for talk in dataset.talks]
    if twice := {name for name in names if names.count(name) > 1}:
        raise DatasetError(f"{path} holds the conversation {min(twice)!r} of {dataset.name} twice.")
    for talk in dataset.talks:
        keys = [said.key for said in talk.said]
        if len(set(keys)) < len(keys):
            again = next(key for place, key in enumerate(keys) if key in keys[:place])
            raise DatasetError(f"{path}: the conversation {talk.name!r} of {dataset.name} has {again!r} twice.")
