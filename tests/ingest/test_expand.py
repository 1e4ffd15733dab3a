import json
import re

import pytest

from ingest import journal
from ingest.expand import MOST, estimate, expand, price, tasks_of
from ingest.manifest import open_game
from ingest.texts import read_game
from ingest.wording import AGAIN, prompt_of
from rag.errors import ChatModelError
from rag.writer import Reply

FEN = "# Fen\n\n" + "".join(
    f"## Part {n}\n\nA frog of part {n} hops {n} times. It rests then.\n\n" for n in range(1, 5)
)


class Scripted:
    """A chat model that gives its replies in turn; an error is raised, True is a good reply."""

    name = "scripted:model"

    def __init__(self, *script, tokens=(None, None)):
        self.script = list(script)
        self.tokens = tokens
        self.prompts = []

    def complete(self, prompt):
        self.prompts.append(prompt)
        reply = self.script.pop(0)
        if isinstance(reply, BaseException):
            raise reply
        text = good(prompt) if reply is True else reply
        return Reply(text=text, tokens_in=self.tokens[0], tokens_out=self.tokens[1])


def good(prompt):
    n = re.search(r"A frog of part (\d)", prompt)[1]
    quote = f"A frog of part {n} hops {n} times."
    rows = [
        {"question": f"frog jumps p{n}", "answer": "open", "quote": quote},
        {"question": "is hopping once enough?", "answer": "no", "quote": quote},
        {"question": "made up?", "answer": "yes", "quote": "A toad never hops."},
    ]
    return json.dumps({"questions": rows})


@pytest.fixture
def folder(write_game):
    return open_game(write_game("fen", {"game.yaml": "title: Fen\nfiles: [r.md]\n", "r.md": FEN}))


def run(folder, model, **options):
    return list(expand(tasks_of(read_game(folder), **options), model, folder))


def test_questions_of_each_passage_are_written_and_read_back(folder):
    done = run(folder, Scripted(True, True, True, True))
    texts = read_game(folder)
    assert [step.passage_id for step in done] == [passage.id for passage in texts.passages]
    assert {step.questions for step in done} == {2}
    assert [(k.text, k.polarity) for k in texts.known[:2]] == [
        ("frog jumps p1", None),
        ("is hopping once enough?", "no"),
    ]
    assert texts.generated == texts.known
    text = texts.texts[0].text
    assert [text[k.start : k.end] for k in texts.known[::2]] == [
        f"A frog of part {n} hops {n} times." for n in range(1, 5)
    ]


def test_a_quote_that_is_not_verbatim_is_dropped(folder):
    (done,) = run(folder, Scripted(True), limit=1)
    assert done.dropped == ("quote not in the passage",)
    assert "toad" not in (folder.path / "questions.jsonl").read_text()


def test_a_malformed_reply_is_asked_for_once_more(folder):
    model = Scripted("Sure!", True)
    (done,) = run(folder, model, limit=1)
    assert (done.questions, done.skipped) == (2, "")
    assert model.prompts[1] == model.prompts[0] + AGAIN


def test_after_two_malformed_replies_the_passage_is_left_out(folder):
    done = run(folder, Scripted("Sure!", "Sure!", True), limit=2)
    assert [(step.questions, step.skipped) for step in done] == [
        (0, "two replies were not the JSON asked for"),
        (2, ""),
    ]
    assert done[0].tokens_out == 4


def test_each_passage_is_kept_before_the_next_is_asked(folder):
    steps = expand(tasks_of(read_game(folder)), Scripted(True, KeyboardInterrupt()), folder)
    next(steps)
    assert len(folder.questions()) == 1
    with pytest.raises(KeyboardInterrupt):
        next(steps)
    assert len(folder.questions()) == 1


def test_a_second_run_goes_on_where_the_first_stopped(folder):
    with pytest.raises(KeyboardInterrupt):
        run(folder, Scripted(True, True, KeyboardInterrupt()))
    with (folder.path / "questions.jsonl").open("a") as file:
        file.write('{"provenance": "generated", "quote": "A frog of pa')
    assert journal.mend(folder)
    model = Scripted(True, True)
    done = run(folder, model)
    assert [step.questions for step in done] == [2, 2]
    assert "part 3" in model.prompts[0]
    assert not tasks_of(read_game(folder))


def test_a_passage_with_questions_enough_is_left_alone(folder):
    row = {"quote": "A frog of part 2 hops 2 times.", "open": [f"q{n}" for n in range(8)]}
    (folder.path / "questions.jsonl").write_text(json.dumps(row) + "\n")
    texts = read_game(folder)
    assert [task.passage.section[-1][-1] for task in tasks_of(texts)] == ["1", "3", "4"]
    tasks = tasks_of(texts, at_least=9)
    assert [len(task.known) for task in tasks] == [0, 8, 0, 0]
    assert [task.wanted for task in tasks] == [9, 6, 9, 9]


def test_a_long_passage_wants_more_questions(folder, write_game):
    text = "# Fen\n\n" + " ".join(f"Frog {n} hops." for n in range(9)) + "\n"
    files = {"game.yaml": "title: Fen\nfiles: [r.md, s.md]\n", "r.md": text, "s.md": "A frog.\n"}
    tasks = tasks_of(read_game(open_game(write_game("long", files))))
    assert [(task.wanted, task.file) for task in tasks] == [(MOST, "r.md"), (8, "s.md")]


def test_rows_of_a_game_of_several_texts_lead_to_the_right_one(write_game):
    files = {"game.yaml": "title: Fen\nfiles: [r.md, s.md]\n", "r.md": FEN, "s.md": FEN}
    folder = open_game(write_game("two", files))
    run(folder, Scripted(*[True] * 8))
    texts = read_game(folder)
    assert len({known.passage_id for known in texts.generated}) == 8
    assert not tasks_of(texts)


def test_a_limit_takes_the_first_passages(folder):
    assert len(run(folder, Scripted(True, True), limit=2)) == 2
    assert len(folder.questions()) == 2


def test_the_estimate_counts_a_token_for_four_characters(folder):
    tasks = tasks_of(read_game(folder), limit=2)
    told = estimate(tasks)
    characters = sum(len(prompt_of(task)) for task in tasks)
    assert told.passages == 2
    assert characters / 4 <= told.tokens_in < characters / 4 + 2
    assert told.tokens_out == 2 * 8 * 60


def test_the_price_is_of_a_million_tokens():
    assert price(1_000_000, 500_000, (0.5, 2.0)) == 1.5


def test_tokens_are_the_models_count_or_else_estimated(folder):
    (done,) = run(folder, Scripted("no", True, tokens=(100, 7)), limit=1)
    assert (done.tokens_in, done.tokens_out, done.counted) == (200, 14, True)
    model = Scripted(True, tokens=(100, None))
    (done,) = expand(tasks_of(read_game(folder))[:1], model, folder)
    assert (done.tokens_in, done.counted) == (100, False)
    assert done.tokens_out > 50


def test_a_passage_that_is_not_answered_does_not_end_the_run(folder):
    done = run(folder, Scripted(ChatModelError("refused"), True, True, ChatModelError("refused")))
    assert [step.questions for step in done] == [0, 2, 2, 0]
    assert done[0].skipped == "refused"


@pytest.mark.parametrize(("limit", "asked"), [(1, 1), (2, 2), (4, 3)])
def test_a_model_that_answers_nothing_ends_the_run(folder, limit, asked):
    model = Scripted(*[ChatModelError("no key")] * 4)
    with pytest.raises(ChatModelError, match="no key"):
        run(folder, model, limit=limit)
    assert len(model.prompts) == asked
    assert not (folder.path / "questions.jsonl").exists()
