"""The types that travel along the road of a question. Standard library only.

`Game`, `Note`, `Entry`, `Near` and `Gap` stand beside the eight types of the design: a question
concerns exactly one game, and what is known of that game as a whole must travel with its index.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

Kind = Literal["rule", "example", "table", "faq", "note", "flavour"]
Status = Literal["answered", "not_covered", "out_of_scope", "clarify"]
Polarity = Literal["yes", "no"]


class Grade(StrEnum):
    """Who ruled, best first."""

    RULEBOOK = "rulebook"
    """The rulebook's own text, or a ruling that says that the rulebook answers it."""
    DESIGNER = "designer"
    """The designer ruled on this directly; the year is kept."""
    PUBLISHER = "publisher"
    """The publisher answered this directly; the year is kept."""
    COMMUNITY_MANY = "community-many"
    """Several experienced players agree; nothing official."""
    COMMUNITY_BEST_READING = "community-best-reading"
    """The best reading of rules and discussion; nothing official."""
    COMMUNITY_ONE = "community-one"
    """One community answer."""
    DISPUTED = "disputed"
    """A reading that somebody disputes, wholly or in part."""
    NONE = "none"
    """The page gives no grade."""

    @property
    def official(self) -> bool:
        """Whether the rulebook, the designer or the publisher stands behind it."""
        return self in {Grade.RULEBOOK, Grade.DESIGNER, Grade.PUBLISHER}

    @property
    def rank(self) -> int:
        """0 for the best grade, 7 for none."""
        return list(Grade).index(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One text of a game, as its `game.yaml` names it."""

    file: str
    """Path below the corpus folder, with `/`: `root/faq.txt`."""
    title: str
    """What a player calls it: `Root FAQ`."""
    kind: Literal["rulebook", "faq"]
    edition: str = ""
    """Edition or printing, as far as the text says."""
    updated: str = ""
    """Date of the text, ISO 8601, as far as it says."""
    sha256: str = ""
    """Of the file's bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A piece of a text that a person would quote; `text` is the file's text at [start, end)."""

    id: str
    """`game/file-stem#start-end`."""
    game: str
    file: str
    start: int
    """Offset in Unicode code points."""
    end: int
    text: str
    kind: Kind
    source: str
    """Title of the text it stands in."""
    section: tuple[str, ...] = ()
    """Heading path, outermost first."""
    context: str = ""
    """Words that are needed to understand it but stand elsewhere (a list's first line)."""
    reading: str = ""
    """A table put into words, a line a row; empty where the text reads as it stands."""
    question: str = ""
    """Reconstructed heading of a FAQ entry: not the page's words."""
    number: int = 0
    """Place of a FAQ entry on its page, from 1; 0 elsewhere."""
    of: str = ""
    """Id of the passage that this one is an example or a note of."""
    grade: Grade = Grade.RULEBOOK
    grade_text: str = ""
    """The words that give the grade."""
    year: int | None = None
    rulebook_section: str = ""
    """Section of the rulebook that a ruling names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A known contradiction, misprint or gap of a game's texts."""

    id: str
    kind: str
    says: str
    spans: tuple[tuple[str, int, int, str], ...]
    """(file, start, end, side); the side is empty unless the note tells of a contradiction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What is embedded (a passage, a sentence, a known question), and the words it stands for."""

    passage_id: str
    """Empty for a gap, which stands for no words."""
    start: int
    """Where the words stand in the passage's file; those of a known question answer it."""
    end: int
    text: str
    """What is embedded; of what a search brought it is kept for known questions only."""
    polarity: Polarity | None = None
    """Of a known question: the answer, where it is yes or no."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """A question that the texts are known not to answer."""

    text: str
    why: str
    """`printed-only`, `not-described`, `open` or `general`."""
    look: str
    """What is missing and where to look."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """What is known of a game beside its passages."""

    slug: str
    title: str
    sources: tuple[Source, ...]
    aliases: tuple[str, ...] = ()
    """Other names; with the title they tell which game a question is about."""
    notes: tuple[Note, ...] = ()
    gaps: tuple[Gap, ...] = ()
    terms: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """The texts' own names of things, and what players call them."""
    fingerprint: str = ""
    """Of the texts and sidecars."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Near(Entry):
    """An entry of the index that a search brought, and how near it is."""

    entry: int
    """Its number in its part of the index; a gap's is its place in `Game.gaps`."""
    text: str = ""
    cosine: float = 0.0


SIGNALS = ("dense", "sentence", "asked", "lexical", "phrased")
"""What the searches say of a hit: the names of its fields."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A passage that was found, and how."""

    passage: Passage
    score: float
    """Comparable within one question only."""
    dense: float = 0.0
    """Cosine of the question and the passage."""
    sentence: float = 0.0
    """Cosine of the question and the passage's nearest sentence."""
    asked: float = 0.0
    """Mean cosine of the question and the nearest questions that the passage is known to answer."""
    lexical: float = 0.0
    """BM25 score of the passage together with its known questions."""
    phrased: float = 0.0
    """Mean BM25 score of the best of its known questions."""
    nearest: tuple[Near, ...] = ()
    """Its sentences that were found, best first."""
    known: tuple[Near, ...] = ()
    """Its known questions that were found, best first; each stands for the words that answer it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a player asks."""

    text: str
    game: str | None = None
    """Slug; None leaves it to the question's own words."""
    history: tuple[str, ...] = ()
    """Earlier questions of the same player, oldest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """Words of a text that carry the answer; `quote` is the file's text at [start, end)."""

    n: int
    passage_id: str
    file: str
    start: int
    end: int
    quote: str
    section: tuple[str, ...]
    source: str
    grade: Grade
    grade_text: str = ""
    year: int | None = None
    reading: str = ""
    """A table's words, where the quote is a table."""
    question: str = ""
    """Reconstructed heading of the ruling; never the page's words."""
    kind: Kind = "rule"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the encoded rules say of an answer."""

    outcome: Literal["verified", "contradicted", "not_covered"]
    reason: str
    rule: str = ""
    computed: str = ""
    because: str = ""
    citation: Citation | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieved:
    """A row of the ranking, as the answer reports it."""

    passage_id: str
    file: str
    start: int
    end: int
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer's JSON contract; every front door gives this."""

    id: str
    game: str | None
    question: str
    history: tuple[str, ...]
    status: Status
    text: str
    """What the player reads: at most 90 words, markers [n] point to citations."""
    polarity: Polarity | None = None
    citations: tuple[Citation, ...] = ()
    verdict: Verdict | None = None
    conflicts: tuple[Citation, ...] = ()
    notes: tuple[str, ...] = ()
    """Known misprints, contradictions and gaps of the cited words."""
    confidence: float = 0.0
    """Probability that the answer is right."""
    retrieved: tuple[Retrieved, ...] = ()
    writer: str = "extractive"
    fingerprint: str = ""
    elapsed_ms: float = 0.0
    games: tuple[str, ...] = ()
    """For `clarify`: the games that the question fits."""
