"""One answer against its item: pure functions over a line of a question set and the JSON contract.

A *place* is anything with `file`, `start` and `end`: a row of `retrieved`, or a citation. `texts`
maps the files of the item's game to their text. README.md in this folder defines what is right.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Item = dict[str, Any]
AnswerJson = dict[str, Any]
Place = Mapping[str, Any]

DEPTH = 10
"""Passages of a ranking that count."""
TOP = 5
"""Passages that `all@5` and `top5_chars` look at."""
WORDS = 90
"""Words of an answer that a player is taken to read."""
WHOLE = 20
"""Characters from which a passage that lies inside a span counts as finding it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """An item with its answer, judged."""

    id: str
    game: str
    style: str
    answerable: bool
    status: str
    right: bool
    rank: int | None
    """Of the first passage that finds an evidence span by itself."""
    hits: tuple[bool, ...]
    """Whether the first 1, 2, ... 10 passages find one together."""
    all_found: bool
    """Whether the first five find every span."""
    cited: bool
    """Whether the citations find a span together."""
    citations: int
    citations_found: int
    citations_verbatim: int
    yes_no: bool
    """Whether the item has a yes or a no."""
    polarity: str | None
    polarity_right: bool
    grade_right: bool | None
    """None where the item has no grade or got no answer."""
    confidence: float
    top_chars: int
    """Characters of the first five passages together."""

    @property
    def answered(self) -> bool:
        """Whether it was answered at all."""
        return self.status == "answered"


def occurrences(text: str, span: str) -> list[tuple[int, int]]:
    """Where a span stands in a text, overlapping places included.

    >>> occurrences("aXaXa", "aXa")
    [(0, 3), (2, 5)]
    """
    found: list[tuple[int, int]] = []
    at = text.find(span) if span else -1
    while at >= 0:
        found.append((at, at + len(span)))
        at = text.find(span, at + 1)
    return found


def covered(start: int, end: int, intervals: Iterable[tuple[int, int]]) -> int:
    """Characters of [start, end) that the intervals cover together.

    >>> covered(10, 20, [(0, 12), (11, 14), (19, 30)])
    5
    """
    total, reached = 0, start
    for left, right in sorted(intervals):
        left, right = max(left, reached), min(right, end)
        if right > left:
            total += right - left
            reached = right
    return total


def finds(
    places: Sequence[Place], span: str, texts: Mapping[str, str], *, any_length: bool = False
) -> bool:
    """Whether the places find a span: they cover half of it, or one lies inside it.

    Args:
        places: passages or citations.
        span: exact words of a text.
        texts: file to text; places in other files count nothing.
        any_length: whether a place of under 20 characters inside the span counts too.

    >>> finds([{"file": "f", "start": 0, "end": 3}], "abcdef", {"f": "abcdef"})
    True
    >>> finds([{"file": "f", "start": 0, "end": 2}], "abcdef", {"f": "abcdef"})
    False
    """
    least = 1 if any_length else WHOLE
    for file, text in texts.items():
        own = [(p["start"], p["end"]) for p in places if p["file"] == file]
        for start, end in occurrences(text, span) if own else ():
            if 2 * covered(start, end, own) >= end - start:
                return True
            if any(start <= a and b <= end and b - a >= least for a, b in own):
                return True
    return False


def says(text: str, must: Sequence[Sequence[str]]) -> bool:
    """Whether the first 90 words hold a string of every group, in small or capital letters.

    >>> says("No: a token does not count.", [["no", "not"], ["Token"]])
    True
    >>> says("word " * 90 + "token", [["token"]])
    False
    """
    read = " ".join(text.split()[:WORDS]).lower()
    return all(any(word.lower() in read for word in group) for group in must)


def contradicts(given: str | None, wanted: str | None) -> bool:
    """Whether one says yes and the other no.

    >>> contradicts("yes", "no"), contradicts(None, "no"), contradicts("yes", None)
    (True, False, False)
    """
    return given is not None and wanted is not None and given != wanted


def is_verbatim(citation: Place, texts: Mapping[str, str]) -> bool:
    """Whether a citation's quote is the file's own text at [start, end).

    >>> is_verbatim({"file": "f", "start": 1, "end": 3, "quote": "bc"}, {"f": "abcd"})
    True
    """
    text = texts.get(citation["file"])
    return text is not None and text[citation["start"] : citation["end"]] == citation["quote"]


def score(item: Item, answer: AnswerJson, texts: Mapping[str, str]) -> Scored:
    """Judge one answer.

    Args:
        item: a line of a question set.
        answer: what was answered.
        texts: file to text, of the item's game.
    """
    spans = list(item["evidence"])
    any_length = item["needs"] in {"table", "compute"}

    def found(places: Sequence[Place]) -> bool:
        return any(finds(places, span, texts, any_length=any_length) for span in spans)

    ranked, citations = list(answer["retrieved"])[:DEPTH], list(answer["citations"])
    each_found = [found([citation]) for citation in citations]
    answered = answer["status"] == "answered"
    return Scored(
        id=item["id"],
        game=item["game"],
        style=item["style"],
        answerable=item["answerable"],
        status=answer["status"],
        right=bool(item["answerable"])
        and answered
        and says(answer["text"], item["must"])
        and not contradicts(answer["polarity"], item["polarity"])
        and any(each_found),
        rank=next((n for n, place in enumerate(ranked, 1) if found([place])), None),
        hits=tuple(found(ranked[:k]) for k in range(1, DEPTH + 1)),
        all_found=bool(spans)
        and all(finds(ranked[:TOP], span, texts, any_length=any_length) for span in spans),
        cited=found(citations),
        citations=len(citations),
        citations_found=sum(each_found),
        citations_verbatim=sum(is_verbatim(citation, texts) for citation in citations),
        yes_no=item["polarity"] is not None,
        polarity=answer["polarity"],
        polarity_right=answer["polarity"] == item["polarity"],
        grade_right=_grade_right(item, citations) if answered else None,
        confidence=float(answer["confidence"]),
        top_chars=sum(place["end"] - place["start"] for place in ranked[:TOP]),
    )


def _grade_right(item: Item, citations: Sequence[Place]) -> bool | None:
    if item.get("grade") is None:
        return None
    return bool(citations) and citations[0]["grade"] == item["grade"]
