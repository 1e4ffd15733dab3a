"""What a reader gives: blocks of lines, with offsets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

BlockKind = Literal["heading", "paragraph", "item", "table", "contents", "header"]
ITEM = re.compile(r"^(\s*)(?:[•◦▪*+–-]\s+|\d{1,2}[.)]\s+|[a-zA-Z][.)]\s+)(?=\S)")


@dataclass(frozen=True, slots=True)
class Block:
    """Lines that belong together: text[start:end], without white space around it."""

    kind: BlockKind
    start: int
    end: int
    level: int = 0
    """Depth of a heading (from 1) or indentation of a list item."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line without its break."""

    start: int
    text: str

    @property
    def blank(self) -> bool:
        """Whether it holds white space only."""
        return not self.text.strip()

    @property
    def inner(self) -> tuple[int, int]:
        """Offsets without white space around."""
        left = len(self.text) - len(self.text.lstrip())
        return self.start + left, self.start + len(self.text.rstrip())


def lines(text: str) -> Iterator[Line]:
    r"""The lines of a text, split at \n only; a final \r and a byte order mark are left out.

    >>> [line.start for line in lines("a\r\nb")]
    [0, 3]
    """
    start = int(text.startswith("\ufeff"))
    for part in text[start:].split("\n"):
        yield Line(start, part.removesuffix("\r"))
        start += len(part) + 1


def indent(line: Line) -> int:
    """Columns before the first word."""
    return len(line.text) - len(line.text.lstrip())


def body_block(line: Line) -> Block:
    """A line that is neither heading nor table: an item or a paragraph."""
    start, end = line.inner
    if ITEM.match(line.text):
        return Block("item", start, end, indent(line))
    return Block("paragraph", start, end, indent(line))


def join(first: Block, second: Block) -> Block:
    """Both as one block of the first one's kind."""
    return Block(first.kind, first.start, second.end, first.level)
