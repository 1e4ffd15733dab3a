import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("chromadb", "sentence_transformers", "torch", "transformers", "bm25s")


def test_games_lists_texts_passages_and_rulings(rulespal):
    result = rulespal("games")
    assert result.exit_code == 0
    assert "moss-court  Moss Court" in result.stdout
    assert "9 passages, 9 rulings" in result.stdout
    assert "Tidewick Rules (rulebook, edition first printing)" in result.stdout


def test_games_as_json(rulespal):
    games = {game["slug"]: game for game in json.loads(rulespal("games", "--json").stdout)}
    assert games["tidewick"]["title"] == "Tidewick"
    assert games["tidewick"]["aliases"] == ["Harbor of Lamps"]
    assert games["tidewick"]["rulings"] == 0
    [text] = games["moss-court"]["texts"]
    assert text["file"] == "moss-court/faq.txt"
    assert text["kind"] == "faq"
    assert text["passages"] == games["moss-court"]["passages"] == 9


def test_rulings_are_listed_in_page_order_with_marked_headings(rulespal):
    result = rulespal("rulings", "--game", "moss-court")
    assert result.exit_code == 0
    assert "2. Can a toad vote twice in one council? (reconstructed)" in result.stdout
    assert "Designer ruling, 2027 · official · Council" in result.stdout
    assert "No grade given · not official" in result.stdout
    assert "The answer is lost: only its grade is left on the page." in result.stdout
    assert result.stdout.rstrip().endswith("10 of 10 rulings")


def test_rulings_as_json(rulespal, made_up):
    rows = json.loads(rulespal("rulings", "--json").stdout)
    assert [row["n"] for row in rows] == list(range(1, 11))
    assert set(rows[0]) == {
        "n", "question", "reconstructed", "topic", "answer", "grade", "grade_text", "year",
        "section", "start", "end", "passage_id",
    }  # fmt: skip
    text = made_up["moss-court"]["faq.txt"]
    assert all(text[r["start"] : r["end"]] == r["answer"] for r in rows if r["answer"])
    assert all(row["reconstructed"] is True for row in rows)
    assert rows[0]["section"] == "3.1 Petitions"
    lost = rows[3]
    assert (lost["answer"], lost["passage_id"], lost["grade"], lost["year"]) == (
        None, None, "designer", 2024,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("options", "numbers"),
    [
        (["--grade", "designer"], [2, 4, 10]),
        (["--grade", "DESIGNER", "--grade", "publisher"], [2, 3, 4, 10]),
        (["--year", "2027"], [2]),
        (["--topic", "pond"], [5, 6, 8]),
        (["--find", "crown HERON"], [7, 10]),
        (["--find", "crown", "--grade", "none"], [6]),
    ],
)
def test_rulings_are_filtered(rulespal, options, numbers):
    rows = json.loads(rulespal("rulings", "-g", "Moss Court", *options, "--json").stdout)
    assert [row["n"] for row in rows] == numbers


def test_no_ruling_that_fits_is_told(rulespal):
    result = rulespal("rulings", "--topic", "volcano", "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout) == []
    assert "None of the 10 rulings of moss-court fits. Topics: Council, Court" in result.stderr


def test_a_game_without_rulings_is_told(rulespal):
    result = rulespal("rulings", "-g", "tidewick")
    assert result.exit_code == 1
    assert result.stderr == "tidewick has no FAQ of rulings.\n"


def test_several_games_with_rulings_need_a_name(rulespal, made_up, write_game, monkeypatch):
    folder = write_game("fen-court", made_up["moss-court"])
    monkeypatch.setenv("RULESPAL_CORPUS_DIR", str(folder.parent))
    result = rulespal("rulings")
    assert result.exit_code == 2
    assert (
        "Name a game, such as --game moss-court; with rulings there are: moss-court, fen-court"
        in (result.stderr)
    )


def test_an_unknown_game_offers_the_nearest(rulespal):
    result = rulespal("rulings", "-g", "mos-cort")
    assert result.exit_code == 2
    assert result.stderr == (
        "Error: There is no game called mos-cort. Did you mean moss-court? "
        "Known: gravelbound, moss-court, tidewick.\n"
    )


def test_a_passage_is_shown_between_its_neighbours(rulespal):
    result = rulespal("show", "moss-court/faq#226-276")
    assert result.exit_code == 0
    places = [
        result.stdout.index(f"moss-court/faq#{at}") for at in ("111-171", "226-276", "325-386")
    ]
    assert places == sorted(places)
    assert "│ No. A toad may not vote twice in the same council." in result.stdout
    assert "Can a toad vote twice in one council? (reconstructed)" in result.stdout
    assert "The designer ruled on this directly on BGG in 2027." in result.stdout


def test_a_passage_as_json(rulespal):
    place = json.loads(rulespal("show", "tidewick/rulebook#594-662", "--json").stdout)
    assert place["passage"]["text"].startswith("Row your warden")
    assert place["passage"]["section"] == ["Tidewick", "The Turn", "Rowing"]
    assert len(place["before"]) == len(place["after"]) == 1
    assert place["notes"] == ["The text never says where fog lies."]


def test_how_much_around_is_shown(rulespal):
    bare = json.loads(rulespal("show", "moss-court/faq#226-276", "--around", "0", "--json").stdout)
    assert bare["before"] == bare["after"] == []
    wide = json.loads(rulespal("show", "moss-court/faq#226-276", "--around", "9", "--json").stdout)
    assert (len(wide["before"]), len(wide["after"])) == (1, 7)


def test_a_table_is_shown_with_its_reading(rulespal):
    result = rulespal("show", "tidewick/rulebook#676-756")
    assert "│ | 4 to 6 | 5 |" in result.stdout
    assert "The table in words:\n  Lamps lit 1 to 3: Points 2\n" in result.stdout


def test_an_example_names_its_rule(rulespal):
    [found] = [
        passage
        for passage in json.loads(
            rulespal("show", "tidewick/rulebook#594-662", "--around", "9", "--json").stdout
        )["before"]
        if passage["kind"] == "example"
    ]
    assert f"Belongs to {found['of']}" in rulespal("show", found["id"]).stdout


def test_words_moved_to_the_end_are_shown_in_their_section(rulespal, write_game, monkeypatch):
    text = (
        "# Kiln\n\n## Setup\n\nLight the kiln with a spark.\n\n"
        "## Play\n\nShape a bowl each turn.\n\n"
        "## Library\n\nThe book of glazes is blue.\n\nPut two logs beside the kiln.\n"
    )
    moved = "Put two logs beside the kiln."
    manifest = {
        "title": "Kiln",
        "files": [{
            "name": "rules.md",
            "displaced": [
                {"quote": moved, "section": "Setup", "after": "Light the kiln with a spark."}
            ],
        }],
    }  # fmt: skip
    folder = write_game("kiln", {"game.yaml": json.dumps(manifest), "rules.md": text})
    monkeypatch.setenv("RULESPAL_CORPUS_DIR", str(folder.parent))
    start = text.index("Shape")
    place = json.loads(rulespal("show", f"kiln/rules#{start}-{start + 23}", "--json").stdout)
    assert moved in place["before"][0]["text"]
    assert place["before"][0]["start"] > place["passage"]["start"]


@pytest.mark.parametrize(
    ("passage_id", "told"),
    [
        ("moss-court/faq#230-250", "nearest one of that text is moss-court/faq#226-276: try `rul"),
        ("moss-court/faq#99999-99999", "nearest one of that text is moss-court/faq#966-1016:"),
        ("moss-court/faq#0-5", "nearest one of that text is moss-court/faq#111-171:"),
        (
            "moss-court/rules#1-2",
            "There is no text moss-court/rules; Moss Court has moss-court/faq.",
        ),
        ("moss/faq#1-2", "There is no game called moss. Did you mean moss-court?"),
        ("that one", "'that one' is no passage id. An id looks like root/faq#15021-15230;"),
        ("", "'' is no passage id."),
    ],
)
def test_an_unknown_passage_is_told_with_a_way_out(rulespal, passage_id, told):
    result = rulespal("show", passage_id)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert told in result.stderr
    assert result.stderr.count("\n") == 1


def test_the_place_that_ask_shows_is_an_id_too(rulespal):
    shown = rulespal("show", "moss-court/faq.txt#226-276")
    assert shown.stdout == rulespal("show", "moss-court/faq#226-276").stdout


@pytest.mark.parametrize(
    "words", [["games"], ["rulings", "-g", "root"], ["show", "root/faq#15021-15230"], ["--help"]]
)
def test_looking_up_loads_nothing_heavy(words):
    code = (
        "import sys\n"
        "from api.cli import app\n"
        "try:\n"
        f"    app({words!r})\n"
        "except SystemExit as end:\n"
        f"    loaded = [name for name in {HEAVY!r} if name in sys.modules]\n"
        "    print(loaded, end.code, file=sys.stderr)\n"
    )
    run = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-c", code],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stderr == "[] 0\n"
    assert run.stdout
