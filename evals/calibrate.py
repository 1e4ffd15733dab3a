"""`python -m evals.calibrate`: fit the confidence on the dev sets and write rag/calibration.json.

Logistic regression of `right` on the features of `rag.compose`. The threshold is the confidence
with the best CRAG score on predictions of models that never saw the item (ten folds), the scores
averaged over neighbouring thresholds so that no single item decides.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from evals.items import QUESTIONS, files, read_games, read_set
from evals.judge import Item, Scored, score
from evals.metrics import crag
from ingest.pipeline import ensure_index
from rag.answer import answer, find
from rag.compose import Calibration, features
from rag.engine import Engine, open_engine
from rag.records import Answer, Question
from rag.settings import load_settings

PLACE = Path(__file__).resolve().parent.parent / "rag" / "calibration.json"
FOLDS = 10
AROUND = 5
"""Thresholds to each side, in hundredths, over which a score is averaged."""
_ANSWER = TypeAdapter(Answer)
Floats = NDArray[np.float64]


def main() -> int:
    """Fit, print what was fitted, and write it."""
    settings = load_settings().model_copy(update={"min_confidence": 0.0})
    ensure_index(settings)
    engine = open_engine(settings)
    engine.calibration = Calibration(bias=0.0, weights={}, threshold=0.0)
    items = read_set("dev")
    games = read_games({item["game"] for item in items}, settings.corpus_dir)
    texts = {slug: files(game) for slug, game in games.items()}
    judged, rows = [], []
    for number, item in enumerate(items, 1):
        scored, values = _judge(item, engine, texts)
        judged.append(scored)
        rows.append(values)
        print(f"\r{number}/{len(items)}", end="", file=sys.stderr)
    fitted = fit(rows, judged) | {"data": data_hash(engine)}
    PLACE.write_text(json.dumps(fitted, indent=2) + "\n", "utf-8")
    print(f"\nWritten to {PLACE}:\n{PLACE.read_text('utf-8')}")
    return 0


def data_hash(engine: Engine) -> str:
    """Hash of the question sets and of the index that the confidence was fitted on."""
    digest = hashlib.sha256(repr(sorted(engine.serving.items())).encode())
    for path in sorted(QUESTIONS.glob("*.dev.jsonl")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def fit(rows: Sequence[dict[str, float]], judged: Sequence[Scored]) -> dict[str, object]:
    """Coefficients and threshold.

    Args:
        rows: features, one row an item.
        judged: the items, judged as if all were answered.
    """
    names = list(rows[0])
    table = np.array([[row[name] for name in names] for row in rows])
    right = np.array([one.answerable and one.right for one in judged]).astype(int)
    model = LogisticRegression(C=1.0, max_iter=1000)
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    unseen = cross_val_predict(model, table, right, cv=folds, method="predict_proba")[:, 1]
    model.fit(table, right)
    return {
        "bias": round(float(model.intercept_[0]), 4),
        "weights": {
            name: round(float(weight), 4)
            for name, weight in zip(names, model.coef_[0], strict=True)
        },
        "threshold": best_threshold(unseen, judged),
    }


def best_threshold(confidence: Floats, judged: Sequence[Scored]) -> float:
    """The confidence, in hundredths, around which the CRAG score is best."""
    steps = [step / 100 for step in range(5, 96)]
    gain = np.array([crag(one) for one in judged])
    silent = np.array([0.0 if one.answerable else 1.0 for one in judged])
    scores = [np.where(confidence >= step, gain, silent) for step in steps]
    for step, value in list(zip(steps, scores, strict=True))[::10]:
        answered = float((confidence >= step).mean())
        print(f"threshold {step:.2f}: CRAG {value.mean():+.3f}, answered {answered:.2f}")
    means = np.array([values.mean() for values in scores])
    window = np.ones(2 * AROUND + 1)
    smooth = np.convolve(means, window, "same") / np.convolve(np.ones_like(means), window, "same")
    return steps[int(smooth.argmax())]


def _judge(
    item: Item, engine: Engine, texts: dict[str, dict[str, str]]
) -> tuple[Scored, dict[str, float]]:
    question = Question(
        text=item["question"], game=item["game"], history=tuple(item.get("history", ()))
    )
    index = engine.game(item["game"])
    mended, found = find(question, index, engine)
    given = _ANSWER.dump_python(answer(question, engine), mode="json")
    return score(item, given, texts[item["game"]]), features(mended, found, index.words.passages)


if __name__ == "__main__":
    sys.exit(main())
