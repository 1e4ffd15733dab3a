import pytest

from ingest.structure import find_quote
from rag.errors import CorpusError

RULES = """\
Setup

Do this in order:

• Unfold the map.
• Shuffle the wind cards.

Playing

Sail in turn.

• Give everybody an anchor.

Scoring

Count your buoys.
"""
MOVED = {
    "quote": "• Give everybody an anchor.",
    "section": "Setup",
    "after": "Shuffle the wind cards.",
}


def told(texts):
    return [(passage.section, passage.text) for passage in texts.passages]


def whys(texts):
    (text,) = texts.texts
    return [(text.text[s.start : s.end], s.why) for s in text.skipped]


# ----------------------------------------------------------------- exact words


def test_a_quote_is_found_where_it_stands():
    assert find_quote("sail, then sail", "sail", "x") == (0, 4)
    assert find_quote("sail, then sail", "sail", "x", 2) == (11, 15)


def test_a_quote_may_overlap_its_last_occurrence():
    assert find_quote("aaa", "aa", "x", 2) == (1, 3)


@pytest.mark.parametrize("quote", ["row", "Sail", "sail ,", ""])
def test_words_that_are_not_there_are_refused(quote):
    with pytest.raises(CorpusError, match=f'notes.yaml quotes "{quote}", which the text does not'):
        find_quote("sail, then sail", quote, "notes.yaml")


def test_a_long_quote_is_cut_in_the_message():
    with pytest.raises(CorpusError, match=r'quotes "(z{57})\.\.\.", which'):
        find_quote("sail", "z" * 200, "notes.yaml")


# --------------------------------------------------------------- heading paths


def test_headings_make_a_path(read_made):
    made = read_made("# A\n\nOne.\n\n### B\n\nTwo.\n\n## C\n\nThree.\n\n# D\n\nFour.\n", "r.md")
    assert [section for section, _ in told(made)] == [("A",), ("A", "B"), ("A", "C"), ("D",)]


def test_words_before_the_first_heading_have_no_path(read_made):
    made = read_made("Sail far.\n\n# A\n\nOne.\n", "r.md")
    assert told(made)[0] == ((), "Sail far.")


def test_headings_are_left_out_and_listed(read_made):
    made = read_made("# A\n\nOne.\n\n# B\n\n# C\n\nTwo.\n", "r.md")
    assert whys(made) == [("# A", "heading"), ("# B", "heading"), ("# C", "heading")]


# ---------------------------------------------------------------- put in order


def test_displaced_words_are_read_where_they_belong_with_their_own_offsets(read_made):
    made = read_made(RULES, displaced=[MOVED])
    (text,) = made.texts
    assert told(made) == [
        (("Setup",), "Do this in order:\n\n• Unfold the map.\n• Shuffle the wind cards."),
        (("Setup",), "• Give everybody an anchor."),
        (("Playing",), "Sail in turn."),
        (("Scoring",), "Count your buoys."),
    ]
    moved = made.passages[1]
    assert moved.start == RULES.index("• Give everybody")
    assert all(text.text[p.start : p.end] == p.text for p in text.passages)


def test_words_can_be_displaced_to_the_front_as_well(read_made):
    early = "Sail in turn.\n\n• Shuffle the cards.\n\nSetup\n\nFirst do this:\n\nEnd\n\nStop.\n"
    moved = {"quote": "• Shuffle the cards.", "section": "Setup", "after": "First do this:"}
    made = read_made(early, displaced=[moved])
    assert told(made) == [
        ((), "Sail in turn."),
        (("Setup",), "First do this:"),
        (("Setup",), "• Shuffle the cards."),
        (("End",), "Stop."),
    ]


def test_words_are_put_into_the_section_of_that_name_that_holds_the_place(read_made):
    twice = RULES.replace("Scoring\n", "Setup\n\nCount the cards.\n\nScoring\n")
    moved = {**MOVED, "after": "Count the cards."}
    made = read_made(twice, displaced=[moved])
    assert told(made)[2:4] == [
        (("Setup",), "Count the cards."),
        (("Setup",), "• Give everybody an anchor."),
    ]


def test_several_blocks_move_together(read_made):
    tail = "\nAppendix\n\nSee the box.\n\n• Deal gulls.\n\n• Deal terns.\n"
    moved = {**MOVED, "quote": "• Deal gulls.\n\n• Deal terns."}
    made = read_made(RULES + tail, displaced=[moved])
    assert told(made)[1] == (("Setup",), "• Deal gulls.\n\n• Deal terns.")
    assert told(made)[-1] == (("Appendix",), "See the box.")


def test_stray_contents_are_left_out(read_made):
    made = read_made(f"{RULES}\n• Playing\n", contents=["• Playing\n"[:-1]])
    assert ("• Playing", "contents") in whys(made)
    assert not [passage for passage in made.passages if "• Playing" in passage.text]


def test_the_same_words_elsewhere_stay_a_passage(read_made):
    made = read_made("Setup\n\nWords.\n\n• Sail\n\nEnd\n\nDo:\n\n• Sail\n", contents=["• Sail"])
    assert [text for _, text in told(made)] == ["Words.", "Do:\n\n• Sail"]
