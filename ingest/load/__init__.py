"""Readers: a text to blocks with offsets, one module a format."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ingest.load import markdown, plain
from ingest.load.blocks import Block

__all__ = ["Block", "load"]


def load(
    name: str, text: str, outline: str = "", stray_contents: Iterable[str] = ()
) -> list[Block]:
    """The blocks of a text, in order; they cover all of it but white space.

    Args:
        name: the file's name; its ending chooses the reader.
        text: the file's text.
        outline: headings that no mark tells, indented by two spaces a level.
        stray_contents: parts of the list of contents that stand elsewhere.
    """
    if Path(name).suffix.lower() in {".md", ".markdown"}:
        return markdown.blocks(text)
    return plain.blocks(text, outline, stray_contents)
