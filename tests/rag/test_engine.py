from dataclasses import replace

import pytest

from rag import engine as module
from rag.engine import ASKED_OFTEN, load_calibration, open_engine, vocabulary
from rag.errors import IndexMissingError, UnknownGameError
from rag.language import mend
from rag.lexical import searchable
from rag.records import Entry, Game, Passage
from rag.settings import Settings


def test_the_games_that_can_be_asked_are_sorted(engine):
    assert engine.games == ["gravelbound", "moss-court", "tidewick"]


def test_a_game_is_opened_once(engine):
    assert engine.game("tidewick") is engine.game("tidewick")


def test_a_game_is_opened_with_its_passages_and_words(engine):
    index = engine.game("tidewick")
    assert index.game.title == "Tidewick"
    assert [p.start for p in index.passages] == sorted(p.start for p in index.passages)
    assert index.vocabulary["wardens"] > 0
    assert index.words.passages.knows("warden")
    assert index.words.passages.knows("kerosen")  # of a known question
    assert index.words.questions.scores("kerosene").any()


def test_a_game_is_opened_with_its_gaps_and_terms(engine):
    index = engine.game("tidewick")
    assert [gap.why for gap in index.game.gaps] == ["printed-only", "printed-only", "general"]
    assert index.game.terms[0] == ("jetty", ("wharf", "mooring"))


# ------------------------------------------------------------------- vocabulary

GAME = Game(slug="made", title="Made", sources=(), terms=(("Oil Jar", ("flask", "lamp fuel")),))
PASSAGES = [
    Passage(
        id="p",
        game="made",
        file="made/r.md",
        start=0,
        end=9,
        text="Take one.",
        kind="rule",
        source="Made",
        section=("Rowing",),
    )
]


def asking(*texts):
    return [Entry(text=text, passage_id="p", start=0, end=9) for text in texts]


def test_the_words_of_texts_headings_and_nicknames_are_no_typing_faults():
    found = vocabulary(GAME, PASSAGES, [])
    assert set(found) == {"rowing", "take", "one", "oil", "jar", "flask", "lamp", "fuel"}


def test_a_word_that_many_ask_with_is_no_typing_fault():
    many = asking(*(f"is kerosene {n} kerosene?" for n in range(ASKED_OFTEN)))
    assert vocabulary(GAME, PASSAGES, many)["kerosene"] == ASKED_OFTEN
    assert "kerosene" not in vocabulary(GAME, PASSAGES, many[1:])


def test_a_typing_fault_in_a_known_question_teaches_nothing():
    known = asking(*["is kerosene dear?"] * ASKED_OFTEN, "is kerosnee dear?", "do flsaks leak")
    found = vocabulary(GAME, PASSAGES, known)
    assert mend("kerosnee or flsak", found, {"or"}.__contains__) == "kerosene or flask"


def test_an_unknown_game_is_refused_with_the_nearest_name(engine):
    told = r"no game called tidwick\. Did you mean tidewick\? Known: gravelbound, moss-court, tide"
    with pytest.raises(UnknownGameError, match=told):
        engine.game("tidwick")


def test_what_is_searched_holds_headings_question_and_reading(engine):
    toad = next(p for p in engine.game("moss-court").passages if "toad" in p.text)
    assert searchable(toad) == (
        "Council Can a toad vote twice in one council? "
        "No. A toad may not vote twice in the same council."
    )
    table = next(p for p in engine.game("gravelbound").passages if p.kind == "table")
    assert "Masons 3-4: Slabs to Finish 7" in searchable(table)


def test_the_fingerprint_tells_what_makes_answers(engine, hash_embedder):
    others = [
        replace(engine, embedder=hash_embedder("hashed@2")),
        replace(engine, settings=engine.settings.model_copy(update={"results": 11})),
        replace(engine, settings=engine.settings.model_copy(update={"adapter": False})),
        replace(engine, calibration=replace(engine.calibration, threshold=0.9)),
        replace(engine, serving={**engine.serving, "tidewick": "other"}),
    ]
    assert len({engine.fingerprint, *(other.fingerprint for other in others)}) == 6
    assert replace(engine).fingerprint == engine.fingerprint


def test_a_wanted_confidence_takes_the_place_of_the_fitted_threshold():
    fitted = load_calibration(Settings())
    wanted = load_calibration(Settings(min_confidence=0.875))
    assert 0 < fitted.threshold < 1
    assert wanted == replace(fitted, threshold=0.875)
    assert load_calibration(Settings(min_confidence=0.0)).threshold == 0.0


def test_without_an_index_there_is_no_engine(tmp_path):
    with pytest.raises(IndexMissingError, match=r"There is no index in .*; run `rulespal ingest`"):
        open_engine(Settings(data_dir=tmp_path / "none"))
    assert not (tmp_path / "none").exists()


def test_an_engine_opens_the_index_that_serves(engine, hash_embedder, monkeypatch):
    monkeypatch.setattr(module, "load_embedder", lambda _: hash_embedder())
    opened = open_engine(engine.settings)
    assert opened.serving == engine.serving
    assert opened.game("tidewick").passages == engine.game("tidewick").passages
