"""Ageing: what use, correction and time make of a memory.

`trust` moves with use and correction. Each file is small and pure; what is stored changes only where someone says so.
"""
