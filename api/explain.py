"""How an answer was found: the question as understood, the ranking, what makes it sure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from api.terminal import say
from rag.records import SIGNALS, Answer, Hit, Question

if TYPE_CHECKING:
    from rich.console import Console

    from rag.engine import Engine


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """How an answer was found."""

    mended: str
    """The question with typing faults mended."""
    hits: tuple[Hit, ...]
    features: dict[str, float]
    """What the confidence is made of."""
    weights: dict[str, float]
    """What each of them adds, times its value; `bias` is added as it is."""
    threshold: float
    """Confidence that an answer needs."""


def explain(question: Question, answer: Answer, engine: Engine) -> Explanation | None:
    """Search again, and keep what the answer does not tell; None where nothing was searched."""
    from rag.answer import find
    from rag.compose import features

    if answer.game is None or not answer.retrieved:
        return None
    index = engine.game(answer.game)
    mended, found = find(question, index, engine)
    calibration = engine.calibration
    return Explanation(
        mended=mended,
        hits=found.hits,
        features=features(mended, found, index.words.passages),
        weights={"bias": calibration.bias, **calibration.weights},
        threshold=calibration.threshold,
    )


def as_data(found: Explanation) -> dict[str, Any]:
    """An explanation as JSON holds it."""
    return {
        "understood_as": found.mended,
        "ranking": [
            {
                "passage_id": hit.passage.id,
                "score": round(hit.score, 4),
                **{name: round(getattr(hit, name), 4) for name in SIGNALS},
            }
            for hit in found.hits
        ],
        "features": {name: round(value, 4) for name, value in found.features.items()},
        "weights": found.weights,
        "threshold": found.threshold,
    }


def show_explanation(console: Console, question: str, found: Explanation) -> None:
    """An explanation for people."""
    console.print()
    say(console, "How it was found", "bold")
    if found.mended != question:
        say(console, f"Understood as: {found.mended}")
    for number, hit in enumerate(found.hits, 1):
        say(console, f"{number}. {hit.passage.id}  score {hit.score:.2f}")
        told = "  ".join(f"{name} {getattr(hit, name):.2f}" for name in SIGNALS)
        say(console, told, "dim", before="   ")
    say(console, "What the confidence is made of (value x weight)", "bold")
    for name, value in found.features.items():
        if name in found.weights:
            say(console, f"{name} {value:.2f} x {found.weights[name]:+.2f}", "dim", before="   ")
    needed = f"an answer needs {found.threshold:.0%}"
    say(console, f"bias {found.weights['bias']:+.2f}; {needed}", "dim", before="   ")
