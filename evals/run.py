"""`python -m evals.run`: all conditions over a question set, side by side.

Progress goes to stderr, the tables to stdout, and the figures and pictures into a folder.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from evals.conditions import Condition, bm25, dense, rulespal, tutorial
from evals.items import ItemError, check_evidence, files, read_games, read_items, read_set
from evals.judge import Item, Scored, score
from evals.metrics import Figures
from evals.plots import draw
from evals.results import RESULTS, Run, header, write
from evals.tables import COLUMNS, plain, rows_of
from ingest.pipeline import ensure_index
from ingest.texts import GameTexts
from rag.embed import load_embedder
from rag.engine import open_engine
from rag.errors import RulesPalError
from rag.settings import Settings, load_settings

CONDITIONS = ("tutorial", "bm25", "dense", "rulespal")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the evaluation; 2 if an option or a file is wrong."""
    options = _parser().parse_args(argv)
    try:
        return _evaluate(options)
    except (ItemError, RulesPalError) as error:
        print(error, file=sys.stderr)
        return 2


def _evaluate(options: argparse.Namespace) -> int:
    settings = load_settings()
    items, questions = _items(options)
    games = read_games({item["game"] for item in items}, settings.corpus_dir)
    check_evidence(items, games)
    _say("Loading the model and making the indexes ...\n")
    runs = run(conditions(options.condition or CONDITIONS, games, settings), items, games, _say)
    for title, groups in (
        ("By game", {one.condition.name: one.by_game() for one in runs}),
        ("By style", {one.condition.name: one.by_style() for one in runs}),
    ):
        print(f"\n{title} ({questions})\n{plain(*rows_of(_turned(groups), list(COLUMNS)))}")
    part = bool(options.game or options.condition or options.questions or options.set != "dev")
    folder = options.out or (None if part else RESULTS)
    if folder is None:
        _say("\nPart of an evaluation: nothing written (--out FOLDER writes it).\n")
        return 0
    write(folder, header(questions, settings.fingerprint()), runs)
    draw(folder, runs)
    _say(f"\nWritten to {folder}\n")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m evals.run", description=__doc__)
    parser.add_argument("--set", default="dev", help="question set (default: dev)")
    parser.add_argument("--questions", type=Path, help="one file of questions instead of a set")
    parser.add_argument("--game", action="append", help="only this game; may be repeated")
    parser.add_argument(
        "--condition", action="append", choices=CONDITIONS, help="only this; may be repeated"
    )
    parser.add_argument(
        "--out",
        type=Path,
        help="folder for figures and pictures (default: evals/results, unless only a part is run)",
    )
    return parser


def _items(options: argparse.Namespace) -> tuple[list[Item], str]:
    items = read_items(options.questions) if options.questions else read_set(options.set)
    if options.game:
        known = {item["game"] for item in items}
        if missing := sorted(set(options.game) - known):
            raise ItemError(
                f"No questions about {', '.join(missing)}; there are some about "
                f"{', '.join(sorted(known))}."
            )
        items = [item for item in items if item["game"] in options.game]
    if not items:
        raise ItemError("No questions to ask.")
    return items, options.questions.name if options.questions else options.set


def conditions(
    names: Sequence[str], games: Mapping[str, GameTexts], settings: Settings
) -> list[Condition]:
    """The conditions of these names, ready to be asked.

    Raises:
        RulesPalError: the model or the index can't be loaded.
    """
    encoder = load_embedder(settings.model_copy(update={"adapter": False}))

    def real() -> Condition:
        ensure_index(settings)
        engine = open_engine(settings)
        return rulespal(engine, engine.embedder.name)

    makers: dict[str, Callable[[], Condition]] = {
        "tutorial": lambda: tutorial(games, encoder),
        "bm25": lambda: bm25(games),
        "dense": lambda: dense(games, encoder),
        "rulespal": real,
    }
    return [makers[name]() for name in names]


def run(
    asked: Sequence[Condition],
    items: Sequence[Item],
    games: Mapping[str, GameTexts],
    say: Callable[[str], None],
) -> list[Run]:
    """Ask all conditions each item in turn, so that their times compare, and judge the answers.

    Args:
        asked: the conditions.
        items: the questions.
        games: the texts of every game that they are about.
        say: told of the progress.
    """
    texts = {slug: files(game) for slug, game in games.items()}
    rows: list[list[Scored]] = [[] for _ in asked]
    seconds: list[list[float]] = [[] for _ in asked]
    for condition in asked:  # what the first question loads is no part of its time
        condition.run(items[:1])
    for number, item in enumerate(items, 1):
        for n, condition in enumerate(asked):
            start = time.perf_counter()
            answer = condition.ask(item)
            seconds[n].append(time.perf_counter() - start)
            rows[n].append(score(item, answer, texts[item["game"]]))
        if number % 10 == 0 or number == len(items):
            say(f"\r{number} of {len(items)} questions")
    say("\n")
    return [
        Run(condition=condition, rows=tuple(rows[n]), seconds=tuple(seconds[n]))
        for n, condition in enumerate(asked)
    ]


def _say(words: str) -> None:
    print(words, end="", file=sys.stderr, flush=True)


def _turned(groups: Mapping[str, dict[str, Figures]]) -> dict[str, dict[str, Figures]]:
    """By group and condition, from by condition and group."""
    names = next(iter(groups.values()))
    return {name: {condition: found[name] for condition, found in groups.items()} for name in names}


if __name__ == "__main__":
    sys.exit(main())
