import json

import pytest

from ingest.manifest import open_game
from ingest.texts import read_game
from rag.records import Grade

TWICE = "# Oil\n\nTake one jar.\n\n# Lamps\n\nTake one jar. Light it.\n"


@pytest.fixture
def tidewick(corpus):
    return read_game(open_game(corpus / "tidewick"))


def test_a_markdown_rulebook_becomes_passages_of_every_kind(tidewick):
    assert [(p.kind, p.section) for p in tidewick.passages] == [
        ("rule", ("Tidewick",)),
        ("rule", ("Tidewick", "Setting Up")),
        ("rule", ("Tidewick", "The Turn")),
        ("rule", ("Tidewick", "The Turn", "Lighting a Lamp")),
        ("example", ("Tidewick", "The Turn", "Lighting a Lamp")),
        ("rule", ("Tidewick", "The Turn", "Rowing")),
        ("table", ("Tidewick", "Scoring")),
        ("rule", ("Tidewick", "Scoring")),
    ]


def test_what_is_known_of_a_game(tidewick):
    game = tidewick.game
    assert (game.slug, game.title, game.aliases) == ("tidewick", "Tidewick", ("Harbor of Lamps",))
    (source,) = game.sources
    assert (source.file, source.title, source.edition) == (
        "tidewick/rulebook.md",
        "Tidewick Rules",
        "first printing",
    )


def test_a_rulebook_has_the_grade_of_one(tidewick):
    assert {(p.grade, p.grade_text) for p in tidewick.passages} == {
        (Grade.RULEBOOK, "Printed in the Tidewick Rules.")
    }


def test_an_id_names_the_game_the_file_and_the_place(tidewick):
    passage = tidewick.passages[-1]
    assert passage.id == f"tidewick/rulebook#{passage.start}-{passage.end}"


def test_a_plain_rulebook_with_nothing_but_a_title_is_read_alike(corpus):
    made = read_game(open_game(corpus / "gravelbound"))
    (text,) = made.texts
    assert [p.section[0] for p in made.passages] == [
        "Overview",
        "Quarry Phase",
        "Quarry Phase",
        "Quarry Phase",
        "End of the Game",
    ]
    table = made.passages[3]
    assert table.reading.splitlines() == [
        "Masons 1-2: Slabs to Finish 9",
        "Masons 3-4: Slabs to Finish 7",
        "Masons 5-6: Slabs to Finish 6",
    ]
    assert {s.why for s in text.skipped} == {"header", "contents", "heading"}


# ------------------------------------------------------------------- questions


def test_a_question_leads_to_the_passage_that_holds_its_quote(tidewick):
    ((id_, question),) = tidewick.asked
    (passage,) = [p for p in tidewick.passages if p.id == id_]
    assert question == "how much kerosene do we begin with"
    assert "Give each warden five oil jars." in passage.text


def test_a_quote_over_two_passages_leads_to_the_one_that_holds_more_of_it(read_made):
    row = {"question": "q", "quote": "one jar.\n\n# Lamps\n\nTake one jar. Light it."}
    made = read_made(TWICE, "r.md", more={"questions.jsonl": json.dumps(row)})
    assert made.asked == ((made.passages[1].id, "q"),)


def test_the_headings_of_a_faq_are_questions_too(corpus):
    made = read_game(open_game(corpus / "moss-court"))
    assert len(made.asked) == len(made.passages) == 9
    assert (made.passages[0].id, "When is a petition heard?") in made.asked


def test_a_question_may_name_the_text_that_it_is_about(write_game):
    folder = write_game(
        "two",
        {
            "game.yaml": "title: Two\nfiles: [first.txt, second.txt]\n",
            "first.txt": "Take one jar.\n",
            "second.txt": "Take one jar.\n",
            "questions.jsonl": '{"question": "q", "quote": "one jar", "file": "second.txt"}\n'
            '{"question": "r", "quote": "one jar"}\n',
        },
    )
    made = read_game(open_game(folder))
    assert [(id_.split("#")[0], text) for id_, text in made.asked] == [
        ("two/second", "q"),
        ("two/first", "r"),
    ]


def test_all_texts_of_a_game_are_read_in_order(write_game):
    folder = write_game(
        "two",
        {
            "game.yaml": "title: Two\nfiles: [b/rules.md, a.txt]\n",
            "b/rules.md": "# One\n\nA jar.\n",
            "a.txt": "A lamp is lit.\n",
        },
    )
    made = read_game(open_game(folder))
    assert [p.id for p in made.passages] == ["two/b/rules#7-13", "two/a#0-14"]
    assert [s.file for s in made.game.sources] == ["two/b/rules.md", "two/a.txt"]


# ----------------------------------------------------------------------- notes


def test_a_note_points_to_its_words(tidewick):
    (note,) = tidewick.game.notes
    ((file, start, end, side),) = note.spans
    assert (note.id, note.kind, side) == ("fog-not-defined", "gap", "")
    assert file == "tidewick/rulebook.md"
    assert tidewick.texts[0].text[start:end] == "You may not row through fog."


def test_a_note_may_mean_the_second_place(read_made):
    notes = (
        "notes:\n  - id: x\n    kind: wording\n    says: Of the second one.\n"
        "    quotes:\n      - {quote: Take one jar., occurrence: 2, side: a}\n"
    )
    made = read_made(TWICE, "r.md", more={"notes.yaml": notes})
    ((_, start, _, side),) = made.game.notes[0].spans
    assert (start, side) == (TWICE.rindex("Take one jar."), "a")


def test_the_two_sides_of_a_contradiction_are_told_apart(corpus):
    made = read_game(open_game(corpus / "moss-court"))
    (note,) = made.game.notes
    assert note.kind == "contradiction"
    assert [side for *_, side in note.spans] == ["a", "b"]
