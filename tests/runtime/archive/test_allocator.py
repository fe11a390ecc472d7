"""Large pieces of memory go back to the system, unless the user has decided how the C library keeps them."""

from __future__ import annotations

import os
import platform
import subprocess
import sys

import pytest

CODE = """
import ctypes, sys
from pathlib import Path
from pagekeeper.runtime.archive.allocator import return_large_pieces
print(return_large_pieces())
libc = ctypes.CDLL(None)
libc.malloc.restype, libc.malloc.argtypes, libc.free.argtypes = ctypes.c_void_p, [ctypes.c_size_t], [ctypes.c_void_p]
def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096
def taken(size, count):
    out = [libc.malloc(size) for _ in range(count)]
    for piece in out:
        ctypes.memset(piece, 1, size)
    return out
libc.free(taken(24 << 20, 1)[0])  # after which glibc takes such pieces from the heap
before = resident()
large, small = [], []
for _ in range(20):
    large += taken(4 << 20, 1)
    small += taken(1000, 1)
for piece in large:
    libc.free(piece)
print(resident() - before < (8 << 20))
"""


def told(**settings: str) -> list[str]:
    """What a process says that has these settings of its C library."""
    names = ("GLIBC_TUNABLES", "MALLOC_MMAP_THRESHOLD_")
    environment = {name: value for name, value in os.environ.items() if name not in names} | settings
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True, env=environment)
    return done.stdout.split()


@pytest.mark.skipif(sys.platform != "linux" or platform.libc_ver()[0] != "glibc", reason="a rule of glibc")
def test_large_pieces_go_back_to_the_system() -> None:
    assert told() == ["True", "True"]


@pytest.mark.skipif(sys.platform != "linux", reason="set there alone")
def test_what_the_user_has_decided_stays() -> None:
    assert told(MALLOC_MMAP_THRESHOLD_="1000000")[0] == "False"
    assert told(GLIBC_TUNABLES="glibc.malloc.arena_max=4")[0] == "False"
