"""The head of a window: the resident blocks and the page table. It is compiled once for each epoch."""

from __future__ import annotations

from dataclasses import dataclass

from ..core.blocks import Block
from ..core.memory import BlockUse, CoreMemory
from ..text import escape
from .limits import HEAD_LINES, Limits
from .tokens import TokenCounter


@dataclass(frozen=True, slots=True)
class Head:
    """The compiled head, and which revisions it shows: {label: revision}."""

    text: str
    resident: dict[str, int]


def compile_head(
    core: CoreMemory, uses: dict[str, BlockUse], limits: Limits, counter: TokenCounter, day: str, asks: str = ""
) -> Head:
    """Choose the resident blocks, and render them and the page table. `day` is the line that names the day, and `asks`
    what is asked for beside; it stands where the core budget has room for it beside the pinned blocks.

    Pinned blocks come first. The others follow by their last use, the newest first, while the budget lasts; those that
    were paged out wait until they are used again.
    """
    resident: list[Block] = []
    others: list[Block] = []
    left = limits.core - HEAD_LINES
    cost = counter.count(asks) + 1 if asks else 0
    if cost > left - sum(core.size(block) for block in core.blocks.values() if block.pinned):
        asks, cost = "", 0
    left -= cost
    for block in sorted(core.blocks.values(), key=lambda block: _order(block, uses)):
        out = not block.pinned and uses.get(block.label, BlockUse(0, 0)).seq < 0
        size = core.size(block)
        if out or (size > left and not block.pinned):
            others.append(block)
        else:
            resident.append(block)
            left -= size
    resident.sort(key=lambda block: (not block.pinned, block.label))
    shown = "\n".join(core.render(block) for block in resident)
    text = "\n".join([day, *([asks] if asks else []), f"<core_memory>\n{shown}\n</core_memory>"])
    if others:
        text += "\n" + _page_table(sorted(others, key=lambda block: _order(block, uses)), limits.table, counter)
    return Head(text, {block.label: block.revision for block in resident})


def _order(block: Block, uses: dict[str, BlockUse]) -> tuple[bool, int, str]:
    return not block.pinned, -uses.get(block.label, BlockUse(0, 0)).seq, block.label


def _page_table(blocks: list[Block], budget: int, counter: TokenCounter) -> str:
    """Label and description of the blocks that are not resident, as many as fit."""
    last = f"{len(blocks)} more: core_memory_list(query)"
    left = budget - counter.count(f"<other_blocks>\n{last}\n</other_blocks>")
    lines = []
    for block in blocks:
        description = " ".join(escape(block.description).split())
        line = f"{block.label}: {description}" if description else block.label
        left -= counter.count(line) + 1
        if left < 0:
            break
        lines.append(line)
    if len(lines) < len(blocks):
        lines.append(f"{len(blocks) - len(lines)} more: core_memory_list(query)")
    return "<other_blocks>\n" + "\n".join(lines) + "\n</other_blocks>"
