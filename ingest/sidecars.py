"""What may stand in `game.yaml` and the sidecars beside it."""

from __future__ import annotations

from collections import Counter
from datetime import date
from pathlib import Path, PurePosixPath
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from rag.records import Grade, Kind


class _Sidecar(BaseModel):
    """Outside text: unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Displaced(_Sidecar):
    """Words that stand far from where they belong."""

    quote: str
    """The exact words, line breaks included."""
    section: str
    """Heading of the section that they belong to."""
    after: str
    """Exact words that they follow there."""


class Mark(_Sidecar):
    """A section or words of another kind than the rules tell."""

    kind: Kind
    section: str = ""
    quote: str = ""


class TextFile(_Sidecar):
    """A text of a game; only `name` is required."""

    name: str
    kind: Literal["rulebook", "faq"] = "rulebook"
    title: str = ""
    edition: str = ""
    updated: str = ""
    publisher: str = ""
    rights: str = ""
    grade: Grade | None = None
    """Of a text as a whole; a rulebook's is `rulebook`, a FAQ's `none`, unless it is set here."""
    size: int | None = None
    sha256: str = ""
    outline: str = ""
    """Headings that no mark in the text tells, one a line, indented by two spaces a level."""
    contents: tuple[str, ...] = ()
    """Exact words that belong to the list of contents and are not indexed."""
    displaced: tuple[Displaced, ...] = ()
    marks: tuple[Mark, ...] = ()
    headings: str = ""
    """File of reconstructed FAQ headings, JSON lines."""

    @field_validator("title", "edition", "updated", mode="before")
    @classmethod
    def _words(cls, value: object) -> object:
        return _unread(value)

    @field_validator("name", "headings")
    @classmethod
    def _inside(cls, value: str) -> str:
        if Path(value).is_absolute() or ".." in Path(value).parts or "\0" in value:
            raise ValueError("must be a file name inside the game's folder")
        return value


class Manifest(_Sidecar):
    """`game.yaml`: title and file names are enough."""

    title: str
    files: tuple[TextFile, ...] = Field(min_length=1)
    aliases: tuple[str, ...] = ()

    @field_validator("title", mode="before")
    @classmethod
    def _words(cls, value: object) -> object:
        return _unread(value)

    @field_validator("files")
    @classmethod
    def _apart(cls, value: tuple[TextFile, ...]) -> tuple[TextFile, ...]:
        stems = Counter(str(PurePosixPath(file.name).with_suffix("")) for file in value)
        twice = [stem for stem, count in stems.items() if count > 1]
        if twice:
            raise ValueError(f"two files are called {twice[0]}, whatever their ending")
        return value

    @field_validator("files", mode="before")
    @classmethod
    def _names(cls, value: object) -> object:
        if isinstance(value, list):
            return [{"name": item} if isinstance(item, str) else item for item in value]
        return value


class HeadingRow(_Sidecar):
    """A reconstructed heading of a FAQ entry, tied to it by the answer's first words."""

    n: int
    topic: str
    question: str
    quote: str


class QuestionRow(_Sidecar):
    """Questions in players' words, tied to the words that answer them."""

    quote: str
    file: str = ""
    """Needed only where a game has several texts."""
    occurrence: int = Field(1, ge=1)
    """Which one is meant, where the words stand there several times."""
    open: tuple[str, ...] = ()
    """Questions that want more than yes or no."""
    yes: tuple[str, ...] = ()
    """Questions to which these words say yes."""
    no: tuple[str, ...] = ()
    """Questions to which they say no."""
    provenance: Literal["written", "generated"] = "written"
    """By a person, or by a chat model (`rulespal expand`)."""


class GapRow(_Sidecar):
    """Questions that the texts do not answer."""

    why: Literal["printed-only", "not-described", "open", "general"]
    """Printed on a component only; named but not described; left open; not a matter of rules."""
    look: str
    """What is missing and where to look."""
    questions: tuple[str, ...] = Field(min_length=1)


class Terms(_Sidecar):
    """`terms.yaml`: the texts' own names, each with what players call it."""

    terms: dict[str, tuple[Annotated[str, Field(min_length=1)], ...]] = {}


class NoteQuote(_Sidecar):
    """Words that a note speaks of."""

    quote: str
    side: str = ""
    occurrence: int = 1
    file: str = ""


class NoteRow(_Sidecar):
    """An entry of notes.yaml."""

    id: str
    kind: str
    says: str
    quotes: tuple[NoteQuote, ...]

    @field_validator("quotes", mode="before")
    @classmethod
    def _bare(cls, value: object) -> object:
        if isinstance(value, list):
            return [{"quote": item} if isinstance(item, str) else item for item in value]
        return value


def _unread(value: object) -> object:
    """What YAML reads as a number or a date (`title: 1830`), as it was written."""
    plain = isinstance(value, int | float | date) and not isinstance(value, bool)
    return str(value) if plain else value
