import json
from pathlib import Path

import pytest

from api.service import Service
from rag.errors import IndexDamagedError
from rag.records import Answer

FOG = {"id": "fog", "game": "tidewick", "question": "May I row my warden through fog?"}
TOAD = {"id": "toad", "game": "moss-court", "question": "can a toad vote twice in one council?"}


@pytest.fixture
def batch(rulespal, tmp_path):
    """Run a batch of lines; gives the result and the rows written."""

    def run(*lines, **more):
        source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
        source.write_bytes(
            b"\n".join(
                line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines
            )
        )
        result = rulespal("ask", "--batch", str(source), "--out", str(target), **more)
        rows = target.read_text("utf-8").splitlines() if target.exists() else []
        return result, [json.loads(row) for row in rows]

    return run


def test_answers_come_in_order_under_the_lines_ids(batch):
    result, rows = batch(FOG, TOAD)
    assert result.exit_code == 0
    assert result.stdout == ""
    assert [row["id"] for row in rows] == ["fog", "toad"]
    assert rows[1]["text"].startswith("A toad may not vote twice") or "toad" in rows[1]["text"]
    assert set(rows[0]) == set(Answer.__dataclass_fields__)
    assert "2 lines answered, 0 bad; written to" in result.stderr


def test_history_game_titles_and_fields_of_an_evaluation_are_taken(batch, service):
    line = {**FOG, "id": 7, "game": "Harbor of Lamps", "history": ["may I row?"], "must": [["fog"]]}
    result, rows = batch(line, {"id": "x", "question": "May I row in Tidewick?"})
    assert result.exit_code == 0
    assert rows[0]["id"] == 7
    assert service.asked[0].history == ("may I row?",)
    assert [question.game for question in service.asked] == ["tidewick", None]
    assert rows[1]["game"] == "tidewick"


@pytest.mark.parametrize(
    ("bad", "named", "told"),
    [
        (b"{not json", None, "line 2: not JSON (Expecting property name"),
        (b"[1, 2]", None, 'line 2: not a JSON object; write it as {"id": "1",'),
        (b"\xff\xfe", None, "line 2: not UTF-8 (byte 1 of the line)"),
        (b"[" * 60_000, None, "line 2: not JSON ("),
        (b'"' + b"x" * 200_001 + b'"', None, "line 2: has 200,003 bytes and may have 200,000"),
        ({"question": "hm?"}, None, "line 2: id: Field required; write it as"),
        ({"id": "b"}, "b", "line 2: question: Field required; write it as"),
        ({"id": "b", "question": 5}, "b", "line 2: question: Input should be a valid string"),
        ({"id": "b", "question": "?", "history": "x"}, "b", "line 2: history: Input should be"),
        ({"id": "b", "question": "?", "history": [1]}, "b", "line 2: history.0: Input should be"),
        ({"id": ["b"], "question": "?"}, None, "line 2: id"),
        ({"id": "b", "question": " "}, "b", "line 2: The question is empty;"),
        ({"id": "b", "question": "x" * 2001}, "b", "line 2: The question has 2,001 characters"),
        ({"id": "b", "question": "?", "game": "tidewik"}, "b", "line 2: There is no game called"),
        ({"id": "b", "question": "\ud800?"}, "b", "line 2: The question is not valid Unicode"),
    ],
)
def test_a_bad_line_is_told_with_its_number_and_the_run_goes_on(batch, bad, named, told):
    result, rows = batch(FOG, bad, TOAD)
    assert result.exit_code == 0
    assert [row["id"] for row in rows] == ["fog", named, "toad"]
    assert set(rows[1]) == {"id", "error"}
    assert rows[1]["error"].startswith(told)
    assert told in result.stderr
    assert "2 lines answered, 1 bad;" in result.stderr


def test_blank_lines_and_a_byte_order_mark_are_no_lines_but_count(batch):
    result, rows = batch(b"\xef\xbb\xbf" + json.dumps(FOG).encode(), b"", b"  \r", b"nope", b"")
    assert result.exit_code == 0
    assert rows[0]["id"] == "fog"
    assert rows[1]["error"].startswith("line 4: ")
    assert len(rows) == 2


def test_many_bad_lines_do_not_flood_stderr(batch):
    result, rows = batch(*[b"nope"] * 50)
    assert len(rows) == 50
    assert result.stderr.count("not JSON") == 20
    assert "... and 30 more, each told in" in result.stderr


def test_progress_is_told_on_stderr(batch):
    result, _ = batch(*[FOG] * 8)
    assert [line for line in result.stderr.splitlines() if line.startswith("Answering")] == [
        "Answering: 2 of 8", "Answering: 4 of 8", "Answering: 6 of 8", "Answering: 8 of 8",
    ]  # fmt: skip


class Breaking(Service):
    """Answers, and fails at the second question."""

    def __init__(self, inner, failure):
        self.inner = inner
        self.failure = failure

    def open(self, settings, progress):
        return self.inner.open(settings, progress)

    def ask(self, question, engine):
        if self.inner.asked:
            raise self.failure
        return self.inner.ask(question, engine)


@pytest.mark.parametrize(
    ("failure", "code", "told"),
    [
        (KeyboardInterrupt(), 130, "Stopped."),
        (IndexDamagedError("The index can't be read."), 2, "Error: The index can't be read."),
        (ZeroDivisionError("half"), 2, "a fault of RulesPal (ZeroDivisionError: half)"),
    ],
)
def test_a_run_that_ends_early_loses_nothing(batch, service, failure, code, told):
    result, rows = batch(FOG, TOAD, FOG, service=Breaking(service, failure))
    assert result.exit_code == code
    assert told in result.stderr
    assert [row["id"] for row in rows] == ["fog"]


def test_each_answer_is_on_disk_before_the_next_question(batch, service, tmp_path):
    seen = []

    class Looking(Breaking):
        def ask(self, question, engine):
            seen.append(len((tmp_path / "out.jsonl").read_text().splitlines()))
            return self.inner.ask(question, engine)

    batch(FOG, TOAD, FOG, service=Looking(service, None))
    assert seen == [0, 1, 2]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--batch", "{tmp}/none", "--out", "{tmp}/o"], "/none can't be read (No such file"),
        (["--batch", "{tmp}", "--out", "{tmp}/o"], "can't be read (Is a directory)"),
        (["--batch", "{tmp}/empty", "--out", "{tmp}/o"], "/empty is empty; write lines such as"),
        (["--batch", "{tmp}/in", "--out", "{tmp}/no/o"], "/no/o (No such file or directory); give"),
        (["--batch", "{tmp}/in", "--out", "{tmp}"], "(Is a directory); give a file in a folder"),
        (["--batch", "{tmp}/in", "--out", "{tmp}/in"], "--out is the batch file itself"),
        (["--batch", "{tmp}/in"], "--batch and --out go together:"),
        (["--out", "{tmp}/o"], "--batch and --out go together:"),
        (["hm?", "--batch", "{tmp}/in", "--out", "{tmp}/o"], "--batch takes questions, games"),
        (["-g", "x", "--batch", "{tmp}/in", "--out", "{tmp}/o"], "--batch takes questions, games"),
    ],
)
def test_what_is_wrong_is_told_before_the_work_starts(rulespal, service, tmp_path, words, told):
    (tmp_path / "in").write_text(json.dumps(FOG))
    (tmp_path / "empty").write_text("\n \n")
    result = rulespal("ask", *(word.format(tmp=tmp_path) for word in words))
    assert result.exit_code == 2
    assert told in result.stderr
    assert result.stderr.count("\n") == 1
    assert service.opened == 0
    assert (tmp_path / "in").read_text() == json.dumps(FOG)
    assert not (tmp_path / "o").exists()


def test_earlier_answers_stay_when_nothing_can_be_opened(rulespal, service, tmp_path):
    class Closed(Service):
        def open(self, settings, progress):
            raise IndexDamagedError("The index can't be read.")

    source, target, fresh = tmp_path / "in", tmp_path / "out", tmp_path / "fresh"
    source.write_text(json.dumps(FOG))
    target.write_text("kept")
    words = ["ask", "--batch", str(source), "--out"]
    assert rulespal(*words, str(target), service=Closed()).exit_code == 2
    assert target.read_text() == "kept"
    assert rulespal(*words, str(fresh), service=Closed()).exit_code == 2
    assert not fresh.exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a full device")
def test_a_full_disk_is_told(rulespal, tmp_path):
    source = tmp_path / "in"
    source.write_text(json.dumps(FOG))
    result = rulespal("ask", "--batch", str(source), "--out", "/dev/full")
    assert result.exit_code == 2
    assert "can't be written to /dev/full any more (No space left on device)" in result.stderr
