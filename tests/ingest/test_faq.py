import pytest

from ingest.faq import entries, is_graded, read_grade
from ingest.manifest import open_game
from ingest.texts import read_game, rulings
from rag.errors import CorpusError
from rag.records import Grade

DESIGNER = "The designer ruled on this directly on BGG in 2024."
MANY = "Several experienced players agree; there is no official ruling."


# ----------------------------------------------------------------- grade lines


@pytest.mark.parametrize(
    ("line", "grade", "year", "section"),
    [
        ('The rulebook answers this in "3.1 Petitions".', Grade.RULEBOOK, None, "3.1 Petitions"),
        ("The rulebook answers this in “3.1 Petitions”.", Grade.RULEBOOK, None, "3.1 Petitions"),
        (DESIGNER, Grade.DESIGNER, 2024, ""),
        ("The designer ruled on this directly on BGG.", Grade.DESIGNER, None, ""),
        ("The designer ruled on this directly.", Grade.DESIGNER, None, ""),
        ("The designer answered this directly in 2019.", Grade.DESIGNER, 2019, ""),
        ("The publisher answered this directly on BGG in 2020.", Grade.PUBLISHER, 2020, ""),
        (MANY, Grade.COMMUNITY_MANY, None, ""),
        (
            "Best reading of the rules and forum discussion; no official ruling.",
            Grade.COMMUNITY_BEST_READING,
            None,
            "",
        ),
        ("One community answer; no official ruling.", Grade.COMMUNITY_ONE, None, ""),
        ("Players read it this way; one disputes it.", Grade.DISPUTED, None, ""),
        ("The second half is disputed.", Grade.DISPUTED, None, ""),
    ],
)
def test_who_ruled_is_read_from_the_line(line, grade, year, section):
    ruled = read_grade(line)
    assert (ruled.grade, ruled.year, ruled.section, ruled.text) == (grade, year, section, line)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "The designer confirmed it.",
        "The designer ruled on this directly on BGG in 2024. A toad may vote.",
        "Yes. The designer ruled on this directly.",
        "The rulebook answers this.",
        "Several experienced players agree.",
        "A disputed crown stays in the pond",
        "A crown that is disputed " + "by many frogs " * 10 + "stays.",
    ],
)
def test_words_that_only_sound_like_a_grade_are_none(line):
    assert read_grade(line) is None


def test_a_page_is_graded_from_two_lines_on():
    assert not is_graded(f"{DESIGNER}\nYes.\n")
    assert is_graded(f"{DESIGNER}\r\nYes.\r\n{MANY}\r\nNo.\r\n")


# --------------------------------------------------------------------- entries


def told(text):
    found, skipped = entries(text)
    return (
        [(text[e.start : e.end], e.ruled.grade if e.ruled else None) for e in found],
        [(text[s.start : s.end], s.why) for s in skipped],
    )


def test_an_answer_takes_the_grade_of_the_line_before_it():
    found, skipped = told(f"Moss Court\n\n{DESIGNER}\nNo.\n{MANY}\nYes.\n")
    assert found == [("No.", Grade.DESIGNER), ("Yes.", Grade.COMMUNITY_MANY)]
    assert skipped == [("Moss Court", "header"), (DESIGNER, "grade"), (MANY, "grade")]


def test_an_answer_without_a_grade_line_inherits_none():
    found, _ = told(f"{DESIGNER}\nNo.\nYes.\n\nMaybe.\n")
    assert found == [("No.", Grade.DESIGNER), ("Yes.", None), ("Maybe.", None)]


@pytest.mark.parametrize("end", ["", f"\n{MANY}\nYes."])
def test_a_grade_line_without_an_answer_is_lost(end):
    found, skipped = told(f"{MANY}\nNo.\n{DESIGNER}{end}")
    assert found[1] == ("", Grade.DESIGNER)
    assert (DESIGNER, "lost") in skipped
    assert [e.lost for e in entries(f"{MANY}\nNo.\n{DESIGNER}{end}")[0]][:2] == [False, True]


def test_entries_are_numbered_as_they_stand():
    found, _ = entries(f"{MANY}\nNo.\n{DESIGNER}\n{MANY}\nYes.\nMaybe.\n")
    assert [e.number for e in found] == [1, 2, 3, 4]


def test_windows_line_ends_change_no_answer():
    text = f"{DESIGNER}\r\nNo.\r\n\r\n{MANY}\r\nYes.\r\n"
    assert told(text)[0] == [("No.", Grade.DESIGNER), ("Yes.", Grade.COMMUNITY_MANY)]


# --------------------------------------------------------------- the made page


def test_the_rulings_of_a_page_include_the_lost_one(corpus):
    found = rulings(open_game(corpus / "moss-court"))
    assert [r.n for r in found] == list(range(1, 11))
    assert [r.n for r in found if r.passage is None] == [4]
    assert found[3].grade is Grade.DESIGNER
    assert found[0].section == "3.1 Petitions"
    assert [r.year for r in found] == [None, 2027, 2029, 2024, *[None] * 6]
    assert found[5].grade is Grade.NONE
    assert found[5].question == "What happens to the crown when a snail leaves?"


def test_passages_of_a_page_carry_grade_topic_and_heading(corpus):
    passages = {p.number: p for p in read_game(open_game(corpus / "moss-court")).passages}
    assert 4 not in passages
    toad = passages[2]
    assert (toad.kind, toad.grade, toad.year, toad.section) == (
        "faq",
        Grade.DESIGNER,
        2027,
        ("Council",),
    )
    assert toad.question == "Can a toad vote twice in one council?"
    assert toad.text == "No. A toad may not vote twice in the same council."


def test_only_the_graded_pages_of_a_game_have_rulings(corpus):
    assert rulings(open_game(corpus / "tidewick")) == []


def test_a_page_without_headings_has_entries_without_questions(read_made):
    made = read_made(f"{DESIGNER}\nNo.\n{MANY}\nYes.\n", kind="faq")
    assert [(p.question, p.section, p.number) for p in made.passages] == [("", (), 1), ("", (), 2)]
    assert made.known == ()


def test_a_faq_without_grades_is_read_as_questions_and_answers(read_made):
    made = read_made("Can a toad vote?\n\nYes, once.\n", kind="faq")
    (passage,) = made.passages
    assert (passage.kind, passage.grade, passage.section) == (
        "faq",
        Grade.NONE,
        ("Can a toad vote?",),
    )


def test_a_rulebook_is_never_read_as_a_graded_page(read_made):
    made = read_made(f"{DESIGNER}\nNo.\n{MANY}\nYes.\n")
    assert {p.grade for p in made.passages} == {Grade.RULEBOOK}


def test_a_page_whose_answers_are_all_lost_is_refused(read_made):
    with pytest.raises(CorpusError, match="holds nothing that can answer a question"):
        read_made(f"{DESIGNER}\n{MANY}\n", kind="faq")
