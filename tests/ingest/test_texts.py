import json

import pytest

from ingest.manifest import open_game
from ingest.texts import read_game
from rag.records import Gap, Grade

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
    first = tidewick.known[0]
    (passage,) = [p for p in tidewick.passages if p.id == first.passage_id]
    assert first.text == "how much kerosene do we begin with"
    assert "Give each warden five oil jars." in passage.text
    whole = tidewick.texts[0].text
    assert whole[first.start : first.end] == "Give each warden five oil jars."


def test_a_question_is_known_with_its_answer(tidewick):
    assert [(known.text, known.polarity) for known in tidewick.known] == [
        ("how much kerosene do we begin with", None),
        ("does drizzle forbid canoes", "yes"),
        ("may we cruise across drizzle", "no"),
    ]


def test_a_row_may_hold_questions_of_each_answer(read_made):
    row = {"quote": "Light it.", "no": ["a"], "yes": ["b", "c"], "open": ["d"]}
    made = read_made(TWICE, "r.md", more={"questions.jsonl": json.dumps(row)})
    assert [(known.text, known.polarity) for known in made.known] == [
        ("d", None),
        ("b", "yes"),
        ("c", "yes"),
        ("a", "no"),
    ]
    assert {known.passage_id for known in made.known} == {made.passages[1].id}


def test_a_row_may_hold_no_question_yet(read_made):
    more = {"questions.jsonl": json.dumps({"quote": "Light it."})}
    assert read_made(TWICE, "r.md", more=more).known == ()


def test_a_quote_over_two_passages_leads_to_the_one_that_holds_more_of_it(read_made):
    row = {"open": ["q"], "quote": "one jar.\n\n# Lamps\n\nTake one jar. Light it."}
    made = read_made(TWICE, "r.md", more={"questions.jsonl": json.dumps(row)})
    (known,) = made.known
    holder = made.passages[1]
    assert (known.text, known.passage_id) == ("q", holder.id)
    assert (known.start, known.end) == (holder.start, holder.end)  # only its own words


@pytest.mark.parametrize("occurrence", [1, 2])
def test_words_that_stand_twice_are_told_by_their_occurrence(read_made, occurrence):
    row = {"quote": "Take one jar.", "occurrence": occurrence, "open": ["q"]}
    made = read_made(TWICE, "r.md", more={"questions.jsonl": json.dumps(row)})
    (known,) = made.known
    assert known.passage_id == made.passages[occurrence - 1].id
    assert known.start == made.passages[occurrence - 1].start


def test_the_headings_of_a_faq_are_questions_too(corpus):
    made = read_game(open_game(corpus / "moss-court"))
    assert len(made.known) == len(made.passages) == 9
    for known, passage in zip(made.known, made.passages, strict=True):
        assert (known.text, known.passage_id) == (passage.question, passage.id)
        assert (known.start, known.end) == (passage.start, passage.end)


def test_a_heading_is_answered_with_the_yes_or_no_that_its_ruling_begins_with(corpus):
    made = read_game(open_game(corpus / "moss-court"))
    assert {known.text: known.polarity for known in made.known if known.polarity} == {
        "Can a toad vote twice in one council?": "no",
        "Is a heron a courtier when the court is flooded?": "yes",
        "Can a heron carry the crown over the pond?": "yes",
        "May a heron take the crown across the pond?": "no",
    }


def test_a_heading_that_wants_more_than_yes_or_no_has_neither(made_up, write_game):
    files = dict(made_up["moss-court"])
    files["headings.jsonl"] = files["headings.jsonl"].replace("Can a toad vote twice", "Who votes")
    made = read_game(open_game(write_game("moss-court", files)))
    assert [k.polarity for k in made.known if k.text.startswith("Who votes")] == [None]


def test_a_question_may_name_the_text_that_it_is_about(write_game):
    folder = write_game(
        "two",
        {
            "game.yaml": "title: Two\nfiles: [first.txt, second.txt]\n",
            "first.txt": "Take one jar.\n",
            "second.txt": "Take one jar.\n",
            "questions.jsonl": '{"open": ["q"], "quote": "one jar", "file": "second.txt"}\n'
            '{"yes": ["r"], "quote": "one jar"}\n',
        },
    )
    made = read_game(open_game(folder))
    assert [(known.passage_id.split("#")[0], known.text) for known in made.known] == [
        ("two/second", "q"),
        ("two/first", "r"),
    ]


# -------------------------------------------------------------- gaps and terms


def test_what_the_texts_do_not_answer_is_known_with_where_to_look(tidewick):
    dial = "The brass dial printed on the harbor board shows it."
    assert tidewick.game.gaps == (
        Gap(text="how strong is the gale tonight", why="printed-only", look=dial),
        Gap(text="which way does the breeze blow", why="printed-only", look=dial),
        Gap(text="is the expansion worth its price", why="general", look="No rule can tell."),
    )


def test_what_players_call_things_is_known(tidewick):
    assert tidewick.game.terms == (
        ("jetty", ("wharf", "mooring")),
        ("tide deck", ("wave stack",)),
    )


# ----------------------------------------------------------------- several texts


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
