"""What is wrong with an installation, and how to mend it."""

from __future__ import annotations

import importlib.util
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rag.errors import RulesPalError
from rag.settings import Settings, load_settings

if TYPE_CHECKING:
    from ingest.texts import GameTexts

_NEEDED = (3, 11)
_LIBRARIES = ("bm25s", "chromadb", "sentence_transformers", "torch")
_FEW = 3
"""Known questions a passage, below which a game's answers are found less well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was looked at."""

    name: str
    ok: bool
    says: str
    """What was found, and where it is wrong also how to mend it."""


def examine() -> list[Check]:
    """Look at everything; loads no model and changes nothing."""
    checks = [_python(), _libraries()]
    try:
        settings = load_settings()
    except RulesPalError as error:
        told = "Not looked at, since the options are wrong."
        rest = [Check(name=name, ok=False, says=told) for name in ("corpus", "model", "index")]
        return [*checks, Check(name="options", ok=False, says=str(error)), *rest]
    checks.append(Check(name="options", ok=True, says=_options(settings)))
    checks.extend(_corpus(settings))
    texts_right = all(check.ok for check in checks)
    for name, look in (
        ("model", _model),
        ("chat model", _chat_model),
        ("data folder", _data_folder),
    ):
        checks.append(_checked(name, look, settings))
    if texts_right:
        checks.append(_checked("index", _index, settings))
    else:
        told = "Not looked at, since something above is wrong."
        checks.append(Check(name="index", ok=False, says=told))
    return checks


def _checked(name: str, look: Callable[[Settings], str], settings: Settings) -> Check:
    try:
        return Check(name=name, ok=True, says=look(settings))
    except RulesPalError as error:
        return Check(name=name, ok=False, says=str(error))


def _python() -> Check:
    has = ".".join(map(str, sys.version_info[:3]))
    ok = sys.version_info[:2] >= _NEEDED
    needed = ".".join(map(str, _NEEDED))
    mend = "" if ok else f"; RulesPal needs {needed} or newer: install it, and RulesPal again"
    return Check(name="python", ok=ok, says=f"{has}{mend}")


def _libraries() -> Check:
    missing = [name for name in _LIBRARIES if importlib.util.find_spec(name) is None]
    if missing:
        told = f"Missing: {', '.join(missing)}; install RulesPal again, as with `pip install .`."
        return Check(name="libraries", ok=False, says=told)
    return Check(name="libraries", ok=True, says=", ".join(_LIBRARIES))


def _options(settings: Settings) -> str:
    given = [f"RULESPAL_{name.upper()}" for name in sorted(settings.model_fields_set)]
    return ", ".join(given) or "all defaults"


def _corpus(settings: Settings) -> Iterator[Check]:
    from ingest.manifest import discover
    from ingest.texts import read_game

    try:
        folders = discover(settings.corpus_dir)
    except RulesPalError as error:
        yield Check(name="corpus", ok=False, says=str(error))
        return
    for slug, folder in folders.items():
        for file in folder.manifest.files:
            name = f"text {slug}/{file.name}"
            try:
                folder.read(file)
            except RulesPalError as error:
                yield Check(name=name, ok=False, says=str(error))
                break
            told = "is the text of game.yaml" if file.sha256 else "readable; game.yaml has no hash"
            yield Check(name=name, ok=True, says=told)
        else:
            try:
                yield Check(name=f"game {slug}", ok=True, says=_game(read_game(folder)))
            except RulesPalError as error:
                yield Check(name=f"game {slug}", ok=False, says=str(error))


def _game(read: GameTexts) -> str:
    passages, known = len(read.passages), len(read.known)
    made = f" ({len(read.generated)} by a chat model)" if read.generated else ""
    told = f"{passages} passages, {known} known questions{made}"
    if known >= _FEW * passages:
        return told
    return (
        f"{told}; so few that its answers are found less well: `rulespal expand "
        f"{read.game.slug}` mends it, given a chat model"
    )


def _chat_model(settings: Settings) -> str:
    from rag.writer import open_chat_model

    if not settings.chat_model:
        return "none; all works without one, but `rulespal expand` needs RULESPAL_CHAT_MODEL"
    return f"{open_chat_model(settings).name} (it was not asked anything)"


def _model(settings: Settings) -> str:
    from rag.embed import model_name

    name = model_name(settings)
    return name if "@" in name else f"{name} (loaded by name; its files were not looked at)"


def _data_folder(settings: Settings) -> str:
    from rag.errors import DataFolderError

    folder = settings.data_dir
    place = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    try:
        with tempfile.TemporaryFile(dir=place):
            pass
    except OSError as error:
        raise DataFolderError(
            f"The data folder {folder} can't be written ({error.strerror}); allow writing, or "
            f"set RULESPAL_DATA_DIR to another folder."
        ) from error
    return f"{folder} can be written" if place == folder else f"{folder} can be made"


def _index(settings: Settings) -> str:
    from ingest.pipeline import stale_games
    from rag.errors import IndexMissingError
    from rag.store import open_store

    stale = stale_games(settings)
    if stale:
        raise IndexMissingError(
            f"The index of {', '.join(stale)} is missing or out of date; run `rulespal ingest` "
            f"(the next question does it by itself)."
        )
    store = open_store(settings.data_dir)
    games = store.current()
    counted = sum(len(store.load(game)[1]) for game in games)
    size = sum(file.stat().st_size for file in _files(settings.data_dir / "chroma"))
    return f"{counted} passages of {len(games)} games, up to date, {size / 1e6:.0f} MB on disk"


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file())
