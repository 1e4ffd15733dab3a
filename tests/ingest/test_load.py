import pytest

from ingest.load import load
from ingest.load.blocks import Line, lines
from ingest.load.markdown import title
from ingest.load.tables import reading, rows_of


def kinds(text, name="rules.txt", **more):
    return [(b.kind, text[b.start : b.end]) for b in load(name, text, **more)]


def levels(text, name="rules.txt", **more):
    found = load(name, text, **more)
    return [(text[b.start : b.end], b.level) for b in found if b.kind == "heading"]


# ----------------------------------------------------------------------- lines


def test_lines_end_at_line_feeds_only():
    assert [line.text for line in lines("a\u2028b\x0bc\r\nd\r")] == ["a\u2028b\x0bc", "d"]


def test_a_byte_order_mark_belongs_to_no_line():
    assert list(lines("\ufeffa\nb")) == [Line(1, "a"), Line(3, "b")]


def test_the_inner_part_of_a_line_leaves_out_white_space():
    text = "x\n \t two words \r\n"
    (line,) = [line for line in lines(text) if "two" in line.text]
    assert text[slice(*line.inner)] == "two words"


# ------------------------------------------------------------------ plain text


def test_plain_headings_stand_alone_and_end_no_sentence():
    text = "Setup\n\nGive each a card.\n\nShort line.\n\nWhat is a heap?\n\nA pile of cards.\n"
    assert kinds(text) == [
        ("heading", "Setup"),
        ("paragraph", "Give each a card."),
        ("paragraph", "Short line."),
        ("heading", "What is a heap?"),
        ("paragraph", "A pile of cards."),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "not a capital",
        "• Dot",
        "Ends here.",
        "Colon:",
        "(In brackets)",
        "Tab\there",
        "One. Two",
        " Indented",
        "Word " * 16 + "end",
    ],
)
def test_plain_lines_that_are_no_headings(line):
    text = f"{line}\n\nSome words follow it.\n"
    assert load("rules.txt", text)[0].kind != "heading"


def test_plain_steps_in_brackets_can_be_headings():
    assert levels("(1) Income\n\nTake a coin.\n") == [("(1) Income", 1)]


def test_plain_contents_tell_how_deep_a_heading_stands():
    text = (
        "Made Rules\n\nTable of Contents\n\n  • Setup\n    • Board\n  • End\n\n"
        "Setup\n\nPut it there.\n\nBoard\n\nUnfold it.\n\nEnd\n\nCount points.\n"
    )
    found = kinds(text)
    assert found[:5] == [
        ("header", "Made Rules"),
        ("contents", "Table of Contents"),
        ("contents", "• Setup"),
        ("contents", "• Board"),
        ("contents", "• End"),
    ]
    assert levels(text) == [("Setup", 1), ("Board", 2), ("End", 1)]


def test_a_heading_that_nothing_names_stands_below_the_last_that_is_named():
    text = "Contents\n- Setup\n- End\n\nSetup\n\nPut it.\n\nBoard\n\nUnfold it.\n\nEnd\n\nCount.\n"
    assert levels(text) == [("Setup", 1), ("Board", 2), ("End", 1)]


def test_a_child_is_not_due_before_its_parent():
    text = "Contents\n- Play\n  - Cards\n\nCards\n\nMany.\n\nPlay\n\nWell.\n\nCards\n\nDraw.\n"
    assert levels(text) == [("Cards", 1), ("Play", 1), ("Cards", 2)]


def test_an_outline_does_what_lost_contents_would():
    text = "Setup\n\nPut it.\n\nBoard\n\nUnfold it.\n\nEnd\n\nCount.\n"
    outline = "Setup\n  Board\nEnd\n"
    assert levels(text, outline=outline) == [("Setup", 1), ("Board", 2), ("End", 1)]


def test_stray_contents_name_headings_of_the_deepest_kind():
    text = "Setup\n\nPut it.\n\nodd name\n\nWords.\n"
    assert levels(text, stray_contents=["• odd name"]) == [("Setup", 1), ("odd name", 1)]
    outline = "Setup\n  Board\n"
    deep = levels(text, outline=outline, stray_contents=["• odd name"])
    assert deep == [("Setup", 1), ("odd name", 2)]


def test_plain_lines_of_a_list_are_items():
    text = "\nDo:\n• one\n  - two\n3. three\nd) four\n\n"
    found = load("rules.txt", text)
    assert [b.kind for b in found] == ["paragraph", "item", "item", "item", "item"]
    assert [b.level for b in found[1:]] == [0, 2, 0, 0]


def test_a_paragraph_indented_below_an_item_belongs_to_it():
    text = "Markets\n\n• Stalls hold cards.\n\n    Only the top one counts.\n\nMore words here.\n"
    assert kinds(text)[1] == ("item", "• Stalls hold cards.\n\n    Only the top one counts.")


def test_a_text_without_blank_lines_has_headings_too():
    text = "Setup\nPut the board down.\nGive cards.\nEnd\nCount points.\n"
    assert [t for t, _ in levels(text)] == ["Setup", "End"]


@pytest.mark.parametrize(
    "table",
    ["A\tB\n1\t2", "| A | B |\n| 1 | 2 |", "SeatsCoins to Take\n1-25\n3-44\n5-63"],
)
def test_plain_tables_are_one_block(table):
    text = f"Setup\n\nWords before.\n\n{table}\n\nWords after.\n"
    assert ("table", table) in kinds(text)


def test_windows_line_ends_make_the_same_blocks():
    text = "Setup\n\nGive cards:\n• one\n• two\n\nA\tB\n1\t2\n"
    plain = [b.kind for b in load("rules.txt", text)]
    assert [b.kind for b in load("rules.txt", text.replace("\n", "\r\n"))] == plain


def test_a_long_text_without_blank_lines_is_read_line_by_line():
    text = "Sail to the next pier.\n" * 4000
    assert len(load("rules.txt", text)) == 4000


def test_a_glued_table_ends_where_its_rows_can_no_longer_be_cut():
    text = "Setup\n\nSeatsCoins to Take\n1-25\n3-44\nThen deal the cards.\n"
    assert kinds(text)[1:] == [
        ("table", "SeatsCoins to Take\n1-25\n3-44"),
        ("paragraph", "Then deal the cards."),
    ]


def test_what_only_looks_like_the_header_of_a_table_is_prose():
    text = "Setup\n\nBlueRed to Move\nfirst of all\nand then\n"
    assert [kind for kind, _ in kinds(text)] == ["heading", *["paragraph"] * 3]


def test_a_text_of_contents_alone_has_nothing_else():
    assert {kind for kind, _ in kinds("Contents\n\n- Setup\n- End\n")} == {"contents"}


# -------------------------------------------------------------------- Markdown


def test_markdown_headings_by_marks_and_by_underlines():
    text = "# One\n\nA.\n\nTwo\n===\n\nB.\n\nThree\n---\n\nC.\n\n### Four ###\n"
    assert levels(text, "rules.md") == [
        ("# One", 1),
        ("Two\n===", 1),
        ("Three\n---", 2),
        ("### Four ###", 3),
    ]


def test_a_rule_across_the_page_makes_no_heading():
    assert levels("Words.\n\n---\n\nMore.\n", "rules.md") == []


@pytest.mark.parametrize(
    ("heading", "words"),
    [
        ("## The *End* ##", "The End"),
        ("Two\n===", "Two"),
        ("Two `x`\r\n---", "Two x"),
        ("Plain", "Plain"),
    ],
)
def test_the_words_of_a_heading(heading, words):
    assert title(heading) == words


def test_markdown_wrapped_lines_are_one_block():
    text = "One line\nand its end.\n\n- item\n  wrapped\n\n  and indented\n- next\n"
    assert kinds(text, "rules.md") == [
        ("paragraph", "One line\nand its end."),
        ("item", "- item\n  wrapped\n\n  and indented"),
        ("item", "- next"),
    ]


def test_markdown_tables_end_at_a_blank_line():
    text = "| A |\n|---|\n| 1 |\n\n| B |\n|---|\n"
    assert [k for k, _ in kinds(text, "rules.md")] == ["table", "table"]


def test_markdown_fences_are_left_whole():
    text = "```\n# no heading\n\n| no table |\n```\n\n# Yes\n"
    assert kinds(text, "rules.md") == [
        ("paragraph", "```\n# no heading\n\n| no table |\n```"),
        ("heading", "# Yes"),
    ]


@pytest.mark.parametrize("name", ["rules.md", "rules.MARKDOWN"])
def test_the_ending_chooses_markdown(name):
    assert load(name, "# One\n")[0].kind == "heading"
    assert load("rules.txt", "# One\n")[0].kind == "paragraph"


# ---------------------------------------------------------------------- tables


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("", []),
        ("just words", []),
        ("| A |", [["A"]]),
        ("| A | B |\n|:--|--:|\n| 1 | |", [["A", "B"], ["1", ""]]),
        ("A\tB\r\n1\t2\r", [["A", "B"], ["1", "2"]]),
        ("A\tB\nno tab", []),
        (
            "SeatsCoins to Take\n1-25\n3-44\n5-63",
            [["Seats", "Coins to Take"], ["1-2", "5"], ["3-4", "4"], ["5-6", "3"]],
        ),
        (
            "SeatsCoins to Take\n1-312\n4-1210",
            [["Seats", "Coins to Take"], ["1-3", "12"], ["4-12", "10"]],
        ),
        ("SeatsCoins to Take\n1-25\n4-43", []),  # 4 does not follow 2
        ("SeatsCoins to Take\n1-2\n3-4", []),  # nothing is glued
        (
            "SeatGoods and coins\nFirstbread, salt\nSeat 2bread, coin\nSeat 3bread",
            [
                ["Seat", "Goods and coins"],
                ["First", "bread, salt"],
                ["Seat 2", "bread, coin"],
                ["Seat 3", "bread"],
            ],
        ),
        ("SeatGoods and coins\nSeat 2bread\nSeat 3bread\nnobody", []),
    ],
)
def test_the_cells_of_a_table(text, rows):
    assert rows_of(text) == rows


def test_a_cut_row_names_what_is_missing():
    rows = [["Space", "A", "B", "C"], ["Inn", "Yes"], ["Mill", "-", "Yes", "-"]]
    assert reading(rows, {"B": "B (Bake)"}) == [
        "Space Inn: A Yes, B (Bake), C: not in the text (the row is cut off)",
        "Space Mill: A no, B (Bake) Yes, C no",
    ]


def test_a_table_that_lies_on_its_side_is_read_by_column():
    rows = [["Rank", "1st", "2nd", "3rd"], ["Points", "6", "4"]]
    assert reading(rows) == ["Rank 1st: Points 6", "Rank 2nd: Points 4", "Rank 3rd: Points ?"]
    assert reading([["Tower", "Stone", "Wood"], ["Keep", "3", "1"]], headed=True) == [
        "Tower Keep: Stone 3, Wood 1"
    ]


def test_a_first_cell_that_begins_with_its_header_is_not_doubled():
    assert reading([["Seat", "Goods"], ["Seat 2", "bread"], ["Mill", "salt"]]) == [
        "Seat 2: Goods bread",
        "Seat Mill: Goods salt",
    ]
