"""What a run found: figures by game, by style and over all, and the files that keep them."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from evals.conditions import Condition
from evals.judge import Scored
from evals.metrics import Figures, average, reliability, risk_coverage, summarise

RESULTS = Path(__file__).parent / "results"
AVERAGE = "average"
"""Mean over the games, each counting the same."""
ALL = "all"
"""Over all items, each counting the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One condition over all items."""

    condition: Condition
    rows: tuple[Scored, ...]
    seconds: tuple[float, ...]
    """Of each item."""

    def by_game(self) -> dict[str, Figures]:
        """Figures of each game, then their average."""
        found = self._grouped("game")
        return found | {AVERAGE: average(list(found.values())) | {"items": len(self.rows)}}

    def by_style(self) -> dict[str, Figures]:
        """Figures of each style, then of all items."""
        return self._grouped("style") | {ALL: self.overall()}

    def overall(self) -> Figures:
        """Figures of all items."""
        return _figures(list(zip(self.rows, self.seconds, strict=True)))

    def _grouped(self, by: Literal["game", "style"]) -> dict[str, Figures]:
        groups: dict[str, list[tuple[Scored, float]]] = {}
        for row, seconds in zip(self.rows, self.seconds, strict=True):
            groups.setdefault(getattr(row, by), []).append((row, seconds))
        return {name: _figures(groups[name]) for name in sorted(groups)}


def _figures(timed: Sequence[tuple[Scored, float]]) -> Figures:
    spent = sum(seconds for _, seconds in timed)
    return summarise([row for row, _ in timed]) | {"ms": 1000 * spent / len(timed)}


def revision(folder: Path = RESULTS.parent) -> str:
    """The git revision of a folder; `-dirty` where files beside the results differ from it."""
    head = _git(folder, "rev-parse", "--short=12", "HEAD")
    if head is None:
        return "unknown"
    changed = _git(
        folder,
        *("status", "--porcelain", "--untracked-files=no", "--", ":/"),
        *(":(top,exclude)evals/results", ":(top,exclude)README.md"),
    )
    return f"{head}-dirty" if changed else head


def _git(folder: Path, *words: str) -> str | None:
    git = shutil.which("git")
    if git is None:
        return None
    done = subprocess.run(  # noqa: S603 - our own words
        [git, *words], cwd=folder, capture_output=True, text=True, check=False
    )
    return done.stdout.strip() if done.returncode == 0 else None


def header(questions: str, settings_fingerprint: str) -> dict[str, Any]:
    """What every file of a run tells of the run."""
    return {
        "questions": questions,
        "revision": revision(),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "settings": settings_fingerprint,
    }


def condition_json(run: Run) -> dict[str, Any]:
    """The file of one condition."""
    return {
        "condition": run.condition.name,
        "fingerprint": run.condition.fingerprint,
        "model": run.condition.model,
        "seconds": round(sum(run.seconds), 2),
        "overall": rounded(run.overall()),
        "by_game": _rounded(run.by_game()),
        "by_style": _rounded(run.by_style()),
        "risk_coverage": [[round(x, 4) for x in point] for point in risk_coverage(run.rows)],
        "reliability": [[round(x, 4) for x in part] for part in reliability(run.rows)],
        "items": [
            {
                "id": row.id,
                "rank": row.rank,
                "right": row.right,
                "status": row.status,
                "polarity": row.polarity,
                "confidence": round(row.confidence, 4),
                "seconds": round(seconds, 4),
            }
            for row, seconds in zip(run.rows, run.seconds, strict=True)
        ],
    }


def summary_json(runs: Sequence[Run]) -> dict[str, Any]:
    """The file from which README.md's table is made."""
    return {
        run.condition.name: {
            "fingerprint": run.condition.fingerprint,
            "model": run.condition.model,
            "by_game": _rounded(run.by_game()),
            "by_style": _rounded(run.by_style()),
        }
        for run in runs
    }


def write(folder: Path, about: Mapping[str, Any], runs: Sequence[Run]) -> None:
    """Write a file a condition and the summary."""
    folder.mkdir(parents=True, exist_ok=True)
    for run in runs:
        _write(folder / f"{run.condition.name}.json", {**about, **condition_json(run)})
    _write(folder / "summary.json", {**about, "conditions": summary_json(runs)})


def _write(path: Path, value: Mapping[str, Any]) -> None:
    path.write_text(_lines(value, 3) + "\n", "utf-8")


def _lines(value: Any, depth: int, indent: str = "") -> str:  # noqa: ANN401 - whatever JSON holds
    """JSON with a line a value down to some depth: short, and easy to compare."""
    if depth == 0 or not isinstance(value, dict | list) or not value:
        return json.dumps(value, ensure_ascii=False)
    inner = indent + " "
    if isinstance(value, list):
        parts, ends = [_lines(part, 0) for part in value], "[]"
    else:
        rows = value.items()
        parts = [f"{json.dumps(key)}: {_lines(part, depth - 1, inner)}" for key, part in rows]
        ends = "{}"
    body = f",\n{inner}".join(parts)
    return f"{ends[0]}\n{inner}{body}\n{indent}{ends[1]}"


def rounded(figures: Figures) -> Figures:
    """Figures with four places: enough, and the same on any machine."""
    return {name: value if value is None else round(value, 4) for name, value in figures.items()}


def _rounded(groups: Mapping[str, Figures]) -> dict[str, Figures]:
    return {group: rounded(figures) for group, figures in groups.items()}
