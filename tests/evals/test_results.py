import json
import shutil
import subprocess

import pytest

from evals.conditions import Condition
from evals.judge import score
from evals.plots import draw
from evals.results import Run, _lines, header, revision, write
from evals.run import run
from evals.tables import COLUMNS, plain, rows_of
from ingest.texts import GameTexts
from rag.records import Game

TEXTS = {"g/r.txt": "Nobody rules it."}


def item(game, style, **changes):
    return {
        "id": f"{game}-{style}",
        "game": game,
        "question": "who rules",
        "history": [],
        "style": style,
        "answerable": True,
        "polarity": None,
        "must": [["nobody"]],
        "evidence": ["Nobody rules it."],
        "needs": "single",
        **changes,
    }


def answer(asked, text="Nobody."):
    place = {"file": "g/r.txt", "start": 0, "end": 16}
    return {
        "status": "answered",
        "polarity": None,
        "text": text,
        "citations": [{**place, "quote": "Nobody rules it.", "grade": "rulebook"}],
        "retrieved": [place],
        "confidence": 0.9,
    }


ITEMS = [item("g", "plain"), item("g", "typo"), item("h", "plain", must=[["somebody"]])]


def made(name="rulespal"):
    condition = Condition(name=name, model="m", fingerprint="f", ask=answer)
    rows = tuple(score(one, condition.ask(one), TEXTS) for one in ITEMS)
    return Run(condition=condition, rows=rows, seconds=(0.1, 0.3, 0.2))


def test_games_count_the_same_in_the_average_and_items_in_all():
    assert {game: one["right"] for game, one in made().by_game().items()} == {
        "g": 1.0,
        "h": 0.0,
        "average": 0.5,
    }
    styles = made().by_style()
    assert list(styles) == ["plain", "typo", "all"]
    assert styles["all"]["right"] == pytest.approx(2 / 3)
    assert styles["all"]["ms"] == pytest.approx(200)
    assert made().by_game()["average"]["items"] == 3


def test_run_asks_each_item_in_turns_after_warming_up():
    asked, told = [], []

    def named(name):
        def ask(one):
            asked.append((name, one["id"]))
            return answer(one)

        return Condition(name=name, model="", fingerprint="", ask=ask)

    games = {"g": GameTexts(Game(slug="g", title="G", sources=()), (), ())}
    found = run([named("a"), named("b")], ITEMS[:2], games, told.append)
    assert asked == [(name, id_) for id_ in ("g-plain", "g-plain", "g-typo") for name in "ab"]
    assert [one.condition.name for one in found] == ["a", "b"]
    assert [row.status for row in found[1].rows] == ["answered", "answered"]
    assert len(found[1].seconds) == 2
    assert told == ["\r2 of 2 questions", "\n"]


def test_writes_a_file_a_condition_and_the_summary(tmp_path):
    folder = tmp_path / "results"
    write(folder, header("dev", "s"), [made(), made("bm25")])
    assert sorted(path.name for path in folder.iterdir()) == [
        "bm25.json",
        "rulespal.json",
        "summary.json",
    ]
    whole = json.loads((folder / "rulespal.json").read_text("utf-8"))
    assert {"questions", "revision", "date", "settings", "fingerprint", "model"} < set(whole)
    assert whole["seconds"] == 0.6
    assert whole["items"][2] == {
        "id": "h-plain",
        "rank": 1,
        "right": False,
        "status": "answered",
        "polarity": None,
        "confidence": 0.9,
        "seconds": 0.2,
    }
    summary = json.loads((folder / "summary.json").read_text("utf-8"))
    assert summary["conditions"]["bm25"]["by_game"]["average"]["right"] == 0.5


def test_json_has_a_line_a_value():
    value = {"a": 1, "b": [], "c": [{"x": [1, 2]}, "y, z"], "d": {"e": {"f": {"g": 1}}}}
    text = _lines(value, 3)
    assert json.loads(text) == value
    assert ' "c": [\n  {"x": [1, 2]},\n  "y, z"\n ],\n' in text
    assert '   "f": {"g": 1}\n' in text


def test_draws_small_pictures_that_are_equal_each_time(tmp_path):
    for folder in ("a", "b"):
        draw(tmp_path / folder, [made(), made("other")])
    names = sorted(path.name for path in (tmp_path / "a").iterdir())
    assert names == ["calibration.png", "recall_at_k.png", "risk_coverage.png"]
    for name in names:
        data = (tmp_path / "a" / name).read_bytes()
        assert data == (tmp_path / "b" / name).read_bytes()
        assert len(data) < 80_000


def test_calibration_is_rulespals_only(tmp_path):
    draw(tmp_path, [made("bm25")])
    assert not (tmp_path / "calibration.png").exists()


def test_the_table_has_a_row_a_group_and_condition():
    groups = {"g": {"bm25": made().overall(), "dense": made().overall()}}
    lines = plain(*rows_of(groups, list(COLUMNS))).splitlines()
    assert lines[0].split()[:4] == ["group", "condition", "n", "hit@1"]
    assert lines[1].split()[:4] == ["g", "bm25", "3", "1.00"]
    assert lines[2].split()[:3] == ["dense", "3", "1.00"]


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_revision_tells_changes_beside_the_results(tmp_path):
    def git(*words):
        who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        command = [shutil.which("git"), *who, *words]
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)  # noqa: S603

    assert revision(tmp_path) == "unknown"
    (tmp_path / "evals" / "results").mkdir(parents=True)
    for name in ("code.py", "evals/results/speed.json"):
        (tmp_path / name).write_text("1", "utf-8")
    git("init")
    git("add", ".")
    git("commit", "-m", "first")
    clean = revision(tmp_path)
    assert len(clean) == 12
    (tmp_path / "evals/results/speed.json").write_text("2", "utf-8")
    assert revision(tmp_path) == clean
    (tmp_path / "code.py").write_text("2", "utf-8")
    assert revision(tmp_path) == f"{clean}-dirty"
