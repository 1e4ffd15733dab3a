"""Hits to a draft answer in the texts' own words, or none.

The decision comes first, in at most 90 words. `yes` and `no` are said only where the ruling speaks
to the question as it was asked. How likely the draft is right decides whether it is shown.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rag.errors import QuoteError
from rag.language import asks_yes_no, numbers, sentence_spans, terms, turned
from rag.lexical import Lexical
from rag.records import Citation, Game, Hit, Note, Passage, Polarity, Status

WORD_LIMIT = 90
QUOTE_CHARS = 460
"""A longer passage is quoted in part: the sentences around the one that was found."""
SECOND_SHARE = 0.8
"""A second passage is added if it scores at least this share of the first."""
SECOND_SPACE = 25
"""Words that must be left for it."""
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
    """An answer before it is checked and numbered."""

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
    ordered, against = _better_first(hits, game.notes)
    confidence = _confidence(features(question, ordered, lexical), calibration)
    polarity = _polarity(question, ordered[0])
    text, citations = _write(question, ordered, polarity)
    if confidence < calibration.threshold:
        return _not_covered(game, citations, confidence)
    conflicts = tuple(
        cite(_holder(passages, file, start), n, start, end)
        for n, (file, start, end) in enumerate(
            _other_sides(citations, game.notes), len(citations) + 1
        )
    )
    if conflicts and against:
        text = f"{text} The texts disagree on this."
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
    mine = set(
        terms(
            f"{' '.join(first.passage.section)} {first.passage.question} "
            f"{first.passage.context} {first.passage.text} {first.passage.reading}"
        )
    )
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


def _other_sides(
    citations: Sequence[Citation], notes: Sequence[Note]
) -> list[tuple[str, int, int]]:
    """The words that contradict cited ones, each once."""
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


def _better_first(hits: Sequence[Hit], notes: Sequence[Note]) -> tuple[list[Hit], bool]:
    """Of two hits that contradict each other on the question, put the better ruling first."""
    first = hits[0].passage
    mine = cite(first, 1)
    for file, start, _ in _other_sides([mine], notes):
        for hit in hits[1:5]:
            other = hit.passage
            if other.file == file and other.start <= start < other.end and other != first:
                better = _authority(other) < _authority(first)
                rest = [h for h in hits if h is not hit]
                return ([hit, *rest] if better else list(hits)), True
    return list(hits), False


def _authority(passage: Passage) -> tuple[int, int]:
    return passage.grade.rank, -(passage.year or 0)


def _holder(passages: Sequence[Passage], file: str, start: int) -> Passage:
    for passage in passages:
        if passage.file == file and passage.start <= start < passage.end:
            return passage
    raise QuoteError(f"No passage of {file} holds character {start}.")


def _polarity(question: str, hit: Hit) -> Polarity | None:
    """Yes or no, if the ruling says it first and answers the question as it was asked."""
    said = _said(hit.passage)
    if said is None or not asks_yes_no(question) or hit.asked < SURE_ASKED:
        return None
    if turned(question, hit.passage.question):
        return None
    return said


def _said(passage: Passage) -> Polarity | None:
    first = passage.text[:4].lower()
    if passage.kind != "faq":
        return None
    if first.startswith("yes") and not passage.text[3:4].isalpha():
        return "yes"
    return "no" if first.startswith("no") and passage.text[2:3] in {".", ",", ":", ";"} else None


def _write(
    question: str, hits: Sequence[Hit], polarity: Polarity | None
) -> tuple[str, tuple[Citation, ...]]:
    """The text and what it quotes."""
    used = 0
    parts: list[str] = []
    citations: list[Citation] = []
    for hit in hits[:3]:
        if citations and (
            hit.score < SECOND_SHARE * hits[0].score or WORD_LIMIT - used < SECOND_SPACE
        ):
            break
        if citations and hit.passage.kind == "note":
            continue
        spans = _chosen(question, hit)
        said, count = _say(question, hit.passage, spans, WORD_LIMIT - used, bool(citations))
        if not said:
            break
        n = len(citations) + 1
        parts.append(f"{said} [{n}]")
        used += count + 1
        citations.append(cite(hit.passage, n, spans[0][0], spans[-1][1]))
    text = " ".join(parts)
    if citations and _said(hits[0].passage) and polarity is None:
        text = _without_lead(text)
    return text, tuple(citations)


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
    said: list[str] = ["Also:"] if later else []
    count = len(said)
    for piece in pieces:
        size = len(piece.split())
        if count + size + 1 > room:
            break
        said.append(piece)
        count += size
    if len(said) == int(later):
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
