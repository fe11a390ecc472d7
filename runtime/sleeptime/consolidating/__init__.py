"""Consolidation: what memory work does with what is kept already, so that memories stay few, current and connected.

It merges what says the same, brings the block `human` up to date, and reflects on what happened lately. It is done when
there is quiet, after some turns, or when a window was compacted; each step in one transaction with its marker.
"""
