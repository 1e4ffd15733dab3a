"""Markdown: headings by `#` or underlined, lists, tables, fenced blocks left whole."""

from __future__ import annotations

import re

from ingest.load.blocks import Block, body_block, join, lines

_HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*\s*$")
_UNDERLINE = re.compile(r"^(?:=+|-{2,})\s*$")


def blocks(text: str) -> list[Block]:
    r"""The blocks of a Markdown text.

    >>> [b.kind for b in blocks("# Win\n\nMost points win.\n\n- a\n- b\n")]
    ['heading', 'paragraph', 'item', 'item']
    """
    found: list[Block] = []
    fresh = True
    fenced = False
    for line in lines(text):
        if line.blank:
            fresh = True
            continue
        start, end = line.inner
        heading = _HEADING.match(line.text)
        last = found[-1] if found else None
        fence = line.text.lstrip().startswith("```")
        if fenced and last:
            found[-1] = join(last, Block("paragraph", start, end))
            fenced = not fence
        elif fence:
            found.append(Block("paragraph", start, end))
            fenced = True
        elif last and last.kind == "paragraph" and not fresh and _UNDERLINE.match(line.text):
            found[-1] = Block("heading", last.start, end, 1 if line.text[0] == "=" else 2)
        elif heading:
            found.append(Block("heading", start, end, len(heading[1])))
        elif line.text.lstrip().startswith("|"):
            block = Block("table", start, end)
            if last and last.kind == "table" and not fresh:
                found[-1] = join(last, block)
            else:
                found.append(block)
        else:
            block = body_block(line)
            # a wrapped line, or a paragraph indented below an item, continues what it follows
            wrapped = not fresh and block.kind == "paragraph"
            below = fresh and block.kind == "paragraph" and block.level >= 2
            if last and (
                (wrapped and last.kind in {"paragraph", "item"}) or (below and last.kind == "item")
            ):
                found[-1] = join(last, block)
            else:
                found.append(block)
        fresh = False
    return found


def title(heading: str) -> str:
    """A heading's words without marks.

    >>> title("## The *End* ##")
    'The End'
    """
    match = _HEADING.match(heading)
    words = [line for line in heading.splitlines() if not _UNDERLINE.match(line)]
    return re.sub(r"[*_`]", "", match[2] if match else " ".join(words)).strip()
