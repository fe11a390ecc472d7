"""What answers where a step does not script it: a model, a model whose answers are recorded, or the recording."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..assembly import OFFLINE, make_model
from ..runtime.config import Settings, load
from ..runtime.models.base import Model
from ..runtime.models.replay import RecordingModel, ReplayModel


@dataclass(frozen=True, slots=True)
class Answering:
    """How one case is answered."""

    model: str | None = None
    """Where the case names none; offline unless given."""
    instructions: str | None = None
    """In place of the case's own."""
    record: Path | None = None
    """The cassette that is written."""
    replay: Path | None = None
    """The cassette that answers, with no model and no network."""

    @property
    def cassette(self) -> bool:
        """Whether there is one."""
        return self.record is not None or self.replay is not None


def answering_model(how: Answering, named: str | None, home: Path) -> Model:
    """The model that answers; `named` is the one that the case names. Raises ScriptError for what is no cassette."""
    if how.replay is not None:
        return ReplayModel(how.replay)
    name = named or how.model
    # A provider's address and timeouts come from the environment, as everywhere; the offline model has no settings.
    offline = name in (None, OFFLINE)
    model = make_model(Settings() if offline else load(home, options={"model": name}))
    if how.record is None:
        return model
    how.record.parent.mkdir(parents=True, exist_ok=True)
    return RecordingModel(model, how.record)


def unused(model: Model) -> str:
    """What of a recording was not asked for; an empty text where there is nothing."""
    if isinstance(model, ReplayModel):
        try:
            model.assert_used()
        except AssertionError as error:
            return str(error)
    return ""
