"""What can be asked, and of which game, as far as the question's own words say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files

from rapidfuzz import process

from rag.errors import QuestionError, UnknownGameError
from rag.records import Game, Question
from rag.settings import HISTORY_LIMIT, QUESTION_LIMIT


def validate(question: Question) -> None:
    """Refuse what can't be a question.

    Raises:
        QuestionError: it is empty, too long or no Unicode, or its history has too many turns.
    """
    for text in (question.text, *question.history):
        if any("\ud800" <= sign <= "\udfff" for sign in text):
            raise QuestionError(
                f"The question is not valid Unicode ({text[:40]!r}); write it in UTF-8."
            )
        if not text.strip():
            raise QuestionError(
                'The question is empty; ask something such as "How many cards do I draw?".'
            )
        if len(text) > QUESTION_LIMIT:
            raise QuestionError(
                f"The question has {len(text):,} characters and may have {QUESTION_LIMIT:,}; "
                f"leave out what the rule does not hang on."
            )
    if len(question.history) > HISTORY_LIMIT:
        raise QuestionError(
            f"The history has {len(question.history)} turns and may have {HISTORY_LIMIT}; "
            f"keep the last ones."
        )


def named_games(text: str, games: Iterable[Game]) -> list[str]:
    """Slugs of the games whose title or other name stands in a text.

    >>> named_games("in root, who moves?", [Game(slug="root", title="Root", sources=())])
    ['root']
    """
    return [
        game.slug
        for game in games
        if any(_holds(text, name) for name in (game.title, *game.aliases, game.slug))
    ]


def own_names(text: str, games: Sequence[Game]) -> set[str]:
    """Slugs of the games that alone have a name, or a nickname, which stands in a text.

    >>> cats = Game(slug="root", title="Root", sources=(), terms=(("Marquise", ("cats",)),))
    >>> own_names("do cats move?", [cats, Game(slug="other", title="Other", sources=())])
    {'root'}
    """
    held: dict[str, set[str]] = {}
    for game in games:
        for term in game.terms:
            for name in (term[0], *term[1]):
                held.setdefault(name.lower(), set()).add(game.slug)
    return {
        slug
        for name, slugs in held.items()
        if len(slugs) == 1 and name in text.lower() and _holds(text, name)
        for slug in slugs
    }


def other_game(text: str, own: Iterable[str]) -> str:
    """A well-known game that a text names and that is none of `own`; empty if there is none.

    >>> other_game("In Catan, who moves the robber?", ["Root"])
    'Catan'
    """
    mine = {name.lower() for name in own}
    return next((name for name in _titles() if name.lower() not in mine and _holds(text, name)), "")


def unknown_game(name: str, games: Sequence[str]) -> UnknownGameError:
    """The error for a game that is not there, nearest names first.

    >>> str(unknown_game("rot", ["root", "winter-rabbit"]))
    'There is no game called rot. Did you mean root? Known: root, winter-rabbit.'
    """
    near = [known for known, score, _ in process.extract(name, games, limit=3) if score >= 60]
    offer = f"Did you mean {' or '.join(near)}? " if near else ""
    return UnknownGameError(
        f"There is no game called {name}. {offer}Known: {', '.join(games) or 'none'}."
    )


@cache
def _titles() -> tuple[str, ...]:
    return tuple(files("rag").joinpath("other_games.txt").read_text("utf-8").splitlines())


def _holds(text: str, name: str) -> bool:
    return bool(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE))
