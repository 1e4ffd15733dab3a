"""From what a person typed or sent to a Question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from api.catalogue import find_game
from ingest.manifest import GameFolder
from rag.records import Question
from rag.scope import validate


def make_question(
    text: str, game: str | None, history: Sequence[str], folders: Mapping[str, GameFolder]
) -> Question:
    """A question that can be asked, its game found by slug, title or another name.

    Raises:
        QuestionError: the question or its history can't be taken.
        UnknownGameError: there is no such game.
    """
    question = Question(
        text=text,
        game=find_game(game, folders) if game is not None else None,
        history=tuple(history),
    )
    validate(question)
    return question
