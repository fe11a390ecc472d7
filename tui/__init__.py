"""The Textual app: a conversation, and beside it the memory that changes as one talks.

Nothing is imported here: `tui.app.run` is imported when the app is started.
"""
