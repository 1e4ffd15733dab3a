"""`game.yaml` and the sidecars: found, read and checked against the texts."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, TypeAdapter, ValidationError

from ingest.sidecars import (
    GapRow,
    HeadingRow,
    Manifest,
    NoteRow,
    QuestionRow,
    Terms,
    TextFile,
)
from rag.errors import CorpusError, TextChangedError
from rag.records import Source

MANIFEST = "game.yaml"
NOTES = "notes.yaml"
QUESTIONS = "questions.jsonl"
GAPS = "gaps.jsonl"
TERMS = "terms.yaml"
TEXT_SUFFIXES = {".txt", ".md", ".markdown"}
T = TypeVar("T", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class GameFolder:
    """A folder with a `game.yaml`, read and checked."""

    slug: str
    path: Path
    manifest: Manifest

    def read(self, file: TextFile) -> str:
        """The text of a file.

        Raises:
            CorpusError: it is missing, not UTF-8 or not of a known format.
            TextChangedError: it is not the text that game.yaml describes.
        """
        path = self.path / file.name
        if path.suffix.lower() not in TEXT_SUFFIXES:
            raise CorpusError(
                f"{path}: can't read {path.suffix or 'a file without an ending'}; "
                f"give a text or Markdown file such as rulebook.md."
            )
        data = _read_bytes(path)
        digest = hashlib.sha256(data).hexdigest()
        if (file.sha256 and digest != file.sha256) or (
            file.size is not None and len(data) != file.size
        ):
            raise TextChangedError(
                f"{path} changed on disk: {len(data)} bytes with sha256 {digest}, but "
                f"{self.path / MANIFEST} describes another text. Put the old text back, or, if "
                f"the new one is meant, write its size and sha256 into {MANIFEST}."
            )
        return _decoded(data, path)

    def source(self, file: TextFile, text: str) -> Source:
        """The record of a file."""
        return Source(
            file=f"{self.slug}/{file.name}",
            title=file.title
            or f"{self.manifest.title} {'FAQ' if file.kind == 'faq' else 'Rulebook'}",
            kind=file.kind,
            edition=file.edition,
            updated=file.updated,
            sha256=file.sha256 or hashlib.sha256(text.encode()).hexdigest(),
        )

    def notes(self) -> tuple[NoteRow, ...]:
        """The entries of notes.yaml, if there is one."""
        path = self.path / NOTES
        if not path.exists():
            return ()
        rows = _read_yaml(path)
        if not isinstance(rows, dict) or not isinstance(rows.get("notes"), list):
            raise CorpusError(f"{path}: wants `notes:` and a list below it.")
        return tuple(_validate(NoteRow, row, path) for row in rows["notes"])

    def questions(self) -> tuple[QuestionRow, ...]:
        """The questions that players ask of these texts, if there are any."""
        return self._optional(QUESTIONS, QuestionRow)

    def gaps(self) -> tuple[GapRow, ...]:
        """The questions that these texts are known not to answer."""
        return self._optional(GAPS, GapRow)

    def terms(self) -> Terms:
        """What players call things."""
        path = self.path / TERMS
        return _validate(Terms, _read_yaml(path) or {}, path) if path.exists() else Terms()

    def headings(self, file: TextFile) -> tuple[HeadingRow, ...]:
        """The reconstructed headings of a FAQ, if it names a file of them."""
        return tuple(self._rows(file.headings, HeadingRow)) if file.headings else ()

    def _optional(self, name: str, row: type[T]) -> tuple[T, ...]:
        return tuple(self._rows(name, row)) if (self.path / name).exists() else ()

    def _rows(self, name: str, row: type[T]) -> Iterator[T]:
        path = self.path / name
        for number, line in enumerate(_decoded(_read_bytes(path), path).split("\n"), 1):
            if not line.strip():
                continue
            try:
                value = json.loads(line)
            except json.JSONDecodeError as error:
                raise CorpusError(f"{path}, line {number}: not JSON ({error.msg}).") from error
            yield _validate(row, value, path, number)

    def fingerprint(self) -> str:
        """Hash of all files of the folder that ingest reads."""
        digest = hashlib.sha256()
        names = {file.name for file in self.manifest.files} | {
            file.headings for file in self.manifest.files if file.headings
        }
        for name in sorted(names | {MANIFEST, NOTES, QUESTIONS, GAPS, TERMS}):
            path = self.path / name
            if path.exists():
                digest.update(name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
        return digest.hexdigest()[:16]


def shipped_corpus() -> Path:
    """The corpus that comes with RulesPal: beside this package, in a checkout or installed.

    Raises:
        CorpusError: this installation has none.
    """
    spec = importlib.util.find_spec("corpus")
    for place in (spec.submodule_search_locations or []) if spec else []:
        if any(Path(place).glob(f"*/{MANIFEST}")):
            return Path(place)
    beside = Path(__file__).resolve().parent.parent / "corpus"
    if beside.is_dir():
        return beside
    raise CorpusError("The shipped corpus is missing; install RulesPal again with `pip install .`.")


def discover(extra: str = "") -> dict[str, GameFolder]:
    """All games, by slug: the shipped ones, then those of the folders in `extra`.

    Args:
        extra: folders separated as in PATH; a folder may hold games or be one.

    Raises:
        CorpusError: a folder or a game.yaml can't be used, or two games share a slug.
    """
    games: dict[str, GameFolder] = {}
    roots = [shipped_corpus(), *(Path(part) for part in extra.split(os.pathsep) if part)]
    for root in roots:
        if not root.is_dir():
            raise CorpusError(
                f"RULESPAL_CORPUS_DIR names {root}, which is no folder; give one that holds "
                f"folders with a {MANIFEST}, such as {Path.home() / 'my-games'}."
            )
        itself = (root / MANIFEST).exists()
        manifests = [root / MANIFEST] if itself else sorted(root.glob(f"*/{MANIFEST}"))
        if not manifests:
            raise CorpusError(
                f"RULESPAL_CORPUS_DIR names {root}, which holds no game; put a folder with a "
                f"{MANIFEST} into it, such as {root / 'my-game' / MANIFEST}."
            )
        for path in manifests:
            folder = open_game(path.parent)
            if folder.slug in games and games[folder.slug].path != folder.path:
                raise CorpusError(
                    f"Two games are called {folder.slug}: {games[folder.slug].path} and "
                    f"{folder.path}; rename one folder."
                )
            games[folder.slug] = folder
    return games


def open_game(path: Path) -> GameFolder:
    """Read a game's folder.

    Raises:
        CorpusError: its name or its game.yaml can't be used.
    """
    slug = path.resolve().name
    if not all(part.isalnum() and part.isascii() and part.islower() for part in slug.split("-")):
        raise CorpusError(
            f"{path}: a game's folder is named in small letters, digits and hyphens, "
            f"such as winter-rabbit."
        )
    manifest = _validate(Manifest, _read_yaml(path / MANIFEST), path / MANIFEST)
    return GameFolder(slug=slug, path=path, manifest=manifest)


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise CorpusError(
            f"{path} can't be read ({error.strerror}); put the file there or mend {MANIFEST}."
        ) from error


def _decoded(data: bytes, path: Path) -> str:
    """Text as it stands: no newline is translated, for offsets count the file's own characters."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise CorpusError(f"{path} is not UTF-8 (byte {error.start}); save it as UTF-8.") from error


def _read_yaml(path: Path) -> Any:  # noqa: ANN401 - YAML gives whatever it holds
    try:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        return yaml.load(_read_bytes(path), Loader=loader)  # noqa: S506 - both are safe
    except yaml.YAMLError as error:
        raise CorpusError(f"{path} is not YAML: {' '.join(str(error).split())}") from error


def _validate(model: type[T], value: object, path: Path, line: int = 0) -> T:
    try:
        return TypeAdapter(model).validate_python(value)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the whole"
        place = f"{path}, line {line}" if line else str(path)
        raise CorpusError(f"{place}: {where}: {first['msg']} (got {first['input']!r}).") from error
