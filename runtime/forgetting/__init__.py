"""Forgetting: finding what carries a fact, and withholding all of it.

Passages are withheld and block lines removed by id. Every message, call, result, note and summary that carries the same
fact is withheld with them: it stays in the journal, where the user can read and restore it, and leaves search, recall
and every later request. What belongs to the turn that asks for it goes when that turn ends, since its model must still
know what it was asked.
"""
