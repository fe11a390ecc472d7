"""What some embedding models want to stand before a text, by the family of the model: they were trained with it.

Without it their vectors are clearly worse, and nothing says so. The settings `embedder.query_prefix` and
`embedder.passage_prefix` go before this table.
"""

from __future__ import annotations

import re

_INSTRUCT = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: "
_REPRESENT = "Represent this sentence for searching relevant passages: "

_FAMILIES = (
    # The first that is found in the name counts, so the narrower ones come first.
    (r"e5-mistral|\be5-.*instruct|gte-qwen|qwen3-embedding", _INSTRUCT, ""),
    (r"\be5-", "query: ", "passage: "),
    (r"bge-(small|base|large)-en", _REPRESENT, ""),
    (r"bge-(small|base|large)-zh", "为这个句子生成表示以用于检索相关文章：", ""),
    (r"mxbai-embed", _REPRESENT, ""),
    (r"arctic-embed(2|.*v2)", "query: ", ""),
    (r"arctic-embed", _REPRESENT, ""),
    (r"nomic-embed-text", "search_query: ", "search_document: "),
    (r"embeddinggemma", "task: search result | query: ", "title: none | text: "),
)


def prefixes(model: str) -> tuple[str, str]:
    """What stands before a query and before a passage; empty for models that want nothing, and for unknown ones."""
    name = model.lower().replace("_", "-")
    for family, query, passage in _FAMILIES:
        if re.search(family, name):
            return query, passage
    return "", ""
