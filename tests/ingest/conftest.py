"""An index of the shipped and the made-up games, built once with the fake embedder."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from ingest.pipeline import ensure_index
from rag.settings import Settings


@dataclass(frozen=True)
class Built:
    folder: Path
    games: list[str]
    """Those that were built."""
    progress: list[tuple[str, int, int]]
    """What was told of it."""


@pytest.fixture(scope="session")
def built(tmp_path_factory, hash_embedder, corpus):
    """That index; for reading only."""
    folder = tmp_path_factory.mktemp("built")
    told = []
    settings = Settings(data_dir=folder, corpus_dir=str(corpus))
    games = ensure_index(settings, lambda *row: told.append(row), embedder=hash_embedder())
    return Built(folder, games, told)


@pytest.fixture
def options(built, corpus, tmp_path):
    """Settings of a copy of that index and of the made-up games, both free to be changed."""
    shutil.copytree(built.folder, tmp_path / "data")
    shutil.copytree(corpus, tmp_path / "games")
    return Settings(data_dir=tmp_path / "data", corpus_dir=str(tmp_path / "games"))
