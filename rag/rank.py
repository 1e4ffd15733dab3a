"""Hits to hits: fused, weighed, cut."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rag.records import SIGNALS, Hit, Passage

WEIGHTS = {"dense": 0.5, "sentence": 0.5, "asked": 1.5, "lexical": 1.5, "phrased": 0.5}
"""Of each search, on scores scaled to [0, 1] over the hits of one question."""
FEW_KNOWN = {"dense": 1.0, "sentence": 1.0, "asked": 0.5, "lexical": 0.5, "phrased": 0.0}
"""The same for a game of which hardly any question is known."""
KNOWN_ENOUGH = 0.5
"""Share of the hits that must have a known question, so that `WEIGHTS` hold."""
SECTION_SHARE = 0.4
"""How much of a passage's score comes from the best passage of its section."""
SECTION_DEPTH = 3
"""Headings that make a section in this sense."""
SAME = 0.01
"""Scores closer than this, relative to the best, leave the order to the grade."""


def rank(hits: Sequence[Hit], k: int) -> list[Hit]:
    """The k best hits, best first.

    Each search's scores are scaled to [0, 1] and summed with weights. Passages of a section lift
    each other, since what settles a question often stands beside what resembles it, and a rule
    comes before its example, which only tells the same story. Between hits that score the same,
    the better grade comes first, then the newer year.
    """
    if not hits:
        return []
    asked = sum(hit.asked > 0 for hit in hits) / len(hits)
    weights = WEIGHTS if asked >= KNOWN_ENOUGH else FEW_KNOWN
    total = np.zeros(len(hits))
    for name in SIGNALS:
        total += weights[name] * _scaled(np.array([getattr(hit, name) for hit in hits]))
    lifted = _before_examples(hits, _with_sections(hits, total))
    ordered = sorted(
        (replace(hit, score=float(score)) for hit, score in zip(hits, lifted, strict=True)),
        key=lambda hit: -hit.score,
    )
    return _by_grade(ordered)[:k]


def _with_sections(hits: Sequence[Hit], scores: NDArray[np.float64]) -> NDArray[np.float64]:
    best: dict[tuple[str, ...], float] = {}
    for hit, score in zip(hits, scores, strict=True):
        key = _section(hit.passage)
        best[key] = max(best.get(key, 0.0), float(score))
    section = np.array([best[_section(hit.passage)] for hit in hits])
    return (1 - SECTION_SHARE) * scores + SECTION_SHARE * section


def _before_examples(hits: Sequence[Hit], scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Let a passage score at least a trifle more than each of its examples and notes."""
    lifted = scores.copy()
    place = {hit.passage.id: i for i, hit in enumerate(hits)}
    for i, hit in enumerate(hits):
        rule = place.get(hit.passage.of)
        if rule is not None:
            lifted[rule] = max(lifted[rule], scores[i] * (1 + 2 * SAME))
    return lifted


def _by_grade(ordered: list[Hit]) -> list[Hit]:
    """Let the grade order the hits that score the same as the best of them."""
    found: list[Hit] = []
    while ordered:
        floor = ordered[0].score * (1 - SAME)
        same = [hit for hit in ordered if hit.score >= floor]
        found.extend(sorted(same, key=lambda h: (h.passage.grade.rank, -(h.passage.year or 0))))
        ordered = ordered[len(same) :]
    return found


def _section(passage: Passage) -> tuple[str, ...]:
    """An entry of a FAQ is a section of its own."""
    if passage.number or not passage.section:
        return (passage.id,)
    return (passage.file, *passage.section[:SECTION_DEPTH])


def _scaled(values: NDArray[np.float64]) -> NDArray[np.float64]:
    low, high = values.min(), values.max()
    return (values - low) / (high - low) if high > low else np.zeros_like(values)
