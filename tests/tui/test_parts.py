"""The parts that need no running app: wrapping, the gauge's arithmetic, the diff of blocks, copying, the history."""

from __future__ import annotations

import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from pagekeeper.tui import clipboard, commands
from pagekeeper.tui.blocks_panel import BlockItem, changed_lines
from pagekeeper.tui.calls import CallEntry, brief_arguments, full_arguments
from pagekeeper.tui.entries import NoticeEntry, ReplyEntry, ThoughtEntry, UserEntry
from pagekeeper.tui.excerpt import ROWS, excerpt, new_line
from pagekeeper.tui.gauge import cells, percent
from pagekeeper.tui.input_history import InputHistory
from pagekeeper.tui.look import look
from pagekeeper.tui.markdown import markdown
from pagekeeper.tui.wrapping import visible, wrap


def test_chinese_breaks_between_ideographs_and_never_before_a_closing_mark() -> None:
    text = "我叫 Ada，我不吃香菜，也不吃（任何形式的）花生酱。Please remember."
    for width in range(4, 40):
        rows = wrap(text, width)
        assert all(cell_len(row) <= width for row in rows)
        assert "".join(rows).replace(" ", "") == text.replace(" ", "")
        if width >= 12:
            assert not any(row[0] in "，。）" for row in rows)
            assert not any(row[-1] == "（" for row in rows)
    assert wrap(text, 12)[0] == "我叫 Ada，我"


@given(st.text(), st.integers(2, 30))
def test_wrapping_loses_nothing_and_keeps_to_the_width(text: str, width: int) -> None:
    shown = visible(text)
    rows = wrap(shown, width)
    assert "".join("".join(rows).split()) == "".join(shown.expandtabs(4).split())
    assert all(cell_len(row) <= width for row in rows)


@given(st.text())
def test_nothing_that_a_terminal_obeys_is_left(text: str) -> None:
    shown = visible(text + "\x1b[2J\x9b\u202e\ud800")
    assert not any((ord(c) < 32 and c not in "\n\t") or 0x7F <= ord(c) < 0xA0 for c in shown)
    assert "\u202e" not in shown
    shown.encode()


@given(st.text(alphabet="ab你*_`#>-|[]()<>&!\n \t1.~", max_size=200), st.integers(4, 60))
def test_every_reply_can_be_drawn(text: str, width: int) -> None:
    for strip in markdown(text, width, look("pagekeeper-dark")):
        assert "\n" not in strip.text


def test_markdown_drops_no_text() -> None:
    text = "A `Vec<T>` and Vec<T>, <b>bold</b>\n\n<memory>x</memory>\n\n[site](https://a.example)\none\ntwo"
    shown = "\n".join(strip.text for strip in markdown(text, 80, look("pagekeeper-light")))
    for words in ("and Vec<T>", "<b>bold</b>", "<memory>x</memory>", "https://a.example"):
        assert words in shown
    assert "one" in shown.split("\n")[-2]
    assert shown.split("\n")[-1].strip() == "two"


@given(st.lists(st.integers(0, 10**7), max_size=8), st.integers(0, 10**7), st.integers(0, 60))
def test_the_bar_never_overflows(tokens: list[int], window: int, width: int) -> None:
    out = cells(tokens, window, width)
    assert sum(out) <= width
    assert all(count >= 0 for count in out)
    if len(tokens) * 2 <= width:
        assert all(bool(count) == bool(size) for count, size in zip(out, tokens, strict=True))


def test_percentages_are_full_or_empty_only_where_it_is_so() -> None:
    assert [percent(share) for share in (0, 0.001, 0.5, 0.999, 1)] == ["0%", "under 1%", "50%", "99%", "100%"]


@given(st.text(alphabet="ab\n"), st.text(alphabet="ab\n"))
def test_a_diff_holds_both_values(before: str, after: str) -> None:
    rows = changed_lines(before, after)
    assert "\n".join(line for kind, line in rows if kind != "removed") == after
    assert "\n".join(line for kind, line in rows if kind != "added") == before


def test_arguments_that_are_no_object_are_shown_as_they_are() -> None:
    assert brief_arguments("{broken") == "{broken"
    assert full_arguments("[1]") == [("", "[1]")]
    assert brief_arguments('{"label": "human", "content": "a\\nb", "n": 1}') == "human · a b · n=1"


def test_inputs_are_recalled_and_the_draft_is_kept() -> None:
    history = InputHistory()
    assert history.older("draft") is None
    history.add("one")
    history.add("two")
    history.add("two")
    history.seed(["zero"])
    assert [history.older("draft") for _ in range(4)] == ["two", "one", "zero", None]
    assert [history.newer() for _ in range(4)] == ["one", "two", "draft", None]


def test_commands_have_names_that_can_be_told_apart() -> None:
    names = [command.name for command in commands.COMMANDS]
    assert len(set(names)) == len(names)
    assert commands.parse("/copy  all ") == ("copy", "all")
    assert commands.parse("/usr/bin") is None
    assert commands.parse(" /copy") is None
    assert commands.find("cop") is commands.find("copy")
    assert commands.find("co") is None
    assert "There is no command /serch. Did you mean /search?" in commands.unknown("serch")
    assert commands.unknown("zzzz").startswith("There is no command /zzzz. See /help.")
    refusals = {
        line: command.refused(line)
        for command in commands.COMMANDS
        if command.name == "copy"
        for line in ("", "all", "most")
    }
    assert refusals == {"": "", "all": "", "most": "Behind /copy stands all, or nothing."}
    free = [command.name for command in commands.COMMANDS if not command.refused("any words")]
    assert free == ["search", "why", "history", "undo", "forget", "erase", "rules"]


def test_routes_to_the_clipboard_depend_on_where_we_are() -> None:
    def names(environment: dict[str, str], platform: str = "linux") -> list[str]:
        return [route.name for route in clipboard.routes(environment, platform, lambda name: f"/bin/{name}")]

    assert names({"DISPLAY": ":0"}) == ["xclip", "xsel", clipboard.TERMINAL.name]
    assert names({"DISPLAY": ":0", "SSH_TTY": "x"}) == [clipboard.TERMINAL.name]
    assert names({"SSH_TTY": "x", "TMUX": "y"}) == ["tmux", clipboard.TERMINAL.name]
    assert names({}, "darwin")[0] == "pbcopy"


@pytest.mark.parametrize(
    ("code", "name"), [("import sys; sys.stdin.read()", "tool"), ("exit(1)", clipboard.TERMINAL.name)]
)
async def test_copying_says_which_route_it_took(code: str, name: str) -> None:
    sent: list[str] = []
    ways = [clipboard.Route("tool", (sys.executable, "-c", code)), clipboard.TERMINAL]
    assert (await clipboard.copy("words", ways, sent.append)).name == name
    assert bool(sent) == (name != "tool")


GIANTS = {
    "a word": "x" * 1_000_000,
    "Chinese": "你好" * 500_000,
    "lines": "a b\n" * 250_000,
    "quotes": "> " * 5_000,
    "brackets": "[" * 50_000,
}


@pytest.mark.parametrize("name", GIANTS)
def test_giant_texts_are_drawn_in_part_and_copied_whole(name: str) -> None:
    text = GIANTS[name]
    styles = look("pagekeeper-dark")
    call = CallEntry("c", text, json.dumps({"content": text}))
    call.finish(text, error=False)
    block = BlockItem("human", "")
    block.value = text
    block.folded = call.folded = False
    for item in (UserEntry(text), ReplyEntry(text), ThoughtEntry(text), NoticeEntry("error", text), call, block):
        rows = item.render(80, styles)
        widest = max(strip.cell_length for strip in rows)
        whole = text.rstrip() in item.words()
        assert (len(rows) < 40_000, widest <= 80, whole) == (True, True, True), type(item)


def test_a_folded_block_shows_the_lines_around_its_change() -> None:
    before = "\n".join(f"line {n}" for n in range(100))
    block = BlockItem("human", before)
    block.value = before.replace("line 70", "line seventy")
    rows = [strip.text.strip() for strip in block.render(40, look("pagekeeper-dark"))]
    assert rows[1:6] == ["… 69 lines above", "line 69", "line 70", "line seventy", "line 71"]
    assert any(row.startswith("… 2") and row.endswith("more lines") for row in rows)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("word " * 400, "word " * 400 + "\nthe news"),
        ("word " * 400, "the news\n" + "word " * 400),
        ("word " * 400, "the news"),
        ("\n".join(f"old {n}" for n in range(30)), "the news"),
        ("\n".join(f"{n} " * 99 for n in range(9)), "\n".join([*(f"{n} " * 99 for n in range(9)), "the news"])),
        ("a\nb", "a\nthe news\nb"),
        ("", "the news"),
    ],
)
def test_an_excerpt_shows_what_is_new_and_is_short(before: str, after: str) -> None:
    lines = changed_lines(before, after)
    shown = excerpt(lines, 20)
    assert "the news" in [text for _, text in shown.rows]
    assert len(shown.rows) <= ROWS + 1


def test_of_nothing_nothing_is_shown() -> None:
    assert excerpt(changed_lines("", ""), 20).rows == []


@given(st.lists(st.tuples(st.sampled_from(["same", "added", "removed"]), st.text("ab ", max_size=90)), min_size=1))
def test_an_excerpt_says_what_it_leaves_out(lines: list[tuple[str, str]]) -> None:
    shown = excerpt(lines, 10)
    numbers = {number for number, _ in shown.rows}
    assert new_line(lines) in numbers
    assert len(shown.rows) <= ROWS + 1
    assert min(numbers) <= shown.above <= min(numbers) + 1
    rest = len(lines) - 1 - max(numbers)
    assert rest <= shown.below <= rest + 1
    if not shown.above and not shown.below:
        assert [text for _, text in shown.rows] == [row for _, line in lines for row in wrap(line, 10)]
