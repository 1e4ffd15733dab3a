"""Exact words: citations, the notes that touch them, and what contradicts them."""

from __future__ import annotations

from collections.abc import Sequence

from rag.errors import QuoteError
from rag.records import Citation, Hit, Note, Passage

NEAR = 5
"""Hits that are taken to speak to the question."""


def cite(passage: Passage, n: int, start: int | None = None, end: int | None = None) -> Citation:
    """Quote a passage or a part of it.

    Raises:
        QuoteError: the part does not lie in the passage.
    """
    a = passage.start if start is None else start
    b = passage.end if end is None else end
    if not passage.start <= a < b <= passage.end:
        raise QuoteError(f"{passage.id} does not hold the characters {a} to {b}.")
    return Citation(
        n=n,
        passage_id=passage.id,
        file=passage.file,
        start=a,
        end=b,
        quote=passage.text[a - passage.start : b - passage.start],
        section=passage.section,
        source=passage.source,
        grade=passage.grade,
        grade_text=passage.grade_text,
        year=passage.year,
        reading=passage.reading,
        question=passage.question,
        kind=passage.kind,
    )


def touching(citations: Sequence[Citation], notes: Sequence[Note]) -> list[Note]:
    """The notes that speak of cited words."""
    return [
        note
        for note in notes
        if any(_overlap(c, file, a, b) for c in citations for file, a, b, _ in note.spans)
    ]


def _overlap(citation: Citation, file: str, start: int, end: int) -> bool:
    return citation.file == file and citation.start < end and start < citation.end


def other_sides(citations: Sequence[Citation], notes: Sequence[Note]) -> list[tuple[str, int, int]]:
    """The words that contradict cited ones, each once: (file, start, end)."""
    found: dict[tuple[str, int, int], None] = {}
    for note in touching(citations, notes):
        sides = {
            side
            for file, a, b, side in note.spans
            if side and any(_overlap(c, file, a, b) for c in citations)
        }
        for file, a, b, side in note.spans:
            if side and sides and side not in sides:
                found[file, a, b] = None
    return list(found)


def better_first(hits: Sequence[Hit], notes: Sequence[Note]) -> tuple[list[Hit], frozenset[str]]:
    """Of hits that contradict each other on the question, put the best ruling first.

    Returns:
        the hits, and the ids of the passages that contradict the first of them.
    """
    ordered = list(hits)
    for hit in _against(ordered, notes):
        if _authority(hit.passage) < _authority(ordered[0].passage):
            ordered.remove(hit)
            ordered.insert(0, hit)
    return ordered, frozenset(hit.passage.id for hit in _against(ordered, notes))


def _against(hits: Sequence[Hit], notes: Sequence[Note]) -> list[Hit]:
    """The near hits that contradict the first."""
    first = hits[0].passage
    sides = other_sides([cite(first, 1)], notes)
    return [
        hit
        for hit in hits[1:NEAR]
        if hit.passage != first
        and any(
            hit.passage.file == file and hit.passage.start <= start < hit.passage.end
            for file, start, _ in sides
        )
    ]


def _authority(passage: Passage) -> tuple[int, int]:
    return passage.grade.rank, -(passage.year or 0)


def holder(passages: Sequence[Passage], file: str, start: int) -> Passage:
    """The passage that holds a character of a file.

    Raises:
        QuoteError: none does.
    """
    for passage in passages:
        if passage.file == file and passage.start <= start < passage.end:
            return passage
    raise QuoteError(f"No passage of {file} holds character {start}.")
