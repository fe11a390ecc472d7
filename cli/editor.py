"""Letting the user change a text in the editor of their choice."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path


def in_editor(text: str) -> tuple[str, Path]:
    """`text` as the user left it, and the file that holds it, which the caller removes once it is safe.

    Raises UsageError where there is no editor or no terminal, or the editor failed.
    """
    from ..runtime.errors import UsageError

    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not editor or not sys.stdin.isatty():
        raise UsageError("Nothing says what to change.", hint="Say --set, --append or --replace, or set EDITOR.")
    handle, name = tempfile.mkstemp(prefix="pagekeeper-", suffix=".md")
    with open(handle, "wb") as out:
        out.write(f"{text}\n".encode())
    done = subprocess.run([*shlex.split(editor), name], check=False)
    if done.returncode:
        raise UsageError(
            f"The editor failed ({done.returncode}); nothing was changed.", hint=f"Your text is in {name}."
        )
    file = Path(name)
    try:
        # Editors end a file with a line break, which is none of the value's.
        return file.read_bytes().decode("utf-8").removesuffix("\n"), file
    except UnicodeDecodeError:
        raise UsageError("What you wrote is not UTF-8.", hint=f"Your text is in {name}.") from None
