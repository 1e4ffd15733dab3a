import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from rag.lexical import Lexical

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
