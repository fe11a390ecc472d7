"""Memory without an agent: what other programs keep here, by app and user.

An app is a row of its own kind among the agents, with a stream in the journal and users of its own. So its memories are
passages like all others: the same archive holds and finds them, and rewind, fork, export and erasing hold for them.
"""
