import json

import pytest

from evals.items import ItemError, check_evidence, files, read_games, read_items, read_set

ITEM = {
    "id": "root-d-900",
    "game": "root",
    "question": "does the keep rule a clearing",
    "history": [],
    "style": "plain",
    "answerable": True,
    "answer": "No.",
    "polarity": "no",
    "must": [["no"]],
    "evidence": ["a tie at the top means nobody rules it"],
    "needs": "single",
}


def write(path, *lines):
    path.write_text("\n".join(lines), "utf-8")
    return path


def test_reads_lines_and_skips_empty_ones(tmp_path):
    path = write(tmp_path / "q.jsonl", json.dumps(ITEM), "", json.dumps(ITEM))
    assert read_items(path) == [ITEM, ITEM]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 2: not JSON"),
        ("[1]", "line 2: lacks an object"),
        ('{"id": "x"}', "line 2: lacks answer, answerable, evidence, game"),
    ],
)
def test_a_bad_line_is_named(tmp_path, line, message):
    path = write(tmp_path / "q.jsonl", json.dumps(ITEM), line)
    with pytest.raises(ItemError, match=message):
        read_items(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ItemError, match=r"none\.jsonl can't be read: No such file"):
        read_items(tmp_path / "none.jsonl")


def test_a_set_is_all_files_of_its_name(tmp_path):
    for name in ("a.dev", "b.dev", "b.more"):
        write(tmp_path / f"{name}.jsonl", json.dumps(ITEM | {"id": name}))
    assert [item["id"] for item in read_set("dev", tmp_path)] == ["a.dev", "b.dev"]
    with pytest.raises(ItemError, match="No question set held-out; there is dev, more"):
        read_set("held-out", tmp_path)


def test_an_unknown_game_is_named():
    with pytest.raises(ItemError, match="No game chess; there is eauchemin, root"):
        read_games(["chess"])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"evidence": ["words that nobody wrote"]}, 'no text of root holds "words that nobody'),
        ({"evidence": []}, "evidence must be given"),
        ({"answerable": False}, "evidence must be given"),
    ],
)
def test_an_item_that_can_not_be_scored_is_refused(changes, message):
    with pytest.raises(ItemError, match=message):
        check_evidence([ITEM | changes], read_games(["root"]))


def test_the_question_sets_speak_of_the_texts():
    items = read_set("dev")
    games = read_games({item["game"] for item in items})
    check_evidence(items, games)
    assert len({item["id"] for item in items}) == len(items)
    assert files(games["root"]).keys() == {"root/faq.txt"}
