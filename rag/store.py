"""Passages in Chroma, the only import of chromadb.

A game is three collections (passages, sentences, questions) named after the fingerprint of what
made them. Which collections serve stands in the metadata of one more collection, and is replaced
in a single write: whatever stops a build before that write, the old index serves on.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from typing import Any, Literal

import chromadb
from chromadb.api import ClientAPI
from chromadb.api.models.Collection import Collection
from chromadb.api.shared_system_client import SharedSystemClient
from chromadb.config import Settings
from chromadb.errors import ChromaError, NotFoundError
from pydantic import TypeAdapter

from rag.embed import Vectors
from rag.errors import DataFolderError, IndexDamagedError, IndexMissingError, RulesPalError
from rag.records import Game, Passage

Part = Literal["passages", "sentences", "questions"]
PARTS: tuple[Part, ...] = ("passages", "sentences", "questions")
_POINTER = "rulespal-current"
_GAME = TypeAdapter(Game)
_PASSAGE = TypeAdapter(Passage)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A vector of the index, and the words of a passage that it stands for."""

    passage_id: str
    start: int
    end: int
    text: str
    """What was embedded."""


@dataclass(frozen=True, slots=True)
class Near:
    """An entry that a search brought."""

    passage_id: str
    start: int
    end: int
    cosine: float


class PassageStore:
    """The index of all games, on disk or anywhere else that Chroma runs."""

    def __init__(self, client: ClientAPI) -> None:
        self._client = client
        self._loaded: dict[str, str] = {}

    def current(self) -> dict[str, str]:
        """The fingerprint of the index that serves, by game.

        Raises:
            IndexDamagedError: Chroma can't read it.
        """
        with _mapped():
            return dict(self._pointer().get("serving", {}))

    def load(self, game: str) -> tuple[Game, list[Passage]]:
        """What is known of a game, and its passages in reading order.

        Later searches of the game read the same index, whatever a build lets serve by then.

        Raises:
            IndexMissingError: no index of it serves.
            IndexDamagedError: Chroma can't read it.
        """
        with _mapped():
            self._loaded[game] = self._serving(game)
            collection = self._open(game, "passages")
            rows = collection.get(include=["metadatas"])
            found = sorted(rows["metadatas"] or [], key=lambda row: int(str(row["order"])))
            info = (collection.metadata or {}).get("game", "{}")
            return _GAME.validate_json(info), [
                _PASSAGE.validate_json(str(row["passage"])) for row in found
            ]

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
        with _mapped():
            collection = self._open(game, part)
            found = collection.query(
                query_embeddings=vectors, n_results=k, include=["metadatas", "distances"]
            )
        return [
            [
                Near(str(r["of"]), int(str(r["start"])), int(str(r["end"])), 1.0 - distance)
                for r, distance in zip(rows, distances, strict=True)
            ]
            for rows, distances in zip(
                found["metadatas"] or [], found["distances"] or [], strict=True
            )
        ]

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
        with _mapped():
            for part in PARTS:
                entries, vectors = parts[part]
                collection = self._create(_name(game.slug, fingerprint, part), game)
                rows: list[dict[str, Any]] = [
                    {"of": e.passage_id, "start": e.start, "end": e.end} for e in entries
                ]
                if part == "passages":
                    for row, entry in zip(rows, entries, strict=True):
                        number, passage = whole[entry.passage_id]
                        row["order"] = number
                        row["passage"] = _PASSAGE.dump_json(passage).decode()
                step = self._client.get_max_batch_size()
                for at in range(0, len(entries), step):
                    collection.add(
                        ids=[f"{at + i}" for i in range(len(entries[at : at + step]))],
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
        with _mapped():
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

    def _open(self, game: str, part: Part) -> Collection:
        fingerprint = self._loaded.get(game) or self._serving(game)
        return self._client.get_collection(_name(game, fingerprint, part), embedding_function=None)

    def _create(self, name: str, game: Game) -> Collection:
        with suppress(NotFoundError):  # what an interrupted build left
            self._client.delete_collection(name)
        return self._client.create_collection(
            name,
            embedding_function=None,
            configuration={"hnsw": {"space": "cosine", "ef_search": 200}},
            metadata={"game": _GAME.dump_json(game).decode()},
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
    with _mapped(folder):
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
    with _mapped(folder):
        if (folder / "chroma").exists():
            (folder / "chroma").rename(made / "old")
        (made / "chroma").rename(folder / "chroma")
    rmtree(made, ignore_errors=True)


def _name(game: str, fingerprint: str, part: Part) -> str:
    return f"{game}.{fingerprint}.{part}"


@contextmanager
def _mapped(folder: Path | None = None) -> Iterator[None]:
    """Turn what Chroma and the system raise into errors with a way out."""
    place = f" in {folder}" if folder else ""
    try:
        yield
    except RulesPalError:
        raise
    except BaseException as error:
        told = " ".join(str(error).split())[:160]
        if _is_write_fault(error, told):
            raise DataFolderError(
                f"The data folder{place} can't be written ({told}); free some space or allow "
                f"writing, or set RULESPAL_DATA_DIR to another folder."
            ) from error
        if isinstance(error, ChromaError | sqlite3.Error | ValueError | OSError) or (
            type(error).__name__ == "PanicException"  # what Chroma's Rust part raises
        ):
            raise IndexDamagedError(
                f"The index{place} can't be read ({told}); run `rulespal ingest --rebuild` to "
                f"make it anew."
            ) from error
        raise


_WRITE_FAULTS = ("readonly", "read-only", "disk is full", "no space left", "permission denied")


def _is_write_fault(error: BaseException, told: str) -> bool:
    return isinstance(error, PermissionError | NotADirectoryError | FileExistsError) or (
        not isinstance(error, KeyboardInterrupt | SystemExit)
        and any(sign in told.lower() for sign in _WRITE_FAULTS)
    )


Progress = Callable[[str, int, int], None]
"""What is done (a game), how much of it, of how much."""
