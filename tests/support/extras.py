"""Extras that may not be installed."""

from __future__ import annotations

import importlib.metadata

import pytest


def hide(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    """Let `package` look as if it were not installed."""
    real = importlib.metadata.version

    def version(name: str) -> str:
        if name == package:
            raise importlib.metadata.PackageNotFoundError(name)
        return real(name)

    monkeypatch.setattr(importlib.metadata, "version", version)
