"""A model without network and without weights, so that Pagekeeper works where nothing is configured."""

from .model import OfflineModel

__all__ = ["OfflineModel"]
