"""Sections to passages: what a person would quote, with exact offsets.

A paragraph, a list with its first line, a table, an example or an editor's note; short neighbours
are joined, long ones cut between sentences or items. A list whose items are subjects of their own
("Arbor — …") gives a passage an item, and the item's name ends the heading path.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from ingest.load import Block
from ingest.load.blocks import ITEM
from ingest.load.tables import has_marked_header, reading, rows_of
from ingest.sidecars import Mark, TextFile
from ingest.structure import Section, find_quote
from rag.language import sentence_spans
from rag.records import Kind

JOIN_BELOW = 900
"""Characters: a piece shorter than this is joined to its neighbour."""
TARGET = 1000
"""Characters: joined pieces stay below this."""
LONGEST = 1150
"""Characters: longer pieces are cut, unless they are one sentence or a table."""
_TABLE_CONTEXT = 200

_LABEL = re.compile(r"^([A-Z][\w'’\"“”&,./ -]{1,48}?)(?: — | – |: )")
_EXAMPLE = re.compile(r"^(?:Examples?\b.{0,40}?[:.,]|In the example,|For example,)", re.IGNORECASE)
_EDITOR = re.compile(r"\((?:sic\b|The manual|Step \d+ is not printed)[^()]*(?:\([^()]*\)[^()]*)*\)")
_LETTERED = re.compile(r"^([A-Z]): (.+)$")


@dataclass(frozen=True, slots=True)
class Draft:
    """A passage before it gets its name."""

    start: int
    end: int
    kind: Kind
    section: tuple[str, ...]
    context: str = ""
    reading: str = ""
    attached: bool = False
    """Whether it is an example or note of the passage before it."""
    labelled: bool = False

    @property
    def size(self) -> int:
        """Characters."""
        return self.end - self.start


def drafts(text: str, found: Iterable[Section], file: TextFile) -> list[Draft]:
    """The passages of a text, in reading order.

    Raises:
        CorpusError: a mark quotes words that the text does not hold.
    """
    found = list(found)
    letters = _lettered(text, found)
    pieces = [piece for section in found for piece in _section(text, section, letters)]
    spans = [
        (mark, find_quote(text, mark.quote, f"{file.name}: marks") if mark.quote else (-1, -1))
        for mark in file.marks
    ]
    return [_marked(piece, spans) for piece in pieces]


def _marked(piece: Draft, spans: list[tuple[Mark, tuple[int, int]]]) -> Draft:
    for mark, (start, end) in spans:
        if (mark.section and mark.section in piece.section) or (
            start < piece.end and piece.start < end
        ):
            return replace(piece, kind=mark.kind) if piece.kind == "rule" else piece
    return piece


def _section(text: str, section: Section, letters: dict[str, str]) -> list[Draft]:
    pieces: list[Draft] = []
    blocks = list(section.blocks)
    while blocks:
        size = _run(blocks)
        if blocks[0].kind == "table":
            table = _table(text, blocks[0], section.path, letters)
            above = text[pieces[-1].start : pieces[-1].end] if pieces else ""
            pieces.append(replace(table, context=above[-_TABLE_CONTEXT:]))
        elif blocks[0].kind == "item":
            intro = pieces.pop() if pieces and _introduces(text, pieces[-1]) else None
            pieces.extend(_items(text, blocks[:size], section.path, intro))
        else:
            pieces.extend(_paragraph(text, blocks[0], section.path))
        blocks = blocks[size:]
    return _attach(_joined(text, pieces))


def _run(blocks: list[Block]) -> int:
    """How many blocks from the first on are one list."""
    if blocks[0].kind != "item":
        return 1
    return next((i for i, block in enumerate(blocks) if block.kind != "item"), len(blocks))


def _introduces(text: str, piece: Draft) -> bool:
    return piece.kind == "rule" and text[piece.start : piece.end].endswith(":")


def _table(text: str, block: Block, path: tuple[str, ...], letters: dict[str, str]) -> Draft:
    table = text[block.start : block.end]
    rows = rows_of(table)
    lines = reading(rows, letters, headed=has_marked_header(table)) if len(rows) > 1 else []
    words = "\n".join(lines)
    return Draft(block.start, block.end, "table" if words else "rule", path, reading=words)


def _lettered(text: str, found: list[Section]) -> dict[str, str]:
    """What single letters stand for, where a list says so ("A: Deliver Resources")."""
    pairs = (
        _LETTERED.match(text[block.start : block.end])
        for section in found
        for block in section.blocks
    )
    return {m[1]: f"{m[1]} ({m[2]})" for m in pairs if m and len(m[2]) < 50}


def _paragraph(text: str, block: Block, path: tuple[str, ...]) -> list[Draft]:
    words = text[block.start : block.end]
    editor = _EDITOR.search(words)
    if words.startswith("(") and words.endswith(")") and len(words) > 30:
        return [Draft(block.start, block.end, "note", path, attached=True)]
    if editor:
        cut = block.start + editor.start()
        body = len(text[block.start : cut].rstrip())
        note_end = block.start + editor.end()
        tail = len(text[note_end : block.end]) - len(text[note_end : block.end].lstrip())
        rest = replace(block, start=note_end + tail) if note_end + tail < block.end else None
        before = replace(block, end=block.start + body)
        return [
            *(_paragraph(text, before, path) if body else []),
            Draft(cut, note_end, "note", path, attached=True),
            *(_paragraph(text, rest, path) if rest else []),
        ]
    kind: Kind = "example" if _EXAMPLE.match(words) else "rule"
    label = _LABEL.match(words)
    if label and " — " in label[0] and len(label[1].split()) <= 4:
        return [Draft(block.start, block.end, kind, (*path, label[1]), labelled=True)]
    whole = Draft(block.start, block.end, kind, path, attached=kind == "example")
    return _cut(text, whole)


def _cut(text: str, piece: Draft) -> list[Draft]:
    """Cut a long piece between sentences into parts of about the same size."""
    if piece.size <= LONGEST:
        return [piece]
    parts = -(-piece.size // TARGET)
    goal = piece.size / parts
    found: list[Draft] = []
    start = piece.start
    last = piece.start
    for _, end in sentence_spans(text, piece.start, piece.end):
        if last > start and end - start > goal * 1.15:
            found.append(replace(piece, start=start, end=last))
            start = last + len(text[last:end]) - len(text[last:end].lstrip())
        last = end
    return [*found, replace(piece, start=start, end=piece.end)]


def _items(
    text: str, blocks: list[Block], path: tuple[str, ...], intro: Draft | None
) -> list[Draft]:
    labels = [_item_label(text, block) for block in blocks]
    small = blocks[-1].end - blocks[0].start <= TARGET and len(blocks) > 2
    if not small and sum(label is not None for label in labels) > len(labels) / 2:
        first = text[intro.start : intro.end] if intro else ""
        named = [
            replace(piece, labelled=True)
            for block, label in zip(blocks, labels, strict=True)
            for piece in _cut(
                text,
                Draft(
                    block.start,
                    block.end,
                    "rule",
                    (*path, label) if label else path,
                    context=first,
                ),
            )
        ]
        return [*([intro] if intro else []), *named]
    found: list[Draft] = []
    for block in blocks:
        item = Draft(block.start, block.end, "rule", path)
        if found and _follows(text, found[-1], item) and block.end - found[-1].start <= LONGEST:
            found[-1] = replace(found[-1], end=block.end)
        elif (
            not found
            and intro
            and _follows(text, intro, item)
            and block.end - intro.start <= LONGEST
        ):
            found.append(replace(intro, end=block.end))
        elif not found and intro:
            found.extend([intro, item])
        else:
            found.append(item)
    first = text[intro.start : intro.end] if intro else ""
    found = [found[0], *(replace(piece, context=first) for piece in found[1:])]
    return [part for piece in found for part in _cut(text, piece)]


def _follows(text: str, first: Draft, second: Draft) -> bool:
    """Whether only white space lies between two pieces; words may have been put in between."""
    return first.end <= second.start and not text[first.end : second.start].strip()


def _item_label(text: str, block: Block) -> str | None:
    words = ITEM.sub("", text[block.start : block.end])
    words = ITEM.sub("", words)  # "- A. Pick a character"
    match = _LABEL.match(words)
    return match[1].strip('"“” ') if match and len(words) > len(match[0]) + 10 else None


def _joined(text: str, pieces: list[Draft]) -> list[Draft]:
    """Join short neighbours of one section."""
    found: list[Draft] = []
    for piece in pieces:
        last = found[-1] if found else None
        if (
            last
            and last.kind == piece.kind == "rule"
            and not (last.labelled or piece.labelled)
            and last.section == piece.section
            and _follows(text, last, piece)
            and (min(last.size, piece.size) < JOIN_BELOW or _introduces(text, last))
            and piece.end - last.start <= TARGET
        ):
            found[-1] = replace(last, end=piece.end)
        else:
            found.append(piece)
    return found


def _attach(pieces: list[Draft]) -> list[Draft]:
    """Only what follows a rule or table can be its example or note."""
    first = next((i for i, piece in enumerate(pieces) if not piece.attached), len(pieces))
    return [replace(p, attached=p.attached and i > first) for i, p in enumerate(pieces)]
