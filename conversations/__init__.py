"""Scripted conversations: regression tests for agents, written in YAML.

`source` reads a file and keeps its lines, `script` makes cases of it and finds its mistakes (`shape`, `steps`,
`templates`, `known_names`, `own_words`); `stage` is an agent in a home of its own, with the `played_model` in place of
its model, behind that what is `answering`, and the script's tools (`host_tool`). `play` plays a case on it, `user` and
`meanwhile` do what is no turn or happens within one, and `expect` (`expect_calls`, `matching`) compares what is there
with what is expected. `batch` runs many, `compare` does so with several models, `report` tells what came
of them, and `accept` writes new replies into the scripts. `schema.json` is the format for editors, `events` has the
names of events; `pytest_plugin` and `assertions` bring all of it to people's tests.
"""

SUFFIX = ".conversation.yaml"
"""How the name of a file of conversations ends."""
