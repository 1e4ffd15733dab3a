"""BM25 over the texts of one game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import bm25s
import numpy as np
from numpy.typing import NDArray

from rag.language import terms
from rag.records import Entry, Passage

KNOWN_THAT_COUNT = 3
"""Known questions of a passage that count: their mean tells more than the best, maybe odd one."""


class Lexical:
    """BM25 (Robertson's, as bm25s computes it) over stems."""

    def __init__(
        self, texts: Sequence[str], holders: Sequence[int] | None = None, size: int = 0
    ) -> None:
        """Index texts.

        Args:
            texts: what is indexed.
            holders: what each text belongs to, from 0; a holder scores as the mean of its best
                `KNOWN_THAT_COUNT` texts. Without them each text holds itself.
            size: how many holders there are.
        """
        self._size = len(texts)
        self._width = self._size if holders is None else size
        self._holders = None if holders is None else np.asarray(holders, dtype=np.intp)
        tokens = [terms(text) or ["∅"] for text in texts]
        self._index = bm25s.BM25(method="robertson", k1=1.2, b=0.6)
        self._index.index(tokens or [["∅"]], show_progress=False)
        counts = Counter(word for row in tokens for word in set(row))
        self._rarity = {w: float(np.log(1 + self._size / n)) for w, n in counts.items()}

    def scores(self, text: str) -> NDArray[np.float32]:
        """A score for each text or holder, 0 where no word is shared."""
        wanted = [word for word in terms(text) if self.knows(word)]
        if wanted and self._size:
            found = np.asarray(self._index.get_scores(wanted), dtype=np.float32)
        else:
            found = np.zeros(self._size, dtype=np.float32)
        if self._holders is None:
            return found
        order = np.lexsort((-found, self._holders))
        holders = self._holders[order]
        place = np.arange(len(order)) - np.searchsorted(holders, holders)
        best = place < KNOWN_THAT_COUNT
        total = np.zeros(self._width, dtype=np.float32)
        np.add.at(total, holders[best], found[order][best])
        return np.asarray(total / KNOWN_THAT_COUNT, dtype=np.float32)

    def rarity(self, stem: str) -> float:
        """How much a stem tells, as inverse document frequency; the most for one nobody knows."""
        return self._rarity.get(stem, float(np.log(1 + self._size)))

    def knows(self, stem: str) -> bool:
        """Whether any text holds the stem."""
        return stem in self._rarity


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a game."""

    passages: Lexical
    """Over passages, each with its known questions."""
    questions: Lexical
    """Over single known questions; scores are of their passages."""


def words_of(passages: Sequence[Passage], known: Sequence[Entry]) -> Words:
    """Index the words of a game's passages and known questions."""
    place = {passage.id: i for i, passage in enumerate(passages)}
    texts = [[searchable(passage)] for passage in passages]
    for question in known:
        texts[place[question.passage_id]].append(question.text)
    holders = [place[question.passage_id] for question in known]
    return Words(
        passages=Lexical([" ".join(pieces) for pieces in texts]),
        questions=Lexical([question.text for question in known], holders, len(passages)),
    )


def searchable(passage: Passage) -> str:
    """The words by which BM25 finds a passage."""
    parts = (*passage.section, passage.question, passage.context, passage.text, passage.reading)
    return " ".join(part for part in parts if part)
