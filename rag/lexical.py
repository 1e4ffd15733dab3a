"""BM25 over the passages of one game."""

from __future__ import annotations

from collections.abc import Sequence

import bm25s
import numpy as np
from numpy.typing import NDArray

from rag.language import terms
from rag.records import Passage


class Lexical:
    """BM25 (Robertson's, as bm25s computes it) over stems."""

    def __init__(self, texts: Sequence[str]) -> None:
        """Index texts; scores come in their order."""
        self._size = len(texts)
        tokens = [terms(text) or ["∅"] for text in texts]
        self._index = bm25s.BM25(method="robertson", k1=1.2, b=0.6)
        self._index.index(tokens or [["∅"]], show_progress=False)
        self._known = frozenset(word for row in tokens for word in row)
        counts: dict[str, int] = {}
        for row in tokens:
            for word in set(row):
                counts[word] = counts.get(word, 0) + 1
        self._rarity = {w: float(np.log(1 + self._size / n)) for w, n in counts.items()}

    def scores(self, text: str) -> NDArray[np.float32]:
        """A score for each text, 0 where no word is shared."""
        wanted = [word for word in terms(text) if word in self._known]
        if not wanted:
            return np.zeros(self._size, dtype=np.float32)
        return np.asarray(self._index.get_scores(wanted), dtype=np.float32)

    def rarity(self, stem: str) -> float:
        """How much a stem tells, as inverse document frequency; the most for one nobody knows."""
        return self._rarity.get(stem, float(np.log(1 + self._size)))

    def knows(self, stem: str) -> bool:
        """Whether any text holds the stem."""
        return stem in self._known


def searchable(passage: Passage) -> str:
    """The words by which BM25 finds a passage."""
    parts = (*passage.section, passage.question, passage.context, passage.text, passage.reading)
    return " ".join(part for part in parts if part)
