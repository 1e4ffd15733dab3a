"""The shipped games with the packaged model: slow, so marked `model`."""

import json
import re
from pathlib import Path

import pytest

from ingest.manifest import shipped_corpus
from ingest.pipeline import ensure_index
from rag.answer import answer
from rag.records import Grade, Question

pytestmark = pytest.mark.model
DEV = sorted((Path(__file__).parents[2] / "evals" / "questions").glob("*.dev.jsonl"))


@pytest.fixture(scope="module")
def texts():
    return {
        path.relative_to(shipped_corpus()).as_posix(): path.read_bytes().decode("utf-8")
        for path in shipped_corpus().glob("*/*.txt")
    }


@pytest.fixture
def ask(real_engine):
    def asked(text, game=None, *history):
        return answer(Question(text=text, game=game, history=history), real_engine)

    return asked


@pytest.mark.parametrize(
    ("game", "text", "words"),
    [
        ("springsign", "How many votes trigger the election with 2 players?", "Election 5"),
        ("springsign", "What resources does the third player start with?", "Place Player 3"),
        ("springsign", "What if nobody has popularity in town votes?", "Everybody scores a vote."),
        ("springsign", "Are resource tokens limited?", "are not limited to what comes with"),
        ("winter-rabbit", "How many neutral villagers with 5 players?", "Villager Tokens 2"),
        (
            "eauchemin",
            "How many points are 3 branch tokens worth?",
            "Branch Token(s) 3: Point(s) 7",
        ),
        ("eauchemin", "How many coins does the fourth player start with?", "4th Player: Starting"),
        ("eauchemin", "What is leftover money worth?", "1 point for every 5 coins"),
        ("root", "Do I need another player's consent for an action?", "another player's consent"),
    ],
)
def test_the_words_that_settle_a_question_are_among_the_first(ask, real_engine, game, text, words):
    known = {passage.id: passage for passage in real_engine.game(game).passages}
    first = [known[row.passage_id] for row in ask(text, game).retrieved[:3]]
    assert any(words in passage.text or words in passage.reading for passage in first)


def test_a_number_is_read_from_a_glued_table(ask):
    made = ask("How many votes trigger the election with 2 players?", "springsign")
    assert made.status == "answered"
    assert "Players 1-2: Votes to Trigger Election 5." in made.text
    assert any(quote.quote.endswith("1-25\n3-44\n5-63") for quote in made.citations)


def test_setup_steps_that_were_moved_are_cited_where_they_stand(ask, texts):
    made = ask("Do we choose player boards in turn order or at random?", "springsign")
    first = made.citations[0]
    assert first.section == ("Setting Up",)
    assert first.start > 35_000
    assert texts[first.file][first.start : first.end] == first.quote


def test_a_ruling_carries_its_grade_and_year(ask):
    first = ask("Do I need another player's consent for an action?", "root").citations[0]
    assert (first.grade, first.year) == (Grade.DESIGNER, 2018)


@pytest.mark.parametrize(
    ("text", "game"),
    [
        ("in springsign, how many votes to win with 5 players?", "springsign"),
        ("How many warriors can the Marquise de Cat recruit?", "root"),
        ("Can I move my ship token upstream in the river area?", "eauchemin"),
    ],
)
def test_the_game_is_told_by_the_question(ask, text, game):
    assert ask(text).game == game


def test_another_game_is_out_of_scope(ask):
    assert ask("In Catan, who moves the robber?", "root").status == "out_of_scope"


@pytest.mark.parametrize("path", DEV, ids=lambda path: path.stem)
def test_every_answer_is_short_verbatim_and_ranked(ask, texts, path):
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()[::3]]
    statuses = set()
    for row in rows:
        made = ask(row["question"], row["game"], *row["history"])
        statuses.add(made.status)
        assert 0 < len(made.text.split()) <= 90
        if made.status in {"answered", "not_covered"}:
            assert len(made.retrieved) == 10
        markers = [int(n) for n in re.findall(r"\[(\d+)\]", made.text)]
        assert made.status != "answered" or markers == [c.n for c in made.citations]
        for quote in (*made.citations, *made.conflicts):
            assert texts[quote.file][quote.start : quote.end] == quote.quote != ""
    assert "answered" in statuses


def test_an_index_of_the_real_model_is_built_once(real_engine):
    assert ensure_index(real_engine.settings) == []
    assert sorted(real_engine.games) == ["eauchemin", "root", "springsign", "winter-rabbit"]
