"""Every error that Pagekeeper raises, as one tree.

    PagekeeperError                 has a message (what was wrong, where) and a hint (what to do about it)
    ├── UsageError                  the caller's input cannot be taken; nothing was changed
    │   ├── InvalidText             text that cannot be stored as it is (a lone surrogate, too long, empty)
    │   ├── InvalidName             a name of an agent, conversation, block or tag that is not allowed
    │   ├── DatasetError            a file for an evaluation is not as it should be; names it, and the key or line
    │   ├── ScriptMistake           a scripted conversation is not as it should be; names file and line
    │   ├── NotFound                no such agent, conversation, block, passage or event
    │   ├── Ambiguous               the beginning of several ids; lists them
    │   └── AlreadyExists           the name is taken
    ├── ConfigError                 a setting is wrong; names the key, and the line if it came from a file
    │   └── WindowTooSmall          what must always be in the window does not fit into it
    ├── HomeError                   the home folder cannot be used
    │   ├── HomeReadOnly            it cannot be written
    │   ├── HomeFull                the disk is full
    │   ├── HomeTooNew              it was written by a newer release
    │   └── JournalBroken           the journal cannot be read
    ├── EditRefused                 an edit of core memory that breaks a rule of its block; nothing was changed
    │   └── RevisionConflict        the block changed since it was last seen; holds the current block
    ├── EditorFailed                the user's editor cannot be run, or failed; nothing was changed
    ├── OutputFailed                what a command says cannot be written
    ├── ToolError                   a tool cannot do what it was asked; goes back to the model
    ├── ModelError                  the model gave no reply; in the provider's own words where there are any
    │   ├── ModelRefused            the provider will not serve the request (key, permission, bad request)
    │   ├── ModelUnavailable        still failing after the retries
    │   ├── ModelTimeout            nothing came for too long, before or between tokens
    │   ├── StreamDropped           the connection broke after the first token; what had come is kept
    │   ├── ContextExceeded         the request is larger than the model's window
    │   └── ScriptError             a scripted or replayed model has no answer to this request
    ├── InferenceFailed             what of some messages is worth remembering is not known yet; they are in the log
    ├── ArchiveError                the archive cannot do it
    │   ├── ArchiveBroken           its files are missing or damaged; it can be rebuilt from the journal
    │   ├── EmbedderMismatch        it was embedded by another embedder
    │   └── EmbedderFailed          the embedder gave no vectors
    └── TurnLost                    another process has taken over the turn; this one must stop

A ToolError is retryable (the model may mend its call) or final (it may not, and is told so).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .core.blocks import Block


class PagekeeperError(Exception):
    """The root. `message` says what was wrong and where; `hint` says what to do, and may be empty."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".rstrip()


def words_of(error: BaseException) -> str:
    """What an error says to people; one that is not ours says its type as well."""
    return str(error) if isinstance(error, PagekeeperError) else f"{type(error).__name__}: {error}"


class UsageError(PagekeeperError):
    """The caller's input cannot be taken; nothing was changed."""


class InvalidText(UsageError):
    """Text that cannot be stored as it is."""


class InvalidName(UsageError):
    """A name of an agent, conversation, block or tag that is not allowed."""


class DatasetError(UsageError):
    """A file for an evaluation is not as it should be; the message names it, and the key or the line."""


class ScriptMistake(UsageError):
    """A scripted conversation is not as it should be; the message names file and line of each mistake."""


class NotFound(UsageError):
    """No such agent, conversation, block, passage or event."""


class Ambiguous(UsageError):
    """The beginning of several ids; the message lists them."""


class AlreadyExists(UsageError):
    """The name is taken."""


class ConfigError(PagekeeperError):
    """A setting is wrong; the message names the key, and the line if it came from a file."""


class WindowTooSmall(ConfigError):
    """What must always be in the window does not fit into it."""


class HomeError(PagekeeperError):
    """The home folder cannot be used."""


class HomeReadOnly(HomeError):
    """The home folder cannot be written."""


class HomeFull(HomeError):
    """The disk that holds the home folder is full."""


class HomeTooNew(HomeError):
    """The home was written by a newer release."""


class JournalBroken(HomeError):
    """The journal cannot be read."""


class EditRefused(PagekeeperError):
    """An edit of core memory that breaks a rule of its block; nothing was changed.

    `block` is the block as it stands, where there is one, so that the refusal can show it.
    """

    def __init__(self, message: str, *, hint: str = "", block: Block | None = None) -> None:
        super().__init__(message, hint=hint)
        self.block = block


class RevisionConflict(EditRefused):
    """The block changed since it was last seen."""


class EditorFailed(PagekeeperError):
    """The user's editor cannot be run, or failed; nothing was changed."""


class OutputFailed(PagekeeperError):
    """What a command says, on standard output or into a file, cannot be written."""


class ToolError(PagekeeperError):
    """A tool cannot do what it was asked. It goes back to the model; `retryable` says if mending the call helps."""

    def __init__(self, message: str, *, hint: str = "", retryable: bool = True) -> None:
        super().__init__(message, hint=hint)
        self.retryable = retryable


class ModelError(PagekeeperError):
    """The model gave no reply; the message is in the provider's own words where there are any."""


class ModelRefused(ModelError):
    """The provider will not serve the request: key, permission or a bad request."""


class ModelUnavailable(ModelError):
    """The provider still fails after the retries."""


class ModelTimeout(ModelError):
    """Nothing came for too long, before the first token or between two."""


class StreamDropped(ModelError):
    """The connection broke after the first token; what had come is kept."""


class ContextExceeded(ModelError):
    """The request is larger than the model's window."""


class ScriptError(ModelError):
    """A scripted or replayed model has no answer to this request."""


class InferenceFailed(PagekeeperError):
    """What of some messages is worth remembering is not known yet, since memory work failed; they are in the log."""


class ArchiveError(PagekeeperError):
    """The archive cannot do it."""


class ArchiveBroken(ArchiveError):
    """The archive's files are missing or damaged; it can be rebuilt from the journal."""


class EmbedderMismatch(ArchiveError):
    """The archive was embedded by another embedder."""


class EmbedderFailed(ArchiveError):
    """The embedder gave no vectors."""


class TurnLost(PagekeeperError):
    """Another process has taken over the turn; this one must stop."""
