"""Question sets and the texts that they are about."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from evals.judge import Item, occurrences
from ingest.manifest import discover
from ingest.texts import GameTexts, read_game

QUESTIONS = Path(__file__).parent / "questions"
FIELDS = frozenset(
    {"id", "game", "question", "history", "style", "answerable", "answer", "polarity", "must"}
    | {"evidence", "needs"}
)
"""What every item holds."""


class ItemError(Exception):
    """A question set can't be read, or speaks of words that no text holds."""


def read_items(path: Path) -> list[Item]:
    """The items of one file.

    Raises:
        ItemError: the file is missing, or a line is not an item.
    """
    try:
        lines = path.read_text("utf-8").splitlines()
    except OSError as error:
        raise ItemError(f"{path} can't be read: {error.strerror}.") from error
    items: list[Item] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            item = json.loads(line)
        except json.JSONDecodeError as error:
            raise ItemError(f"{path}, line {number}: not JSON ({error.msg}).") from error
        missing = sorted(FIELDS - set(item)) if isinstance(item, dict) else ["an object"]
        if missing:
            raise ItemError(f"{path}, line {number}: lacks {', '.join(missing)}.")
        items.append(item)
    return items


def read_set(name: str, folder: Path = QUESTIONS) -> list[Item]:
    """The items of all games in a set such as `dev`.

    Raises:
        ItemError: there is no such set, or a file of it is wrong.
    """
    paths = sorted(folder.glob(f"*.{name}.jsonl"))
    if not paths:
        known = sorted({path.name.split(".")[1] for path in folder.glob("*.*.jsonl")})
        raise ItemError(f"No question set {name}; there is {', '.join(known) or 'none'}.")
    return [item for path in paths for item in read_items(path)]


def read_games(slugs: Iterable[str], corpus_dir: str = "") -> dict[str, GameTexts]:
    """The texts of some games, by slug.

    Raises:
        ItemError: there is no such game.
    """
    folders = discover(corpus_dir)
    wanted = sorted(set(slugs))
    for slug in wanted:
        if slug not in folders:
            raise ItemError(f"No game {slug}; there is {', '.join(sorted(folders))}.")
    return {slug: read_game(folders[slug]) for slug in wanted}


def files(game: GameTexts) -> dict[str, str]:
    """File to text, of one game."""
    return {text.source.file: text.text for text in game.texts}


def check_evidence(items: Iterable[Item], games: Mapping[str, GameTexts]) -> None:
    """Refuse items that could never be scored as they say.

    Raises:
        ItemError: an evidence span stands in no text of its game, or an answerable item has none.
    """
    for item in items:
        texts = files(games[item["game"]])
        if bool(item["evidence"]) != bool(item["answerable"]):
            raise ItemError(f"{item['id']}: evidence must be given if it is answerable, else not.")
        for span in item["evidence"]:
            if not any(occurrences(text, span) for text in texts.values()):
                raise ItemError(f'{item["id"]}: no text of {item["game"]} holds "{span}".')
