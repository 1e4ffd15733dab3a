"""Which game a question is about, as far as its own words say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files

from rapidfuzz import process

from rag.errors import UnknownGameError
from rag.records import Game


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
