import io
import json
import sys

import pytest
from rich.console import Console

from api import terminal
from api.terminal import Waiting, as_json, clean, print_json, say


@pytest.mark.parametrize("sign", ["\x00", "\x07", "\x1b", "\r", "\x7f", "\x9b", "\u202e", "\ud800"])
def test_control_characters_are_replaced(sign):
    assert clean(f"a{sign}b") == "a�b"


def test_lines_and_tabs_stay():
    assert clean("a\tb\r\nc\n") == "a\tb\nc\n"


@pytest.mark.parametrize("sign", ["\x1b", "\x7f", "\x9b", "\u2028", "\u202e", "\ud800", "é", "☃"])
def test_json_escapes_what_a_terminal_might_obey(sign):
    made = as_json({"a": sign})
    assert json.loads(made) == {"a": sign}
    assert (sign in made) is (sign in "é☃")


def test_json_is_ascii_where_stdout_is_not_utf8(monkeypatch):
    stdout = io.TextIOWrapper(io.BytesIO(), encoding="latin-1")
    monkeypatch.setattr(sys, "stdout", stdout)
    print_json({"a": "☃"})
    stdout.flush()
    assert json.loads(stdout.buffer.getvalue()) == {"a": "☃"}


def test_waiting_shows_a_bar_on_a_terminal_and_takes_it_away(monkeypatch):
    screen = Console(file=io.StringIO(), force_terminal=True, width=60)
    monkeypatch.setattr(terminal, "err", lambda: screen)
    with Waiting("Loading [the] model", then="Indexing") as progress:
        progress("Root\x1b[2J", 5, 10)
    told = screen.file.getvalue()
    assert "Loading [the] model" in told or "Indexing Root�[2J: 5 of 10" in told
    assert "Root\x1b[2J" not in told


def test_waiting_says_few_lines_elsewhere(capsys):
    with Waiting("Loading") as progress:
        for done in range(1, 101):
            progress("Root", done, 100)
    assert capsys.readouterr().err.splitlines() == [
        "Root: 25 of 100", "Root: 50 of 100", "Root: 75 of 100", "Root: 100 of 100",
    ]  # fmt: skip


def test_what_stands_before_a_line_lends_it_no_style():
    screen = Console(file=io.StringIO(), force_terminal=True, color_system="standard", width=30)
    say(screen, "word " * 8, before="| ")
    assert screen.file.getvalue() == (
        "\x1b[2m| \x1b[0mword word word word word\n\x1b[2m| \x1b[0mword word word\n"
    )
