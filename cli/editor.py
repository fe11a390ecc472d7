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

    Raises UsageError where there is no editor or no terminal, and EditorFailed.
    """
    from ..runtime.errors import EditorFailed, UsageError

    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not editor:
        raise UsageError("Nothing says what to change.", hint="Say --set, --append or --replace, or set EDITOR.")
    if not sys.stdin.isatty():
        hint = "Say --set, --append or --replace, or run it in a terminal."
        raise UsageError("Nothing says what to change, and there is no terminal for an editor.", hint=hint)
    handle, name = tempfile.mkstemp(prefix="pagekeeper-", suffix=".md")
    with open(handle, "wb") as out:
        out.write(f"{text}\n".encode())
    try:
        done = subprocess.run([*shlex.split(editor), name], check=False)
    except (OSError, ValueError) as error:  # ValueError: a quotation mark that is not closed
        os.unlink(name)
        reason = getattr(error, "strerror", None) or error
        hint = "VISUAL and EDITOR in the environment say which editor it is."
        raise EditorFailed(f"The editor {editor!r} cannot be run ({reason}).", hint=hint) from None
    if done.returncode:
        words = f"The editor {editor!r} failed (status {done.returncode}); nothing was changed."
        raise EditorFailed(words, hint=f"Your text is in {name}.")
    file = Path(name)
    try:
        # Editors end a file with a line break, which is none of the value's.
        return file.read_bytes().decode("utf-8").removesuffix("\n"), file
    except UnicodeDecodeError:
        raise EditorFailed("What you wrote is not UTF-8.", hint=f"Your text is in {name}.") from None
