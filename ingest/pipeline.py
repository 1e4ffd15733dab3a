"""All games into the store: only what changed, beside the old index, swapped in whole."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from filelock import FileLock, Timeout

from ingest.manifest import GameFolder, discover
from ingest.texts import GameTexts, read_game
from rag.embed import Embedder, Vectors, load_embedder, model_name
from rag.errors import DataFolderError, IndexMissingError
from rag.language import sentence_spans
from rag.records import Entry, Passage
from rag.settings import Settings
from rag.store import Part, PassageStore, Progress, discard_store, open_store, replace_store

INDEX_FORMAT = 2
"""Raised when passages or entries are made in another way, so that indexes are made anew."""
LOCK_SECONDS = 600
_BATCH = 256
"""Texts a call of the model, and a step of the progress."""

Parts = dict[Part, list[Entry]]


def entries_of(texts: GameTexts) -> Parts:
    """What is embedded of a game, by part of the index."""
    passages = texts.passages
    whole = {text.source.file: text.text for text in texts.texts}
    return {
        "passages": [
            Entry(passage_id=p.id, start=p.start, end=p.end, text=embedded(p)) for p in passages
        ],
        "sentences": [entry for p in passages for entry in _sentences(p, whole[p.file])],
        "questions": list(texts.known),
        "gaps": [Entry(passage_id="", start=0, end=0, text=gap.text) for gap in texts.game.gaps],
    }


def embedded(passage: Passage) -> str:
    """A passage with the words that say what it is about."""
    head = " > ".join(passage.section[-3:])
    parts = (
        f"{head}." if head else "",
        passage.question,
        passage.context,
        passage.reading or passage.text,
    )
    return " ".join(part for part in parts if part)


def _sentences(passage: Passage, text: str) -> list[Entry]:
    head = f"{passage.section[-1]}: " if passage.section and not passage.question else ""
    if passage.reading:
        return [
            Entry(passage_id=passage.id, start=passage.start, end=passage.end, text=head + row)
            for row in passage.reading.splitlines()
        ]
    return [
        Entry(passage_id=passage.id, start=a, end=b, text=head + text[a:b])
        for a, b in sentence_spans(text, passage.start, passage.end)
    ]


def index_texts(settings: Settings) -> list[str]:
    """All texts that an index of all games embeds."""
    games = (read_game(folder) for folder in discover(settings.corpus_dir).values())
    return [e.text for texts in games for part in entries_of(texts).values() for e in part]


def ensure_index(
    settings: Settings,
    progress: Progress | None = None,
    *,
    rebuild: bool = False,
    only: str | None = None,
    embedder: Embedder | None = None,
) -> list[str]:
    """Build what is missing or out of date; return the games that were built.

    Args:
        settings: where the corpus and the index are.
        progress: told of each batch.
        rebuild: build all, and throw the old index away.
        only: a game that is wanted at once; the others are left as they are.
        embedder: the model, if it is loaded already.

    Raises:
        CorpusError: a game can't be read.
        DataFolderError: the data folder can't be written, or another build holds it.
        ModelError: the model can't be loaded.
        IndexDamagedError: the old index can't be read and `rebuild` is false.
    """
    folders = discover(settings.corpus_dir)
    model = embedder.name if embedder else model_name(settings)
    asked = {
        slug: _wanted(folder, model) for slug, folder in folders.items() if only in {None, slug}
    }

    def goal(serving: Mapping[str, str]) -> dict[str, str]:
        kept = {slug: made for slug, made in serving.items() if only and slug in folders}
        return kept | asked

    if not rebuild and (serving := _serving(settings)) == goal(serving):
        return []
    with _lock(settings.data_dir):
        # a rebuild is made elsewhere, so that the old index serves until it is complete
        place = settings.data_dir / "rebuild" if rebuild else settings.data_dir
        if rebuild:
            discard_store(place)
        store = open_store(place, create=True)
        old = store.current()
        wanted = goal(old)
        stale = [slug for slug in wanted if old.get(slug) != wanted[slug]]
        texts = {slug: read_game(folders[slug]) for slug in stale}
        if stale:
            embedder = embedder or load_embedder(settings)
            _build(store, texts, wanted, embedder, progress)
        store.publish(wanted)
        if rebuild:
            replace_store(settings.data_dir, place)
    return stale


def stale_games(settings: Settings) -> list[str]:
    """The games whose index is missing or out of date; builds nothing.

    Raises:
        RulesPalError: a game, the model or the index can't be read.
    """
    model = model_name(settings)
    serving = _serving(settings)
    folders = discover(settings.corpus_dir)
    return [slug for slug, folder in folders.items() if serving.get(slug) != _wanted(folder, model)]


def _wanted(folder: GameFolder, model: str) -> str:
    for file in folder.manifest.files:
        folder.read(file)  # a text that changed on disk is reported, whatever the index holds
    made = (folder.fingerprint(), model, INDEX_FORMAT)
    return hashlib.sha256(repr(made).encode()).hexdigest()[:16]


def _serving(settings: Settings) -> dict[str, str]:
    try:
        return open_store(settings.data_dir).current()
    except IndexMissingError:
        return {}


def _build(
    store: PassageStore,
    texts: dict[str, GameTexts],
    wanted: dict[str, str],
    embedder: Embedder,
    progress: Progress | None,
) -> None:
    made = {slug: entries_of(game) for slug, game in texts.items()}
    whole = sum(len(rows) for parts in made.values() for rows in parts.values())
    done = 0
    for slug, parts in made.items():
        rows = [row for part in parts.values() for row in part]
        # of like length together, whatever part they are of: less is wasted on padding
        order = sorted(range(len(rows)), key=lambda i: len(rows[i].text))
        pieces: list[Vectors] = []
        for at in range(0, len(order), _BATCH):
            batch = order[at : at + _BATCH]
            pieces.append(embedder.encode([rows[i].text for i in batch]))
            done += len(batch)
            if progress:
                progress(texts[slug].game.title, done, whole)
        vectors = np.concatenate(pieces)[np.argsort(order)]
        vectors_of: dict[Part, tuple[list[Entry], Vectors]] = {}
        for part, entries in parts.items():
            vectors_of[part] = (entries, vectors[: len(entries)])
            vectors = vectors[len(entries) :]
        store.write(wanted[slug], texts[slug].game, texts[slug].passages, vectors_of)


@contextmanager
def _lock(folder: Path) -> Iterator[None]:
    """One build at a time; a build that dies lets go."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / "build.lock", timeout=LOCK_SECONDS)
        lock.acquire()
    except Timeout as error:
        raise DataFolderError(
            f"Another build has held {folder} for {LOCK_SECONDS // 60} minutes; wait for it, or "
            f"end it and try again."
        ) from error
    except OSError as error:
        raise DataFolderError(
            f"The data folder {folder} can't be written ({error.strerror}); allow writing, or "
            f"set RULESPAL_DATA_DIR to another folder."
        ) from error
    try:
        yield
    finally:
        lock.release()
