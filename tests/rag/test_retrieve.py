import numpy as np
import pytest
from hypothesis import given, strategies as st

from rag.lexical import words_of
from rag.records import Entry, Near, Passage
from rag.retrieve import (
    FOLLOW_UP_WEIGHT,
    KNOWN_THAT_COUNT,
    PER_PASSAGE,
    Query,
    nearest_gap,
    queries,
    retrieve,
)

TEXTS = ("Gulls dive.", "Terns steal fish.", "Newts sleep.")
PASSAGES = tuple(
    Passage(
        id=f"p{n}",
        game="made",
        file="made/rules.md",
        start=n * 100,
        end=n * 100 + len(text),
        text=text,
        kind="rule",
        source="Made",
    )
    for n, text in enumerate(TEXTS)
)
KNOWN = tuple(
    Entry(text=text, passage_id=f"p{n}", start=n * 100, end=n * 100 + 5)
    for n, text in (
        (0, "who plunges"),
        (2, "when do salamanders nap"),
        (1, "is theft allowed"),
        (1, "may a bird be a thief"),
    )
)


def near(entry, passage_id, cosine, start=0, end=5, **more):
    return Near(entry=entry, passage_id=passage_id, start=start, end=end, cosine=cosine, **more)


def asked_for(text, weight=1.0):
    return Query(text, text, weight)


def found(asked, brought, k=10, known=KNOWN):
    """What is retrieved if the searches bring `brought`: rows by part, a list a query."""
    calls = []

    def search(part, vectors, count):
        calls.append((part, len(vectors), count))
        return brought.get(part, [[] for _ in asked])

    vectors = np.zeros((len(asked), 3), np.float32)
    hits = retrieve(asked, vectors, PASSAGES, words_of(PASSAGES, known), search, k)
    return {hit.passage.id: hit for hit in hits}, calls


# ------------------------------------------------------------ ways of putting it


def test_a_question_without_a_history_is_asked_alone():
    assert queries("Who dives?", (), ()) == [Query("Who dives?", "Who dives?")]


@pytest.mark.parametrize(("text", "leans"), [("And newts?", True), ("Who wins?", False)])
def test_a_question_is_read_with_the_one_before_it(text, leans):
    alone, together = queries(text, ("Who dives?", "Who sleeps?"), ())
    assert (alone.text, together.text) == (text, f"Who sleeps? {text}")
    assert (alone.words, together.words) == (alone.text, together.text)
    assert alone.weight + together.weight == pytest.approx(1)
    assert together.weight == pytest.approx(FOLLOW_UP_WEIGHT if leans else 1 - FOLLOW_UP_WEIGHT)


def test_a_nickname_is_looked_for_by_the_name_of_the_text():
    names = (("Tern", ("sea thief",)), ("Newt", ("newtie",)))
    alone, together = queries("and a newtie?", ("do sea thieves or a sea thief win?",), names)
    assert alone == Query("and a newtie?", "and a newtie? Newt", alone.weight)
    assert together.text == "do sea thieves or a sea thief win? and a newtie?"
    assert together.words == f"{together.text} Tern Newt"


def test_the_words_are_looked_for_and_the_text_is_embedded():
    hits, _ = found([Query("sea thief", "sea thief tern")], {})
    assert set(hits) == {"p1"}


# ------------------------------------------------------------------ what is found


def test_what_any_search_brings_is_a_hit():
    brought = {
        "passages": [[near(0, "p0", 0.9)]],
        "sentences": [[near(7, "p2", 0.4)]],
        "questions": [[]],
    }
    hits, _ = found([asked_for("fish")], brought)
    assert set(hits) == {"p0", "p1", "p2"}
    assert (hits["p0"].dense, hits["p2"].sentence, hits["p1"].lexical > 0) == (0.9, 0.4, True)
    assert hits["p0"].lexical == 0


def test_what_no_search_brings_is_none():
    hits, _ = found([asked_for("wizards")], {"passages": [[near(0, "p0", 0.9)]]})
    assert set(hits) == {"p0"}


def test_the_words_of_known_questions_find_their_passage():
    hits, _ = found([asked_for("do salamanders plunge")], {})
    assert set(hits) == {"p0", "p2"}
    assert hits["p2"].lexical > 0
    assert hits["p2"].phrased > 0
    bare, _ = found([asked_for("do salamanders plunge")], {}, known=())
    assert bare == {}


def test_a_passage_that_a_search_did_not_bring_gets_the_least_cosine_that_it_did():
    brought = {"passages": [[near(0, "p0", 0.9), near(1, "p1", 0.5)]]}
    hits, _ = found([asked_for("newts")], brought, k=2)
    assert hits["p2"].dense == 0.5
    assert hits["p2"].asked == 0.0


def test_a_passage_of_which_no_question_is_known_was_not_asked_for():
    hits, _ = found([asked_for("newts")], {"questions": [[near(0, "p0", 1.0)]]})
    assert hits["p0"].asked == 1.0
    assert hits["p2"].asked == 0.0


@pytest.mark.parametrize(
    ("cosines", "mean"), [((0.8,), 0.8), ((0.9, 0.5), 0.7), ((0.3, 0.9, 0.6, 0.0), 0.6)]
)
def test_the_mean_of_the_three_nearest_known_questions_counts(cosines, mean):
    rows = [near(n, "p0", cosine) for n, cosine in enumerate(cosines)]
    hit = found([asked_for("x")], {"questions": [rows]})[0]["p0"]
    assert hit.asked == pytest.approx(mean)
    assert [row.cosine for row in hit.known] == sorted(cosines, reverse=True)


def test_known_questions_that_were_not_brought_count_as_the_least_that_was():
    # with k=1 all six that are searched for come, so there are more than these
    rows = [near(0, "p0", 0.9), *(near(n, "p1", 0.8 - n / 10) for n in range(1, 6))]
    hits, _ = found([asked_for("x")], {"questions": [rows]}, k=1)
    floor = rows[-1].cosine
    assert hits["p0"].asked == pytest.approx((0.9 + 2 * floor) / KNOWN_THAT_COUNT)
    assert hits["p1"].asked == pytest.approx((0.7 + 0.6 + 0.5) / KNOWN_THAT_COUNT)


def test_only_the_nearest_sentence_of_a_passage_counts():
    brought = {"sentences": [[near(0, "p0", 0.3), near(1, "p0", 0.8)]]}
    assert found([asked_for("x")], brought)[0]["p0"].sentence == 0.8


def test_what_was_found_of_a_passage_is_kept_best_first():
    sentences = [near(0, "p0", 0.3, 0, 5), near(1, "p0", 0.8, 6, 11)]
    questions = [near(4, "p0", 0.2, text="a", polarity="no"), near(9, "p0", 0.7, text="b")]
    brought = {"sentences": [sentences], "questions": [questions]}
    hit = found([asked_for("x")], brought)[0]["p0"]
    assert hit.nearest == (sentences[1], sentences[0])
    assert hit.known == (questions[1], questions[0])


def test_wordings_count_by_their_weight():
    brought = {
        "passages": [[near(0, "p0", 1.0)], [near(0, "p0", 0.5)]],
        "sentences": [[near(0, "p0", 1.0)], [near(0, "p0", 0.5)]],
        "questions": [[near(0, "p0", 1.0)], [near(0, "p0", 0.5)]],
    }
    hits, _ = found([asked_for("x", 0.25), asked_for("fish", 0.75)], brought)
    assert hits["p0"].dense == pytest.approx(0.625)
    assert [row.cosine for row in hits["p0"].nearest] == [pytest.approx(0.625)]
    assert hits["p0"].asked == pytest.approx(0.625)
    alone = words_of(PASSAGES, KNOWN).passages.scores("fish")[1]
    assert hits["p1"].lexical == pytest.approx(0.75 * alone)


def test_each_search_is_asked_for_as_many_as_are_wanted():
    _, calls = found([asked_for("x", 0.5), asked_for("y", 0.5)], {}, k=7)
    assert calls == [
        ("passages", 2, 7),
        ("sentences", 2, 7 * PER_PASSAGE["sentences"]),
        ("questions", 2, 7 * PER_PASSAGE["questions"]),
    ]


def test_bm25_brings_no_more_than_are_wanted():
    hits, _ = found([asked_for("gulls terns newts")], {}, k=2)
    assert len(hits) == 2


@given(
    rows=st.lists(
        st.lists(st.tuples(st.integers(0, 8), st.floats(-1, 1)), unique_by=lambda row: row[0]),
        min_size=1,
        max_size=2,
    ),
    k=st.integers(1, 4),
)
def test_no_passage_scores_beyond_what_was_found(rows, k):
    weight = 1 / len(rows)
    ordered = [
        sorted((near(n, f"p{n % 3}", cosine) for n, cosine in row), key=lambda x: -x.cosine)[:k]
        for row in rows
    ]
    hits, _ = found([asked_for("x", weight) for _ in rows], {"passages": ordered}, k)
    # where not all was brought, the rest has none: a cosine of 0
    rest = [] if all(len(row) == k for row in ordered) else [0.0]
    best = sum(weight * max([*(one.cosine for one in row), *rest]) for row in ordered)
    assert hits.keys() == {one.passage_id for row in ordered for one in row}
    assert all(hit.dense <= best + 1e-9 for hit in hits.values())


# -------------------------------------------------------------------------- gaps


def gap(*rows):
    def search(part, vectors, count):
        assert part == "gaps"
        return [sorted(row, key=lambda x: -x.cosine)[:count] for row in rows]

    asked = [asked_for("x", 1 / len(rows)) for _ in rows]
    return nearest_gap(asked, np.zeros((len(rows), 3), np.float32), search)


def test_the_nearest_gap_is_found():
    assert gap([near(0, "", 0.3), near(1, "", 0.8)]) == near(1, "", 0.8)


def test_a_game_without_gaps_has_no_nearest_one():
    assert gap([]) is None
    assert gap([], []) is None


def test_a_gap_near_both_wordings_is_as_near_as_their_mean():
    found = gap([near(0, "", 0.9), near(1, "", 0.1)], [near(0, "", 0.5), near(1, "", 0.2)])
    assert (found.entry, found.cosine) == (0, pytest.approx(0.7))


def test_a_gap_near_one_wording_only_is_no_nearer_than_their_mean():
    # each wording has a gap of its own; neither gap is near the other wording
    found = gap([near(0, "", 0.9), near(1, "", 0.1)], [near(1, "", 0.9), near(0, "", 0.1)])
    assert found.cosine == pytest.approx(0.5)
