"""Tables: with borders, with tabs, and glued by a page dump that lost both.

A glued table is a header whose cells run together (`PlayersVotes to Trigger Election`) over rows
whose cells run together (`1-25`). The header is cut where a small letter meets a capital; a row is
cut where ranges continue each other (1-2, 3-4, 5-6), where a digit meets a letter, or where the
words begin with which most other rows begin their second cell.
"""

from __future__ import annotations

import re
from collections import Counter

_GLUED_HEADER = re.compile(r"^([A-Z][a-z]+)([A-Z][a-z]+ [\w &,'-]+)$")
_RANGE = re.compile(r"^(\d{1,2})-(\d+)$")


def rows_of(text: str) -> list[list[str]]:
    r"""The cells of a table, header first; empty if the text is none.

    >>> rows_of("PlayersVotes to Win\n1-25\n3-44\n5-63")
    [['Players', 'Votes to Win'], ['1-2', '5'], ['3-4', '4'], ['5-6', '3']]
    >>> rows_of("| A | B |\n|---|---|\n| 1 | 2 |")
    [['A', 'B'], ['1', '2']]
    >>> rows_of("Rank\t1st\t2nd\nPoints\t6\t4")
    [['Rank', '1st', '2nd'], ['Points', '6', '4']]
    """
    found = [line.rstrip("\r") for line in text.split("\n") if line.strip()]
    if found and all(line.lstrip().startswith("|") for line in found):
        rows = [[c.strip() for c in line.strip().strip("|").split("|")] for line in found]
        return [row for row in rows if not all(re.fullmatch(r":?-+:?", cell) for cell in row)]
    if len(found) > 1 and all("\t" in line for line in found):
        return [[cell.strip() for cell in line.split("\t")] for line in found]
    return glued_rows(found)


def is_glued_header(line: str) -> bool:
    """Whether two header cells run together in a line.

    >>> is_glued_header("PlayersVotes to Win"), is_glued_header("Players vote to win")
    (True, False)
    """
    return bool(_GLUED_HEADER.match(line.strip()))


def glued_rows(found: list[str]) -> list[list[str]]:
    """The cells of a table whose cells run together; empty unless every row can be cut one way."""
    header = _GLUED_HEADER.match(found[0].strip()) if len(found) >= 3 else None
    if not header:
        return []
    body = [line.strip() for line in found[1:]]
    cut = _cut_ranges(body) or _cut_words(body)
    return [list(header.groups()), *cut] if cut else []


def has_marked_header(text: str) -> bool:
    r"""Whether a line of dashes sets the first row apart.

    >>> has_marked_header("| A |\n|---|\n| 1 |"), has_marked_header("A\tB\n1\t2")
    (True, False)
    """
    return any(re.fullmatch(r"[|:\s-]*-[|:\s-]*", line) for line in text.split("\n")[1:2])


def _cut_ranges(body: list[str]) -> list[list[str]]:
    rows: list[list[str]] = []
    for line in body:
        match = _RANGE.match(line)
        if not match:
            return []
        low, rest = int(match[1]), match[2]
        if rows and low != int(rows[-1][0].split("-")[1]) + 1:
            return []
        cuts = [(rest[:i], rest[i:]) for i in (1, 2) if i < len(rest) and int(rest[:i]) >= low]
        if not cuts:
            return []
        rows.append([f"{low}-{cuts[0][0]}", cuts[0][1]])
    return rows


def _cut_words(body: list[str]) -> list[list[str]]:
    at_digit = [re.match(r"^(\D+ \d+)([a-z].*)$", line) for line in body]
    first = Counter(m[2].split(",")[0].split()[0] for m in at_digit if m)
    if not first or sum(first.values()) < len(body) / 2:
        return []
    common = first.most_common(1)[0][0]
    rows = []
    for line, match in zip(body, at_digit, strict=True):
        if match:
            rows.append([match[1], match[2]])
            continue
        at = line.find(common)
        if at <= 0:
            return []
        rows.append([line[:at].strip(), line[at:]])
    return rows


def reading(
    rows: list[list[str]], names: dict[str, str] | None = None, *, headed: bool = False
) -> list[str]:
    """A table in words, one sentence a row; a table of one row is read by column.

    Args:
        rows: cells, header first.
        names: what header cells stand for, such as lettered actions.
        headed: whether a mark tells that the first row is the header, so that no column is read.

    >>> reading([["Players", "Votes"], ["1-2", "5"]])
    ['Players 1-2: Votes 5']
    >>> reading([["Rank", "1st", "2nd"], ["Points", "6", "4"]])
    ['Rank 1st: Points 6', 'Rank 2nd: Points 4']
    >>> reading([["Space", "A", "B"], ["Town", "Yes", "-"]], {"A": "A (Deliver)"}, headed=True)
    ['Space Town: A (Deliver) Yes, B no']
    """
    header, body = rows[0], rows[1:]
    if len(body) == 1 and len(header) > 2 and not headed:
        row = body[0] + ["?"] * (len(header) - len(body[0]))
        return [f"{header[0]} {a}: {row[0]} {b}" for a, b in zip(header[1:], row[1:], strict=False)]
    heads = [(names or {}).get(cell, cell) for cell in header]
    return [_row(heads, row) for row in body]


def _row(heads: list[str], row: list[str]) -> str:
    cells = [f"{h} {'no' if c == '-' else c}" for h, c in zip(heads[1:], row[1:], strict=False)]
    missing = heads[len(row) :]
    if missing:
        cells.append(f"{', '.join(missing)}: not in the text (the row is cut off)")
    first = "" if re.match(rf"{re.escape(heads[0])}\b", row[0]) else f"{heads[0]} "
    return f"{first}{row[0]}: {', '.join(cells)}"
