"""What can be looked up without a model or an index: games, rulings, passages and their places.

Imports nothing that takes long to load.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from ingest.manifest import GameFolder, discover
from ingest.texts import GameTexts, Ruling, Text, read_game, rulings
from rag.errors import UnknownGameError, UnknownPassageError
from rag.quotes import cite, touching
from rag.records import Game, Grade, Passage
from rag.scope import unknown_game
from rag.settings import Settings

_ID = re.compile(r"(?P<file>(?P<game>[^/#]+)/[^#]+)#(?P<start>\d{1,9})-(?P<end>\d{1,9})")
_LIKE = "An id looks like root/faq#15021-15230; `rulespal search` and `ask` show them."


@dataclass(frozen=True, slots=True)
class Place:
    """A passage and the text around it."""

    game: Game
    passage: Passage
    before: tuple[Passage, ...]
    """In reading order, the nearest last."""
    after: tuple[Passage, ...]
    notes: tuple[str, ...]
    """Known misprints, contradictions and gaps of its words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which rulings are wanted; what is empty is no condition."""

    grades: tuple[Grade, ...] = ()
    year: int | None = None
    topic: str = ""
    """Part of a topic."""
    find: str = ""
    """Words that the question or the answer holds, all of them."""

    def takes(self, ruling: Ruling) -> bool:
        """Whether a ruling is one of these."""
        said = f"{ruling.question} {ruling.passage.text if ruling.passage else ''}".casefold()
        return (
            (not self.grades or ruling.grade in self.grades)
            and self.year in {None, ruling.year}
            and self.topic.casefold() in ruling.topic.casefold()
            and all(word in said for word in self.find.casefold().split())
        )


def find_game(name: str, folders: Mapping[str, GameFolder]) -> str:
    """The slug of the game that a person calls so: by slug, title or another name.

    Raises:
        UnknownGameError: there is no such game.
    """
    wanted = _plain(name)
    for slug, folder in folders.items():
        if wanted in {slug, _plain(folder.manifest.title), *map(_plain, folder.manifest.aliases)}:
            return slug
    raise unknown_game(name, list(folders))


def _plain(name: str) -> str:
    return "-".join(re.findall(r"\w+", name.casefold()))


def all_games(settings: Settings) -> list[GameTexts]:
    """Every game, read.

    Raises:
        CorpusError: a game can't be read.
    """
    return [read_game(folder) for folder in discover(settings.corpus_dir).values()]


def ruling_count(game: GameTexts) -> int:
    """How many rulings a game's texts hold; lost ones are none."""
    return sum(passage.number > 0 for passage in game.passages)


def list_rulings(name: str | None, settings: Settings) -> tuple[str, list[Ruling]]:
    """A game's slug and all rulings of its FAQ pages, in page order.

    Args:
        name: the game; None takes the only one that has rulings.
        settings: where the games are.

    Raises:
        UnknownGameError: there is no such game, or several have rulings and none is named.
        CorpusError: the game can't be read.
    """
    folders = discover(settings.corpus_dir)
    if name is not None:
        slug = find_game(name, folders)
        return slug, rulings(folders[slug])
    having = {slug: found for slug, folder in folders.items() if (found := rulings(folder))}
    if len(having) != 1:
        raise UnknownGameError(
            f"Name a game, such as --game {next(iter(having or folders), 'root')}; "
            f"with rulings there are: {', '.join(having) or 'none'}."
        )
    return next(iter(having.items()))


def find_place(passage_id: str, settings: Settings, around: int = 1) -> Place:
    """A passage by its id, with its neighbours in the order in which the text is read.

    Args:
        passage_id: `game/file#start-end`; the file's ending may stand there too.
        settings: where the games are.
        around: neighbours on each side.

    Raises:
        UnknownPassageError: there is no such passage.
        UnknownGameError: there is no such game.
        CorpusError: the game can't be read.
    """
    found = _ID.fullmatch(passage_id.strip())
    if not found:
        raise UnknownPassageError(f"{passage_id!r} is no passage id. {_LIKE}")
    folders = discover(settings.corpus_dir)
    if found["game"] not in folders:
        raise unknown_game(found["game"], list(folders))
    read = read_game(folders[found["game"]])
    text = _text(read, found["file"])
    start, end = int(found["start"]), int(found["end"])
    at = next((i for i, p in enumerate(text.passages) if (p.start, p.end) == (start, end)), None)
    if at is None:
        near = _nearest(text.passages, start, end)
        raise UnknownPassageError(
            f"There is no passage {passage_id}. The nearest one of that text is {near.id}: "
            f"try `rulespal show {near.id}`."
        )
    passage = text.passages[at]
    return Place(
        game=read.game,
        passage=passage,
        before=text.passages[max(0, at - around) : at],
        after=text.passages[at + 1 : at + 1 + around],
        notes=tuple(note.says for note in touching([cite(passage, 1)], read.game.notes)),
    )


def _text(game: GameTexts, file: str) -> Text:
    for text in game.texts:
        if file in {text.source.file, _stem(text.source.file)}:
            return text
    known = ", ".join(_stem(text.source.file) for text in game.texts)
    raise UnknownPassageError(f"There is no text {file}; {game.game.title} has {known}. {_LIKE}")


def _stem(file: str) -> str:
    return str(PurePosixPath(file).with_suffix(""))


def _nearest(passages: Sequence[Passage], start: int, end: int) -> Passage:
    """The passage that covers most of a span, else the one that lies nearest to it."""
    return max(
        passages, key=lambda p: (min(p.end, end) - max(p.start, start), -abs(p.start - start))
    )


def topics(found: Iterable[Ruling]) -> list[str]:
    """The topics of some rulings, each once."""
    return list(dict.fromkeys(ruling.topic for ruling in found if ruling.topic))
