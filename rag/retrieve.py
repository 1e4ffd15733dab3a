"""A question to candidate hits: dense (passages, sentences, known questions) and BM25."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rag.embed import Vectors
from rag.language import Terms, expanded, leans_on_history
from rag.lexical import KNOWN_THAT_COUNT, Words
from rag.records import Hit, Near, Passage
from rag.store import Part

Search = Callable[[Part, Vectors, int], list[list[Near]]]
"""The nearest entries of one game: part, vectors (n, dimensions), how many."""


@dataclass(frozen=True, slots=True)
class Query:
    """A way of putting the question, and how much it counts; weights sum to 1."""

    text: str
    words: str
    """What BM25 looks for: the text, and the game's own names for the nicknames in it."""
    weight: float = 1.0


FOLLOW_UP_WEIGHT = 0.7
"""What the question read together with the one before it counts, when it leans on that."""
PER_PASSAGE = {"sentences": 2, "questions": 6}
"""Entries that are searched for each candidate passage: a passage has several."""
GAPS = 10
"""Known gaps that are looked at: the nearest to one wording may be far from the other."""


def queries(question: str, history: Sequence[str], names: Terms) -> list[Query]:
    """The question alone, and with the question before it.

    Args:
        question: the question, typing faults mended.
        history: earlier questions, oldest first.
        names: what players call the game's things.
    """
    if not history:
        return [Query(question, expanded(question, names))]
    weight = FOLLOW_UP_WEIGHT if leans_on_history(question) else 1 - FOLLOW_UP_WEIGHT
    both = f"{history[-1]} {question}"
    return [
        Query(question, expanded(question, names), 1 - weight),
        Query(both, expanded(both, names), weight),
    ]


def retrieve(
    asked: Sequence[Query],
    vectors: Vectors,
    passages: Sequence[Passage],
    words: Words,
    search: Search,
    k: int,
) -> list[Hit]:
    """All passages that any search brought, with what each search says of them.

    A passage that a search did not bring gets the least cosine that it did bring, or 0 where the
    search brought all that there is.

    Args:
        asked: the question's wordings.
        vectors: theirs, shape (len(asked), dimensions).
        passages: of the game, in the order of `words`.
        words: BM25 over the passages and over their known questions.
        search: finds the nearest entries of the game.
        k: candidates of each search.
    """
    place = {passage.id: i for i, passage in enumerate(passages)}
    dense = _search("passages", asked, vectors, search, k)
    sentences = _search("sentences", asked, vectors, search, k)
    known = _search("questions", asked, vectors, search, k)
    bm25, phrased = (
        sum((q.weight * index.scores(q.words) for q in asked), np.zeros(len(passages)))
        for index in (words.passages, words.questions)
    )
    found = {place[id_] for part in (dense, sentences, known) for id_ in part.near}
    found |= {int(i) for i in np.argsort(-bm25)[:k] if bm25[i] > 0}
    return [
        Hit(
            passage=passages[i],
            score=0.0,
            dense=dense.best(passages[i].id, 1),
            sentence=sentences.best(passages[i].id, 1),
            asked=known.best(passages[i].id, KNOWN_THAT_COUNT),
            lexical=float(bm25[i]),
            phrased=float(phrased[i]),
            nearest=tuple(sentences.near.get(passages[i].id, ())),
            known=tuple(known.near.get(passages[i].id, ())),
        )
        for i in sorted(found)
    ]


def nearest_gap(asked: Sequence[Query], vectors: Vectors, search: Search) -> Near | None:
    """The nearest question that the game's texts are known not to answer."""
    near = _search("gaps", asked, vectors, search, GAPS).near
    return min((row for rows in near.values() for row in rows), key=_nearness, default=None)


@dataclass(frozen=True, slots=True)
class _Found:
    """What a search brought, all wordings together."""

    near: dict[str, list[Near]]
    """By passage, best first."""
    floor: float
    """What an entry that was not brought counts."""
    cut: bool
    """Whether there were more entries than were brought."""

    def best(self, passage: str, count: int) -> float:
        """Mean cosine of a passage's `count` nearest entries."""
        rows = [row.cosine for row in self.near.get(passage, ())[:count]]
        if self.cut or not rows:
            rows += [self.floor] * (count - len(rows))
        return float(np.mean(rows))


def _search(part: Part, asked: Sequence[Query], vectors: Vectors, search: Search, k: int) -> _Found:
    wanted = k * PER_PASSAGE.get(part, 1)
    found = search(part, vectors, wanted)
    # fewer than asked for: these are all there are, and the other passages have none
    cut = all(len(rows) >= wanted for rows in found)
    floors = [min(row.cosine for row in rows) if cut else 0.0 for rows in found]
    base = sum(query.weight * floor for query, floor in zip(asked, floors, strict=True))
    entries: dict[int, Near] = {}
    for query, floor, rows in zip(asked, floors, found, strict=True):
        for row in rows:
            sofar = entries[row.entry].cosine if row.entry in entries else base
            cosine = sofar + query.weight * (row.cosine - floor)
            entries[row.entry] = replace(row, cosine=cosine)
    near: dict[str, list[Near]] = defaultdict(list)
    for row in sorted(entries.values(), key=_nearness):
        near[row.passage_id].append(row)
    return _Found(dict(near), base, cut)


def _nearness(row: Near) -> float:
    return -row.cosine
