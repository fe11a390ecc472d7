"""The days, months and years that a text speaks of, in English and Chinese, absolute and relative.

Two parts need it: a search, to favour what was said in the time that its question names, and whoever notes what was
said, so that "next Tuesday" is still a date when it is read a year later.
"""

from .clock import clock_in
from .stretches import Stretch, days_in, stretches

__all__ = ["Stretch", "clock_in", "days_in", "stretches"]
