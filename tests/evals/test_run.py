import json

import pytest

from evals.items import ItemError
from evals.run import _items, _parser, main


def chosen(*words):
    return _items(_parser().parse_args(words))


def test_the_dev_set_is_taken_unless_told_otherwise():
    items, name = chosen()
    assert name == "dev"
    assert {item["game"] for item in items} == {"eauchemin", "root", "springsign", "winter-rabbit"}


def test_games_can_be_picked():
    items, _ = chosen("--game", "root", "--game", "springsign")
    assert {item["game"] for item in items} == {"root", "springsign"}
    with pytest.raises(ItemError, match="No questions about chess; there are some about eauch"):
        chosen("--game", "chess")


def test_a_file_can_be_given_instead(tmp_path):
    path = tmp_path / "mine.jsonl"
    path.write_text(json.dumps(chosen()[0][0]) + "\n", "utf-8")
    items, name = chosen("--questions", str(path))
    assert (len(items), name) == (1, "mine.jsonl")
    path.write_text("", "utf-8")
    with pytest.raises(ItemError, match="No questions to ask"):
        chosen("--questions", str(path))


def test_what_is_wrong_is_told_in_a_line(capsys):
    assert main(["--set", "none"]) == 2
    assert capsys.readouterr().err == "No question set none; there is dev.\n"


@pytest.mark.model
def test_the_whole_run(tmp_path, monkeypatch, capsys, real_engine):
    monkeypatch.setenv("RULESPAL_DATA_DIR", str(real_engine.settings.data_dir))
    questions = tmp_path / "few.jsonl"
    items = [item for item in chosen("--game", "springsign")[0] if item["style"] != "typo"][:6]
    questions.write_text("\n".join(map(json.dumps, items)), "utf-8")
    out = tmp_path / "out"
    assert main(["--questions", str(questions), "--out", str(out)]) == 0
    summary = json.loads((out / "summary.json").read_text("utf-8"))
    assert list(summary["conditions"]) == ["tutorial", "bm25", "dense", "rulespal"]
    for found in summary["conditions"].values():
        assert found["by_game"]["springsign"]["verbatim"] == 1
    assert (out / "calibration.png").exists()
    assert "By game (few.jsonl)" in capsys.readouterr().out
