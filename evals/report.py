"""`python -m evals.report`: README.md's table of figures, made from results/summary.json.

`--check` writes nothing and exits with 1 if README.md says something else.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evals.tables import COLUMNS, markdown, number

BEGIN = "<!-- evals:begin -->"
END = "<!-- evals:end -->"
README = Path(__file__).parent.parent / "README.md"
SUMMARY = Path(__file__).parent / "results" / "summary.json"
NAMES = {
    "rulespal": "**RulesPal**",
    "dense": "vectors alone, RulesPal's passages",
    "bm25": "BM25 alone, RulesPal's passages",
    "tutorial": "LangChain tutorial, chunks of 1,000 characters",
}
"""Condition to what README.md calls it, in the order of the table."""
SHOWN = tuple(name for name in COLUMNS if name != "ms")


class ReportError(Exception):
    """README.md or the summary can't be used."""


def table(summary: Mapping[str, Any]) -> str:
    """The text between the markers: the average over the games, then RulesPal game by game.

    Raises:
        ReportError: the summary is of a part of the conditions.
    """
    found = summary["conditions"]
    if missing := [name for name in NAMES if name not in found]:
        raise ReportError(
            f"The summary lacks {', '.join(missing)}; run `python -m evals.run` with no options."
        )
    games = [game for game in found["rulespal"]["by_game"] if game != "average"]
    items = number("n", found["rulespal"]["by_game"]["average"]["items"])
    head = [COLUMNS[name] for name in SHOWN]
    conditions = [[NAMES[name], *_cells(found[name]["by_game"]["average"])] for name in NAMES]
    by_game = [[game, *_cells(found["rulespal"]["by_game"][game])] for game in games]
    return "\n\n".join(
        [
            f"Mean over {len(games)} games, {items} questions "
            f"(set `{summary['questions']}`, made by `python -m evals.run`):",
            markdown(["", *head], conditions),
            "RulesPal by game:",
            markdown(["game", *head], by_game),
        ]
    )


def _cells(figures: Mapping[str, float | None]) -> list[str]:
    return [number(name, figures[name]) for name in SHOWN]


def insert(readme: str, words: str, markers: tuple[str, str] = (BEGIN, END)) -> str:
    """README.md with these words between its markers.

    Raises:
        ReportError: the markers are missing or out of order.
    """
    before, begin, rest = readme.partition(markers[0])
    _, end, after = rest.partition(markers[1])
    if not begin or not end:
        raise ReportError(
            f"README.md has no {markers[0]} and {markers[1]} after it; put both where the table "
            f"belongs."
        )
    return f"{before}{begin}\n{words}\n{end}{after}"


def main(argv: Sequence[str] | None = None) -> int:
    """Write or check README.md; 1 if it differs, 2 if a file can't be used."""
    parser = argparse.ArgumentParser(prog="python -m evals.report", description=__doc__)
    parser.add_argument("--check", action="store_true", help="only tell whether README.md is true")
    parser.add_argument("--readme", type=Path, default=README, help="the file with the markers")
    parser.add_argument("--summary", type=Path, default=SUMMARY, help="the figures")
    options = parser.parse_args(argv)
    try:
        readme = options.readme.read_text("utf-8")
        summary = json.loads(options.summary.read_text("utf-8"))
        wanted = insert(readme, table(summary))
    except OSError as error:
        print(f"{error.filename} can't be read: {error.strerror}.", file=sys.stderr)
        return 2
    except (ReportError, json.JSONDecodeError) as error:
        print(error, file=sys.stderr)
        return 2
    if options.check:
        if wanted != readme:
            print(
                "README.md differs from the results; run `python -m evals.report`.", file=sys.stderr
            )
        return int(wanted != readme)
    options.readme.write_text(wanted, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
