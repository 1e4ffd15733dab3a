"""A clean environment for every test, three made-up games, and a small embedder without weights.

Modules below tests/ can't import each other, so what they share is a fixture.
"""

from __future__ import annotations

import json
import logging
import os
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

# No test talks to a network; read when the model libraries are first imported.
os.environ["HF_HUB_OFFLINE"] = "1"

import numpy as np
import pytest
from hypothesis import settings as hypothesis_settings

from ingest.manifest import open_game
from ingest.pipeline import ensure_index, entries_of
from ingest.texts import GameTexts, read_game
from rag.compose import Calibration
from rag.embed import Embedder
from rag.engine import Engine, open_engine
from rag.language import terms
from rag.settings import PREFIX, Settings
from rag.store import open_store

# The same examples in each run; `pytest --hypothesis-profile=default` tries new ones.
hypothesis_settings.register_profile("repeatable", derandomize=True, deadline=None)
hypothesis_settings.load_profile("repeatable")

TIDEWICK = """\
# Tidewick

Two to four wardens keep the harbor lamps burning through the night.

## Setting Up

Shuffle the tide deck and give each warden three tide cards.

Then prepare the harbor:

- Put the ferry on the stone pier.
- Put one dark lamp on every jetty.
- Give each warden five oil jars.

## The Turn

On your turn you take two actions, in any order.

### Lighting a Lamp

Spend one oil jar to light the lamp on the jetty where your warden stands. A lit lamp can't be lit
again in the same round.

Example: Ysolde stands on Gull Jetty and spends a jar, so the lamp there is lit.

### Rowing

Row your warden to a neighboring jetty. You may not row through fog.

## Scoring

| Lamps lit | Points |
|---|---|
| 1 to 3 | 2 |
| 4 to 6 | 5 |
| 7 or more | 9 |

The warden with the most points wins. In a tie, the warden with more oil jars wins.
"""

GRAVELBOUND = """\
Gravelbound Rulebook
Printed for the second edition

Table of Contents

  • Overview
  • Quarry Phase
    • Hauling
  • End of the Game

Overview

Masons dig slabs out of a quarry and haul them home on sledges.

Quarry Phase

Each mason draws four chisels from the toolbox.

You may do one of the following:
  • Break a slab with two chisels.
  • Sharpen a chisel at the grindstone.
  • Rest and take a loaf of bread.

Hauling

A sledge carries at most three slabs. A loaded sledge can't cross the rope bridge.

MasonsSlabs to Finish
1-29
3-47
5-66

End of the Game

The game ends when a mason has finished a tower. The mason with the tallest tower wins.
"""

MOSS_COURT = """\
10 questions players ask about Moss Court

Updated 2031-04-02.

The rulebook answers this in "3.1 Petitions".

A petition is heard when two lanterns hang above the throne.

The designer ruled on this directly on BGG in 2027.

No. A toad may not vote twice in the same council.

The publisher answered this directly in 2029.

Yes. A heron counts as a courtier while the court is flooded.

The designer ruled on this directly on BGG in 2024.

Several experienced players agree; there is no official ruling.

Mushrooms that were traded keep their spores.

A snail that leaves the court returns its crown to the pond.

Best reading of the rules and forum discussion; no official ruling.

Yes. A heron may carry the crown over the pond.

One community answer; no official ruling.

Moss grows back at dawn, before petitions are heard.

Best reading; one player disputes it.

A newt may hide under a lily leaf until the council ends.

The designer ruled on this directly.

No. A heron may not carry the crown over the pond.
"""

MOSS_COURT_HEADINGS = (
    ("Council", "When is a petition heard?", "A petition"),
    ("Council", "Can a toad vote twice in one council?", "No. A toad"),
    ("Courtiers", "Is a heron a courtier when the court is flooded?", "Yes. A heron counts"),
    ("", "", ""),
    ("Pond", "Do traded mushrooms keep their spores?", "Mushrooms"),
    ("Pond", "What happens to the crown when a snail leaves?", "A snail"),
    ("Courtiers", "Can a heron carry the crown over the pond?", "Yes. A heron may"),
    ("Pond", "When does moss grow back?", "Moss grows"),
    ("Courtiers", "How long can a newt hide?", "A newt"),
    ("Courtiers", "May a heron take the crown across the pond?", "No. A heron may not"),
)

GAMES: dict[str, dict[str, str]] = {
    "tidewick": {
        "game.yaml": "title: Tidewick\naliases: [Harbor of Lamps]\nfiles:\n"
        "  - name: rulebook.md\n    title: Tidewick Rules\n    edition: first printing\n",
        "rulebook.md": TIDEWICK,
        "questions.jsonl": "".join(
            json.dumps(row) + "\n"
            for row in (
                {
                    "quote": "Give each warden five oil jars.",
                    "open": ["how much kerosene do we begin with"],
                },
                {
                    "quote": "You may not row through fog.",
                    "yes": ["does drizzle forbid canoes"],
                    "no": ["may we cruise across drizzle"],
                },
            )
        ),
        "gaps.jsonl": "".join(
            json.dumps({"why": why, "look": look, "questions": questions}) + "\n"
            for why, look, questions in (
                (
                    "printed-only",
                    "The brass dial printed on the harbor board shows it.",
                    ["how strong is the gale tonight", "which way does the breeze blow"],
                ),
                ("general", "No rule can tell.", ["is the expansion worth its price"]),
            )
        ),
        "terms.yaml": "terms:\n  jetty: [wharf, mooring]\n  tide deck: [wave stack]\n",
        "notes.yaml": "notes:\n  - id: fog-not-defined\n    kind: gap\n"
        "    says: The text never says where fog lies.\n"
        "    quotes: [You may not row through fog.]\n",
    },
    "gravelbound": {
        "game.yaml": "title: Gravelbound\nfiles: [rulebook.txt]\n",
        "rulebook.txt": GRAVELBOUND,
    },
    "moss-court": {
        "game.yaml": "title: Moss Court\nfiles:\n  - name: faq.txt\n    title: Moss Court FAQ\n"
        "    kind: faq\n    headings: headings.jsonl\n",
        "faq.txt": MOSS_COURT,
        "headings.jsonl": "".join(
            json.dumps({"n": n, "topic": topic, "question": question, "quote": quote}) + "\n"
            for n, (topic, question, quote) in enumerate(MOSS_COURT_HEADINGS, 1)
        ),
        "notes.yaml": "notes:\n  - id: heron-and-crown\n    kind: contradiction\n"
        "    says: One ruling lets a heron carry the crown and one does not.\n    quotes:\n"
        "      - {side: a, quote: Yes. A heron may carry the crown over the pond.}\n"
        "      - {side: b, quote: No. A heron may not carry the crown over the pond.}\n",
    },
}
"""Files of the made-up games, by slug and name."""

CALIBRATION = Calibration(bias=-3.0, weights={"near": 4.0, "shared": 3.0}, threshold=0.35)
"""Not fitted: near words are likely, far ones are not."""


class HashEmbedder:
    """Bags of stems, hashed to a few hundred numbers: texts that share words are near."""

    DIMENSIONS = 512
    WORDS = (
        "about after again all and any are ask before both but can card cards carry count does "
        "each end ends first from game give have how into keep last lose many may more most move "
        "much must next not one only over place play player players put same score spend start "
        "take than that the them then there they turn twice two use what when where which who "
        "will win wins with you your"
    )

    def __init__(self, name: str = "hashed@1") -> None:
        self._name = name
        self.seen = 0
        """Texts that were encoded."""

    @property
    def name(self) -> str:
        return self._name

    def encode(self, texts: object) -> np.ndarray:
        rows = [self._row(text) for text in texts]
        self.seen += len(rows)
        return np.array(rows, dtype=np.float32).reshape(len(rows), self.DIMENSIONS)

    def knows(self, word: str) -> bool:
        return word in self.WORDS.split()

    def _row(self, text: str) -> np.ndarray:
        row = np.zeros(self.DIMENSIONS)
        for word in terms(text) or ["∅"]:
            row[zlib.crc32(word.encode()) % self.DIMENSIONS] += 1
        return row / np.linalg.norm(row)


def _write_game(root: Path, slug: str, files: Mapping[str, str | bytes]) -> Path:
    folder = root / slug
    folder.mkdir(parents=True)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def _build(games: list[GameTexts], settings: Settings, embedder: Embedder) -> Engine:
    store = open_store(settings.data_dir, create=True)
    serving = {}
    for texts in games:
        parts = {
            part: (rows, embedder.encode([row.text for row in rows]))
            for part, rows in entries_of(texts).items()
        }
        serving[texts.game.slug] = texts.game.fingerprint
        store.write(texts.game.fingerprint, texts.game, texts.passages, parts)
    store.publish(serving)
    return Engine(settings, store, embedder, CALIBRATION, serving)


@pytest.fixture(scope="session", autouse=True)
def _no_options() -> Iterator[None]:
    """What is built once for a session is built without the caller's options too."""
    logging.getLogger("bm25s").setLevel(logging.WARNING)  # it logs each index that it builds
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.upper().startswith(PREFIX)]:
            patch.delenv(name)
        yield


@pytest.fixture(autouse=True)
def _clean_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees the caller's options, or writes outside its own folder."""
    for name in [name for name in os.environ if name.upper().startswith(PREFIX)]:
        monkeypatch.delenv(name)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(home / name.lower()))
    monkeypatch.setenv("RULESPAL_DATA_DIR", str(tmp_path / "data"))


@pytest.fixture(scope="session")
def hash_embedder() -> Callable[..., HashEmbedder]:
    """The fake embedder's class: call it for a new one, with a name for a model of that name."""
    return HashEmbedder


@pytest.fixture(scope="session")
def made_up() -> dict[str, dict[str, str]]:
    """Files of the made-up games, by slug and name; for reading only."""
    return GAMES


@pytest.fixture
def write_game(tmp_path: Path) -> Callable[..., Path]:
    """Write a game's folder into tmp_path/games: `write_game(slug, {name: content})`."""

    def write(slug: str, files: Mapping[str, str | bytes], root: Path | None = None) -> Path:
        return _write_game(root or tmp_path / "games", slug, files)

    return write


@pytest.fixture
def read_made(write_game: Callable[..., Path]) -> Callable[..., GameTexts]:
    """Write a game of one text and read it.

    `read_made(text, name="rulebook.txt", more={...}, **keys)`; keys go into the file's entry of
    game.yaml, `more` holds other files.
    """

    def read(
        text: str | bytes,
        name: str = "rulebook.txt",
        *,
        more: Mapping[str, str | bytes] | None = None,
        **keys: object,
    ) -> GameTexts:
        manifest = {"title": "Made", "files": [{"name": name, **keys}]}
        files = {"game.yaml": json.dumps(manifest), name: text, **(more or {})}
        return read_game(open_game(write_game("made", files)))

    return read


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds the made-up games; for reading only."""
    root = tmp_path_factory.mktemp("corpus")
    for slug, files in GAMES.items():
        _write_game(root, slug, files)
    return root


@pytest.fixture
def build_engine(tmp_path: Path) -> Callable[..., Engine]:
    """Build an engine of some folders of games, without the shipped corpus.

    `build_engine(*folders, embedder=..., **options)`; options are those of Settings.
    """

    def build(*folders: Path, embedder: Embedder | None = None, **options: object) -> Engine:
        settings = Settings(**{"data_dir": tmp_path / "data", **options})
        games = [read_game(open_game(folder)) for folder in folders]
        return _build(games, settings, embedder or HashEmbedder())

    return build


@pytest.fixture(scope="session")
def engine(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Engine:
    """An engine of the made-up games alone; shared, so for asking only."""
    settings = Settings(data_dir=tmp_path_factory.mktemp("index"))
    games = [read_game(open_game(corpus / slug)) for slug in GAMES]
    return _build(games, settings, HashEmbedder())


@pytest.fixture(scope="session")
def real_engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    """An engine of the shipped games with the packaged model; only for tests marked `model`."""
    settings = Settings(data_dir=tmp_path_factory.mktemp("real"))
    ensure_index(settings)
    return open_engine(settings)
