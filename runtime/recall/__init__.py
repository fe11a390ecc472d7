"""Recall before a turn: what memory holds about the user's words, for the `<memory>` note.

`small_talk` says whether there is anything to look for, `router` what is looked for (`rewriting` makes it stand by
itself, `when.asked` finds the time that it asks about), `note` looks, and `choosing` keeps the best within the budget.
No model is asked: a turn waits for all of it.
"""
