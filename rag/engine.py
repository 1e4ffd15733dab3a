"""What the road needs, opened once: settings, store, model, and each game's words."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files

from rag.compose import Calibration
from rag.embed import Embedder, Vectors, load_embedder
from rag.language import words
from rag.lexical import Words, searchable, words_of
from rag.records import Entry, Game, Near, Passage
from rag.scope import unknown_game
from rag.settings import Settings
from rag.store import Part, PassageStore, open_store

ASKED_OFTEN = 4
"""Entry questions that make a word of theirs no typing fault."""


@dataclass(frozen=True, slots=True)
class GameIndex:
    """A game's passages and words, in memory."""

    game: Game
    passages: tuple[Passage, ...]
    words: Words
    vocabulary: Counter[str]
    search: Callable[[Part, Vectors, int], list[list[Near]]]


@dataclass(slots=True)
class Engine:
    """Opened once and shared by all questions."""

    settings: Settings
    store: PassageStore
    embedder: Embedder
    calibration: Calibration
    serving: dict[str, str]
    """Fingerprint of the index, by game."""
    _open: dict[str, GameIndex] = field(default_factory=dict)

    @property
    def games(self) -> list[str]:
        """Slugs of the games that can be asked."""
        return sorted(self.serving)

    @property
    def fingerprint(self) -> str:
        """Of settings, model, calibration and all texts."""
        made = (self.settings.fingerprint(), self.embedder.name, self.calibration, self.serving)
        return hashlib.sha256(repr(made).encode()).hexdigest()[:16]

    def put(self, slug: str, index: GameIndex) -> None:
        """Let a game be answered from this index of it."""
        self._open[slug] = index

    def game(self, slug: str) -> GameIndex:
        """Open a game; later calls give the same one.

        Raises:
            UnknownGameError: there is no such game.
        """
        if slug not in self.serving:
            raise unknown_game(slug, self.games)
        if slug not in self._open:
            game, passages, known = self.store.load(slug)
            self._open[slug] = GameIndex(
                game=game,
                passages=tuple(passages),
                words=words_of(passages, known),
                vocabulary=vocabulary(game, passages, known),
                search=lambda part, vectors, k: self.store.nearest(slug, part, vectors, k),
            )
        return self._open[slug]


def vocabulary(game: Game, passages: Sequence[Passage], known: Sequence[Entry]) -> Counter[str]:
    """The words that are no typing faults: the texts', their nicknames, and what many ask with."""
    asked = Counter(word for question in known for word in set(words(question.text)))
    told = Counter(word for passage in passages for word in words(searchable(passage)))
    told.update(
        word for name, others in game.terms for text in (name, *others) for word in words(text)
    )
    told.update({word: count for word, count in asked.items() if count >= ASKED_OFTEN})
    return told


def load_calibration(settings: Settings) -> Calibration:
    """The fitted coefficients that ship with RulesPal, and the threshold that is wanted."""
    text = files("rag").joinpath("calibration.json").read_text("utf-8")
    shipped = Calibration(**json.loads(text))
    wanted = settings.min_confidence
    return shipped if wanted < 0 else replace(shipped, threshold=wanted)


def open_engine(settings: Settings) -> Engine:
    """Open the index and load the model.

    Raises:
        IndexMissingError: no index has been built.
        IndexDamagedError: it can't be read.
        ModelError: the model can't be loaded.
    """
    store = open_store(settings.data_dir)
    serving = store.current()
    return Engine(settings, store, load_embedder(settings), load_calibration(settings), serving)
