"""Hits to a draft answer in the texts' own words, or none.

The decision comes first, in at most 90 words. `yes` and `no` are said only where a question that
is known to be answered so speaks to the question as it was asked. How likely the draft is right
decides whether it is shown.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rag.language import asks_yes_no, numbers, said, sentence_spans, terms, turned
from rag.lexical import Lexical, searchable
from rag.quotes import better_first, cite, holder, other_sides, touching
from rag.records import SIGNALS, Citation, Game, Hit, Near, Passage, Polarity, Status

WORD_LIMIT = 90
FIRST_WORDS = 60
"""What the first passage may take of them where a second one is added."""
SECOND_SHARE = 0.83
"""A second passage is added if it scores at least this share of the first."""
DISAGREE = "The texts disagree on this."
SURE_ASKED = 0.66
"""Cosine of a known question above which its yes or no is taken over."""
DISSENT = 0.06
"""A known question with the other answer that is at most this much further off forbids it."""
SENTENCE_SHARE = 0.5
"""What a sentence's own cosine counts beside that of the known questions that it answers."""
TERM_SHARE = 0.05
"""What each term counts that a sentence shares with the question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Logistic regression of `right` on the features below, fitted on the dev sets."""

    bias: float
    weights: dict[str, float]
    threshold: float
    """Confidence below which nothing is answered."""
    data: str = ""
    """Hash of the questions and the index that it was fitted on."""


@dataclass(frozen=True, slots=True)
class Found:
    """What was found for a question."""

    hits: tuple[Hit, ...]
    """Ranked, best first."""
    gap: Near | None = None
    """The nearest question that the texts are known not to answer."""


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
    found: Found,
    game: Game,
    passages: Sequence[Passage],
    lexical: Lexical,
    calibration: Calibration,
) -> Draft:
    """Answer from the best hits, or say that the texts do not.

    Args:
        question: the question, typing faults mended.
        found: the ranked hits and the nearest gap.
        game: whose notes may touch the answer.
        passages: of the game; the other side of a contradiction is quoted from them.
        lexical: knows which words are rare.
        calibration: the fitted confidence; below its threshold the answer is `not_covered`.
    """
    if not found.hits:
        return _not_covered(game, (), 0.0, found.gap)
    ordered, against = better_first(found.hits, game.notes)
    confidence = _confidence(
        features(question, Found(tuple(ordered), found.gap), lexical), calibration
    )
    polarity = _polarity(question, ordered[0])
    told = [hit for hit in ordered if hit.passage.id not in against]
    room = WORD_LIMIT - len(DISAGREE.split()) if against else WORD_LIMIT
    text, citations = _write(question, told, polarity, room)
    if confidence < calibration.threshold or gap_leads(found):
        return _not_covered(game, citations, confidence, found.gap if gap_leads(found) else None)
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


def features(question: str, found: Found, lexical: Lexical) -> dict[str, float]:
    """What tells how likely the first hit is right; each about in [0, 1]."""
    first, *rest = found.hits
    stems = set(terms(question))
    mine = set(terms(searchable(first.passage))) | {
        stem for row in first.known for stem in terms(row.text)
    }
    whole = sum(lexical.rarity(stem) for stem in stems) or 1.0
    near = _nearest(first)
    second = rest[0].score if rest else 0.0
    return {
        "near": near,
        "asked": first.asked,
        "sentence": first.sentence,
        "dense": first.dense,
        "ahead": near - max((_nearest(hit) for hit in rest), default=0.0),
        "margin": 1 - second / first.score if first.score > 0 else 0.0,
        "agreement": sum(
            getattr(first, name) >= max(getattr(hit, name) for hit in found.hits) > 0
            for name in SIGNALS
        )
        / len(SIGNALS),
        "gap": (found.gap.cosine if found.gap else 0.0) - near,
        "shared": sum(lexical.rarity(stem) for stem in stems & mine) / whole,
        "unknown": sum(lexical.rarity(s) for s in stems if not lexical.knows(s)) / whole,
        "faq": float(first.passage.kind == "faq"),
    }


def gap_leads(found: Found) -> bool:
    """Whether a question that the texts do not answer is nearer than all that they say."""
    return found.gap is not None and found.gap.cosine > max(map(_nearest, found.hits), default=0.0)


def _nearest(hit: Hit) -> float:
    """The best cosine of anything that stands for a passage."""
    return max(hit.dense, hit.sentence, *(row.cosine for row in hit.known[:1]), 0.0)


def _polarity(question: str, hit: Hit) -> Polarity | None:
    """Yes or no, if known questions that are surely meant alike are answered so."""
    if not asks_yes_no(question):
        return None
    answered = [row for row in hit.known if row.polarity]
    votes = [row for row in answered if not turned(question, row.text)]
    if not votes or votes[0] is not answered[0] or votes[0].cosine < SURE_ASKED:
        return None
    near = [row for row in votes if row.cosine >= votes[0].cosine - DISSENT]
    return votes[0].polarity if len({row.polarity for row in near}) == 1 else None


def _write(
    question: str, hits: Sequence[Hit], polarity: Polarity | None, room: int
) -> tuple[str, tuple[Citation, ...]]:
    """The text, of at most `room` words, and what it quotes."""
    told = [hits[0]] + [
        hit
        for hit in hits[1:2]
        if hit.score >= SECOND_SHARE * hits[0].score and hit.passage.kind != "note"
    ]
    parts: list[str] = []
    citations: list[Citation] = []
    for hit in told:
        space = room - sum(len(part.split()) for part in parts) - 2  # the marker and "Also:"
        words, start, end = _quote(question, hit, space if hit is told[-1] else FIRST_WORDS)
        lead = said(words)
        if lead and (citations or lead != polarity):
            words = _without_lead(words)
        if polarity and lead != polarity and not citations:
            words = f"{polarity.capitalize()}. {words}"
        n = len(citations) + 1
        parts.append(f"Also: {words} [{n}]" if citations else f"{words} [{n}]")
        citations.append(cite(hit.passage, n, start, end))
    return " ".join(parts), tuple(citations)


def _quote(question: str, hit: Hit, room: int) -> tuple[str, int, int]:
    """What a passage says to the question, in at most `room` words, and where that stands."""
    passage = hit.passage
    if passage.reading:
        rows = _rows(question, passage.reading.splitlines(), room)
        return " ".join(rows), passage.start, passage.end
    start, end = _chosen(question, hit, room)
    words = passage.text[start - passage.start : end - passage.start].split()
    return " ".join(words if len(words) <= room else [*words[: room - 1], "…"]), start, end


def _chosen(question: str, hit: Hit, room: int) -> tuple[int, int]:
    """The sentence that answers best, and its neighbours as far as they fit, best first.

    A sentence is worth what the known questions that it answers, and itself, are near to the
    question.
    """
    passage = hit.passage
    spans = [
        (passage.start + a, passage.start + b)
        for a, b in sentence_spans(passage.text, 0, len(passage.text))
    ]
    stems = set(terms(question))
    cosines = {(row.start, row.end): row.cosine for row in hit.nearest}

    def size(start: int, end: int) -> int:
        return len(passage.text[start - passage.start : end - passage.start].split())

    worth = [
        _answers(hit, a, b)
        + SENTENCE_SHARE * cosines.get((a, b), 0.0)
        + TERM_SHARE * len(stems & set(terms(passage.text[a - passage.start : b - passage.start])))
        for a, b in spans
    ]
    first = last = max(range(len(spans)), key=worth.__getitem__)
    while True:
        sides = [
            (worth[i], i)
            for i in (first - 1, last + 1)
            if 0 <= i < len(spans) and size(spans[min(first, i)][0], spans[max(last, i)][1]) <= room
        ]
        if not sides:
            return spans[first][0], spans[last][1]
        _, i = max(sides)
        first, last = min(first, i), max(last, i)


def _answers(hit: Hit, start: int, end: int) -> float:
    """Mean cosine of the two nearest known questions that the words [start, end) answer."""
    rows = [row.cosine for row in hit.known if row.start < end and start < row.end][:2]
    return sum(rows) / len(rows) if rows else 0.0


def _rows(question: str, rows: list[str], room: int) -> list[str]:
    """The rows of a table: all where they fit, else those that the question names first."""
    ended = [row if row.endswith(".") else f"{row}." for row in rows]
    if sum(len(row.split()) for row in ended) <= room:
        return ended
    stems, asked = set(terms(question)), set(numbers(question))
    ordered = sorted(
        ended,
        key=lambda row: -len(stems & set(terms(row))) - 2 * len(asked & set(numbers(row))),
    )
    kept: list[str] = []
    for row in ordered:
        if sum(len(one.split()) for one in (*kept, row)) <= room:
            kept.append(row)
    return kept or [" ".join([*ordered[0].split()[: room - 1], "…"])]


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


def _not_covered(
    game: Game, nearest: tuple[Citation, ...], confidence: float, gap: Near | None
) -> Draft:
    text = f"The texts of {game.title} that I have do not clearly answer this."
    if gap:
        text += f" Where to look: {game.gaps[gap.entry].look}"
    elif nearest:
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
