"""The command line on the made-up games, with the hash embedder in the model's place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from api.cli import app
from api.service import Service
from ingest.pipeline import ensure_index
from rag.embed import Embedder
from rag.engine import Engine
from rag.records import Answer, Question
from rag.settings import Settings
from rag.store import Progress


class MadeService(Service):
    """Opens a made engine, and builds with a made embedder."""

    def __init__(self, engine: Engine, embedder: Embedder) -> None:
        self.engine = engine
        self.embedder = embedder
        self.opened = 0
        self.asked: list[Question] = []

    def open(self, settings: Settings, progress: Progress, game: str | None = None) -> Engine:
        self.opened += 1
        return self.engine

    def build(self, settings: Settings, progress: Progress, *, rebuild: bool) -> list[str]:
        return ensure_index(settings, progress, rebuild=rebuild, embedder=self.embedder)

    def ask(self, question: Question, engine: Engine) -> Answer:
        self.asked.append(question)
        return super().ask(question, engine)


@pytest.fixture
def made_games(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let the made-up games be the shipped ones."""
    monkeypatch.setattr("ingest.manifest.shipped_corpus", lambda: corpus)
    monkeypatch.setenv("COLUMNS", "80")
    return corpus


@pytest.fixture
def service(engine: Engine, hash_embedder: Callable[..., Embedder]) -> MadeService:
    """What the commands call in the place of model and index."""
    return MadeService(engine, hash_embedder())


@pytest.fixture
def rulespal(made_games: Path, service: MadeService) -> Callable[..., Result]:
    """Run a command: `rulespal("ask", "who wins?", input=..., service=...)`."""

    def run(*args: str, input: str | None = None, service: Service = service) -> Result:  # noqa: A002
        return CliRunner().invoke(app, list(args), input=input, obj=service)

    return run


@pytest.fixture(scope="session")
def flat() -> Callable[[str], str]:
    """Text without line breaks and bars, as wrapping may put them anywhere."""

    def flatten(text: str) -> str:
        return " ".join(text.replace("│", " ").split())

    return flatten
