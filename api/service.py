"""What answers, opened: the index made and the model loaded, at the first question and not before.

Everything that takes seconds to import is imported inside functions.
"""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

from rag.records import Answer, Hit, Question
from rag.settings import Settings

if TYPE_CHECKING:
    from rag.engine import Engine
    from rag.store import Progress
    from rag.writer import ChatModel


class Service:
    """Builds the index, opens the engine and asks it; a test puts another one in its place."""

    def open(self, settings: Settings, progress: Progress, game: str | None = None) -> Engine:
        """The engine, its index built first where it is missing or out of date.

        Args:
            settings: the options.
            progress: told how far the building is.
            game: the only game that will be asked; others are not built.

        Raises:
            RulesPalError: whatever keeps it from answering.
        """
        from ingest.pipeline import ensure_index
        from rag.engine import open_engine

        ensure_index(settings, progress, only=game)
        engine = open_engine(settings)
        settle()
        return engine

    def build(self, settings: Settings, progress: Progress, *, rebuild: bool) -> list[str]:
        """Build what is missing or out of date, or all; the games that were built.

        Raises:
            RulesPalError: whatever keeps it from being built.
        """
        from ingest.pipeline import ensure_index

        return ensure_index(settings, progress, rebuild=rebuild)

    def ask(self, question: Question, engine: Engine) -> Answer:
        """The answer to a question.

        Raises:
            RulesPalError: it can't be taken, or the index can't be read.
        """
        from rag.answer import answer

        return answer(question, engine)

    def chat_model(self, settings: Settings) -> ChatModel:
        """The configured chat model.

        Raises:
            ChatModelError: there is none, or it can't be opened.
        """
        from rag.writer import open_chat_model

        return open_chat_model(settings)

    def search(
        self, question: Question, engine: Engine, limit: int
    ) -> list[tuple[str, tuple[Hit, ...]]]:
        """Titles of the games that a question fits, with their best passages.

        Raises:
            RulesPalError: it can't be taken, or the index can't be read.
        """
        from rag.answer import find, fitting_games

        found = []
        for slug in [question.game] if question.game else fitting_games(question, engine):
            index = engine.game(slug)
            hits = find(question, index, engine)[1].hits[:limit]
            found.append((index.game.title, hits))
        return [(title, hits) for title, hits in found if hits]


def settle() -> None:
    """Let the garbage collector work again, but not on what loading made: that stays to the end."""
    gc.freeze()
    gc.enable()
