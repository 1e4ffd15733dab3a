import numpy as np
import pytest

from rag.lexical import Lexical
from rag.records import Passage
from rag.retrieve import FOLLOW_UP_WEIGHT, Query, queries, retrieve
from rag.store import Near

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


def found(asked, near, k=10):
    """What is retrieved if the searches bring `near`: rows by part, a list a query."""
    calls = []

    def search(part, vectors, count):
        calls.append((part, len(vectors), count))
        return near.get(part, [[] for _ in asked])

    vectors = np.zeros((len(asked), 3), np.float32)
    hits = retrieve(asked, vectors, PASSAGES, Lexical(TEXTS), search, k)
    return {hit.passage.id: hit for hit in hits}, calls


def test_a_question_without_a_history_is_asked_alone():
    assert queries("Who dives?", (), leans=True) == [Query("Who dives?")]


@pytest.mark.parametrize("leans", [True, False])
def test_a_question_is_read_with_the_one_before_it(leans):
    alone, together = queries("And newts?", ("Who dives?", "Who sleeps?"), leans=leans)
    assert (alone.text, together.text) == ("And newts?", "Who sleeps? And newts?")
    assert alone.weight + together.weight == pytest.approx(1)
    assert together.weight == pytest.approx(FOLLOW_UP_WEIGHT if leans else 1 - FOLLOW_UP_WEIGHT)


def test_what_any_search_brings_is_a_hit():
    near = {
        "passages": [[Near("p0", 0, 11, 0.9)]],
        "sentences": [[Near("p2", 200, 212, 0.4)]],
        "questions": [[]],
    }
    hits, _ = found([Query("fish")], near)
    assert set(hits) == {"p0", "p1", "p2"}
    assert (hits["p0"].dense, hits["p2"].sentence, hits["p1"].lexical > 0) == (0.9, 0.4, True)
    assert hits["p0"].lexical == 0


def test_what_no_search_brings_is_none():
    hits, _ = found([Query("wizards")], {"passages": [[Near("p0", 0, 11, 0.9)]]})
    assert set(hits) == {"p0"}


def test_a_passage_that_a_search_did_not_bring_gets_the_least_cosine_that_it_did():
    near = {"passages": [[Near("p0", 0, 11, 0.9), Near("p1", 100, 117, 0.5)]]}
    hits, _ = found([Query("newts")], near, k=2)
    assert hits["p2"].dense == 0.5
    assert hits["p2"].asked == 0.0


def test_a_passage_of_which_no_question_is_known_was_not_asked_for():
    hits, _ = found([Query("newts")], {"questions": [[Near("p0", 0, 11, 1.0)]]})
    assert hits["p0"].asked == 1.0
    assert hits["p2"].asked == 0.0


def test_the_nearest_of_several_entries_counts():
    near = {"questions": [[Near("p0", 0, 11, 0.3), Near("p0", 0, 11, 0.8)]]}
    assert found([Query("x")], near)[0]["p0"].asked == 0.8


def test_the_sentences_that_were_found_are_kept_best_first():
    near = {"sentences": [[Near("p0", 0, 5, 0.3), Near("p0", 6, 11, 0.8)]]}
    assert found([Query("x")], near)[0]["p0"].nearest == ((6, 11, 0.8), (0, 5, 0.3))


def test_wordings_count_by_their_weight():
    near = {
        "passages": [[Near("p0", 0, 11, 1.0)], [Near("p0", 0, 11, 0.5)]],
        "sentences": [[Near("p0", 0, 11, 1.0)], [Near("p0", 0, 11, 0.5)]],
    }
    hits, _ = found([Query("x", 0.25), Query("fish", 0.75)], near)
    assert hits["p0"].dense == pytest.approx(0.625)
    assert hits["p0"].nearest == ((0, 11, pytest.approx(0.625)),)
    alone = Lexical(TEXTS).scores("fish")[1]
    assert hits["p1"].lexical == pytest.approx(0.75 * alone)


def test_each_search_is_asked_for_as_many_as_are_wanted():
    _, calls = found([Query("x", 0.5), Query("y", 0.5)], {}, k=7)
    assert calls == [("passages", 2, 7), ("sentences", 2, 14), ("questions", 2, 7)]


def test_bm25_brings_no_more_than_are_wanted():
    hits, _ = found([Query("gulls terns newts")], {}, k=2)
    assert len(hits) == 2
