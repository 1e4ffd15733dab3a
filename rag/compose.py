"""Hits to a draft answer in the texts' own words, or none.

The decision comes first, in at most 90 words. `yes` and `no` are said only where the ruling speaks
to the question as it was asked. How likely the draft is right decides whether it is shown.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rag.language import asks_yes_no, numbers, sentence_spans, terms, turned
from rag.lexical import Lexical, searchable
from rag.quotes import better_first, cite, holder, other_sides, touching
from rag.records import Citation, Game, Hit, Passage, Polarity, Status

WORD_LIMIT = 90
QUOTE_CHARS = 460
"""A longer passage is quoted in part: the sentences around the one that was found."""
SECOND_SHARE = 0.8
"""A second passage is added if it scores at least this share of the first."""
SECOND_SPACE = 25
"""Words that must be left for it."""
DISAGREE = "The texts disagree on this."
SURE_ASKED = 0.62
"""Cosine of question and ruling's heading above which a ruling's yes or no is taken over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Logistic regression of `right` on the features below, fitted on the dev sets."""

    bias: float
    weights: dict[str, float]
    threshold: float
    """Confidence below which nothing is answered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What was written, before the road adds the question and the ranking."""

    status: Status
    text: str
    polarity: Polarity | None
    citations: tuple[Citation, ...]
    conflicts: tuple[Citation, ...]
    notes: tuple[str, ...]
    confidence: float


def compose(
    question: str,
    hits: Sequence[Hit],
    game: Game,
    passages: Sequence[Passage],
    lexical: Lexical,
    calibration: Calibration,
) -> Draft:
    """Answer from the best hits, or say that the texts do not.

    Args:
        question: the question, typing faults mended.
        hits: ranked, best first.
        game: whose notes may touch the answer.
        passages: of the game; the other side of a contradiction is quoted from them.
        lexical: knows which words are rare.
        calibration: the fitted confidence; below its threshold the answer is `not_covered`.
    """
    if not hits:
        return _not_covered(game, (), 0.0)
    ordered, against = better_first(hits, game.notes)
    confidence = _confidence(features(question, ordered, lexical), calibration)
    polarity = _polarity(question, ordered[0])
    told = [hit for hit in ordered if hit.passage.id not in against]
    room = WORD_LIMIT - len(DISAGREE.split()) if against else WORD_LIMIT
    text, citations = _write(question, told, polarity, room)
    if confidence < calibration.threshold:
        return _not_covered(game, citations, confidence)
    conflicts = tuple(
        cite(holder(passages, file, start), n, start, end)
        for n, (file, start, end) in enumerate(
            other_sides(citations, game.notes), len(citations) + 1
        )
    )
    if against:
        text = f"{text} {DISAGREE}"
    return Draft(
        status="answered",
        text=text,
        polarity=polarity,
        citations=citations,
        conflicts=conflicts,
        notes=tuple(note.says for note in touching(citations, game.notes)),
        confidence=confidence,
    )


def features(question: str, hits: Sequence[Hit], lexical: Lexical) -> dict[str, float]:
    """What tells how likely the first hit is right; each about in [0, 1]."""
    first = hits[0]
    stems = set(terms(question))
    mine = set(terms(searchable(first.passage)))
    whole = sum(lexical.rarity(stem) for stem in stems) or 1.0
    cosine = max(first.dense, first.sentence, first.asked)
    rest = max((max(h.dense, h.sentence, h.asked) for h in hits[1:]), default=0.0)
    second = hits[1].score if len(hits) > 1 else 0.0
    return {
        "cosine": cosine,
        "dense": first.dense,
        "ahead": cosine - rest,
        "margin": 1 - second / first.score if first.score > 0 else 0.0,
        "shared": sum(lexical.rarity(stem) for stem in stems & mine) / whole,
        "unknown": sum(lexical.rarity(s) for s in stems if not lexical.knows(s)) / whole,
        "lexical_best": float(first.lexical >= max(hit.lexical for hit in hits) > 0),
        "faq": float(first.passage.kind == "faq"),
        "length": min(len(stems), 12) / 12,
    }


def _polarity(question: str, hit: Hit) -> Polarity | None:
    """Yes or no, if the ruling says it first and answers the question as it was asked."""
    said = _said(hit.passage)
    heading = hit.passage.question
    if said is None or not heading or hit.asked < SURE_ASKED or not asks_yes_no(question):
        return None
    return None if turned(question, heading) else said


def _said(passage: Passage) -> Polarity | None:
    first = passage.text[:4].lower()
    if passage.kind != "faq":
        return None
    if first.startswith("yes") and not passage.text[3:4].isalpha():
        return "yes"
    return "no" if first.startswith("no") and passage.text[2:3] in {".", ",", ":", ";"} else None


def _write(
    question: str, hits: Sequence[Hit], polarity: Polarity | None, room: int
) -> tuple[str, tuple[Citation, ...]]:
    """The text, of at most `room` words, and what it quotes."""
    used = 0
    parts: list[str] = []
    citations: list[Citation] = []
    for hit in hits[:3]:
        if citations and (hit.score < SECOND_SHARE * hits[0].score or room - used < SECOND_SPACE):
            break
        if citations and hit.passage.kind == "note":
            continue
        spans = _chosen(question, hit)
        said, count = _say(question, hit.passage, spans, room - used, bool(citations))
        if not said:
            break
        if _said(hit.passage) and (citations or polarity is None):
            said = _without_lead(said)
        n = len(citations) + 1
        parts.append(f"Also: {said} [{n}]" if citations else f"{said} [{n}]")
        used += count + 1
        citations.append(cite(hit.passage, n, spans[0][0], spans[-1][1]))
    return " ".join(parts), tuple(citations)


def _chosen(question: str, hit: Hit) -> list[tuple[int, int]]:
    """The sentences of a passage that are quoted: all, or those around the best one."""
    passage = hit.passage
    spans = [
        (passage.start + a, passage.start + b)
        for a, b in sentence_spans(passage.text, 0, len(passage.text))
    ]
    if passage.reading or passage.end - passage.start <= QUOTE_CHARS or len(spans) < 2:
        return spans
    stems = set(terms(question))
    cosine = {(a, b): c for a, b, c in hit.nearest}
    worth = [
        cosine.get((a, b), 0.0)
        + 0.1 * len(stems & set(terms(passage.text[a - passage.start : b - passage.start])))
        for a, b in spans
    ]
    first = last = max(range(len(spans)), key=worth.__getitem__)
    while True:
        sides = [
            (worth[i], i)
            for i in (first - 1, last + 1)
            if 0 <= i < len(spans)
            and spans[max(last, i)][1] - spans[min(first, i)][0] <= QUOTE_CHARS
        ]
        if not sides:
            return spans[first : last + 1]
        _, i = max(sides)
        first, last = min(first, i), max(last, i)


def _say(
    question: str, passage: Passage, spans: list[tuple[int, int]], room: int, later: bool
) -> tuple[str, int]:
    """The words of a passage that fit, and how many they are."""
    if passage.reading:
        pieces = _rows(question, passage.reading.splitlines(), room)
    else:
        pieces = [
            " ".join(passage.text[a - passage.start : b - passage.start].split()) for a, b in spans
        ]
    said: list[str] = []
    count = int(later)  # "Also:"
    for piece in pieces:
        size = len(piece.split())
        if count + size + 1 > room:
            break
        said.append(piece)
        count += size
    if not said:
        if later or not pieces:
            return "", 0
        return " ".join(pieces[0].split()[: room - 2]) + " …", room - 1
    return " ".join(said), count


def _rows(question: str, rows: list[str], room: int) -> list[str]:
    """The rows of a table: all where they fit, else those that the question names first."""
    ended = [row if row.endswith(".") else f"{row}." for row in rows]
    if sum(len(row.split()) for row in ended) + 2 <= room:
        return ended
    stems, asked = set(terms(question)), set(numbers(question))
    return sorted(
        ended,
        key=lambda row: -len(stems & set(terms(row))) - 2 * len(asked & set(numbers(row))),
    )


def _without_lead(text: str) -> str:
    """Leave out a yes or no that may answer another question than the one asked."""
    cut = text[3:] if text[:3].lower() == "yes" else text[2:]
    cut = cut.lstrip(" .,:;")
    return cut[:1].upper() + cut[1:] if cut and not cut.startswith("[") else text


def _confidence(values: dict[str, float], calibration: Calibration) -> float:
    total = calibration.bias + sum(
        weight * values[name] for name, weight in calibration.weights.items()
    )
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))


def _not_covered(game: Game, nearest: tuple[Citation, ...], confidence: float) -> Draft:
    text = f"The texts of {game.title} that I have do not clearly answer this."
    if nearest:
        text += " The nearest words are quoted below."
    return Draft(
        status="not_covered",
        text=text,
        polarity=None,
        citations=nearest[:1],
        conflicts=(),
        notes=(),
        confidence=confidence,
    )
