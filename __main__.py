"""`python -m pagekeeper` is the command `pagekeeper`."""

from .cli import main

if __name__ == "__main__":
    raise SystemExit(main())
