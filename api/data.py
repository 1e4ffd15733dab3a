"""What the commands show, as JSON has it: plain values under stable names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import TypeAdapter

from api.catalogue import Place
from api.doctor import Check
from ingest.texts import GameTexts, Ruling
from rag.records import SIGNALS, Answer, Hit, Passage

_ANSWER = TypeAdapter(Answer)
_PASSAGE = TypeAdapter(Passage)


def answer_data(answer: Answer) -> dict[str, Any]:
    """An answer: the contract that every front door keeps."""
    return dict(_ANSWER.dump_python(answer, mode="json"))


def passage_data(passage: Passage) -> dict[str, Any]:
    """A passage, all of it."""
    return dict(_PASSAGE.dump_python(passage, mode="json"))


def place_data(place: Place) -> dict[str, Any]:
    """A passage with its neighbours."""
    return {
        "passage": passage_data(place.passage),
        "before": [passage_data(passage) for passage in place.before],
        "after": [passage_data(passage) for passage in place.after],
        "notes": list(place.notes),
    }


def hits_data(hits: Iterable[Hit]) -> list[dict[str, Any]]:
    """The passages that a search found, best first, with what each search says of them."""
    return [
        {
            **passage_data(hit.passage),
            "score": round(hit.score, 4),
            **{name: round(getattr(hit, name), 4) for name in SIGNALS},
        }
        for hit in hits
    ]


def rulings_data(found: Iterable[Ruling]) -> list[dict[str, Any]]:
    """Rulings in page order; a lost one has no answer and no passage."""
    return [
        {
            "n": ruling.n,
            "question": ruling.question,
            "reconstructed": True,  # the page lost all its questions
            "topic": ruling.topic,
            "answer": ruling.passage.text if ruling.passage else None,
            "grade": ruling.grade.value,
            "grade_text": ruling.grade_text,
            "year": ruling.year,
            "section": ruling.section,
            "start": ruling.start,
            "end": ruling.end,
            "passage_id": ruling.passage.id if ruling.passage else None,
        }
        for ruling in found
    ]


def games_data(games: Iterable[tuple[GameTexts, int]]) -> list[dict[str, Any]]:
    """Games with their texts, and how many rulings each has."""
    return [
        {
            "slug": read.game.slug,
            "title": read.game.title,
            "aliases": list(read.game.aliases),
            "texts": [
                {
                    "file": text.source.file,
                    "title": text.source.title,
                    "kind": text.source.kind,
                    "edition": text.source.edition,
                    "updated": text.source.updated,
                    "sha256": text.source.sha256,
                    "passages": len(text.passages),
                }
                for text in read.texts
            ],
            "passages": len(read.passages),
            "rulings": rulings,
        }
        for read, rulings in games
    ]


def checks_data(checks: Sequence[Check]) -> dict[str, Any]:
    """What was looked at, and whether all is well."""
    return {
        "ok": all(check.ok for check in checks),
        "checks": [{"name": c.name, "ok": c.ok, "says": c.says} for c in checks],
    }
