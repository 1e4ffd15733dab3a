"""A graded FAQ page whose questions are lost: grade lines and answers to entries.

Who ruled stands on the line before an answer. An answer without such a line has no grade (it does
not inherit the last one); a grade line that another one follows has lost its answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ingest.load.blocks import lines
from ingest.structure import Skipped
from rag.records import Grade

_OFFICIAL = re.compile(
    r"^The (designer|publisher) (?:ruled on|answered) this directly(?: on BGG)?"
    r"(?: in (\d{4}))?\.$"
)
_RULEBOOK = re.compile(r"^The rulebook answers this in [\"“](.+)[\"”]\.$")
_COMMUNITY = (
    (re.compile(r"^Several experienced players agree;.*no official ruling\.$"), "community-many"),
    (re.compile(r"^Best reading\b.*no official ruling\.$"), "community-best-reading"),
    (re.compile(r"^One community answer\b.*no official ruling\.$"), "community-one"),
    (re.compile(r"^.*\b(?:disputed|disputes it)\b.*\.$"), "disputed"),
)
_LONGEST_GRADE = 120


@dataclass(frozen=True, slots=True)
class GradeLine:
    """Who ruled, read from a line."""

    grade: Grade
    text: str
    year: int | None = None
    section: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of the page; `end` is `start` where the answer is lost."""

    number: int
    start: int
    end: int
    ruled: GradeLine | None

    @property
    def lost(self) -> bool:
        """Whether only its grade line is left."""
        return self.start == self.end


def read_grade(line: str) -> GradeLine | None:
    """Who ruled, if the line says so and nothing else.

    >>> read_grade("The designer ruled on this directly on BGG in 2018.").year
    2018
    >>> read_grade('The rulebook answers this in "2.5 Rule".').section
    '2.5 Rule'
    >>> read_grade("The designer confirmed it.") is None
    True
    """
    official, rulebook = _OFFICIAL.match(line), _RULEBOOK.match(line)
    if official:
        year = int(official[2]) if official[2] else None
        return GradeLine(Grade(official[1]), line, year)
    if rulebook:
        return GradeLine(Grade.RULEBOOK, line, section=rulebook[1])
    if len(line) <= _LONGEST_GRADE:
        for pattern, grade in _COMMUNITY:
            if pattern.match(line):
                return GradeLine(Grade(grade), line)
    return None


def is_graded(text: str) -> bool:
    r"""Whether a text is such a page.

    >>> is_graded("# How to win\n\nScore points.")
    False
    """
    return sum(read_grade(line.text.strip()) is not None for line in lines(text)) >= 2


def entries(text: str) -> tuple[list[Entry], list[Skipped]]:
    """The entries of a page in order, and what of it is not indexed.

    Lines before the first grade line are the page's header.
    """
    found: list[Entry] = []
    skipped: list[Skipped] = []
    waiting: tuple[GradeLine, int, int] | None = None
    begun = False
    for line in lines(text):
        if line.blank:
            continue
        start, end = line.inner
        ruled = read_grade(text[start:end])
        if ruled:
            if waiting:
                found.append(Entry(len(found) + 1, waiting[2], waiting[2], waiting[0]))
                skipped[-1] = Skipped(waiting[1], waiting[2], "lost")
            skipped.append(Skipped(start, end, "grade"))
            waiting, begun = (ruled, start, end), True
        elif not begun:
            skipped.append(Skipped(start, end, "header"))
        else:
            found.append(Entry(len(found) + 1, start, end, waiting[0] if waiting else None))
            waiting = None
    if waiting:
        found.append(Entry(len(found) + 1, waiting[2], waiting[2], waiting[0]))
        skipped[-1] = Skipped(waiting[1], waiting[2], "lost")
    return found, skipped
