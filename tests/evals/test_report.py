import json

import pytest

from evals.metrics import summarise
from evals.report import BEGIN, END, NAMES, ReportError, insert, main, table

FIGURES = dict.fromkeys(summarise([])) | {"items": 7, "right": 0.666, "ms": 1.0}
SUMMARY = {
    "questions": "dev",
    "conditions": {
        name: {"by_game": {"root": FIGURES, "average": FIGURES}, "by_style": {}} for name in NAMES
    },
}


@pytest.fixture
def places(tmp_path):
    readme, summary = tmp_path / "README.md", tmp_path / "summary.json"
    readme.write_text(f"# Top\n\n{BEGIN}\nold\n{END}\n\nBottom\n", "utf-8")
    summary.write_text(json.dumps(SUMMARY), "utf-8")
    return readme, summary


def call(places, *more):
    return main(["--readme", str(places[0]), "--summary", str(places[1]), *more])


def test_writes_between_the_markers_and_nothing_else(places):
    assert call(places) == 0
    text = places[0].read_text("utf-8")
    assert text.startswith(f"# Top\n\n{BEGIN}\nMean over 1 games, 7 questions (set `dev`")
    assert text.endswith(f"\n{END}\n\nBottom\n")
    assert "| **RulesPal** | - | - | - | - | 0.67 |" in text
    assert "old" not in text
    assert call(places) == 0
    assert places[0].read_text("utf-8") == text


def test_check_tells_a_difference_and_writes_nothing(places, capsys):
    before = places[0].read_text("utf-8")
    assert call(places, "--check") == 1
    assert "README.md differs from the results" in capsys.readouterr().err
    assert places[0].read_text("utf-8") == before
    call(places)
    assert call(places, "--check") == 0


def test_time_is_not_shown():
    assert "| ms |" not in table(SUMMARY)


def test_a_readme_without_markers_is_refused(places, capsys):
    places[0].write_text("# Top\n", "utf-8")
    assert call(places) == 2
    assert f"README.md has no {BEGIN} and {END} after it" in capsys.readouterr().err
    with pytest.raises(ReportError, match="has no"):
        insert(f"{END} {BEGIN}", "table")


def test_a_part_of_the_conditions_is_refused():
    part = {**SUMMARY, "conditions": {"rulespal": SUMMARY["conditions"]["rulespal"]}}
    with pytest.raises(ReportError, match="lacks dense, bm25, tutorial; run"):
        table(part)


def test_a_missing_file_is_named(places, capsys):
    places[1].unlink()
    assert call(places) == 2
    assert "summary.json can't be read: No such file" in capsys.readouterr().err
    places[1].write_text("{", "utf-8")
    assert call(places) == 2
