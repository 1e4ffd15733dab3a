import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from rag.lexical import KNOWN_THAT_COUNT as BEST, Lexical, words_of
from rag.records import Entry, Passage

TEXTS = [
    "The gull dives for fish.",
    "A tern steals the fish of a gull.",
    "Newts sleep.",
    "Snails wear crowns.",
    "Toads vote once.",
]


def test_the_text_with_the_words_scores_best():
    scores = Lexical(TEXTS).scores("who steals fish?")
    assert scores.argmax() == 1
    assert scores[0] > scores[2] == 0


def test_a_question_without_a_known_word_scores_nothing():
    assert Lexical(TEXTS).scores("wizards and towers").tolist() == [0] * 5
    assert Lexical(TEXTS).scores("who is it").tolist() == [0] * 5


def test_words_are_compared_by_their_stems():
    assert Lexical(TEXTS).scores("sleeping newt").argmax() == 2


def test_a_rare_word_counts_more_than_a_common_one():
    lexical = Lexical(TEXTS)
    assert lexical.rarity("wizard") >= lexical.rarity("newt") > lexical.rarity("gull") > 0


def test_what_any_text_holds_is_known():
    lexical = Lexical(TEXTS)
    assert lexical.knows("gull")
    assert not lexical.knows("wizard")
    assert not lexical.knows("the")


@pytest.mark.parametrize("texts", [[], [""], ["the of"], ["", "gull"]])
def test_texts_without_words_score_nothing(texts):
    scores = Lexical(texts).scores("newt the")
    assert scores.shape == (len(texts),)
    assert not scores.any()


@given(
    texts=st.lists(st.lists(st.sampled_from(["gull", "tern", "🦊", "the", "2"])).map(" ".join)),
    question=st.lists(st.sampled_from(["gull", "tern", "newt", "the", "2"])).map(" ".join),
)
@settings(max_examples=40)
def test_a_score_is_above_nothing_only_where_a_word_is_shared(texts, question):
    scores = Lexical(texts).scores(question)
    wanted = {"gull", "tern", "2"} & set(question.split())
    shared = [bool(wanted & set(text.split())) for text in texts]
    assert all(share for share, score in zip(shared, scores, strict=True) if score)
    assert np.isfinite(scores).all()
    assert (scores >= 0).all()


# --------------------------------------------------------------------- holders

ASKED = [
    "does a gull dive",
    "can a gull dive for fish",
    "gull dive?",
    "will the gull dive twice",
    "do newts sleep",
]
HOLDERS = [0, 0, 0, 0, 2]


def test_a_holder_scores_as_the_mean_of_its_best_three_texts():
    single = Lexical(ASKED).scores("gull dive")
    held = Lexical(ASKED, HOLDERS, 4).scores("gull dive")
    assert held.shape == (4,)
    assert held[0] == pytest.approx(sorted(single[:4])[1:] @ np.full(BEST, 1 / BEST))
    assert held[1:].tolist() == [0, 0, 0]


def test_a_holder_of_fewer_texts_has_nothing_for_those_it_lacks():
    single = Lexical(ASKED).scores("sleep")
    assert Lexical(ASKED, HOLDERS, 3).scores("sleep")[2] == pytest.approx(single[4] / BEST)


def test_holders_of_nothing_score_nothing():
    assert Lexical([], [], 3).scores("gull").tolist() == [0, 0, 0]
    assert Lexical(ASKED, HOLDERS, 3).scores("wizard").tolist() == [0, 0, 0]


@given(
    rows=st.lists(
        st.tuples(
            st.lists(st.sampled_from(["gull", "tern", "newt", "the"])).map(" ".join),
            st.integers(0, 3),
        ),
        max_size=12,
    ),
    question=st.lists(st.sampled_from(["gull", "tern", "newt", "the", "elk"])).map(" ".join),
)
@settings(max_examples=40)
def test_the_order_of_texts_does_not_matter_to_their_holders(rows, question):
    def scores(rows):
        return Lexical([text for text, _ in rows], [n for _, n in rows], 4).scores(question)

    single = Lexical([text for text, _ in rows]).scores(question)
    best = [sorted((s for s, (_, n) in zip(single, rows, strict=True) if n == h)) for h in range(4)]
    assert scores(rows) == pytest.approx([sum(found[-BEST:]) / BEST for found in best], abs=1e-5)
    assert scores(rows[::-1]) == pytest.approx(scores(rows), abs=1e-5)


# --------------------------------------------------------------- words of a game


def passage(n, text, **more):
    known = {"game": "made", "file": "made/r.md", "kind": "rule", "source": "Made"}
    return Passage(id=f"p{n}", start=n, end=n + 1, text=text, **{**known, **more})


def known(text, passage_id):
    return Entry(text=text, passage_id=passage_id, start=0, end=1)


HELD = [
    passage(0, "Gulls dive."),
    passage(1, "Newts sleep.", section=("Pond",)),
    passage(2, "Terns steal."),
]


def test_a_passage_is_found_by_the_words_of_its_known_questions():
    questions = ("when do salamanders nap", "p1"), ("snooze", "p1"), ("theft", "p2")
    words = words_of(HELD, [known(*row) for row in questions])
    assert words.passages.scores("salamander").argmax() == 1
    assert words.passages.scores("pond newts")[0] == 0
    assert words.passages.knows("snooz")
    assert words.questions.scores("snooze").argmax() == 1
    assert words.questions.scores("newts").tolist() == [0, 0, 0]


def test_a_game_without_known_questions_is_found_by_its_own_words():
    words = words_of(HELD, [])
    assert words.passages.scores("newts").argmax() == 1
    assert words.questions.scores("newts").tolist() == [0, 0, 0]
