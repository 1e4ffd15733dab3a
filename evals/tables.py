"""Figures as text: for the terminal and for README.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evals.metrics import Figures

COLUMNS: dict[str, str] = {
    "hit@1": "hit@1",
    "hit@5": "hit@5",
    "all@5": "all@5",
    "mrr": "MRR",
    "right": "right",
    "citation_recall": "cit. recall",
    "citation_precision": "cit. prec.",
    "verbatim": "verbatim",
    "abstained": "abstained",
    "abstained_answerable": "too shy",
    "crag": "CRAG",
    "polarity_committed": "pol. given",
    "polarity_precision": "pol. prec.",
    "grade_right": "grade",
    "top5_chars": "top-5 chars",
    "ms": "ms",
}
"""Figure to heading, in the order of the tables; `abstained` is of unanswerable items.
`too shy` is the same of answerable ones: what the abstentions cost."""
_WHOLE = {"top5_chars", "items", "n"}
_ONE_PLACE = {"ms", "MB"}


def number(name: str, value: float | None) -> str:
    """A figure as it is printed.

    >>> number("right", 0.5), number("top5_chars", 812.3), number("ms", 12.34), number("crag", None)
    ('0.50', '812', '12.3', '-')
    """
    if value is None:
        return "-"
    places = 0 if name in _WHOLE else 1 if name in _ONE_PLACE else 2
    return f"{round(value, places) + 0.0:.{places}f}"  # + 0.0: no "-0.00"


def rows_of(
    figures: Mapping[str, Mapping[str, Figures]], columns: Sequence[str]
) -> tuple[list[str], list[list[str]]]:
    """Heading and rows of a table: a row a group and condition.

    Args:
        figures: figures by group (a game, a style) and condition.
        columns: names of figures.
    """
    heading = ["group", "condition", "n", *(COLUMNS[name] for name in columns)]
    rows = [
        [
            group,
            condition,
            number("n", one.get("items")),
            *(number(name, one.get(name)) for name in columns),
        ]
        for group, conditions in figures.items()
        for condition, one in conditions.items()
    ]
    return heading, rows


def plain(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table for the terminal; a name that repeats the one above it is left out.

    >>> print(plain(["game", "right"], [["root", "0.50"], ["root", "0.75"]]))
    game  right
    root   0.50
           0.75
    """
    widths = [max(len(row[n]) for row in [heading, *rows]) for n in range(len(heading))]
    lines, before = [], ""
    for row in [heading, *rows]:
        shown = ["" if row[0] == before else row[0], *row[1:]]
        before = row[0]
        cells = [
            cell.rjust(width) if _is_number(rows, n) else cell.ljust(width)
            for n, (cell, width) in enumerate(zip(shown, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def markdown(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table for README.md.

    >>> print(markdown(["game", "right"], [["root", "0.50"]]))
    | game | right |
    |---|---:|
    | root | 0.50 |
    """
    rule = "".join("---:|" if _is_number(rows, n) else "---|" for n in range(len(heading)))
    lines = [f"| {' | '.join(row)} |" for row in (heading, *rows)]
    return "\n".join([lines[0], f"|{rule}", *lines[1:]])


def _is_number(rows: Sequence[Sequence[str]], column: int) -> bool:
    return all(row[column][:1] in "-0123456789" for row in rows)
