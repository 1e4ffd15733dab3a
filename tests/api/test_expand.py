import json
import sys

import pytest
from typer.testing import CliRunner

from api.cli import app
from api.service import Service
from rag.errors import ChatModelError
from rag.writer import Reply

QUOTES = ("A heron may wade.", "A newt may not.", "A toad sings at dusk.")
FEN = "# Fen\n\n" + "\n\n".join(f"## {quote[2:6]}\n\n{quote}" for quote in QUOTES) + "\n"


class Scripted(Service):
    """Opens a chat model that gives its replies in turn; True is a good one, an error is raised."""

    name = "scripted:model"

    def __init__(self, *script, tokens=None):
        self.script = list(script)
        self.tokens = tokens
        self.asked = 0

    def chat_model(self, settings):
        return self

    def complete(self, prompt):
        self.asked += 1
        reply = self.script.pop(0)
        if isinstance(reply, BaseException):
            raise reply
        quote = next(quote for quote in QUOTES if quote in prompt)
        rows = [{"question": quote.lower()[2:], "answer": "open", "quote": quote}]
        rows.append({"question": "made up", "answer": "open", "quote": "Never said."})
        text = json.dumps({"questions": rows}) if reply is True else reply
        return Reply(text=text, tokens_in=self.tokens, tokens_out=self.tokens)


@pytest.fixture
def questions(write_game, monkeypatch):
    """Where the questions of the only game go."""
    files = {"game.yaml": "title: The Fen\nfiles: [r.md]\n", "r.md": FEN}
    folder = write_game("fen", files)
    monkeypatch.setattr("ingest.manifest.shipped_corpus", lambda: folder.parent)
    monkeypatch.setenv("COLUMNS", "500")
    return folder / "questions.jsonl"


@pytest.fixture
def expand(questions):
    """Run the command with a scripted model."""

    def run(*args, service=None, typed=None):
        made = service or Scripted(*[True] * 3)
        return CliRunner().invoke(app, ["expand", *args], input=typed, obj=made)

    return run


def rows(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_the_questions_of_a_game_are_written_after_an_estimate(expand, questions):
    result = expand("the fen", "--yes")
    assert result.exit_code == 0
    first, second, *rest = result.stdout.splitlines()
    assert first == "3 passages for scripted:model (prompt 1)."
    assert second.startswith("About ")
    assert "tokens in and 1,440 out, at 4 characters a token. A model that thinks" in second
    assert rest[0] == f"Written: 3 questions of 3 passages, marked generated, to {questions}."
    assert rest[1] == "Dropped: 3 questions (3 quote not in the passage)."
    assert rest[2].startswith("Tokens: about, for the model did not count: ")
    assert rest[3] == "The next question, or `rulespal ingest`, takes them into the index."
    assert "Passages: 3 of 3" in result.stderr
    assert [row["provenance"] for row in rows(questions)] == ["generated"] * 3


def test_it_asks_before_it_spends(expand, questions):
    service = Scripted(True, True, True)
    result = expand("fen", service=service, typed="n\n")
    assert (result.exit_code, service.asked) == (1, 0)
    assert "Send them to the model? [y/N]" in result.stderr
    assert "Nothing was sent or written. Add --yes" in result.stderr
    assert not questions.exists()
    assert expand("fen", service=service, typed="y\n").exit_code == 0
    assert service.asked == 3


def test_where_nobody_can_answer_nothing_is_sent(expand):
    service = Scripted()
    result = expand("fen", service=service, typed="")
    assert (result.exit_code, service.asked) == (1, 0)
    assert result.stderr.splitlines()[-1].startswith("Nothing was sent or written.")


def test_a_dry_run_estimates_and_needs_no_model(expand, questions):
    result = expand(
        "fen", "--dry-run", "--price-in", "10", "--price-out", "1000", service=Service()
    )
    assert result.exit_code == 0
    assert result.stdout.startswith("3 passages for a chat model (prompt 1).\nAbout ")
    assert "1,440 out, at 4 characters a token, about 1.45 at your prices. A" in result.stdout
    assert not questions.exists()


def test_a_small_cost_is_told_more_exactly(expand):
    result = expand("fen", "--dry-run", "--price-in", "0", "--price-out", "2")
    assert ", about 0.0029 at your prices." in result.stdout


@pytest.mark.parametrize("option", ["--price-in", "--price-out"])
def test_the_prices_go_together(expand, option):
    result = expand("fen", option, "2")
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: --price-in and --price-out go together: --price-in 0.")


def test_a_limit_takes_so_many_and_the_next_run_goes_on(expand, questions):
    first = expand("fen", "--yes", "--limit", "2", service=Scripted(True, True, tokens=100))
    assert first.stdout.startswith("2 passages for")
    assert "Tokens: 200 in, 200 out." in first.stdout
    assert len(rows(questions)) == 2
    with questions.open("a") as file:
        file.write('{"provenance": "generated", "quo')
    second = expand("fen", "--yes", service=Scripted(True))
    assert second.stdout.startswith("1 passage for")
    assert "half written and is taken out" in second.stderr
    assert [row["quote"] for row in rows(questions)] == list(QUOTES)
    third = expand("fen", "--yes", service=Scripted())
    assert (third.exit_code, third.stdout) == (0, "Each passage of The Fen has questions enough.\n")


def test_fewer_known_questions_may_be_enough(expand, questions):
    row = {"quote": QUOTES[0], "open": ["a", "b"]}
    questions.write_text(json.dumps(row) + "\n")
    assert expand("fen", "--dry-run", "--at-least", "2").stdout.startswith("2 passages for")
    assert expand("fen", "--dry-run", "--at-least", "3").stdout.startswith("3 passages for")


def test_what_was_written_before_an_interruption_is_kept_and_told(expand, questions):
    result = expand("fen", "--yes", service=Scripted(True, KeyboardInterrupt()))
    assert result.exit_code == 130
    assert "Written: 1 question of 1 passage, marked" in result.stdout
    assert "What was written is kept; run `rulespal expand fen` again to go on." in result.stderr
    assert len(rows(questions)) == 1


def test_passages_that_were_left_out_are_told(expand):
    service = Scripted("Sure!", "Sure!", ChatModelError("It refused."), True)
    result = expand("fen", "--yes", service=service)
    assert result.exit_code == 0
    assert "Left out: fen/r#" in result.stdout
    assert ": two replies were not the JSON asked for\n" in result.stdout
    assert ": It refused.\n" in result.stdout


def test_of_many_that_were_left_out_the_first_are_told(expand, monkeypatch):
    monkeypatch.setattr("api.expanding.SKIPPED_SHOWN", 1)
    result = expand("fen", "--yes", service=Scripted(*["Sure!"] * 6))
    assert result.exit_code == 1
    assert result.stdout.splitlines()[2] == "Nothing was written."
    assert "Left out: 2 more.\n" in result.stdout


def test_a_model_that_answers_nothing_is_one_line(expand):
    result = expand("fen", "--yes", service=Scripted(*[ChatModelError("No key; give one.")] * 3))
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1] == "Error: No key; give one."


def test_without_a_model_it_is_told_how_to_configure_one(expand):
    result = expand("fen", service=Service())
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("Error: No chat model is configured; set RULESPAL_CHAT_MODEL")
    assert result.stderr.count("\n") == 1


def test_a_folder_that_cannot_be_written_is_told_before_anything_is_sent(expand, questions):
    questions.symlink_to(questions.parent / "nowhere" / "questions.jsonl")
    service = Scripted()
    result = expand("fen", "--yes", service=service)
    assert (result.exit_code, service.asked) == (2, 0)
    assert "can't be written" in result.stderr
    assert "such as my-fen, name the copy in RULESPAL_CORPUS_DIR" in result.stderr


def test_a_game_that_is_not_there_is_told(expand):
    result = expand("fem")
    assert result.exit_code == 2
    assert "There is no game called fem. Did you mean fen?" in result.stderr


# ---------------------------------------------------------------------- doctor


@pytest.fixture
def doctor(questions, monkeypatch):
    """What the doctor says, by name of the check."""
    monkeypatch.setenv("RULESPAL_ADAPTER", "false")  # its file is of no matter here

    def look():
        result = CliRunner().invoke(app, ["doctor", "--json"], obj=Service())
        return {check["name"]: check for check in json.loads(result.stdout)["checks"]}

    return look


def test_doctor_tells_how_many_questions_are_known(doctor, questions):
    told = doctor()["game fen"]
    assert told["ok"]
    assert told["says"] == (
        "3 passages, 0 known questions; so few that its answers are found less well: "
        "`rulespal expand fen` mends it, given a chat model"
    )
    row = {"quote": QUOTES[0], "open": [f"q{n}" for n in range(7)]}
    made = {"quote": QUOTES[1], "no": ["can a newt", "newts?"], "provenance": "generated"}
    questions.write_text(f"{json.dumps(row)}\n{json.dumps(made)}\n")
    assert doctor()["game fen"]["says"] == ("3 passages, 9 known questions (2 by a chat model)")


def test_doctor_tells_whether_there_is_a_chat_model(doctor, monkeypatch):
    told = doctor()["chat model"]
    assert told["ok"]
    assert told["says"].startswith("none; all works without one")
    monkeypatch.setenv("RULESPAL_CHAT_MODEL", "openai:x")
    monkeypatch.setitem(sys.modules, "langchain", None)
    monkeypatch.setitem(sys.modules, "langchain.chat_models", None)
    told = doctor()["chat model"]
    assert not told["ok"]
    assert 'run `pip install ".[openai]"`' in told["says"]
