import json
from pathlib import Path

import pytest

from ingest.journal import append, check_writable, mend
from ingest.manifest import open_game
from ingest.sidecars import QuestionRow
from rag.errors import CorpusError

ROW = QuestionRow(quote="A jar.", open=("q",), provenance="generated")
LINE = '{"provenance": "generated", "quote": "A jar.", "open": ["q"]}\n'
WRITTEN = '{"quote": "A jar.", "yes": ["is it a jar"]}'


@pytest.fixture
def folder(write_game):
    files = {"game.yaml": "title: Fen\nfiles: [r.txt]\n", "r.txt": "A jar. A lamp.\n"}
    return open_game(write_game("fen", files))


@pytest.fixture
def questions(folder):
    return folder.path / "questions.jsonl"


def test_rows_are_written_behind_those_that_there_are(folder, questions):
    append(folder, [ROW])
    append(folder, [])
    append(folder, [ROW.model_copy(update={"open": ("é",), "occurrence": 2})])
    assert questions.read_text("utf-8") == (
        LINE + '{"provenance": "generated", "quote": "A jar.", "occurrence": 2, "open": ["é"]}\n'
    )
    assert [row.provenance for row in folder.questions()] == ["generated", "generated"]


def test_no_rows_make_no_file(folder, questions):
    append(folder, [])
    assert not questions.exists()


def test_a_last_line_without_an_end_gets_one(folder, questions):
    questions.write_text(WRITTEN)
    append(folder, [ROW])
    assert questions.read_text() == f"{WRITTEN}\n{LINE}"


def test_a_persons_row_needs_no_provenance(folder, questions):
    questions.write_text(WRITTEN)
    assert [row.provenance for row in folder.questions()] == ["written"]


@pytest.mark.parametrize("kept", ["", LINE, WRITTEN + "\n"], ids=["none", "generated", "written"])
@pytest.mark.parametrize("cut", [1, 12, 30, len(LINE) - 2])
def test_a_half_written_last_line_is_cut_off(folder, questions, kept, cut):
    questions.write_text(kept + LINE[:cut])
    assert mend(folder)
    assert questions.read_text() == kept


@pytest.mark.parametrize(
    "whole", ["", LINE, LINE.rstrip(), WRITTEN, WRITTEN[:20]], ids=lambda line: line[-12:]
)
def test_whole_lines_and_those_of_a_person_are_left_alone(folder, questions, whole):
    questions.write_text(whole)
    assert not mend(folder)
    assert questions.read_text() == whole


def test_without_the_file_nothing_is_mended_or_made(folder, questions):
    assert not mend(folder)
    check_writable(folder)
    assert not questions.exists()


def test_looking_whether_it_can_be_written_changes_nothing(folder, questions):
    questions.write_text(LINE)
    check_writable(folder)
    assert questions.read_text() == LINE


def test_a_folder_that_cannot_be_written_is_told_with_a_way_out(folder, questions):
    questions.symlink_to(Path("nowhere") / "questions.jsonl")  # even root can't write that
    told = (
        r"^.*questions\.jsonl can't be written \(No such file.*\); copy the folder under another "
        r"name, such as my-fen, name the copy in RULESPAL_CORPUS_DIR, and expand that\.$"
    )
    with pytest.raises(CorpusError, match=told):
        check_writable(folder)
    with pytest.raises(CorpusError, match=r"any more .*run `rulespal expand fen` again to go on"):
        append(folder, [ROW])


def test_a_file_that_cannot_be_mended_is_told_so(folder, questions):
    questions.mkdir()
    with pytest.raises(CorpusError, match="can't be written"):
        mend(folder)


def test_an_installed_game_is_not_written(write_game, tmp_path):
    files = {"game.yaml": "title: Fen\nfiles: [r.txt]\n", "r.txt": "A jar.\n"}
    folder = open_game(write_game("fen", files, tmp_path / "site-packages" / "corpus"))
    with pytest.raises(CorpusError, match="it is part of the installation"):
        check_writable(folder)


def test_what_is_written_is_json_that_a_game_reads(folder, questions):
    append(folder, [ROW])
    assert json.loads(questions.read_text())["provenance"] == "generated"
