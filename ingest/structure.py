"""Blocks to sections: heading paths, what is not indexed, and words put back where they belong."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ingest.load import Block
from ingest.load.markdown import title
from ingest.sidecars import Displaced, TextFile
from rag.errors import CorpusError


@dataclass(frozen=True, slots=True)
class Section:
    """A heading path and the blocks below it, in the order in which they are read."""

    path: tuple[str, ...]
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Skipped:
    """Words that are not indexed, and why: header, contents, heading, grade or lost."""

    start: int
    end: int
    why: str


def find_quote(text: str, quote: str, where: str, occurrence: int = 1) -> tuple[int, int]:
    """Offsets of exact words.

    Args:
        text: the text.
        quote: the words.
        where: who quotes them, for the message.
        occurrence: which of several, from 1.

    Raises:
        CorpusError: the text does not hold them (that often).

    >>> find_quote("a b a", "a", "x", 2)
    (4, 5)
    """
    at = -1
    for _ in range(occurrence):
        at = text.find(quote, at + 1)
        if at < 0 or not quote:
            short = quote if len(quote) < 60 else quote[:57] + "..."
            raise CorpusError(
                f'{where} quotes "{short}"'
                f"{f' (occurrence {occurrence})' if occurrence > 1 else ''}, which the text does "
                f"not hold; copy the words from the text as they stand."
            )
    return at, at + len(quote)


def sections(text: str, blocks: list[Block], file: TextFile) -> tuple[list[Section], list[Skipped]]:
    """The sections of a text, and what of it is not indexed.

    Raises:
        CorpusError: a sidecar entry quotes words that the text does not hold.
    """
    contents = [find_quote(text, quote, f"{file.name}: contents") for quote in file.contents]
    moved = [
        (entry, find_quote(text, entry.quote, f"{file.name}: displaced"))
        for entry in file.displaced
    ]
    found: list[Section] = []
    skipped: list[Skipped] = []
    away: dict[int, list[Block]] = {}
    path: list[tuple[int, str]] = []
    for block in blocks:
        number = _index(block, [span for _, span in moved])
        if block.kind in {"header", "contents"} or _index(block, contents) is not None:
            why = "header" if block.kind == "header" else "contents"
            skipped.append(Skipped(block.start, block.end, why))
        elif number is not None:
            away.setdefault(number, []).append(block)
        elif block.kind == "heading":
            skipped.append(Skipped(block.start, block.end, "heading"))
            path = [step for step in path if step[0] < block.level]
            path.append((block.level, title(text[block.start : block.end])))
            found.append(Section(tuple(name for _, name in path), ()))
        else:
            if not found:
                found.append(Section((), ()))
            found[-1] = replace(found[-1], blocks=(*found[-1].blocks, block))
    for number, (entry, _) in enumerate(moved):
        found = _put_back(text, found, entry, tuple(away.get(number, ())))
    return [section for section in found if section.blocks], skipped


def _index(block: Block, spans: list[tuple[int, int]]) -> int | None:
    """Which of the spans holds the block."""
    return next((i for i, (a, b) in enumerate(spans) if a <= block.start and block.end <= b), None)


def _put_back(
    text: str, found: list[Section], entry: Displaced, blocks: tuple[Block, ...]
) -> list[Section]:
    """Insert displaced blocks behind the words that they follow."""
    _, end = find_quote(text, entry.after, "displaced: after")
    for number, section in enumerate(found):
        if not section.path or section.path[-1] != entry.section:
            continue
        for at, block in enumerate(section.blocks, 1):
            if block.start < end <= block.end:
                whole = (*section.blocks[:at], *blocks, *section.blocks[at:])
                return [*found[:number], replace(section, blocks=whole), *found[number + 1 :]]
    raise CorpusError(
        f'displaced: no section "{entry.section}" holds "{entry.after[:60]}"; '
        f"give a heading of the text and words below it."
    )
