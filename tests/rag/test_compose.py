import re
from dataclasses import replace

import pytest
from hypothesis import given, settings, strategies as st

from rag.compose import (
    DISSENT,
    FIRST_WORDS,
    SURE_ASKED,
    WORD_LIMIT,
    Calibration,
    Found,
    compose,
    features,
    gap_leads,
)
from rag.engine import load_calibration
from rag.errors import QuoteError
from rag.language import asks_yes_no, said, turned
from rag.lexical import Lexical
from rag.quotes import cite, touching
from rag.records import Game, Gap, Grade, Hit, Near, Note, Passage
from rag.settings import Settings

GAME = Game(slug="made", title="Made", sources=())
SURE = Calibration(bias=9.0, weights={}, threshold=0.5)
UNSURE = Calibration(bias=-9.0, weights={}, threshold=0.5)


def passage(text, start=0, **more):
    known = {
        "id": f"made/faq#{start}-{start + len(text)}",
        "game": "made",
        "file": "made/faq.txt",
        "start": start,
        "end": start + len(text),
        "text": text,
        "kind": "faq",
        "source": "Made FAQ",
    }
    return Passage(**{**known, **more})


def hit(holder, score=1.0, **more):
    return Hit(passage=holder, score=score, **more)


def asked(text, cosine=0.9, polarity=None, span=(0, 10_000)):
    """A known question that was found; it stands for the words of the span."""
    start, end = span
    return Near(
        entry=0,
        passage_id="",
        start=start,
        end=end,
        cosine=cosine,
        polarity=polarity,
        text=text,
    )


def gap(cosine, entry=0):
    return Near(entry=entry, passage_id="", start=0, end=0, cosine=cosine)


def composed(question, *hits, game=GAME, calibration=SURE, passages=None, missing=None):
    held = passages or [h.passage for h in hits]
    lexical = Lexical([p.text for p in held])
    return compose(question, Found(hits, missing), game, held, lexical, calibration)


# ------------------------------------------------------------------- citations


def test_a_passage_is_quoted_whole_or_in_part():
    holder = passage("No. A toad may not vote.", start=100)
    whole, part = cite(holder, 1), cite(holder, 2, 104, 124)
    assert (whole.quote, whole.start, whole.end) == (holder.text, 100, 124)
    assert (part.quote, part.start, part.end) == ("A toad may not vote.", 104, 124)


def test_a_citation_carries_who_ruled_and_where():
    holder = passage(
        "No.", section=("Votes",), grade=Grade.DESIGNER, grade_text="He ruled.", year=2027
    )
    made = cite(replace(holder, reading="A 1: B 2", question="May it?"), 3)
    assert (made.n, made.grade, made.grade_text, made.year) == (
        3,
        Grade.DESIGNER,
        "He ruled.",
        2027,
    )
    assert (made.section, made.source, made.file) == (("Votes",), "Made FAQ", "made/faq.txt")
    assert (made.reading, made.question, made.kind) == ("A 1: B 2", "May it?", "faq")


@pytest.mark.parametrize(
    ("start", "end"), [(99, 103), (100, 200), (103, 103), (104, 103), (0, 1), (-3, 102)]
)
def test_a_quote_outside_its_passage_is_refused(start, end):
    with pytest.raises(QuoteError, match=rf"faq#100-103 does not hold the characters {start} to"):
        cite(passage("No.", start=100), 1, start, end)


# ------------------------------------------------------------------- answering


def test_without_hits_nothing_is_answered():
    made = composed("Who votes?", passages=[passage("No.")])
    assert (made.status, made.citations, made.confidence) == ("not_covered", (), 0.0)
    assert made.text == "The texts of Made that I have do not clearly answer this."


def test_an_unsure_answer_is_not_given_but_the_nearest_words_are():
    made = composed(
        "Who votes?", hit(passage("Toads vote.")), hit(passage("Newts.", 50)), calibration=UNSURE
    )
    assert (made.status, made.polarity, made.conflicts) == ("not_covered", None, ())
    assert made.text.endswith("The nearest words are quoted below.")
    assert [c.quote for c in made.citations] == ["Toads vote."]
    assert made.confidence < 0.01


def test_confidence_at_the_threshold_is_enough():
    level = Calibration(bias=0.0, weights={}, threshold=0.5)
    assert composed("Who votes?", hit(passage("Toads vote.")), calibration=level).confidence == 0.5
    assert composed("Who?", hit(passage("Toads.")), calibration=level).status == "answered"


def test_the_best_passage_is_said_in_its_own_words():
    made = composed("Who votes?", hit(passage("Toads\n  vote once.\nNewts vote twice.")))
    assert made.text == "Toads vote once. Newts vote twice. [1]"
    assert made.citations[0].quote == "Toads\n  vote once.\nNewts vote twice."


def test_a_second_passage_that_scores_alike_is_added():
    first, second = hit(passage("Toads vote.")), hit(passage("Newts vote.", 50), 0.9)
    made = composed("Who votes?", first, second)
    assert made.text == "Toads vote. [1] Also: Newts vote. [2]"
    assert [c.n for c in made.citations] == [1, 2]


def test_a_second_passage_that_scores_much_less_is_not():
    made = composed("Who votes?", hit(passage("Toads vote.")), hit(passage("Newts.", 50), 0.1))
    assert made.text == "Toads vote. [1]"


def test_a_note_is_no_second_passage():
    note = passage("(sic: toads)", 50, kind="note")
    made = composed("Who votes?", hit(passage("Toads vote.")), hit(note, 0.99))
    assert made.text == "Toads vote. [1]"


FROGS = " ".join(f"Frog number {n} sits on a leaf of the northern pond." for n in range(20))


def frog(n, after=0):
    """Where the sentence of a frog stands, in a passage that begins at `after`."""
    start = FROGS.index(f"Frog number {n} ")
    return after + start, after + FROGS.index(".", start) + 1


def test_of_a_long_passage_the_sentences_around_the_best_are_quoted():
    text = FROGS.replace("Frog number 11 sits", "A heron sleeps")
    made = composed("Where does a heron sleep?", hit(passage(text, 1000)))
    (quote,) = made.citations
    assert "A heron sleeps on a leaf" in quote.quote
    assert len(made.text.split()) <= WORD_LIMIT
    assert quote.quote.endswith("pond.")
    assert text[quote.start - 1000 : quote.end - 1000] == quote.quote


def test_a_sentence_that_was_found_is_quoted_whatever_its_words():
    start, end = frog(17)
    found = Near(entry=0, passage_id="", start=start, end=end, cosine=0.9)
    (quote,) = composed("Croak?", hit(passage(FROGS), nearest=(found,))).citations
    assert "Frog number 17 " in quote.quote
    assert "Frog number 3 " not in quote.quote


def test_the_sentence_that_a_known_question_stands_for_is_quoted():
    start, end = frog(17, 1000)
    known = asked("who croaks loudest", 0.8, span=(start + 3, end - 3))
    (quote,) = composed("Croak?", hit(passage(FROGS, 1000), known=(known,))).citations
    assert quote.start <= start < end <= quote.end
    assert "Frog number 3 " not in quote.quote


def test_two_known_questions_tell_more_of_a_sentence_than_one_odd_one():
    odd = [asked("a", 0.9, span=frog(2)), asked("b", 0.1, span=frog(2))]
    alike = [asked("c", 0.7, span=frog(17)), asked("d", 0.6, span=frog(17))]
    known = tuple(sorted(odd + alike, key=lambda row: -row.cosine))
    (quote,) = composed("Croak?", hit(passage(FROGS), known=known)).citations
    assert "Frog number 17 " in quote.quote
    assert "Frog number 2 " not in quote.quote


def test_a_passage_of_one_endless_sentence_is_cut_in_the_answer_only():
    text = "toads and " * 150 + "newts vote."
    made = composed("Who votes?", hit(passage(text)))
    assert made.text.endswith(" … [1]")
    assert len(made.text.split()) <= WORD_LIMIT
    assert made.citations[0].quote == text


def test_a_table_is_said_in_words_and_quoted_as_it_stands():
    table = passage("A\tB\n1\t2", kind="table", reading="A 1: B 2\nA 3: B 4")
    made = composed("How many?", hit(table))
    assert made.text == "A 1: B 2. A 3: B 4. [1]"
    assert made.citations[0].quote == "A\tB\n1\t2"


def test_of_a_long_table_the_rows_that_are_asked_for_come_first():
    rows = [
        f"Masons {n}: Slabs to finish the great tower of the quarry {40 - n}" for n in range(20)
    ]
    table = passage("glued", kind="table", reading="\n".join(rows))
    made = composed("How many slabs with 17 masons?", hit(table))
    assert made.text.startswith("Masons 17: Slabs to finish")
    assert len(made.text.split()) <= WORD_LIMIT


# ------------------------------------------------------------------- yes and no

TOADS = passage("Toads gather at dawn.")


def voted(question, *votes, holder=TOADS):
    rows = [asked(text, cosine, polarity) for text, cosine, polarity in votes]
    known = tuple(sorted(rows, key=lambda row: -row.cosine))
    return composed(question, hit(holder, known=known))


@pytest.mark.parametrize(
    ("votes", "polarity"),
    [
        ([("Can a toad vote?", 0.9, "no")], "no"),
        ([("Can a toad vote?", 0.9, "no"), ("May toads vote?", 0.88, "no")], "no"),
        ([("Can a toad vote?", SURE_ASKED, "yes")], "yes"),
        # none is surely meant alike
        ([], None),
        ([("Can a toad vote?", SURE_ASKED - 0.01, "yes")], None),
        # one that is as near says otherwise
        ([("Can a toad vote?", 0.9, "no"), ("May toads vote?", 0.88, "yes")], None),
        ([("Can a toad vote?", 0.9, "no"), ("May toads vote?", 0.9 - DISSENT, "yes")], None),
        # one that is further off may
        ([("Can a toad vote?", 0.9, "no"), ("May toads vote?", 0.89 - DISSENT, "yes")], "no"),
        # the opposite question has no vote, and forbids one where it is the nearest
        ([("Can't a toad vote?", 0.9, "yes")], None),
        ([("Must a toad vote?", 0.9, "yes")], None),
        ([("Can't toads vote?", 0.9, "yes"), ("May toads vote?", 0.88, "no")], None),
        ([("Can't toads vote?", 0.85, "yes"), ("May toads vote?", 0.88, "no")], "no"),
        # nor has one that wants more than yes or no
        ([("How often can a toad vote?", 0.9, None), ("May toads vote?", 0.8, "yes")], "yes"),
        # what is known to be answered with yes or no votes, however it is worded
        ([("toad votes", 0.9, "no")], "no"),
    ],
)
def test_yes_and_no_are_voted_by_the_known_questions_that_are_meant_alike(votes, polarity):
    made = voted("Can a toad vote?", *votes)
    assert made.polarity == polarity
    lead = f"{polarity.capitalize()}. " if polarity else ""
    assert made.text == f"{lead}Toads gather at dawn. [1]"


@pytest.mark.parametrize(
    ("question", "known", "says", "polarity"),
    [
        ("Can't a toad vote?", "Can a toad vote?", "no", None),
        ("Can't a toad vote?", "Can't toads vote?", "yes", "yes"),
        ("Must a toad vote?", "Can a toad vote?", "yes", None),
        ("How often can a toad vote?", "Can a toad vote?", "no", None),
        ("toad votes", "Can a toad vote?", "no", None),
        ("ok so a toad votes, right?", "Can a toad vote?", "no", "no"),
    ],
)
def test_yes_and_no_are_said_only_to_the_question_as_asked(question, known, says, polarity):
    assert voted(question, (known, 0.9, says)).polarity == polarity


def test_only_the_passage_that_is_quoted_first_votes():
    other = hit(passage("Newts.", 50), 0.9, known=(asked("Can a toad vote?", 0.99, "no"),))
    first = hit(TOADS, known=(asked("Can a toad vote?", 0.7, "yes"),))
    assert composed("Can a toad vote?", first, other).polarity == "yes"
    assert composed("Can a toad vote?", hit(TOADS), other).polarity is None


def test_a_passage_of_which_no_question_is_known_says_neither_yes_nor_no():
    ruling = passage("Yes. It is forbidden.")  # "Is a toad forbidden to vote?" was asked of it
    made = composed("May a toad vote?", hit(ruling, asked=0.9))
    assert (made.polarity, made.text) == (None, "It is forbidden. [1]")


def test_a_second_passage_brings_no_yes_of_its_own():
    first = hit(passage("Toads vote once."))
    made = composed("May a newt vote?", first, hit(passage("Yes. A newt may sing.", 50), 0.95))
    assert made.text == "Toads vote once. [1] Also: A newt may sing. [2]"


def test_a_yes_that_may_answer_another_question_is_left_out():
    made = composed("How often may a toad vote?", hit(passage("No. It may vote once.")))
    assert (made.text, made.polarity) == ("It may vote once. [1]", None)
    made = composed("How often may a toad vote?", hit(passage("Yes, but only once.")))
    assert made.text == "But only once. [1]"


def test_a_ruling_that_says_it_itself_says_it_once():
    made = voted("Can a toad vote?", ("May toads vote?", 0.9, "yes"), holder=passage("Yes. Once."))
    assert (made.text, made.polarity) == ("Yes. Once. [1]", "yes")


def test_an_answer_leads_with_what_is_said_to_the_question_not_to_the_heading():
    ruling = passage("No. A toad sits still.", question="May a toad vote?")
    made = voted("Is voting barred to toads?", ("Is it barred?", 0.9, "yes"), holder=ruling)
    assert made.polarity == "yes"
    assert made.text == "Yes. A toad sits still. [1]"


def test_a_yes_leaves_room_for_the_words():
    long = passage("toads and " * 150 + "newts vote.")
    made = voted("Can a toad vote?", ("May toads vote?", 0.9, "yes"), holder=long)
    assert made.text.startswith("Yes. toads and ")
    assert len(made.text.split()) == WORD_LIMIT


# ------------------------------------------------------------------------- gaps

SILENT = replace(
    GAME,
    gaps=(
        Gap(text="what does a lily cost", why="printed-only", look="The lily tile tells."),
        Gap(text="who wins by luck", why="general", look="No rule can tell."),
    ),
)


@pytest.mark.parametrize(("entry", "look"), [(0, "The lily tile tells."), (1, "No rule can tell.")])
def test_what_the_texts_do_not_tell_is_not_covered_and_where_to_look_is_said(entry, look):
    sure = hit(TOADS, dense=0.5)
    made = composed("What does a lily cost?", sure, game=SILENT, missing=gap(0.6, entry))
    assert (made.status, made.polarity, made.notes) == ("not_covered", None, ())
    assert made.text == (
        f"The texts of Made that I have do not clearly answer this. Where to look: {look}"
    )
    assert [c.quote for c in made.citations] == [TOADS.text]


@pytest.mark.parametrize(
    "nearer",
    [{"dense": 0.7}, {"sentence": 0.7}, {"known": (asked("a", 0.7), asked("b", 0.1))}],
    ids=lambda row: next(iter(row)),
)
def test_a_gap_leads_only_over_all_that_was_found(nearer):
    second = hit(passage("Newts.", 50), 0.5, **nearer)
    found = Found((hit(TOADS, dense=0.5), second), gap(0.6))
    assert not gap_leads(found)
    assert gap_leads(replace(found, gap=gap(0.71)))
    assert not gap_leads(replace(found, gap=gap(0.7)))
    made = composed("Who gathers?", *found.hits, game=SILENT, missing=found.gap)
    assert (made.status, "look" in made.text) == ("answered", False)


def test_a_gap_that_does_not_lead_is_not_where_to_look():
    made = composed(
        "Who?", hit(TOADS, dense=0.7), game=SILENT, missing=gap(0.6), calibration=UNSURE
    )
    assert made.text.endswith("answer this. The nearest words are quoted below.")


def test_a_gap_leads_where_nothing_else_was_found():
    assert gap_leads(Found((), gap(0.1)))
    assert not gap_leads(Found(()))
    made = composed("Who?", game=SILENT, passages=[TOADS], missing=gap(0.1, 1))
    assert made.text.endswith("Where to look: No rule can tell.")
    assert made.citations == ()


# -------------------------------------------------------- notes and contradictions

OLD = passage(
    "No. A heron stays at home.", 0, grade=Grade.DESIGNER, year=2019, question="Does it stay?"
)
NEW = passage(
    "Yes. A heron flies far away.", 100, grade=Grade.DESIGNER, year=2024, question="Does it fly?"
)
FOLK = passage("A heron walks to the pond.", 200, grade=Grade.COMMUNITY_ONE)
APART = passage("Toads vote.", 300, grade=Grade.RULEBOOK)


def disagreeing(*sides):
    spans = tuple((p.file, p.start, p.end, side) for side, p in zip("abc", sides, strict=False))
    note = Note(id="heron", kind="contradiction", says="The rulings disagree.", spans=spans)
    return replace(GAME, notes=(note,))


def heron(game, *hits):
    return composed("Where is a heron?", *hits, game=game, passages=[OLD, NEW, FOLK, APART])


def test_the_other_side_of_a_contradiction_is_listed():
    made = heron(disagreeing(OLD, FOLK), hit(OLD))
    (other,) = made.conflicts
    assert (other.quote, other.grade, other.n) == (FOLK.text, Grade.COMMUNITY_ONE, 2)
    assert made.notes == ("The rulings disagree.",)


@pytest.mark.parametrize(
    ("better", "worse"), [(OLD, FOLK), (NEW, OLD), (NEW, FOLK)], ids=["grade", "year", "both"]
)
def test_of_two_that_disagree_the_better_comes_first(better, worse):
    made = heron(disagreeing(worse, better), hit(better), hit(worse, 0.5))
    assert made.citations[0].passage_id == better.id
    assert [c.passage_id for c in made.conflicts] == [worse.id]
    assert "The texts disagree on this." in made.text
    made = heron(disagreeing(worse, better), hit(worse), hit(better, 0.5))
    assert made.citations[0].passage_id == better.id


def test_the_worse_ruling_is_a_conflict_though_it_scored_more():
    made = heron(disagreeing(OLD, NEW), hit(OLD), hit(NEW, 0.9))
    assert [c.passage_id for c in made.citations] == [NEW.id]
    assert [c.passage_id for c in made.conflicts] == [OLD.id]
    assert "The texts disagree on this." in made.text


def test_an_answer_that_tells_of_a_disagreement_is_short_too():
    long = passage("It is " + "very " * 84 + "far.", 500)
    made = heron(disagreeing(long, FOLK), hit(long), hit(FOLK, 0.5))
    assert "The texts disagree on this." in made.text
    assert len(made.text.split()) <= WORD_LIMIT


def test_a_side_that_no_passage_holds_is_a_fault_of_ours():
    note = disagreeing(OLD, FOLK)
    with pytest.raises(QuoteError, match=r"No passage of made/faq\.txt holds character 200"):
        composed("Where is a heron?", hit(OLD), game=note, passages=[OLD])


def test_a_second_passage_of_one_long_sentence_is_cut():
    long = passage("newts " * 100 + "vote.", 50)
    made = composed("Who votes?", hit(passage("Toads vote.")), hit(long))
    assert made.text.startswith("Toads vote. [1] Also: newts newts ")
    assert made.text.endswith(" … [2]")
    assert len(made.text.split()) <= WORD_LIMIT


def test_a_first_passage_leaves_room_for_a_second_one():
    long = passage(" ".join(["It is far."] * 40))
    alone = composed("Who votes?", hit(long))
    made = composed("Who votes?", hit(long), hit(passage("Toads.", 500)))
    assert FIRST_WORDS < len(alone.text.split()) <= WORD_LIMIT
    assert made.text.endswith("far. [1] Also: Toads. [2]")
    assert len(made.text.split()) <= FIRST_WORDS + 4


def test_passages_on_one_side_are_no_conflict():
    spans = ((OLD.file, OLD.start, OLD.end, "a"), (FOLK.file, FOLK.start, FOLK.end, "a"))
    note = Note(id="x", kind="contradiction", says="s", spans=spans)
    made = heron(replace(GAME, notes=(note,)), hit(OLD))
    assert (made.conflicts, made.notes) == ((), ("s",))


def test_a_note_without_sides_is_shown_and_no_conflict():
    note = Note(id="x", kind="gap", says="No word of ducks.", spans=((OLD.file, 4, 9, ""),))
    made = heron(replace(GAME, notes=(note,)), hit(OLD))
    assert (made.conflicts, made.notes) == ((), ("No word of ducks.",))


def test_a_note_on_other_words_is_not_shown():
    made = heron(disagreeing(OLD, FOLK), hit(APART))
    assert (made.conflicts, made.notes) == ((), ())


def test_a_note_touches_only_the_words_of_its_own_file():
    (citation,) = [cite(OLD, 1, 4, 26)]

    def touched(file, start, end):
        note = Note(id="x", kind="gap", says="s", spans=((file, start, end, ""),))
        return bool(touching([citation], [note]))

    assert touched("made/faq.txt", 25, 40)
    assert touched("made/faq.txt", 0, 5)
    assert not touched("made/faq.txt", 26, 40)
    assert not touched("made/faq.txt", 0, 4)
    assert not touched("made/other.txt", 4, 26)


# ------------------------------------------------------------------- confidence


def test_features_tell_how_well_the_first_hit_fits():
    holders = [passage("Toads vote twice."), passage("Newts sleep.", 50)]
    lexical = Lexical([p.text for p in holders])
    hits = (
        hit(holders[0], 2.0, dense=0.8, asked=0.3, lexical=2.0),
        hit(holders[1], 1.0, dense=0.5, sentence=0.6),
    )
    found = features("Do toads vote?", Found(hits, gap(0.7)), lexical)
    assert (found["dense"], found["sentence"], found["asked"]) == (0.8, 0.0, 0.3)
    assert found["near"] == 0.8
    assert found["ahead"] == pytest.approx(0.2)
    assert found["gap"] == pytest.approx(-0.1)
    assert found["margin"] == 0.5
    assert found["agreement"] == pytest.approx(3 / 5)  # nothing is phrased alike
    assert (found["shared"], found["unknown"], found["faq"]) == (1.0, 0.0, 1.0)


def test_a_known_question_that_was_found_makes_a_passage_near():
    known = (asked("Does a tadpole get a ballot?", 0.9), asked("x", 0.2))
    lexical = Lexical(["Toads vote."])
    bare = features("Do tadpoles vote?", Found((hit(passage("Toads vote.")),)), lexical)
    found = Found((hit(passage("Toads vote."), known=known),))
    told = features("Do tadpoles vote?", found, lexical)
    assert (bare["near"], told["near"]) == (0.0, 0.9)
    assert bare["shared"] < told["shared"] == 1.0
    assert (bare["gap"], told["gap"]) == (0.0, -0.9)


def test_words_that_no_text_holds_are_told_by_the_features():
    lexical = Lexical(["Toads vote."])
    found = features("Do wizards vote?", Found((hit(passage("Toads vote.")),)), lexical)
    assert 0 < found["shared"] < 1
    assert found["unknown"] == pytest.approx(1 - found["shared"])
    assert found["agreement"] == 0.0


def test_each_fitted_weight_is_of_a_feature(engine):
    names = features("x", Found((hit(passage("Toads.")),)), Lexical(["Toads."])).keys()
    assert engine.calibration.weights.keys() <= names
    assert load_calibration(Settings()).weights.keys() == names


def test_more_of_what_is_weighed_makes_surer():
    weighed = Calibration(bias=-2.0, weights={"near": 5.0}, threshold=0.0)
    values = [
        composed("Who?", hit(passage("Toads."), dense=d), calibration=weighed).confidence
        for d in (0.0, 0.3, 0.6, 0.9)
    ]
    assert values == sorted(values)
    assert len(set(values)) == 4


# ------------------------------------------------------------- whatever is found

WORDS = st.sampled_from(["toad", "newt", "votes", "the", "pond", "Größe", "🦊", "no", "e.g.", "—"])
SENTENCES = st.builds(
    lambda words, end: " ".join(words).capitalize() + end,
    st.lists(WORDS, min_size=1, max_size=40),
    st.sampled_from([".", "!", "?", "", ".\n", ".\n\n- "]),
)
RULINGS = st.builds(
    lambda lead, rows: f"{lead}{' '.join(rows)}".strip(),
    st.sampled_from(["", "", "Yes. ", "No. ", "No, ", "Yes", "No."]),
    st.lists(SENTENCES, min_size=1, max_size=5),
)
ASKED = st.lists(
    st.builds(
        asked,
        st.sampled_from(["Can a toad vote?", "May a newt?", "Can't a toad vote?", "Who votes?"]),
        st.floats(0, 1),
        st.sampled_from([None, "yes", "no"]),
        st.sampled_from([(0, 10_000), (0, 20), (30, 60)]),
    ),
    max_size=4,
).map(lambda rows: tuple(sorted(rows, key=lambda row: -row.cosine)))
READINGS = st.lists(SENTENCES.map(lambda row: " ".join(row.split())), min_size=1).map("\n".join)


@st.composite
def found_hits(draw):
    hits, at = [], draw(st.integers(0, 50))
    for score in sorted(draw(st.lists(st.floats(0.1, 3), min_size=1, max_size=4)), reverse=True):
        text = draw(RULINGS)
        kind = draw(st.sampled_from(["rule", "faq", "table", "note", "example"]))
        holder = passage(
            text,
            at,
            kind=kind,
            reading=draw(READINGS) if kind == "table" else "",
            question="Can a toad vote?" if kind == "faq" else "",
            grade=draw(st.sampled_from(list(Grade))),
            year=draw(st.sampled_from([None, 2017, 2024])),
        )
        hits.append(hit(holder, score, known=draw(ASKED)))
        at += len(text) + 2
    told = [(h.passage.file, h.passage.start, h.passage.end) for h in hits]
    spans = tuple((*span, draw(st.sampled_from("ab"))) for span in told)
    notes = (Note(id="n", kind="contradiction", says="s", spans=spans),)
    return hits, replace(GAME, notes=draw(st.sampled_from([(), notes])))


@given(
    made=found_hits(),
    question=st.sampled_from(["Can a toad vote?", "Who votes?", "Can't a newt?", "🦊", "3 toads?"]),
)
@settings(max_examples=150)
def test_any_answer_is_short_and_verbatim(made, question):
    hits, game = made
    draft = composed(question, *hits, game=game)
    assert draft.status == "answered"
    assert 0 < len(draft.text.split()) <= WORD_LIMIT
    assert draft.polarity is None or said(draft.text) == draft.polarity
    markers = [int(n) for n in re.findall(r"\[(\d+)\]", draft.text)]
    assert markers == [c.n for c in draft.citations] == list(range(1, len(markers) + 1))
    held = {h.passage.id: h.passage for h in hits}
    for quote in (*draft.citations, *draft.conflicts):
        holder = held[quote.passage_id]
        assert holder.start <= quote.start < quote.end <= holder.end
        assert holder.text[quote.start - holder.start : quote.end - holder.start] == quote.quote


@given(known=ASKED, question=st.sampled_from(["Can a toad vote?", "Can't a newt?", "Who votes?"]))
def test_yes_or_no_is_never_said_against_a_vote_that_is_as_near(known, question):
    made = composed(question, hit(TOADS, known=known))
    answered = [row for row in known if row.polarity]
    votes = [row for row in answered if not turned(question, row.text)]
    if made.polarity:
        assert asks_yes_no(question)
        assert made.polarity == votes[0].polarity
        assert votes[0].cosine >= SURE_ASKED
        assert all(
            row.polarity == made.polarity
            for row in votes
            if row.cosine >= votes[0].cosine - DISSENT
        )
    elif asks_yes_no(question) and votes and votes[0].cosine >= SURE_ASKED:
        assert votes[0] is not answered[0] or len({row.polarity for row in votes}) == 2


@given(cosine=st.floats(0, 1), dense=st.floats(0, 1), entry=st.integers(0, 1))
def test_where_to_look_is_said_only_where_the_gap_is_nearest(cosine, dense, entry):
    made = composed("Who?", hit(TOADS, dense=dense), game=SILENT, missing=gap(cosine, entry))
    assert (SILENT.gaps[entry].look in made.text) is (cosine > dense)
    assert (made.status == "not_covered") is (cosine > dense)
