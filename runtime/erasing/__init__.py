"""Erasing: taking something out of a home for good. It is the one exception to the rule that nothing is overwritten.

A text goes piece by piece (a piece is a sentence, or a line): each that says what is to be erased is replaced by a
marker wherever it stands, in events and in tables alike, so that numbers keep their places and the tables are still
what the events make of them. Then the archive is written anew and the database's file is compacted. What carries only
a part of it, or says other things beside it, is shown first, and whoever asks for the erasure decides.
"""
