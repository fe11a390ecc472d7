"""The command line's grammar."""

from __future__ import annotations

import argparse


def build() -> argparse.ArgumentParser:
    """The parser of `pagekeeper`."""
    from .. import __version__

    parser = argparse.ArgumentParser(prog="pagekeeper", description="Talk to agents that keep their own memory.")
    parser.add_argument("--version", action="version", version=f"pagekeeper {__version__}")
    return parser
