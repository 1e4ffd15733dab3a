"""`python -m evals.ablation`: RulesPal without one of its parts at a time, all in one run.

The confidence stays as it was fitted for the whole; only the part is left out. Writes
results/ablation.json and the table in README.md of this folder (`--check` only compares them).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evals.conditions import Condition, rulespal
from evals.items import read_games, read_set
from evals.report import ReportError, insert
from evals.results import RESULTS, Run
from evals.run import run
from evals.tables import COLUMNS, markdown, number
from ingest.pipeline import ensure_index
from rag.embed import Vectors, load_embedder
from rag.engine import Engine, GameIndex, open_engine, vocabulary
from rag.errors import RulesPalError
from rag.lexical import Lexical, Words, words_of
from rag.records import Near
from rag.settings import Settings, load_settings
from rag.store import Part

BEGIN, END = "<!-- ablation:begin -->", "<!-- ablation:end -->"
README = Path(__file__).parent / "README.md"
PLACE = RESULTS / "ablation.json"
SHOWN = ("hit@1", "hit@5", "right", "abstained", "crag", "ms")
WHOLE = "whole"


class _Silent(Lexical):
    """BM25 that finds nothing, but knows how rare words are."""

    def __init__(self, heard: Lexical) -> None:
        self.__dict__.update(heard.__dict__)

    def scores(self, text: str) -> NDArray[np.float32]:
        return np.zeros_like(super().scores(text))


def _without_parts(*parts: Part) -> Callable[[GameIndex], GameIndex]:
    def leave_out(index: GameIndex) -> GameIndex:
        def search(part: Part, vectors: Vectors, k: int) -> list[list[Near]]:
            return [[] for _ in vectors] if part in parts else index.search(part, vectors, k)

        return replace(index, search=search)

    return leave_out


def _without_questions(index: GameIndex) -> GameIndex:
    return replace(
        _without_parts("questions")(index),
        words=words_of(index.passages, ()),
        vocabulary=vocabulary(index.game, index.passages, ()),
    )


def _without_bm25(index: GameIndex) -> GameIndex:
    words = index.words
    silent = Words(passages=_Silent(words.passages), questions=_Silent(words.questions))
    return replace(index, words=silent)


def _without_terms(index: GameIndex) -> GameIndex:
    return replace(index, game=replace(index.game, terms=()))


PARTS: dict[str, Callable[[GameIndex], GameIndex]] = {
    WHOLE: lambda index: index,
    "without known questions": _without_questions,
    "without known gaps": _without_parts("gaps"),
    "without BM25": _without_bm25,
    "without vectors of passages": _without_parts("passages"),
    "without vectors of sentences": _without_parts("sentences"),
    "without nicknames": _without_terms,
}
"""What is left out of an opened game."""
ADAPTER = "without the adapter"


def main(argv: Sequence[str] | None = None) -> int:
    """Run or check; 1 if README.md differs, 2 if something can't be read."""
    parser = argparse.ArgumentParser(prog="python -m evals.ablation", description=__doc__)
    parser.add_argument("--check", action="store_true", help="only tell whether README.md is true")
    options = parser.parse_args(argv)
    try:
        if not options.check:
            PLACE.write_text(json.dumps(measure(load_settings()), indent=1) + "\n", "utf-8")
        readme = README.read_text("utf-8")
        wanted = insert(readme, table(json.loads(PLACE.read_text("utf-8"))), (BEGIN, END))
    except (OSError, ReportError, RulesPalError) as error:
        print(error, file=sys.stderr)
        return 2
    if options.check:
        return int(wanted != readme)
    README.write_text(wanted, "utf-8")
    print(wanted.partition(BEGIN)[2].partition(END)[0])
    return 0


def measure(settings: Settings) -> dict[str, Any]:
    """Figures by condition and game.

    Raises:
        RulesPalError: an index can't be built.
    """
    items = read_set("dev")
    games = read_games({item["game"] for item in items}, settings.corpus_dir)
    plain = settings.model_copy(
        update={"adapter": False, "data_dir": settings.data_dir / "without-adapter"}
    )
    found: dict[str, Any] = {}
    for one, names in ((settings, tuple(PARTS)), (plain, (ADAPTER,))):
        _say(f"Index for {', '.join(names)} ...\n")
        asked = [_condition(name, _engine(one)) for name in names]
        for done in run(asked, items, games, _say):
            found[done.condition.name] = _figures(done)
    return found


def _engine(settings: Settings) -> Engine:
    ensure_index(settings, embedder=load_embedder(settings))
    return open_engine(settings)


def _condition(name: str, engine: Engine) -> Condition:
    for slug in engine.games:
        engine.put(slug, PARTS.get(name, PARTS[WHOLE])(engine.game(slug)))
    return replace(rulespal(engine, engine.embedder.name), name=name)


def _figures(done: Run) -> dict[str, dict[str, float | None]]:
    return {
        game: {name: figures[name] for name in SHOWN} for game, figures in done.by_game().items()
    }


def table(found: Mapping[str, Any]) -> str:
    """The text between the markers: means over the games, and hit@1 / right of each game."""
    games = [game for game in found[WHOLE] if game != "average"]
    heading = [
        "",
        *(COLUMNS[name] for name in SHOWN),
        *(f"{game}: hit@1 / right" for game in games),
    ]
    rows = [
        [
            name,
            *(number(figure, by_game["average"][figure]) for figure in SHOWN),
            *(
                f"{number('', by_game[game]['hit@1'])} / {number('', by_game[game]['right'])}"
                for game in games
            ),
        ]
        for name, by_game in found.items()
    ]
    return markdown(heading, rows)


def _say(words: str) -> None:
    print(words, end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
