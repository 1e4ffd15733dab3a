import numpy as np
import pytest

from evals.conditions import bm25, dense, rulespal, split, tutorial
from evals.judge import score
from ingest.texts import GameTexts, Text
from rag.records import Game, Grade, Passage, Source

SENTENCES = [
    "Foxes move two spaces along a road.",
    "Rabbits draw three cards at dusk.",
    "Mice score a point for every coin.",
]
FILLER = "\n\n".join(f"Paragraph {n} tells of nothing in particular at all." for n in range(60))
WHOLE = "\n\n".join([SENTENCES[0], FILLER, SENTENCES[1], FILLER, SENTENCES[2]])


class WordEncoder:
    """Vectors that count words."""

    name = "words"

    def encode(self, texts):
        rows = np.zeros((len(texts), 97), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.lower().replace(".", " ").replace("?", " ").split():
                row[sum(map(ord, word)) % 97] += 1
        return rows / np.maximum(1e-9, np.linalg.norm(rows, axis=1, keepdims=True))


def passage(words):
    start = WHOLE.index(words)
    return Passage(
        id=f"g/r#{start}",
        game="g",
        file="g/r.txt",
        start=start,
        end=start + len(words),
        text=words,
        kind="rule",
        source="G Rulebook",
        section=("Moves",),
        grade=Grade.DESIGNER,
        year=2020,
    )


@pytest.fixture
def games():
    source = Source(file="g/r.txt", title="G Rulebook", kind="rulebook")
    text = Text(source, WHOLE, tuple(passage(words) for words in SENTENCES), ())
    return {"g": GameTexts(Game(slug="g", title="G", sources=(source,)), (text,), ())}


ITEM = {
    "id": "g-1",
    "game": "g",
    "question": "how many cards do rabbits draw at dusk?",
    "history": ["and the foxes?"],
    "style": "plain",
    "answerable": True,
    "polarity": None,
    "must": [["three"]],
    "evidence": ["draw three cards"],
    "needs": "single",
}


@pytest.mark.parametrize(
    "make",
    [
        lambda games: tutorial(games, WordEncoder()),
        lambda games: dense(games, WordEncoder()),
        bm25,
    ],
    ids=["tutorial", "dense", "bm25"],
)
def test_all_answer_in_one_shape(games, make):
    condition = make(games)
    (answer,) = condition.run([ITEM])
    assert answer["status"] == "answered"
    assert answer["polarity"] is None
    assert answer["history"] == []
    assert answer["fingerprint"].startswith(condition.name)
    assert 0 < answer["confidence"] <= 1
    assert answer["citations"][0]["quote"] in WHOLE
    scores = [row["score"] for row in answer["retrieved"]]
    assert scores == sorted(scores, reverse=True)
    assert len(scores) == len({row["passage_id"] for row in answer["retrieved"]}) <= 10
    row = score(ITEM, answer, {"g/r.txt": WHOLE})
    assert row.citations == row.citations_verbatim == 1
    assert row.rank is not None
    if condition.name != "tutorial":
        assert row.right
        assert answer["citations"][0]["grade"] == "designer"
        assert answer["retrieved"][0]["start"] == WHOLE.index(SENTENCES[1])
    else:
        assert answer["citations"][0]["grade"] == "none"
        assert len(scores) > len(SENTENCES)


def test_a_question_of_unknown_words_still_gets_an_answer(games):
    (answer,) = bm25(games).run([ITEM | {"question": "??"}])
    assert answer["confidence"] == 0
    assert len(answer["retrieved"]) == 3


def test_two_tutorials_do_not_share_chunks(games):
    first, second = (tutorial(games, WordEncoder()).run([ITEM])[0] for _ in range(2))
    assert first["retrieved"] == second["retrieved"]


@pytest.mark.parametrize(
    "words", [WHOLE, "  \n\n" + WHOLE.replace("\n\n", " \n \n\t\n"), "x " * 2000]
)
def test_chunks_stand_where_they_say(words):
    source = Source(file="g/r.txt", title="G Rulebook", kind="rulebook")
    pieces = split(Text(source, words, (), ()))
    assert len(pieces) > 1
    for piece in pieces:
        start = piece.metadata["start"]
        assert words[start : start + len(piece.page_content)] == piece.page_content
        assert len(piece.page_content) <= 1000


def test_rulespal_is_asked_as_a_player_asks(engine):
    condition = rulespal(engine, "hash")
    item = ITEM | {
        "game": "tidewick",
        "question": "can I light a lit lamp again?",
        "history": ["hm"],
    }
    (answer,) = condition.run([item])
    assert answer["question"] == item["question"]
    assert answer["game"] == "tidewick"
    assert answer["history"] == ["hm"]
    assert answer["fingerprint"] == condition.fingerprint == engine.fingerprint
    assert answer["retrieved"]
