"""A question to candidate hits: dense (passages, sentences, known questions) and BM25."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from rag.embed import Vectors
from rag.lexical import Lexical
from rag.records import Hit, Passage
from rag.store import PARTS, Near, Part

Search = Callable[[Part, Vectors, int], list[list[Near]]]
"""The nearest entries of one game: part, vectors (n, dimensions), how many."""


@dataclass(frozen=True, slots=True)
class Query:
    """A way of putting the question, and how much it counts; weights sum to 1."""

    text: str
    weight: float = 1.0


FOLLOW_UP_WEIGHT = 0.7
"""What the question read together with the one before it counts, when it leans on that."""


def queries(question: str, history: Sequence[str], *, leans: bool) -> list[Query]:
    """The question alone, and with the question before it.

    Args:
        question: the question, typing faults mended.
        history: earlier questions, oldest first.
        leans: whether the question can't be understood alone.
    """
    if not history:
        return [Query(question)]
    weight = FOLLOW_UP_WEIGHT if leans else 1 - FOLLOW_UP_WEIGHT
    return [Query(question, 1 - weight), Query(f"{history[-1]} {question}", weight)]


def retrieve(
    asked: Sequence[Query],
    vectors: Vectors,
    passages: Sequence[Passage],
    lexical: Lexical,
    search: Search,
    k: int,
) -> list[Hit]:
    """All passages that any search brought, with what each search says of them.

    A passage that a search did not bring gets the least cosine that it did bring, or 0 where the
    search brought all that there is.

    Args:
        asked: the question's wordings.
        vectors: theirs, shape (len(asked), dimensions).
        passages: of the game, in the order of `lexical`.
        lexical: BM25 over the passages.
        search: finds the nearest entries of the game.
        k: candidates of each search.
    """
    place = {passage.id: i for i, passage in enumerate(passages)}
    weights = [query.weight for query in asked]
    wanted: dict[Part, int] = {"passages": k, "sentences": 2 * k, "questions": k}
    near = {part: search(part, vectors, count) for part, count in wanted.items()}
    dense, sentence, known = (_cosines(near[part], weights, place, wanted[part]) for part in PARTS)
    bm25 = sum((q.weight * lexical.scores(q.text) for q in asked), np.zeros(len(passages)))
    found = {place[row.passage_id] for rows in near.values() for r in rows for row in r}
    found |= {int(i) for i in np.argsort(-bm25)[:k] if bm25[i] > 0}
    spans: dict[int, dict[tuple[int, int], float]] = {}
    for rows, weight in zip(near["sentences"], weights, strict=True):
        for row in rows:
            mine = spans.setdefault(place[row.passage_id], {})
            mine[row.start, row.end] = mine.get((row.start, row.end), 0.0) + weight * row.cosine
    return [
        Hit(
            passage=passages[i],
            score=0.0,
            dense=float(dense[i]),
            sentence=float(sentence[i]),
            asked=float(known[i]),
            lexical=float(bm25[i]),
            nearest=tuple(
                sorted(((a, b, c) for (a, b), c in spans.get(i, {}).items()), key=lambda s: -s[2])
            ),
        )
        for i in sorted(found)
    ]


def _cosines(
    near: list[list[Near]], weights: list[float], place: dict[str, int], k: int
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    total = np.zeros(len(place))
    for rows, weight in zip(near, weights, strict=True):
        if not rows:
            continue
        # fewer than asked for: these are all there are, and the other passages have none
        floor = min(row.cosine for row in rows) if len(rows) >= k else 0.0
        best = np.full(len(place), floor)
        for row in rows:
            best[place[row.passage_id]] = max(best[place[row.passage_id]], row.cosine)
        total += weight * best
    return total
