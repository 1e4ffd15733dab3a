import json

import pytest

from rag.embed import model_name
from rag.settings import Settings


@pytest.fixture
def checks(rulespal):
    """What the doctor finds, by name, and its exit code."""

    def look():
        result = rulespal("doctor", "--json")
        found = json.loads(result.stdout)
        assert found["ok"] is (result.exit_code == 0)
        assert result.exit_code in {0, 2}
        return {check["name"]: check for check in found["checks"]}

    return look


def test_all_is_well_after_an_ingest(rulespal, service, hash_embedder):
    service.embedder = hash_embedder(model_name(Settings()))
    rulespal("ingest")
    result = rulespal("doctor")
    assert result.exit_code == 0
    assert "wrong" not in result.stdout
    assert "ok     text tidewick/rulebook.md: readable; game.yaml has no hash" in result.stdout
    assert "ok     game moss-court: 9 passages" in result.stdout
    assert "ok     model: all-MiniLM-L6-v2@53aa51172d14" in result.stdout
    assert "22 passages of 3 games, up to date, " in result.stdout


def test_a_missing_index_is_told_and_nothing_is_made(checks, tmp_path):
    found = checks()
    assert "missing or out of date; run `rulespal ingest`" in found["index"]["says"]
    assert found["data folder"]["ok"]
    assert not (tmp_path / "data").exists()


def test_a_damaged_index_is_told(checks, tmp_path):
    (tmp_path / "data" / "chroma").mkdir(parents=True)
    (tmp_path / "data" / "chroma" / "chroma.sqlite3").write_bytes(b"no database" * 500)
    assert "run `rulespal ingest --rebuild`" in checks()["index"]["says"]


def test_a_data_folder_that_cannot_be_written_is_told(checks, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("RULESPAL_DATA_DIR", str(tmp_path / "file" / "data"))
    found = checks()["data folder"]
    assert not found["ok"]
    assert "set RULESPAL_DATA_DIR to another folder" in found["says"]


def test_an_unknown_option_is_told(checks, monkeypatch):
    monkeypatch.setenv("RULESPAL_DATADIR", "x")
    found = checks()
    assert "Unknown option RULESPAL_DATADIR." in found["options"]["says"]
    assert not found["index"]["ok"]


def test_a_text_that_changed_is_told_by_name(checks, write_game, made_up, monkeypatch):
    manifest = {"title": "Fen", "files": [{"name": "rulebook.txt", "sha256": "0" * 64}]}
    files = {**made_up["gravelbound"], "game.yaml": json.dumps(manifest)}
    monkeypatch.setenv("RULESPAL_CORPUS_DIR", str(write_game("fen", files).parent))
    found = checks()
    assert "changed on disk" in found["text fen/rulebook.txt"]["says"]
    assert found["text tidewick/rulebook.md"]["ok"]
    assert found["index"]["says"] == "Not looked at, since something above is wrong."


def test_a_sidecar_that_is_wrong_is_told(checks, write_game, made_up, monkeypatch):
    notes = "notes:\n  - {id: a, kind: gap, says: x, quotes: [not in the text]}\n"
    folder = write_game("fen", {**made_up["gravelbound"], "notes.yaml": notes})
    monkeypatch.setenv("RULESPAL_CORPUS_DIR", str(folder.parent))
    found = checks()
    assert found["text fen/rulebook.txt"]["ok"]
    assert "which the text does not hold" in found["game fen"]["says"]


def test_a_corpus_folder_that_is_none_is_told(checks, monkeypatch, tmp_path):
    monkeypatch.setenv("RULESPAL_CORPUS_DIR", str(tmp_path / "nowhere"))
    assert "which is no folder" in checks()["corpus"]["says"]


def test_a_model_that_is_only_named_is_told_so(checks, monkeypatch):
    monkeypatch.setenv("RULESPAL_EMBEDDING_MODEL", "somebody/model")
    assert checks()["model"]["says"].startswith("somebody/model (loaded by name;")


def test_missing_libraries_are_told(checks, monkeypatch):
    monkeypatch.setattr("api.doctor._LIBRARIES", ("json", "no_such_library"))
    assert checks()["libraries"]["says"].startswith("Missing: no_such_library; install")


def test_an_old_python_is_told(checks, monkeypatch):
    monkeypatch.setattr("api.doctor._NEEDED", (9, 9))
    assert "RulesPal needs 9.9 or newer" in checks()["python"]["says"]
