import pytest

from ingest.chunks import LONGEST, TARGET
from rag.errors import CorpusError


def kinds(texts):
    return [(passage.kind, passage.text) for passage in texts.passages]


def words(start, count):
    return " ".join(f"{start} {n}." for n in range(count))


# ------------------------------------------------------------------------ size


def test_short_paragraphs_of_a_section_are_one_passage(read_made):
    made = read_made("# A\n\nOne.\n\nTwo.\n\n# B\n\nThree.\n", "r.md")
    assert kinds(made) == [("rule", "One.\n\nTwo."), ("rule", "Three.")]


def test_long_paragraphs_are_cut_between_sentences(read_made):
    made = read_made(f"# A\n\n{words('Take a card of suit', 120)}\n", "r.md")
    assert len(made.passages) > 1
    for passage in made.passages:
        assert len(passage.text) <= LONGEST
        assert passage.text.startswith("Take")
        assert passage.text.endswith(".")


def test_a_sentence_is_not_cut(read_made):
    sentence = "a ropewalk and " * 120 + "a mast"
    assert kinds(read_made(f"# A\n\n{sentence}\n", "r.md")) == [("rule", sentence)]


def test_long_items_are_cut_between_sentences(read_made):
    made = read_made(f"# A\n\n- {words('Take a card of suit', 120)}\n- Then stop.\n", "r.md")
    assert max(len(passage.text) for passage in made.passages) <= LONGEST


def test_long_lists_are_cut_between_items_and_keep_their_first_line(read_made):
    items = "\n".join(
        f"- put marker {n} on the board, then draw the card below it" for n in range(30)
    )
    made = read_made(f"# A\n\nDo all of this:\n\n{items}\n", "r.md")
    first, *rest = made.passages
    assert first.text.startswith("Do all of this:\n\n- put marker 0 on")
    assert first.context == ""
    assert {passage.context for passage in rest} == {"Do all of this:"}
    assert all(passage.text.startswith("- put marker") for passage in rest)
    assert all(len(passage.text) <= LONGEST for passage in made.passages)


def test_a_list_stays_with_the_line_that_introduces_it(read_made):
    made = read_made("# A\n\nChoose one:\n\n- Sail.\n- Fish.\n", "r.md")
    assert kinds(made) == [("rule", "Choose one:\n\n- Sail.\n- Fish.")]


def test_a_list_too_long_for_its_first_line_repeats_it_as_context(read_made):
    lead = "word " * 150 + "and this:"
    item = "- " + "fish " * 100 + "end"
    made = read_made(f"# A\n\n{lead}\n\n{item}\n", "r.md")
    assert [p.text for p in made.passages] == [lead, item]
    assert made.passages[1].context == lead


# -------------------------------------------------------------- labelled items


def test_items_that_are_subjects_of_their_own_are_passages(read_made):
    # together longer than a passage
    names = ("Gull", "Tern", "Heron")
    items = "\n".join(f"- {name}: {words('It dives for fish number', 14)}" for name in names)
    made = read_made(f"# Birds\n\nThese are the birds:\n\n{items}\n", "r.md")
    assert len(items) > TARGET
    lead, *birds = made.passages
    assert lead.text == "These are the birds:"
    assert [bird.section for bird in birds] == [("Birds", name) for name in names]
    assert {bird.context for bird in birds} == {"These are the birds:"}


def test_a_few_words_before_a_dash_name_a_paragraph(read_made):
    made = read_made("# Birds\n\nGrey Gull — It steals one fish.\n\nTern — It flies.\n", "r.md")
    assert [p.section for p in made.passages] == [("Birds", "Grey Gull"), ("Birds", "Tern")]


def test_a_long_clause_before_a_dash_names_nothing(read_made):
    made = read_made("# Birds\n\nEvery bird of the north shore — even gulls — flies.\n", "r.md")
    assert made.passages[0].section == ("Birds",)


# ---------------------------------------------------------- examples and notes


@pytest.mark.parametrize(
    "line",
    [
        "Example: Ysolde sails twice.",
        "Examples: gulls, terns.",
        "For example, Ysolde sails twice.",
        "In the example, Ysolde sails twice.",
        "Example of sailing: Ysolde moves.",
    ],
)
def test_an_example_stays_with_the_rule_before_it(read_made, line):
    made = read_made(f"# Sailing\n\nSail to a next port.\n\n{line}\n", "r.md")
    rule, example = made.passages
    assert (rule.kind, example.kind, example.of) == ("rule", "example", rule.id)


def test_an_example_without_a_rule_before_it_is_of_nothing(read_made):
    made = read_made("# A\n\nSail.\n\n# B\n\nExample: Ysolde sails.\n\nThen stop.\n", "r.md")
    assert [(p.kind, p.of) for p in made.passages] == [("rule", ""), ("example", ""), ("rule", "")]


def test_an_example_may_follow_a_table(read_made):
    made = read_made("# A\n\n| A | B |\n|---|---|\n| 1 | 2 |\n\nExample: with 1 take 2.\n", "r.md")
    table, example = made.passages
    assert (table.kind, example.of) == ("table", table.id)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            "Sail up the stream. (sic: it means down the stream.)",
            [("rule", "Sail up the stream."), ("note", "(sic: it means down the stream.)")],
        ),
        (
            "Sail up. (sic: down (see the map) is meant) Then stop.",
            [
                ("rule", "Sail up."),
                ("note", "(sic: down (see the map) is meant)"),
                ("rule", "Then stop."),
            ],
        ),
        (
            "(sic: wrong word) Sail to the port.",
            [("note", "(sic: wrong word)"), ("rule", "Sail to the port.")],
        ),
        ("(sic: x)", [("note", "(sic: x)")]),
        (
            "(The manual shows this as a picture of three ports.)",
            [("note", "(The manual shows this as a picture of three ports.)")],
        ),
        ("You may sail (or row) home.", [("rule", "You may sail (or row) home.")]),
    ],
)
def test_editors_notes_are_told_from_the_rules(read_made, line, expected):
    assert kinds(read_made(f"Sailing\n\n{line}\n")) == expected


def test_an_editors_note_names_the_rule_that_it_is_on(read_made):
    made = read_made("Sailing\n\nSail up the stream. (sic: down is meant)\n")
    rule, note = made.passages
    assert (note.kind, note.of, rule.of) == ("note", rule.id, "")


# ---------------------------------------------------------------------- tables


def test_a_table_keeps_its_header_and_the_words_above_it(read_made):
    made = read_made(
        "# Scoring\n\nCount your lamps.\n\n| Lamps | Points |\n|---|---|\n| 3 | 5 |\n", "r.md"
    )
    table = made.passages[1]
    assert (table.kind, table.context) == ("table", "Count your lamps.")
    assert table.text == "| Lamps | Points |\n|---|---|\n| 3 | 5 |"
    assert table.reading == "Lamps 3: Points 5"


def test_a_table_of_one_row_below_a_header_is_read_by_row(read_made):
    made = read_made("# A\n\n| Tower | Stone | Wood |\n|---|---|---|\n| Keep | 3 | 1 |\n", "r.md")
    assert made.passages[0].reading == "Tower Keep: Stone 3, Wood 1"


def test_a_header_without_rows_is_no_table(read_made):
    assert kinds(read_made("# A\n\n| Lamps | Points |\n|---|---|\n", "r.md")) == [
        ("rule", "| Lamps | Points |\n|---|---|")
    ]


def test_lettered_actions_are_named_in_a_table(read_made):
    text = "Actions\n\nChoose one:\n\nA: Sail\nB: Fish\n\nSpace\tA\tB\nPort\tYes\t-\nSea\t-\tYes\n"
    table = read_made(text).passages[-1]
    assert table.reading.splitlines() == [
        "Space Port: A (Sail) Yes, B (Fish) no",
        "Space Sea: A (Sail) no, B (Fish) Yes",
    ]


# ----------------------------------------------------------------------- marks


def test_marks_make_words_flavour(read_made):
    text = "# Tale\n\nOnce a gull sang.\n\n# Play\n\nSail far.\n\n## Lore\n\nTerns are old.\n"
    made = read_made(
        text,
        "r.md",
        marks=[
            {"kind": "flavour", "section": "Tale"},
            {"kind": "flavour", "quote": "Terns are old."},
        ],
    )
    assert [p.kind for p in made.passages] == ["flavour", "rule", "flavour"]


def test_a_marked_section_keeps_its_tables_and_examples(read_made):
    text = "# Tale\n\nA gull sang.\n\nExample: it did.\n\n| A | B |\n|---|---|\n| 1 | 2 |\n"
    made = read_made(text, "r.md", marks=[{"kind": "flavour", "section": "Tale"}])
    assert [p.kind for p in made.passages] == ["flavour", "example", "table"]


def test_a_mark_on_words_that_are_not_there_is_refused(read_made):
    with pytest.raises(CorpusError, match=r'r\.md: marks quotes "Auks", which the text does not'):
        read_made("# A\n\nSail.\n", "r.md", marks=[{"kind": "flavour", "quote": "Auks"}])
