"""What is read from the four real texts, without any model."""

import re
import statistics
from collections import Counter
from itertools import pairwise

import pytest

from ingest.manifest import discover, shipped_corpus
from ingest.structure import find_quote
from ingest.texts import read_game, rulings
from rag.language import sentence_spans, words
from rag.records import Grade

SLUGS = ("eauchemin", "root", "springsign", "winter-rabbit")


@pytest.fixture(scope="module")
def games():
    return {slug: read_game(folder) for slug, folder in discover().items()}


@pytest.fixture(scope="module")
def root_rulings():
    return rulings(discover()["root"])


@pytest.fixture(scope="module")
def holding(games):
    """The one passage of a game that holds some words."""

    def find(slug, words):
        (found,) = [p for p in games[slug].passages if words in p.text]
        return found

    return find


def test_the_four_games_are_shipped(games):
    assert tuple(sorted(games)) == SLUGS


# ------------------------------------------------------------------ every text


def test_every_passage_is_the_text_at_its_offsets(games):
    for passage in (p for game in games.values() for p in game.passages):
        text = (shipped_corpus() / passage.file).read_bytes().decode("utf-8")
        assert text[passage.start : passage.end] == passage.text != ""
        assert passage.text == passage.text.strip()


def test_every_passage_has_a_kind_a_grade_and_where_it_stands(games):
    for passage in (p for game in games.values() for p in game.passages):
        assert passage.kind in {"rule", "example", "table", "faq", "note", "flavour"}
        assert passage.section, passage.id
        assert passage.source
        assert passage.grade in Grade
        assert passage.id.startswith(f"{passage.game}/")


@pytest.mark.parametrize("slug", SLUGS)
def test_passages_and_what_is_left_out_are_the_whole_text(games, slug):
    for text in games[slug].texts:
        parts = [(p.start, p.end) for p in text.passages]
        parts += [(s.start, s.end) for s in text.skipped]
        at = 0
        for start, end in sorted(parts):
            assert start >= at, f"{text.text[start:end][:60]!r} is read twice"
            assert not text.text[at:start].strip(), f"{text.text[at:start]!r} is lost"
            at = end
        assert not text.text[at:].strip()


@pytest.mark.parametrize("slug", SLUGS)
def test_passages_are_short(games, slug):
    sizes = [len(passage.text) for passage in games[slug].passages]
    assert statistics.median(sizes) < 450
    assert max(sizes) <= 1200


def test_no_two_passages_share_an_id(games):
    ids = Counter(p.id for game in games.values() for p in game.passages)
    assert set(ids.values()) == {1}


def test_an_example_or_note_names_an_earlier_passage_of_its_section(games):
    for game in games.values():
        seen = {}
        for passage in game.passages:
            if passage.of:
                assert passage.kind in {"example", "note"}
                assert seen[passage.of].section == passage.section
            seen[passage.id] = passage


@pytest.mark.parametrize("slug", SLUGS)
def test_the_list_of_contents_is_no_passage(games, slug):
    lines = {"Table of Contents"}
    for text in games[slug].texts:
        lines |= {text.text[s.start : s.end] for s in text.skipped if s.why == "contents"}
    assert len(lines) > 1 or slug in {"root", "eauchemin"}
    for passage in games[slug].passages:
        assert passage.text not in lines
        assert "Table of Contents" not in passage.text


# ------------------------------------------------------------------------ Root


def test_root_has_284_entries_in_page_order(root_rulings):
    assert [r.n for r in root_rulings] == list(range(1, 285))
    assert all(a.end <= b.start for a, b in pairwise(root_rulings))
    assert len([r for r in root_rulings if r.passage and r.grade_text]) == 240
    assert len([r for r in root_rulings if r.passage and not r.grade_text]) == 43


def test_the_241_grade_lines_are_told_apart(root_rulings):
    assert Counter(str(r.grade) for r in root_rulings if r.grade_text) == {
        "rulebook": 80,
        "designer": 135,
        "publisher": 1,
        "community-many": 16,
        "community-best-reading": 6,
        "community-one": 1,
        "disputed": 2,
    }


def test_every_grade_line_of_the_page_was_read(root_rulings, games):
    page = games["root"].texts[0].text
    starts = ("The designer ", "The publisher ", "The rulebook answers this", "Several experienced")
    told = [line for line in page.split("\n") if line.startswith(starts) and len(line) < 120]
    plain = [r for r in root_rulings if r.grade_text.startswith(starts)]
    assert [r.grade_text for r in plain] == told


def test_an_answer_without_a_grade_line_inherits_none(root_rulings):
    bare = [r for r in root_rulings if not r.grade_text]
    assert {(r.grade, r.passage.grade) for r in bare} == {(Grade.NONE, Grade.NONE)}
    assert {(r.year, r.section) for r in bare} == {(None, "")}
    before = [root_rulings[r.n - 2] for r in bare]
    assert any(r.grade is Grade.DESIGNER for r in before)


def test_the_entry_whose_answer_is_lost_is_listed_and_no_passage(root_rulings, games):
    (lost,) = [r for r in root_rulings if r.passage is None]
    assert (lost.n, lost.grade, lost.year) == (194, Grade.DESIGNER, 2018)
    assert 194 not in {p.number for p in games["root"].passages}
    (left,) = [s for s in games["root"].texts[0].skipped if s.why == "lost"]
    page = games["root"].texts[0].text
    assert page[left.start : left.end] == lost.grade_text
    assert len(games["root"].passages) == 283


def test_no_grade_line_is_a_passage(root_rulings, games):
    lines = {r.grade_text for r in root_rulings if r.grade_text}
    assert not [p for p in games["root"].passages if p.text in lines]


def test_the_year_of_a_ruling_is_kept(root_rulings):
    for ruling in root_rulings:
        if ruling.year:
            assert ruling.grade in {Grade.DESIGNER, Grade.PUBLISHER}
            assert ruling.grade_text.endswith(f"in {ruling.year}.")
    years = Counter(r.year for r in root_rulings if r.year)
    assert years == {2017: 7, 2018: 65, 2019: 33, 2020: 16, 2021: 8, 2022: 6, 2024: 1}


def test_the_section_of_the_rulebook_is_kept(root_rulings):
    answered = [r for r in root_rulings if r.grade is Grade.RULEBOOK]
    assert all(r.section and f'"{r.section}"' in r.grade_text for r in answered)
    assert len([r for r in answered if r.section == "4.1.1 Cost"]) == 7
    assert not [r for r in root_rulings if r.section and r.grade is not Grade.RULEBOOK]


def test_each_entry_has_a_heading_that_was_written_anew(root_rulings, games):
    assert all(r.question and r.topic for r in root_rulings if r.passage)
    page = games["root"].texts[0].text
    assert not [p for p in games["root"].passages if p.question in page]


def test_a_ruling_keeps_all_that_is_known_of_it(holding):
    ruling = holding("root", "No. Root has no interactions that need another player's consent")
    assert (ruling.kind, ruling.number, ruling.grade) == ("faq", 2, Grade.DESIGNER)
    assert ruling.grade_text == "The designer ruled on this directly on BGG in 2018."
    assert (ruling.year, ruling.source, ruling.section) == (2018, "Root FAQ", ("General",))


# ------------------------------------------------------------------ Springsign


def test_springsign_votes_are_cut_from_the_glued_table(holding):
    table = holding("springsign", "PlayersVotes to Trigger Election")
    assert table.kind == "table"
    assert table.section == ("The Rules", "Popularity & Votes")
    assert table.text == "PlayersVotes to Trigger Election\n1-25\n3-44\n5-63"
    assert table.reading.splitlines() == [
        "Players 1-2: Votes to Trigger Election 5",
        "Players 3-4: Votes to Trigger Election 4",
        "Players 5-6: Votes to Trigger Election 3",
    ]


def test_springsign_starting_resources_are_told_by_seat(holding):
    table = holding("springsign", "PlaceStarting resources and popularity")
    rows = table.reading.splitlines()
    assert table.section == ("Setting Up",)
    assert [row.split(":")[0] for row in rows] == [
        "Place Folkwarden",
        *(f"Place Player {n}" for n in range(2, 7)),
    ]
    assert rows[0].endswith("popularity fish, work, metal, lore, favors")
    assert rows[2].endswith("popularity fish, work, metal, strength, lore, favors")
    assert rows[5].endswith("favors, 2 popularity")


def test_springsign_setup_steps_at_the_end_are_read_where_they_belong(games, holding):
    moved = holding("springsign", "Give each player a player board, their markers")
    last = holding("springsign", "Give the Folkwarden Hat to whoever owns the most hats")
    table = holding("springsign", "PlaceStarting resources and popularity")
    text = games["springsign"].texts[0]
    order = [p.id for p in text.passages]
    assert moved.section == ("Setting Up",)
    assert order.index(moved.id) == order.index(last.id) + 1 == order.index(table.id) - 1
    assert "place in turn order (see below)" in moved.text
    assert moved.start > len(text.text) - 700, "its offsets stay those of the file"
    assert text.text[moved.start : moved.end] == moved.text


def test_springsign_contents_and_their_displaced_tail_are_no_passages(games):
    text = games["springsign"].texts[0]
    contents = [s for s in text.skipped if s.why == "contents"]
    tail = [text.text[s.start : s.end] for s in contents if s.start > len(text.text) / 2]
    assert tail[0] == "Traveling Circus"
    assert tail[-1] == "• Vox Library"
    assert len(tail) == 13
    assert len(contents) > 80
    assert not [p for p in text.passages if p.text.lstrip("• ") in {"Vox Library", "Piggy Bank"}]


def test_springsign_sections_stand_as_deep_as_the_contents_say(games):
    paths = {p.section for p in games["springsign"].passages}
    assert ("Playing the Game", "3) The Cleanup Phase", "Town Votes") in paths
    assert ("Unique Magus", "Stolen Secrets") in paths
    assert ("Clarifications", "F.A.Q.", "Is the resource supply limited?") in paths


def test_springsign_editors_note_on_the_table_is_a_note(holding):
    note = holding("springsign", "(The manual prints this table as icons")
    table = holding("springsign", "PlaceStarting resources and popularity")
    assert (note.kind, note.of) == ("note", table.id)


# --------------------------------------------------------------- Winter Rabbit


def test_winter_rabbit_villagers_by_players(holding):
    table = holding("winter-rabbit", "| Players | Villager Tokens per Player |")
    assert (table.kind, table.section) == ("table", ("Game Setup",))
    rows = table.reading.splitlines()
    assert rows[0] == "Players 2: Villager Tokens per Player 4, Neutral Villager Tokens 4"
    assert rows[4] == "Players 6: Villager Tokens per Player 2, Neutral Villager Tokens 0"
    assert len(rows) == 5


def test_winter_rabbit_stories_about_the_characters_are_flavour(games, holding):
    for name in ("Bear", "Deer", "Opossum", "Otter", "Terrapin", "Wolf"):
        passage = holding("winter-rabbit", f"{name} — ")
        assert passage.kind == "flavour"
        assert passage.section == ("The Player Characters", name)
    dance = holding("winter-rabbit", "In traditional Cherokee ceremonies")
    assert (dance.kind, dance.section) == ("flavour", ("Game Setup",))
    kinds = Counter(p.kind for p in games["winter-rabbit"].passages)
    assert kinds["rule"] > 5 * kinds["flavour"] > 0


def test_winter_rabbit_editors_note_in_brackets_is_a_note(holding):
    note = holding("winter-rabbit", "(The character texts above are narrative backstory only")
    assert note.kind == "note"


def test_winter_rabbit_examples_stay_with_their_rule(games):
    passages = {p.id: p for p in games["winter-rabbit"].passages}
    examples = [p for p in passages.values() if p.kind == "example"]
    assert len(examples) == 8
    for example in examples:
        rule = passages[example.of]
        assert rule.kind == "rule"
        assert rule.section == example.section
        assert rule.end <= example.start
        assert example.text.startswith(("Example", "In the example", "For example"))


# ------------------------------------------------------------------- Eauchemin


def test_eauchemin_rank_tables_give_points_by_rank(games):
    ranks = [p for p in games["eauchemin"].passages if p.text.startswith("Rank\t")]
    assert [p.section[-1] for p in ranks] == [
        "3. Points from Achievement Markers",
        "4. Points from Influence Tokens",
    ]
    for table in ranks:
        assert table.kind == "table"
        assert table.reading.splitlines() == [
            "Rank 1st: Point(s) 6",
            "Rank 2nd: Point(s) 4",
            "Rank 3rd: Point(s) 2",
            "Rank 4th: Point(s) 0",
        ]


def test_eauchemin_actions_by_space_name_the_lettered_actions(holding):
    table = holding("eauchemin", "Factory Spaces\t-")
    town, factory, _ = table.reading.splitlines()
    assert table.section[-1] == "Coastal Action (Required)"
    assert town.startswith("Space Town Spaces: A (Deliver Resources) Yes, B (Host Entertainment)")
    assert "E (Improve Ships) no" in town
    assert "A (Deliver Resources) no" in factory
    assert "E (Improve Ships) Yes" in factory
    assert factory.endswith("H (Return Upstream (Pass)) Yes")


def test_eauchemin_cut_row_says_what_the_text_lacks(holding):
    table = holding("eauchemin", "River Mouth Spaces\t-")
    mouth = table.reading.splitlines()[-1]
    assert mouth.startswith("Space River Mouth Spaces: A (Deliver Resources) no,")
    assert "D (Special Acquisition of Resources) no" in mouth
    assert mouth.endswith(
        "E (Improve Ships), F (Disposal of Resources), G (Anchor), H (Return Upstream (Pass)): "
        "not in the text (the row is cut off)"
    )


def test_eauchemin_coins_by_turn_order(holding):
    table = holding("eauchemin", "Turn Order\tFirst Player")
    assert table.reading.splitlines()[2] == "Turn Order 3rd Player: Starting Amount (Value) 4"


def test_eauchemin_editors_notes_are_notes_of_their_rule(games, holding):
    passages = {p.id: p for p in games["eauchemin"].passages}
    sic = holding("eauchemin", '(sic: printed as "downstream to upstream"')
    step = holding("eauchemin", "(Step 4 is not printed as text")
    assert (sic.kind, step.kind) == ("note", "note")
    assert passages[sic.of].text.endswith("moved in the downstream to upstream direction.")
    assert passages[step.of].section[-1] == "E: Improve Ships"
    assert holding("eauchemin", "You cannot return upstream from").kind == "rule"


def test_eauchemin_examples_stay_with_their_rule(games):
    passages = {p.id: p for p in games["eauchemin"].passages}
    examples = [p for p in passages.values() if p.kind == "example"]
    assert len(examples) == 8
    assert all(passages[p.of].section == p.section for p in examples)


# ----------------------------------------------------------------------- notes


@pytest.mark.parametrize("slug", SLUGS)
def test_the_notes_of_a_text_point_to_its_words(games, slug):
    texts = {text.source.file: text.text for text in games[slug].texts}
    notes = games[slug].game.notes
    assert len({note.id for note in notes}) == len(notes) > 0
    for note in notes:
        assert note.says
        assert note.spans
        assert all(texts[file][start:end].strip() for file, start, end, _ in note.spans)
        if note.kind == "contradiction":
            assert {side for *_, side in note.spans} == {"a", "b"}


# -------------------------------------------------------- known questions, gaps


def alike(text):
    """A question without case and punctuation."""
    return " ".join(words(text))


@pytest.fixture(scope="module")
def quoted(games):
    """The words of a game that its questions.jsonl quotes: (file, start, end)."""

    def find(slug):
        texts = {text.source.file: text.text for text in games[slug].texts}
        spans = []
        for row in discover()[slug].questions():
            file = f"{slug}/{row.file}" if row.file else next(iter(texts))
            spans.append((file, *find_quote(texts[file], row.quote, slug, row.occurrence)))
        return spans

    return find


@pytest.mark.parametrize("slug", SLUGS)
def test_the_questions_of_a_text_lead_to_words_of_its_passages(games, slug):
    held = {p.id: p for p in games[slug].passages}
    known = games[slug].known
    assert len(known) > 1000
    for row in known:
        holder = held[row.passage_id]
        assert holder.start <= row.start < row.end <= holder.end
        assert words(row.text)


@pytest.mark.parametrize("slug", SLUGS)
def test_every_row_of_questions_holds_one(slug):
    rows = discover()[slug].questions()
    assert [row.quote for row in rows if not (row.open or row.yes or row.no)] == []


@pytest.mark.parametrize("slug", SLUGS)
def test_no_question_stands_twice_for_the_same_words(games, slug):
    # two places may answer a question together
    counts = Counter((alike(row.text), row.start, row.end) for row in games[slug].known)
    assert {text: count for text, count in counts.items() if count > 1} == {}


@pytest.mark.parametrize("slug", SLUGS)
def test_no_question_is_known_to_be_answered_with_yes_and_with_no(games, slug):
    said = {}
    for row in games[slug].known:
        said.setdefault(alike(row.text), set()).add(row.polarity)
    assert [text for text, polarities in said.items() if len(polarities) > 1] == []


@pytest.mark.parametrize("slug", SLUGS)
def test_what_the_texts_answer_is_no_gap(games, slug):
    gaps = [alike(gap.text) for gap in games[slug].game.gaps]
    assert len(gaps) > 100
    assert [text for text, count in Counter(gaps).items() if count > 1] == []
    assert set(gaps) & {alike(row.text) for row in games[slug].known} == set()


@pytest.mark.parametrize("slug", SLUGS)
def test_where_to_look_is_told_in_a_sentence_of_at_most_30_words(games, slug):
    for look in {gap.look for gap in games[slug].game.gaps}:
        assert 3 <= len(look.split()) <= 30, look
        assert look == " ".join(look.split())
        assert re.match(r"[\"“(]?[A-Z0-9]", look), look
        assert look.endswith((".", "?", "!", '."', ".)")), look


SETTLES = re.compile(
    r"""\b(?:must|may|can|cannot|could|should|shall|might|will|would|have\ to|has\ to|needs?|
    required?|allowed|always|only|if|when|whenever|unless|until|once|after|before|while|during|
    otherwise|instead|except|each|every|any|all|no|not|never|neither|nobody|without|at\ least|
    at\ most|up\ to|more|fewer|less|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|
    first|second|third|\w+n['’]t)\b|\d""",
    re.IGNORECASE | re.VERBOSE,
)
"""A modal, a number or a condition: a sentence without any settles hardly a question."""
SETTLE_NOTHING = {
    # they only announce the rules below them, each of which is quoted
    "At this time, be sure to observe the following rules when moving your ship token:",
    "Once this happens, follow these rules for moving a ship token:",
    "Each player should do the following:",
    # points to another section
    "(We will describe the different types of Worker Tokens in the next section).",
    # headings: of a table whose rows are quoted, and of the sentences behind it
    "PlaceStarting resources and popularity",
    "PlayersVotes to Trigger Election",
    "When are new cards played?",
    # what it denies stands in the sentences behind it
    "No to all.",
}
"""Sentences of which no question needs to be known, and why."""


@pytest.mark.parametrize("slug", SLUGS)
def test_every_sentence_that_settles_something_is_quoted_by_a_known_question(games, quoted, slug):
    texts = {text.source.file: text.text for text in games[slug].texts}
    spans = quoted(slug)
    left = []
    for passage in games[slug].passages:
        text = texts[passage.file]
        for start, end in sentence_spans(text, passage.start, passage.end):
            if passage.kind != "table" and not SETTLES.search(text[start:end]):
                continue
            if not any(f == passage.file and a < end and start < b for f, a, b in spans):
                left.append(text[start:end])
    assert [sentence for sentence in left if sentence not in SETTLE_NOTHING] == []


def test_every_exception_stands_in_a_text():
    texts = [path.read_text("utf-8") for path in shipped_corpus().glob("*/*.txt")]
    assert [words for words in SETTLE_NOTHING if not any(words in text for text in texts)] == []


# ----------------------------------------------------------------------- terms


@pytest.mark.parametrize("slug", SLUGS)
def test_the_names_of_things_stand_in_the_text_or_its_headings(games, slug):
    pieces = [text.text for text in games[slug].texts]
    pieces += [f"{' '.join(p.section)} {p.question}" for p in games[slug].passages]
    told = " ".join(" ".join(pieces).replace("’", "'").split()).lower()
    names = [name for name, _ in games[slug].game.terms]
    assert len(names) == len(set(names)) > 50
    assert [name for name in names if name.lower() not in told] == []


@pytest.mark.parametrize("slug", SLUGS)
def test_no_nickname_stands_twice(games, slug):
    terms = games[slug].game.terms
    assert [name for name, others in terms if not others] == []
    counts = Counter(alike(name) for term in terms for name in (term[0], *term[1]))
    assert [name for name, count in counts.items() if count > 1] == []
