"""Passages in Chroma, the only import of chromadb.

A game is four collections (passages, sentences, known questions, gaps) named after the fingerprint
of what made them. Which collections serve stands in the metadata of one more collection, and is
replaced in a single write: whatever stops a build before that write, the old index serves on.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import rmtree
from typing import Any, Literal

import chromadb
from chromadb.api import ClientAPI
from chromadb.api.models.Collection import Collection
from chromadb.api.shared_system_client import SharedSystemClient
from chromadb.config import Settings
from chromadb.errors import NotFoundError
from pydantic import TypeAdapter

from rag.embed import Vectors
from rag.errors import IndexMissingError
from rag.faults import mapped
from rag.records import Entry, Game, Near, Passage, Polarity

Part = Literal["passages", "sentences", "questions", "gaps"]
PARTS: tuple[Part, ...] = ("passages", "sentences", "questions", "gaps")
_POLARITY: dict[str, Polarity] = {"yes": "yes", "no": "no"}
_POINTER = "rulespal-current"
_GAME = TypeAdapter(Game)
_PASSAGE = TypeAdapter(Passage)


@dataclass(frozen=True, slots=True)
class _Loaded:
    """What is kept of a game in memory."""

    fingerprint: str
    entries: dict[Part, list[Near]]
    """By number, without a cosine."""


class PassageStore:
    """The index of all games, on disk or anywhere else that Chroma runs."""

    def __init__(self, client: ClientAPI) -> None:
        self._client = client
        self._loaded: dict[str, _Loaded] = {}

    def current(self) -> dict[str, str]:
        """The fingerprint of the index that serves, by game.

        Raises:
            IndexDamagedError: Chroma can't read it.
        """
        with mapped():
            return dict(self._pointer().get("serving", {}))

    def load(self, game: str) -> tuple[Game, list[Passage], list[Near]]:
        """What is known of a game, its passages in reading order, and their known questions.

        Later searches of the game read the same index, whatever a build lets serve by then.

        Raises:
            IndexMissingError: no index of it serves.
            IndexDamagedError: Chroma can't read it.
        """
        with mapped():
            fingerprint = self._serving(game)
            entries = {part: self._entries(game, fingerprint, part) for part in PARTS}
            collection = self._open(game, fingerprint, "passages")
            rows = collection.get(include=["metadatas"])
            self._loaded[game] = _Loaded(fingerprint, entries)
        found = sorted(rows["metadatas"] or [], key=lambda row: int(str(row["order"])))
        info = (collection.metadata or {}).get("game", "{}")
        return (
            _GAME.validate_json(info),
            [_PASSAGE.validate_json(str(row["passage"])) for row in found],
            entries["questions"],
        )

    def nearest(self, game: str, part: Part, vectors: Vectors, k: int) -> list[list[Near]]:
        """The k nearest entries to each vector, best first.

        Args:
            game: slug.
            part: which entries.
            vectors: shape (n, dimensions), length 1.
            k: how many a vector.

        Raises:
            IndexMissingError: no index of the game serves.
            IndexDamagedError: Chroma can't read it.
        """
        if game not in self._loaded:
            self.load(game)
        loaded = self._loaded[game]
        with mapped():
            # only numbers are asked for: what they stand for is in memory, which is much faster
            found = self._open(game, loaded.fingerprint, part).query(
                query_embeddings=vectors, n_results=k, include=["distances"]
            )
        return [
            [
                replace(loaded.entries[part][int(number)], cosine=1.0 - distance)
                for number, distance in zip(numbers, distances, strict=True)
            ]
            for numbers, distances in zip(found["ids"], found["distances"] or [], strict=True)
        ]

    def _entries(self, game: str, fingerprint: str, part: Part) -> list[Near]:
        """What the entries of a part stand for, by number."""
        rows = self._open(game, fingerprint, part).get(
            include=["metadatas", "documents"] if part == "questions" else ["metadatas"]
        )
        about = rows["metadatas"] or []
        texts = rows["documents"] or [""] * len(about)
        found = [
            Near(
                entry=int(number),
                passage_id=str(row["of"]),
                start=int(str(row["start"])),
                end=int(str(row["end"])),
                polarity=_POLARITY.get(str(row["polarity"])),
                text=text,
            )
            for number, row, text in zip(rows["ids"], about, texts, strict=True)
        ]
        return sorted(found, key=lambda row: row.entry)

    def write(
        self,
        fingerprint: str,
        game: Game,
        passages: Sequence[Passage],
        parts: Mapping[Part, tuple[Sequence[Entry], Vectors]],
    ) -> None:
        """Write the collections of a game; they do not serve before `publish`.

        Raises:
            DataFolderError: the folder can't be written.
            IndexDamagedError: Chroma can't write.
        """
        whole = {passage.id: (number, passage) for number, passage in enumerate(passages)}
        with mapped():
            for part in PARTS:
                entries, vectors = parts[part]
                info = {"game": _GAME.dump_json(game).decode()} if part == "passages" else {}
                collection = self._create(_name(game.slug, fingerprint, part), info)
                rows: list[dict[str, Any]] = [
                    {
                        "of": e.passage_id,
                        "start": e.start,
                        "end": e.end,
                        "polarity": e.polarity or "",
                    }
                    for e in entries
                ]
                if part == "passages":
                    for row, entry in zip(rows, entries, strict=True):
                        number, passage = whole[entry.passage_id]
                        row["order"] = number
                        row["passage"] = _PASSAGE.dump_json(passage).decode()
                step = self._client.get_max_batch_size()
                for at in range(0, len(entries), step):
                    collection.add(
                        ids=[str(at + i) for i in range(len(entries[at : at + step]))],
                        embeddings=vectors[at : at + step],
                        documents=[entry.text for entry in entries[at : at + step]],
                        metadatas=rows[at : at + step],  # type: ignore[arg-type] # plain dicts do
                    )

    def publish(self, serving: dict[str, str]) -> None:
        """Let these indexes serve, in one write; drop what neither serves now nor served before.

        Args:
            serving: fingerprint by game.

        Raises:
            DataFolderError: the folder can't be written.
            IndexDamagedError: Chroma can't write.
        """
        with mapped():
            old = self._pointer().get("serving", {})
            pointer = self._client.get_or_create_collection(_POINTER, embedding_function=None)
            pointer.modify(metadata={"pointer": json.dumps({"serving": serving, "before": old})})
            kept = {
                _name(game, fingerprint, part)
                for index in (serving, old)
                for game, fingerprint in index.items()
                for part in PARTS
            }
            for collection in self._client.list_collections():
                if collection.name not in kept | {_POINTER}:
                    self._client.delete_collection(collection.name)

    def _pointer(self) -> dict[str, Any]:
        try:
            collection = self._client.get_collection(_POINTER, embedding_function=None)
        except NotFoundError:
            return {}
        return dict(json.loads(str((collection.metadata or {}).get("pointer", "{}"))))

    def _serving(self, game: str) -> str:
        fingerprint = self._pointer().get("serving", {}).get(game)
        if fingerprint is None:
            raise IndexMissingError(f"There is no index of {game}; run `rulespal ingest`.")
        return str(fingerprint)

    def _open(self, game: str, fingerprint: str, part: Part) -> Collection:
        return self._client.get_collection(_name(game, fingerprint, part), embedding_function=None)

    def _create(self, name: str, info: dict[str, str]) -> Collection:
        with suppress(NotFoundError):  # what an interrupted build left
            self._client.delete_collection(name)
        return self._client.create_collection(
            name,
            embedding_function=None,
            configuration={"hnsw": {"space": "cosine", "ef_search": 200}},
            metadata=info or None,
        )


def open_store(folder: Path, *, create: bool = False) -> PassageStore:
    """Open the index below a folder.

    Args:
        folder: the data folder.
        create: whether to make it where there is none.

    Raises:
        IndexMissingError: there is none and `create` is false.
        DataFolderError: the folder can't be written.
        IndexDamagedError: Chroma can't read it.
    """
    place = folder / "chroma"
    if not create and not (place / "chroma.sqlite3").exists():
        raise IndexMissingError(f"There is no index in {folder}; run `rulespal ingest`.")
    with mapped(folder):
        place.mkdir(parents=True, exist_ok=True)
        client = chromadb.PersistentClient(
            str(place), settings=Settings(anonymized_telemetry=False)
        )
        return PassageStore(client)


def discard_store(folder: Path) -> None:
    """Throw the index below a folder away, readable or not."""
    # else Chroma hands out the client that this process opened on the old files
    SharedSystemClient.clear_system_cache()
    rmtree(folder / "chroma", ignore_errors=True)


def replace_store(folder: Path, made: Path) -> None:
    """Let the index below `made` be the one below `folder`; `made` goes, and the old index with it.

    Raises:
        DataFolderError: the folder can't be written.
    """
    SharedSystemClient.clear_system_cache()
    with mapped(folder):
        if (folder / "chroma").exists():
            (folder / "chroma").rename(made / "old")
        (made / "chroma").rename(folder / "chroma")
    rmtree(made, ignore_errors=True)


def _name(game: str, fingerprint: str, part: Part) -> str:
    return f"{game}.{fingerprint}.{part}"


Progress = Callable[[str, int, int], None]
"""What is done (a game), how much of it, of how much."""
