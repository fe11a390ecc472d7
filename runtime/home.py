"""The home: the one folder in which everything is kept, and where in it each thing lies.

journal.sqlite   the journal, which is the truth
archive/         the LanceDB archive, which can be rebuilt from the journal
locks/           files that are locked and never read
config.toml      the user's settings (runtime/config.py)
"""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from .errors import HomeError, HomeFull, HomeReadOnly, UsageError

JOURNAL = "journal.sqlite"
ARCHIVE = "archive"
LOCKS = "locks"
OWNERS = "owners"
CONFIG = "config.toml"

ANOTHER = "Choose another home: `--home` of a command, `home` of `open` in a program, or PAGEKEEPER_HOME."
"""The hint where a home cannot be used as it is, for whoever named it."""

_OURS = (JOURNAL, ARCHIVE, LOCKS, OWNERS, CONFIG)
_PROBE_BYTES = 16 * 1024
_READ_ONLY = {errno.EROFS, errno.EACCES, errno.EPERM}
_FULL = {errno.ENOSPC, errno.EDQUOT}


def resolve(option: str | os.PathLike[str] | None = None, environment: Mapping[str, str] | None = None) -> Path:
    """The home folder: the option, else PAGEKEEPER_HOME, else the platform's folder for a user's data.

    Nothing is made or touched. Raises UsageError for a path that no folder can have.
    """
    environment = os.environ if environment is None else environment
    if option is not None:
        chosen = os.fspath(option)
    elif not (chosen := environment.get("PAGEKEEPER_HOME", "")):
        from platformdirs import user_data_path

        return user_data_path("pagekeeper", appauthor=False)
    if not chosen.strip() or "\0" in chosen:
        raise UsageError(f"The home cannot be {chosen!r}.", hint="Name a folder.")
    return Path(chosen).expanduser().absolute()


def prepare(home: Path) -> Path:
    """Make the home if there is none, readable by its owner alone, and see that it can be written.

    Mode bits do not tell whether it can be written (root ignores them, a mount may be read-only), so it is tried.
    Raises HomeReadOnly, HomeFull or HomeError.
    """
    with errors_of(home):
        if home.exists() and not home.is_dir():
            raise HomeError(f"{home} is not a folder.", hint=ANOTHER)
        if (home / JOURNAL).is_dir():
            raise HomeError(f"{home / JOURNAL} is a folder, and the journal belongs there.", hint="Move it elsewhere.")
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        _make_private(home)
        with tempfile.TemporaryFile(dir=home) as probe:
            probe.write(bytes(_PROBE_BYTES))
    return home


def subfolder(home: Path, name: str) -> Path:
    """A folder in the home, made where it is missing, and readable by its owner alone."""
    folder = home / name
    with errors_of(home):
        folder.mkdir(mode=0o700, exist_ok=True)
    return folder


@contextlib.contextmanager
def errors_of(home: Path) -> Iterator[None]:
    """Turn the system's errors about the home's files into ours."""
    try:
        yield
    except OSError as error:
        raise home_error(home, error) from error


def home_error(home: Path, error: OSError) -> HomeError:
    """What a system's error means for the home, and what helps."""
    reason = error.strerror or str(error)
    if error.filename is not None and Path(error.filename) != home:
        reason = f"{error.filename}: {reason}"
    if error.errno in _READ_ONLY:
        hint = f"Make it writable. {ANOTHER}"
        return HomeReadOnly(f"The home {home} cannot be written ({reason}).", hint=hint)
    if error.errno in _FULL:
        hint = "Free some space and try again; all that was acknowledged is kept."
        return HomeFull(f"The disk that holds the home {home} is full ({reason}).", hint=hint)
    return HomeError(f"The home {home} cannot be used ({reason}).", hint=ANOTHER)


def _make_private(home: Path) -> None:
    """Close a folder to others, unless it is shared with things that are not ours."""
    ours = all(entry.name.startswith(_OURS) for entry in home.iterdir())
    if ours and home.stat().st_mode & 0o077:
        home.chmod(0o700)


@contextlib.contextmanager
def new_folder(kept: str | os.PathLike[str] | None, prefix: str) -> Iterator[Path]:
    """A folder for the homes of a run: the one that is to be kept, or a temporary one.

    Raises UsageError where there is something in it already.
    """
    if kept is None:
        with tempfile.TemporaryDirectory(prefix=prefix) as temporary:
            yield Path(temporary)
        return
    folder = Path(kept)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{kept} is there already, and not empty.", hint="Name a folder that does not exist.")
    folder.mkdir(parents=True, exist_ok=True)
    yield folder
