"""Plain text, as pages are dumped: headings without marks, tables without borders.

What tells a heading is its shape (a short line that stands alone and does not end a sentence);
what tells its depth is the list of contents at the front, or the outline of game.yaml where that
is lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ingest.load.blocks import ITEM, Block, Line, body_block, indent, join, lines
from ingest.load.tables import glued_rows, is_glued_header

CONTENTS = {"table of contents", "contents"}
_ENDS = (".", ",", ";", ":", "!", "…")
_LONGEST_HEADING = 75
_LONGEST_QUESTION = 120
_LONGEST_TABLE = 40
"""Lines of a glued table."""
_LOOK_AHEAD = 4
"""Entries of the contents that a text may leave out in a row."""


def blocks(text: str, outline: str = "", stray_contents: Iterable[str] = ()) -> list[Block]:
    """The blocks of a plain text.

    Args:
        text: the whole text.
        outline: headings, one a line, indented by two spaces a level.
        stray_contents: parts of the list of contents that stand elsewhere; what they name is as
            deep as the deepest entry.
    """
    rows = list(lines(text))
    spaced = sum(row.blank for row in rows[:-1]) > len(rows) / 10  # the last one is no line
    strays = (ITEM.sub("", row.text).strip() for part in stray_contents for row in lines(part))
    levels = _Levels(outline, strays)
    found: list[Block] = []
    index = _front(rows, found, levels)
    while index < len(rows):
        row = rows[index]
        size = _table_size(rows, index)
        if row.blank:
            index += 1
        elif size:
            found.append(Block("table", row.inner[0], rows[index + size - 1].inner[1]))
            index += size
        else:
            alone = not spaced or _alone(rows, index)
            title = row.text.strip()
            if alone and (levels.known(title) or _is_heading(row)):
                found.append(Block("heading", *row.inner, levels.of(title)))
            else:
                _add_body(found, row, after_blank=index > 0 and rows[index - 1].blank)
            index += 1
    return found


def _add_body(found: list[Block], row: Line, *, after_blank: bool) -> None:
    """Append a line of prose; a paragraph indented below an item belongs to that item."""
    block = body_block(row)
    last = found[-1] if found else None
    if block.kind == "paragraph" and block.level and last and last.kind == "item" and after_blank:
        found[-1] = join(last, block)
    else:
        found.append(block)


def _front(rows: list[Line], found: list[Block], levels: _Levels) -> int:
    """Read page furniture and the list of contents; the index of the first line of the text."""
    at = next((i for i, row in enumerate(rows[:40]) if row.text.strip().lower() in CONTENTS), None)
    if at is None:
        return 0
    found.extend(Block("header", *row.inner) for row in rows[:at] if not row.blank)
    index = at
    while index < len(rows):
        row = rows[index]
        if not row.blank and row.text.strip().lower() not in CONTENTS and not ITEM.match(row.text):
            break
        if not row.blank:
            found.append(Block("contents", *row.inner))
            if ITEM.match(row.text):
                levels.add(ITEM.sub("", row.text).strip(), indent(row))
        index += 1
    return index


class _Levels:
    """The depth of headings: from the contents or the outline, which name them in their order."""

    def __init__(self, outline: str, strays: Iterable[str]) -> None:
        self._entries = [
            (line.strip(), (len(line) - len(line.lstrip())) // 2 + 1)
            for line in outline.splitlines()
            if line.strip()
        ]
        self._strays = frozenset(strays)
        self._indents: list[int] = []
        self._next = 0
        self._last = 0

    def add(self, name: str, columns: int) -> None:
        """An entry of the list of contents."""
        if columns not in self._indents:
            self._indents.append(columns)
        self._entries.append((name, sorted(self._indents).index(columns) + 1))

    def known(self, name: str) -> bool:
        """Whether it is due, whatever its shape."""
        return self._due(name) is not None or name in self._strays

    def of(self, name: str) -> int:
        """Depth of the next heading; one that nothing names stands below the last that is named."""
        due = self._due(name)
        if due is not None:
            self._next = due + 1
            self._last = self._entries[due][1]
            return self._last
        if name in self._strays:
            return max((depth for _, depth in self._entries), default=1)
        return self._last + 1

    def _due(self, name: str) -> int | None:
        for at in range(self._next, min(self._next + _LOOK_AHEAD, len(self._entries))):
            title, depth = self._entries[at]
            if title == name:
                # a child can't be due before its parent has been seen
                skipped = self._entries[self._next : at]
                return at if all(above >= depth for _, above in skipped) else None
        return None


def _alone(rows: list[Line], index: int) -> bool:
    before = index == 0 or rows[index - 1].blank
    return before and (index + 1 == len(rows) or rows[index + 1].blank)


def _is_heading(row: Line) -> bool:
    title = row.text.rstrip()
    if title.startswith((" ", "\t")) or re.match(r"[•◦▪*+–-]\s", title):
        return False
    if title.startswith("(") and not re.match(r"\(\w{1,2}\) ", title):
        return False
    if not re.match(r"[\"“'(]?[A-Z0-9]", title) or "\t" in title:
        return False
    if title.endswith("?"):
        return len(title) <= _LONGEST_QUESTION
    return len(title) <= _LONGEST_HEADING and not title.endswith(_ENDS) and ". " not in title[3:]


def _table_size(rows: list[Line], index: int) -> int:
    """How many lines from here are one table; 0 if none."""
    for mark in ("\t", "|"):
        size = 0
        while index + size < len(rows) and _in_table(rows[index + size].text, mark):
            size += 1
        if size >= 2:
            return size
    if not is_glued_header(rows[index].text):
        return 0
    size = 0
    while size < _LONGEST_TABLE and index + size < len(rows) and not rows[index + size].blank:
        size += 1
    while size >= 3:
        if glued_rows([row.text for row in rows[index : index + size]]):
            return size
        size -= 1
    return 0


def _in_table(line: str, mark: str) -> bool:
    return mark in line if mark == "\t" else line.lstrip().startswith("|")
