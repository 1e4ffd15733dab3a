import json

import pytest

from api.service import Service
from rag.store import open_store


@pytest.fixture
def data_dir(tmp_path):
    return tmp_path / "data"


def test_ingest_builds_and_then_is_up_to_date(rulespal, data_dir):
    first = rulespal("ingest")
    assert first.exit_code == 0
    assert first.stdout == "Built: gravelbound, moss-court, tidewick.\n"
    assert "Indexing Tidewick: " in first.stderr
    assert set(open_store(data_dir).current()) == {"gravelbound", "moss-court", "tidewick"}
    second = rulespal("ingest")
    assert (second.exit_code, second.stdout, second.stderr) == (0, "The index is up to date.\n", "")


def test_rebuild_builds_all(rulespal):
    rulespal("ingest")
    assert rulespal("ingest", "--rebuild").stdout.startswith("Built: gravelbound, moss-court")


class Interrupted(Service):
    """Is stopped in the middle of encoding."""

    def __init__(self, service):
        self.service = service

    def build(self, settings, progress, *, rebuild):
        def stop(texts):
            raise KeyboardInterrupt

        self.service.embedder.encode = stop
        return self.service.build(settings, progress, rebuild=rebuild)


@pytest.fixture
def add_game(write_game, made_up, monkeypatch):
    """Add a game to those that there are, after the command has run once."""

    def add():
        folder = write_game("fen", made_up["gravelbound"])
        monkeypatch.setenv("RULESPAL_CORPUS_DIR", str(folder.parent))

    return add


@pytest.mark.parametrize("rebuild", [[], ["--rebuild"]])
def test_an_interrupted_build_leaves_the_old_index(rulespal, service, data_dir, add_game, rebuild):
    rulespal("ingest")
    before = open_store(data_dir).current()
    add_game()
    result = rulespal("ingest", *rebuild, service=Interrupted(service))
    assert result.exit_code == 130
    assert result.stderr == (
        "Stopped. The old index still serves. Run `rulespal ingest` again to build the new one.\n"
    )
    assert open_store(data_dir).current() == before
    assert open_store(data_dir).load("tidewick")[1]


def test_an_interrupted_first_build_promises_nothing(rulespal, service):
    result = rulespal("ingest", service=Interrupted(service))
    assert result.exit_code == 130
    assert result.stderr == "Stopped. Run `rulespal ingest` again to build the new one.\n"


def test_a_text_that_changed_is_one_line(rulespal, write_game, monkeypatch, made_up):
    manifest = {"title": "Fen", "files": [{"name": "rulebook.txt", "sha256": "0" * 64}]}
    files = {**made_up["gravelbound"], "game.yaml": json.dumps(manifest)}
    monkeypatch.setenv("RULESPAL_CORPUS_DIR", str(write_game("fen", files).parent))
    for words in (["ingest"], ["games"], ["show", "fen/rulebook#1-2"]):
        result = rulespal(*words)
        assert result.exit_code == 2
        assert "rulebook.txt changed on disk" in result.stderr
        assert "Put the old text back" in result.stderr
        assert result.stderr.count("\n") == 1


def test_a_data_folder_that_cannot_be_made_is_one_line(rulespal, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("RULESPAL_DATA_DIR", str(tmp_path / "file" / "data"))
    result = rulespal("ingest")
    assert result.exit_code == 2
    assert "can't be written" in result.stderr
    assert "set RULESPAL_DATA_DIR to another folder" in result.stderr


def test_a_damaged_index_is_one_line(rulespal, data_dir):
    (data_dir / "chroma").mkdir(parents=True)
    (data_dir / "chroma" / "chroma.sqlite3").write_bytes(b"no database" * 500)
    result = rulespal("ingest")
    assert result.exit_code == 2
    assert "run `rulespal ingest --rebuild`" in result.stderr
    assert result.stderr.count("\n") == 1
    assert rulespal("ingest", "--rebuild").exit_code == 0
