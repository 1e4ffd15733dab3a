import re
from dataclasses import replace

import pytest
from hypothesis import given, settings, strategies as st

from rag.compose import SURE_ASKED, WORD_LIMIT, Calibration, compose, features
from rag.errors import QuoteError
from rag.lexical import Lexical
from rag.quotes import cite, touching
from rag.records import Game, Grade, Hit, Note, Passage

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


def composed(question, *hits, game=GAME, calibration=SURE, passages=None):
    held = passages or [h.passage for h in hits]
    lexical = Lexical([p.text for p in held])
    return compose(question, hits, game, held, lexical, calibration)


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


def test_of_a_long_passage_the_sentences_around_the_best_are_quoted():
    text = " ".join(f"Frog number {n} sits on a leaf of the northern pond." for n in range(20))
    text = text.replace("Frog number 11 sits", "A heron sleeps")
    made = composed("Where does a heron sleep?", hit(passage(text, 1000)))
    (quote,) = made.citations
    assert "A heron sleeps on a leaf" in quote.quote
    assert len(quote.quote) <= 460
    assert quote.quote.endswith("pond.")
    assert text[quote.start - 1000 : quote.end - 1000] == quote.quote


def test_a_sentence_that_was_found_is_quoted_whatever_its_words():
    text = " ".join(f"Frog number {n} sits on a leaf of the northern pond." for n in range(20))
    at = text.index("Frog number 17")
    found = hit(passage(text), nearest=((at, text.index(" Frog number 18"), 0.9),))
    (quote,) = composed("Croak?", found).citations
    assert "Frog number 17 " in quote.quote


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


def ruled(text, question, asked=0.9, **more):
    return hit(passage(text, question=question, **more), asked=asked)


@pytest.mark.parametrize(
    ("question", "ruling", "said"),
    [
        ("Can a toad vote?", ruled("No. It may not.", "Can a toad vote?"), "no"),
        ("Can a toad vote?", ruled("Yes, once.", "May toads vote?"), "yes"),
        # it answers the opposite question
        ("Can't a toad vote?", ruled("No. It may not.", "Can a toad vote?"), None),
        ("Must a toad vote?", ruled("Yes. It may.", "Can a toad vote?"), None),
        # its heading is another one
        ("Can a toad vote?", ruled("No. It may not.", "Can a newt sing?", asked=0.2), None),
        # no yes or no is wanted, or said
        ("How often can a toad vote?", ruled("No. It may not.", "Can a toad vote?"), None),
        ("Can a toad vote?", ruled("Nobody votes.", "Can a toad vote?"), None),
        ("Can a toad vote?", ruled("Yesterday it voted.", "Can a toad vote?"), None),
        ("Can a toad vote?", ruled("No toad may.", "Can a toad vote?"), None),
        # only a ruling of a FAQ says yes or no
        ("Can a toad vote?", ruled("No. Never.", "Can a toad vote?", kind="rule"), None),
    ],
)
def test_yes_and_no_are_said_only_to_the_question_as_asked(question, ruling, said):
    assert composed(question, ruling).polarity == said


def test_a_ruling_without_a_heading_says_neither_yes_nor_no():
    ruling = ruled("Yes. It is forbidden.", "")  # "Is a toad forbidden to vote?" was asked of it
    assert composed("May a toad vote?", ruling).polarity is None


def test_a_second_passage_brings_no_yes_of_its_own():
    first = hit(passage("Toads vote once."))
    made = composed("May a newt vote?", first, hit(passage("Yes. A newt may sing.", 50), 0.95))
    assert made.text == "Toads vote once. [1] Also: A newt may sing. [2]"


def test_a_yes_that_may_answer_another_question_is_left_out():
    made = composed("How often may a toad vote?", ruled("No. It may vote once.", "Twice?"))
    assert (made.text, made.polarity) == ("It may vote once. [1]", None)
    made = composed("How often may a toad vote?", ruled("Yes, but only once.", "Twice?"))
    assert made.text == "But only once. [1]"


def test_a_yes_that_is_sure_comes_first():
    made = composed("Can a toad vote?", ruled("Yes. It may.", "Can a toad vote?"))
    assert (made.text, made.polarity) == ("Yes. It may. [1]", "yes")


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


def test_a_second_passage_of_one_long_sentence_is_left_out():
    long = passage("newts " * 100 + "vote.", 50)
    assert composed("Who votes?", hit(passage("Toads vote.")), hit(long)).text == "Toads vote. [1]"


def test_no_second_passage_is_added_to_a_full_answer():
    long = passage("It is " + "very " * 70 + "far.")
    made = composed("Who votes?", hit(long), hit(passage("Toads.", 500)))
    assert [citation.passage_id for citation in made.citations] == [long.id]


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
    hits = [
        hit(holders[0], 2.0, dense=0.8, asked=0.3, lexical=2.0),
        hit(holders[1], 1.0, dense=0.5),
    ]
    found = features("Do toads vote?", hits, lexical)
    assert found["cosine"] == found["dense"] == 0.8
    assert found["ahead"] == pytest.approx(0.3)
    assert found["margin"] == 0.5
    assert (found["shared"], found["unknown"]) == (1.0, 0.0)
    assert (found["lexical_best"], found["faq"], found["length"]) == (1.0, 1.0, 2 / 12)


def test_words_that_no_text_holds_are_told_by_the_features():
    lexical = Lexical(["Toads vote."])
    found = features("Do wizards vote?", [hit(passage("Toads vote."))], lexical)
    assert 0 < found["shared"] < 1
    assert found["unknown"] == pytest.approx(1 - found["shared"])
    assert found["lexical_best"] == 0.0


def test_each_fitted_weight_is_of_a_feature(engine):
    names = features("x", [hit(passage("Toads."))], Lexical(["Toads."])).keys()
    assert engine.calibration.weights.keys() <= names


def test_more_of_what_is_weighed_makes_surer():
    weighed = Calibration(bias=-2.0, weights={"cosine": 5.0}, threshold=0.0)
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
        hits.append(hit(holder, score, asked=draw(st.sampled_from([0.0, 0.9]))))
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
    markers = [int(n) for n in re.findall(r"\[(\d+)\]", draft.text)]
    assert markers == [c.n for c in draft.citations] == list(range(1, len(markers) + 1))
    held = {h.passage.id: h.passage for h in hits}
    for quote in (*draft.citations, *draft.conflicts):
        holder = held[quote.passage_id]
        assert holder.start <= quote.start < quote.end <= holder.end
        assert holder.text[quote.start - holder.start : quote.end - holder.start] == quote.quote


@given(
    lead=st.sampled_from(["Yes. ", "yes, ", "No. ", "No; ", "Nobody may. ", "Yesterday, ", ""]),
    asked=st.floats(0, 1),
    kind=st.sampled_from(["faq", "rule", "note"]),
    heading=st.sampled_from(["Can a toad vote?", "Can't a toad vote?", "Must a toad vote?"]),
)
def test_yes_or_no_is_said_only_with_the_heading_that_was_asked(lead, asked, kind, heading):
    ruling = ruled(f"{lead}A toad sits on a leaf.", heading, asked, kind=kind)
    made = composed("Can a toad vote?", ruling)
    fits = kind == "faq" and asked >= SURE_ASKED and heading == "Can a toad vote?"
    said = {"Yes. ": "yes", "yes, ": "yes", "No. ": "no", "No; ": "no"}.get(lead)
    assert made.polarity == (said if fits else None)
    assert made.text.lower().startswith(f"{said}") or made.polarity is None
