"""What answers where a step does not script it: a model, a model whose answers are recorded, or the recording."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from ..runtime.chosen import OFFLINE, make_model
from ..runtime.config import Settings, load
from ..runtime.errors import ScriptError
from ..runtime.models.base import Model
from ..runtime.models.replay import RecordingModel, ReplayModel


@dataclass(frozen=True, slots=True)
class Answering:
    """How one case is answered."""

    model: str | None = None
    """Where the case names none; offline unless given."""
    everywhere: bool = False
    """Whether that model answers where the case names another one too."""
    instructions: str | None = None
    """In place of the case's own."""
    record: Path | None = None
    """The cassette that is written."""
    replay: Path | None = None
    """The cassette that answers, with no model and no network."""

    def of_life(self, number: int) -> Answering:
        """How a process is answered that is killed: its cassette, if there is one, is its own."""
        record, replay = (path and path.with_suffix(f".{number}{path.suffix}") for path in (self.record, self.replay))
        return replace(self, record=record, replay=replay)

    def as_data(self) -> dict[str, Any]:
        """The same as JSON has it, for another process."""
        return {name: str(value) if isinstance(value, Path) else value for name, value in asdict(self).items()}

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Answering:
        """What `as_data` gave."""
        paths = {name: data[name] and Path(data[name]) for name in ("record", "replay")}
        return cls(**{**data, **paths})


def answering_model(how: Answering, named: str | None, home: Path) -> Model:
    """The model that answers; `named` is the one that the case names. Raises ScriptError for what is no cassette."""
    if how.replay is not None:
        if not how.replay.is_file():
            raise ScriptError(f"There is no cassette {how.replay}.", hint="--record writes it.")
        return ReplayModel(how.replay)
    name = how.model if how.everywhere else named or how.model
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
