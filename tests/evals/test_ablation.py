"""Each part can be left out, and the table is the one of the results."""

import json

import numpy as np
import pytest

from evals.ablation import PARTS, PLACE, README, WHOLE, main, table
from rag.answer import answer, find
from rag.records import Question

ASKED = Question(text="How much kerosene do we begin with to row through fog?", game="tidewick")


def hits(engine, name):
    index = PARTS[name](engine.game("tidewick"))
    return index, find(ASKED, index, engine)[1]


@pytest.mark.parametrize(
    ("name", "silent"),
    [
        ("without known questions", ("asked", "phrased")),
        ("without BM25", ("lexical", "phrased")),
        ("without vectors of passages", ("dense",)),
        ("without vectors of sentences", ("sentence",)),
    ],
)
def test_what_is_left_out_says_nothing(engine, name, silent):
    whole = hits(engine, WHOLE)[1].hits
    assert all(any(getattr(hit, signal) > 0 for hit in whole) for signal in silent)
    left = hits(engine, name)[1].hits
    assert left
    assert all(getattr(hit, signal) == 0 for hit in left for signal in silent)


def test_gaps_and_nicknames_can_be_left_out(engine):
    assert hits(engine, WHOLE)[1].gap
    assert hits(engine, "without known gaps")[1].gap is None
    assert hits(engine, WHOLE)[0].game.terms
    assert hits(engine, "without nicknames")[0].game.terms == ()


def test_words_are_as_rare_as_before_without_bm25(engine):
    whole, silent = (hits(engine, name)[0].words.passages for name in (WHOLE, "without BM25"))
    assert silent.rarity("fog") == whole.rarity("fog")
    assert not np.any(silent.scores("fog"))


def test_a_game_that_was_put_in_is_the_one_that_answers(engine):
    own = engine.game("tidewick")
    bare = PARTS["without nicknames"](own)
    engine.put("tidewick", bare)
    try:
        assert engine.game("tidewick") is bare
        assert answer(ASKED, engine).game == "tidewick"
    finally:
        engine.put("tidewick", own)


def test_the_table_is_the_one_of_the_results():
    assert main(["--check"]) == 0
    assert table(json.loads(PLACE.read_text("utf-8"))) in README.read_text("utf-8")
