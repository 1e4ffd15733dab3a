"""The figures: pure functions over judged answers. README.md in this folder defines each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from evals.judge import TOP, Scored

Figures = dict[str, float | None]
"""A figure without a case to count is None."""


def share(parts: Iterable[bool]) -> float | None:
    """Share of true ones; None of nothing.

    >>> share([True, False]), share([])
    (0.5, None)
    """
    listed = list(parts)
    return sum(listed) / len(listed) if listed else None


def summarise(rows: Sequence[Scored]) -> Figures:
    """All figures of a list of judged items."""
    asked = [row for row in rows if row.answerable]
    unanswerable = [row for row in rows if not row.answerable]
    yes_no = [row for row in rows if row.yes_no and row.answered]
    committed = [row for row in yes_no if row.polarity is not None]
    citations = sum(row.citations for row in rows)
    return {
        "items": len(rows),
        "hit@1": share(row.hits[0] for row in asked),
        "hit@5": share(row.hits[TOP - 1] for row in asked),
        "all@5": share(row.all_found for row in asked),
        "mrr": _mean(1 / row.rank if row.rank else 0.0 for row in asked),
        "right": share(row.right for row in asked),
        "citation_recall": share(row.cited for row in asked),
        "citation_precision": _ratio(sum(row.citations_found for row in rows), citations),
        "verbatim": _ratio(sum(row.citations_verbatim for row in rows), citations),
        "abstained": share(not row.answered for row in unanswerable),
        "abstained_answerable": share(not row.answered for row in asked),
        "crag": _mean(map(crag, rows)),
        "polarity_committed": share(row.polarity is not None for row in yes_no),
        "polarity_precision": share(row.polarity_right for row in committed),
        "grade_right": share(row.grade_right for row in rows if row.grade_right is not None),
        "top5_chars": _mean(float(row.top_chars) for row in rows),
        "aurc": aurc(rows),
        "ece": calibration_error(rows),
    }


def crag(row: Scored) -> float:
    """1 for right or rightly silent, 0 for silent where an answer stood, -1 for wrong."""
    if row.answerable:
        return 1.0 if row.right else -1.0 if row.answered else 0.0
    return -1.0 if row.answered else 1.0


def risk_coverage(rows: Sequence[Scored]) -> list[tuple[float, float]]:
    """(coverage, risk) for each confidence that occurs, the surest answers first.

    Coverage is the share of all items that are answered at least that surely; risk is the share
    of those answers that is not right. Equal confidences make one point.
    """
    answered = sorted((row for row in rows if row.answered), key=lambda row: -row.confidence)
    points: list[tuple[float, float]] = []
    wrong = 0
    for n, row in enumerate(answered, 1):
        wrong += not row.right
        if n == len(answered) or answered[n].confidence != row.confidence:
            points.append((n / len(rows), wrong / n))
    return points


def aurc(rows: Sequence[Scored]) -> float | None:
    """Area under the risk-coverage curve: the mean, over the answers, of the risk at each."""
    points = risk_coverage(rows)
    if not points:
        return None
    area, before = 0.0, 0.0
    for coverage, risk in points:
        area += (coverage - before) * risk
        before = coverage
    return area / before


def reliability(rows: Sequence[Scored], bins: int = 10) -> list[tuple[float, float, int]]:
    """(mean confidence, share right, count) of the answers, by bins of confidence of equal width.

    Bins without an answer are left out.
    """
    parts: list[list[Scored]] = [[] for _ in range(bins)]
    for row in rows:
        if row.answered:
            parts[min(bins - 1, max(0, int(row.confidence * bins)))].append(row)
    return [
        (
            sum(row.confidence for row in part) / len(part),
            sum(row.right for row in part) / len(part),
            len(part),
        )
        for part in parts
        if part
    ]


def calibration_error(rows: Sequence[Scored], bins: int = 10) -> float | None:
    """Expected calibration error: how far confidence and share right lie apart, on average."""
    parts = reliability(rows, bins)
    count = sum(n for _, _, n in parts)
    return sum(abs(sure - right) * n for sure, right, n in parts) / count if count else None


def average(figures: Sequence[Figures]) -> Figures:
    """Mean of each figure over several groups, those without it left out.

    >>> average([{"right": 1.0}, {"right": 0.5}, {"right": None}])
    {'right': 0.75}
    """
    names = figures[0] if figures else {}
    return {
        name: _mean(value for one in figures if (value := one[name]) is not None) for name in names
    }


def _mean(values: Iterable[float]) -> float | None:
    listed = list(values)
    return sum(listed) / len(listed) if listed else None


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None
