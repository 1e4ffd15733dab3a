"""The pictures of a run, small enough to keep in the repository."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from evals.judge import DEPTH
from evals.metrics import calibration_error, reliability, risk_coverage
from evals.results import Run

DPI = 90
_STYLES = {
    "rulespal": ("tab:red", "o-"),
    "dense": ("tab:blue", "s--"),
    "bm25": ("tab:green", "^--"),
    "tutorial": ("tab:gray", "x:"),
}


def draw(folder: Path, runs: Sequence[Run]) -> None:
    """Write recall_at_k.png, risk_coverage.png and, if RulesPal ran, calibration.png."""
    folder.mkdir(parents=True, exist_ok=True)
    _recall(folder / "recall_at_k.png", runs)
    _risk(folder / "risk_coverage.png", runs)
    for run in runs:
        if run.condition.name == "rulespal":
            _calibration(folder / "calibration.png", run)


def _look(name: str) -> tuple[str, str]:
    return _STYLES.get(name, ("tab:purple", "d-."))


def _grid(axes: Axes, title: str, x: str, y: str) -> None:
    axes.set_title(title, fontsize=10)
    axes.set_xlabel(x, fontsize=9)
    axes.set_ylabel(y, fontsize=9)
    axes.tick_params(labelsize=8)
    axes.grid(alpha=0.3)
    axes.set_ylim(0, 1.02)


def _save(figure: Figure, path: Path) -> None:
    figure.tight_layout()
    # without a version in it, an equal picture is an equal file
    figure.savefig(path, dpi=DPI, metadata={"Software": None})


def _recall(path: Path, runs: Sequence[Run]) -> None:
    games = sorted({row.game for run in runs for row in run.rows})
    figure = Figure(figsize=(2.9 * len(games) + 0.6, 3.1))
    panels = figure.subplots(1, len(games), sharey=True, squeeze=False)
    ks = range(1, DEPTH + 1)
    for game, axes in zip(games, panels[0], strict=True):
        for run in runs:
            asked = [row for row in run.rows if row.game == game and row.answerable]
            shares = [sum(row.hits[k - 1] for row in asked) / max(1, len(asked)) for k in ks]
            color, line = _look(run.condition.name)
            axes.plot(ks, shares, line, color=color, markersize=4, label=run.condition.name)
        _grid(axes, game, "k", "hit@k" if game == games[0] else "")
        axes.set_xticks(ks)
    panels[0][0].legend(fontsize=8, loc="lower right")
    _save(figure, path)


def _risk(path: Path, runs: Sequence[Run]) -> None:
    figure = Figure(figsize=(5.2, 3.8))
    axes = figure.subplots()
    for run in runs:
        points = risk_coverage(run.rows)
        if points:
            color, line = _look(run.condition.name)
            axes.plot(*zip(*points, strict=True), line[1:], color=color, label=run.condition.name)
            axes.plot(*points[-1], line[0], color=color)
    _grid(
        axes, "Risk against coverage", "share of all items answered", "share of answers not right"
    )
    axes.set_xlim(0, 1.02)
    axes.legend(fontsize=8)
    _save(figure, path)


def _calibration(path: Path, run: Run) -> None:
    figure = Figure(figsize=(4.4, 4.2))
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], ":", color="tab:gray", label="perfect")
    parts = reliability(run.rows)
    if parts:
        sure, right, counts = zip(*parts, strict=True)
        axes.plot(sure, right, "o-", color="tab:red", label="rulespal")
        for x, y, n in zip(sure, right, counts, strict=True):
            axes.annotate(f"{n}", (x, y), (4, -11), textcoords="offset points", fontsize=8)
    error = calibration_error(run.rows)
    title = "Calibration" if error is None else f"Calibration (expected error {error:.2f})"
    _grid(axes, title, "confidence", "share right (numbers: answers)")
    axes.set_xlim(0, 1.02)
    axes.legend(fontsize=8, loc="upper left")
    _save(figure, path)
