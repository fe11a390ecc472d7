"""Ranking: candidates in, results out, by small named steps.

`weights` holds every number, `question` reads the question, `scene` is what the steps share, `steps` are the parts of
the score, `gate` says whether a result has to do with the question at all, and `pipeline` puts them together.
"""
