"""The index of all games: built once, only what changed, mended when it is damaged."""

import json
import os
import shutil

import numpy as np
import pytest

from ingest import pipeline
from ingest.manifest import open_game
from ingest.pipeline import embedded, ensure_index, entries_of, index_texts, stale_games
from ingest.texts import read_game
from rag.answer import answer
from rag.engine import Engine
from rag.errors import (
    CorpusError,
    DataFolderError,
    IndexDamagedError,
    ModelError,
    TextChangedError,
)
from rag.records import Question
from rag.settings import Settings
from rag.store import open_store

SHIPPED = ["eauchemin", "root", "springsign", "winter-rabbit"]
MADE = ["gravelbound", "moss-court", "tidewick"]


@pytest.fixture
def asking(hash_embedder, engine):
    """Answer a question from the index that serves now."""

    def ask(options, game, text, embedder=None):
        store = open_store(options.data_dir)
        serving = store.current()
        opened = Engine(options, store, embedder or hash_embedder(), engine.calibration, serving)
        return answer(Question(text=text, game=game), opened)

    return ask


# ------------------------------------------------------------- what is embedded


def test_a_passage_is_embedded_with_what_it_is_about(corpus):
    passages = read_game(open_game(corpus / "tidewick")).passages
    table = next(p for p in passages if p.kind == "table")
    assert embedded(table) == (
        "Tidewick > Scoring. Lamps lit 1 to 3: Points 2\nLamps lit 4 to 6: Points 5\n"
        "Lamps lit 7 or more: Points 9"
    )
    toad = read_game(open_game(corpus / "moss-court")).passages[1]
    assert embedded(toad) == (
        "Council. Can a toad vote twice in one council? "
        "No. A toad may not vote twice in the same council."
    )


def test_entries_point_to_their_words(corpus):
    for slug in MADE:
        texts = read_game(open_game(corpus / slug))
        whole = {text.source.file: text.text for text in texts.texts}
        holders = {p.id: p for p in texts.passages}
        parts = entries_of(texts)
        assert len(parts["passages"]) == len(texts.passages)
        assert len(parts["questions"]) == len(texts.known)
        assert len(parts["gaps"]) == len(texts.game.gaps)
        for entry in parts["sentences"]:
            holder = holders[entry.passage_id]
            assert holder.start <= entry.start < entry.end <= holder.end
            words = whole[holder.file][entry.start : entry.end]
            assert holder.reading or entry.text.endswith(words)


def test_known_questions_are_embedded_as_they_stand_with_their_answers(corpus):
    texts = read_game(open_game(corpus / "tidewick"))
    for entry, known in zip(entries_of(texts)["questions"], texts.known, strict=True):
        assert (entry.text, entry.passage_id) == (known.text, known.passage_id)
        assert (entry.start, entry.end) == (known.start, known.end)
        assert entry.polarity == known.polarity


def test_gaps_are_embedded_in_the_order_of_the_game(corpus):
    texts = read_game(open_game(corpus / "tidewick"))
    entries = entries_of(texts)["gaps"]
    assert [entry.text for entry in entries] == [gap.text for gap in texts.game.gaps]
    assert {(entry.passage_id, entry.start, entry.end) for entry in entries} == {("", 0, 0)}


def test_a_table_gives_a_sentence_a_row(corpus):
    texts = read_game(open_game(corpus / "gravelbound"))
    rows = [e.text for e in entries_of(texts)["sentences"] if "Slabs to Finish" in e.text]
    assert rows == [
        "Hauling: Masons 1-2: Slabs to Finish 9",
        "Hauling: Masons 3-4: Slabs to Finish 7",
        "Hauling: Masons 5-6: Slabs to Finish 6",
    ]


def test_all_texts_of_the_index_can_be_listed(corpus, options, built):
    made = index_texts(options)
    assert "how much kerosene do we begin with" in made
    assert "how strong is the gale tonight" in made
    assert len(made) == built.progress[-1][2]


# --------------------------------------------------------------------- building


def test_all_games_are_built(built):
    assert sorted(built.games) == sorted(SHIPPED + MADE)
    assert sorted(open_store(built.folder).current()) == sorted(SHIPPED + MADE)


def test_progress_is_told_up_to_the_end(built):
    seen = built.progress
    done = [row[1] for row in seen]
    assert {row[0] for row in seen} >= {"Root", "Tidewick"}
    assert done == sorted(done)
    assert {row[2] for row in seen} == {done[-1]}


def test_a_second_build_embeds_nothing(options, hash_embedder):
    embedder = hash_embedder()
    before = open_store(options.data_dir).current()
    assert ensure_index(options, embedder=embedder) == []
    assert embedder.seen == 0
    assert open_store(options.data_dir).current() == before


def test_only_the_game_that_changed_is_built(options, hash_embedder, tmp_path, asking):
    path = tmp_path / "games" / "gravelbound" / "rulebook.txt"
    path.write_text(path.read_text("utf-8").replace("four chisels", "nine chisels"), "utf-8")
    before = open_store(options.data_dir).current()
    embedder = hash_embedder()
    assert ensure_index(options, embedder=embedder) == ["gravelbound"]
    after = open_store(options.data_dir).current()
    assert {slug for slug in after if after[slug] != before[slug]} == {"gravelbound"}
    assert 0 < embedder.seen < 40
    assert "nine chisels" in asking(options, "gravelbound", "How many chisels are drawn?").text


@pytest.mark.parametrize(
    "name", ["game.yaml", "notes.yaml", "questions.jsonl", "gaps.jsonl", "terms.yaml"]
)
def test_a_sidecar_that_changed_builds_its_game(options, hash_embedder, tmp_path, name):
    path = tmp_path / "games" / "tidewick" / name
    path.write_text(path.read_text("utf-8") + "\n", "utf-8")
    assert ensure_index(options, embedder=hash_embedder()) == ["tidewick"]


def test_of_one_game_that_is_wanted_only_its_index_is_made(options, hash_embedder, tmp_path):
    for slug in ("gravelbound", "tidewick"):
        path = tmp_path / "games" / slug / "game.yaml"
        path.write_text(path.read_text("utf-8") + "\n", "utf-8")
    before = open_store(options.data_dir).current()
    assert ensure_index(options, only="tidewick", embedder=hash_embedder()) == ["tidewick"]
    after = open_store(options.data_dir).current()
    assert {slug for slug in before if before[slug] != after[slug]} == {"tidewick"}
    assert ensure_index(options, only="tidewick", embedder=hash_embedder()) == []
    assert ensure_index(options, embedder=hash_embedder()) == ["gravelbound"]


def test_of_one_game_that_is_wanted_first_the_index_is_made_alone(
    corpus, hash_embedder, tmp_path, asking
):
    options = Settings(data_dir=tmp_path / "fresh", corpus_dir=str(corpus))
    assert ensure_index(options, only="tidewick", embedder=hash_embedder()) == ["tidewick"]
    assert sorted(open_store(options.data_dir).current()) == ["tidewick"]
    assert "fog" in asking(options, "tidewick", "Can I row through fog?").text


@pytest.mark.parametrize(
    "change", [{"results": 20}, {"candidates": 80}, {"threads": 3}, {"min_confidence": 0.9}]
)
def test_options_that_change_no_vector_build_nothing(options, hash_embedder, change):
    changed = options.model_copy(update=change)
    assert ensure_index(changed, embedder=hash_embedder()) == []


def test_a_new_game_is_added_and_a_lost_one_is_dropped(options, hash_embedder, tmp_path):
    shutil.move(tmp_path / "games" / "moss-court", tmp_path / "games" / "fern-court")
    assert ensure_index(options, embedder=hash_embedder()) == ["fern-court"]
    serving = open_store(options.data_dir).current()
    assert "fern-court" in serving
    assert "moss-court" not in serving


def test_dropping_a_game_needs_no_embedding(options, hash_embedder, tmp_path):
    shutil.rmtree(tmp_path / "games" / "moss-court")
    embedder = hash_embedder()
    assert ensure_index(options, embedder=embedder) == []
    assert embedder.seen == 0
    assert "moss-court" not in open_store(options.data_dir).current()


def test_another_model_builds_all(options):
    named = options.model_copy(update={"embedding_model": "hashed@1"})
    other = options.model_copy(update={"embedding_model": "hashed@2"})
    assert stale_games(named) == []
    assert sorted(stale_games(other)) == sorted(SHIPPED + MADE)


def test_what_is_out_of_date_is_told_without_building(options, tmp_path):
    named = options.model_copy(update={"embedding_model": "hashed@1"})
    (tmp_path / "games" / "tidewick" / "questions.jsonl").unlink()
    assert stale_games(named) == stale_games(named) == ["tidewick"]


def test_what_an_index_holds_of_a_game_is_what_its_folder_says(options, corpus):
    store = open_store(options.data_dir)
    for slug in MADE:
        texts = read_game(open_game(corpus / slug))
        game, passages, known = store.load(slug)
        assert game == texts.game
        assert sorted(p.id for p in passages) == sorted(p.id for p in texts.passages)
        assert [(k.text, k.passage_id, k.start, k.end, k.polarity) for k in known] == [
            (k.text, k.passage_id, k.start, k.end, k.polarity) for k in texts.known
        ]


def test_a_gap_that_is_added_is_told_of_after_a_build(options, tmp_path, hash_embedder, asking):
    row = {"why": "open", "look": "Ask the mason guild.", "questions": ["do sledges squeak"]}
    (tmp_path / "games" / "gravelbound" / "gaps.jsonl").write_text(json.dumps(row), "utf-8")
    assert ensure_index(options, embedder=hash_embedder()) == ["gravelbound"]
    made = asking(options, "gravelbound", "do sledges squeak?")
    assert made.text.endswith("Where to look: Ask the mason guild.")


@pytest.mark.model
def test_a_model_that_can_not_be_loaded_costs_no_index(options, asking):
    settings = options.model_copy(update={"embedding_model": "/no/such/model"})
    with pytest.raises(ModelError, match="The model /no/such/model can't be loaded"):
        ensure_index(settings)
    assert "fog" in asking(options, "tidewick", "Can I row through fog?").text


def test_who_asks_during_a_build_is_answered_from_the_index_that_was_opened(
    options, hash_embedder, tmp_path, engine
):
    store = open_store(options.data_dir)
    opened = Engine(options, store, hash_embedder(), engine.calibration, store.current())
    question = Question(text="How many chisels does each mason draw?", game="gravelbound")
    before = answer(question, opened)
    path = tmp_path / "games" / "gravelbound" / "rulebook.txt"
    path.write_text(path.read_text("utf-8").replace("each mason draws", "a mason draws"), "utf-8")
    path.write_text("Chisels\n\nThey are sharp.\n\n" + path.read_text("utf-8"), "utf-8")
    assert ensure_index(options, embedder=hash_embedder()) == ["gravelbound"]
    after = answer(question, opened)
    assert (after.text, after.citations) == (before.text, before.citations)


# ------------------------------------------------------- games beside the shipped


def test_games_of_several_folders_are_answered_alike(
    options, write_game, made_up, tmp_path, hash_embedder, asking
):
    write_game("gravelbound", made_up["gravelbound"], tmp_path / "a")
    one = write_game("tidewick", made_up["tidewick"], tmp_path / "b")
    folders = os.pathsep.join([str(tmp_path / "a"), str(one)])
    settings = Settings(data_dir=options.data_dir, corpus_dir=folders)
    assert ensure_index(settings, embedder=hash_embedder()) == []
    assert sorted(open_store(settings.data_dir).current()) == sorted(
        [*SHIPPED, "gravelbound", "tidewick"]
    )
    made = asking(settings, "gravelbound", "How many slabs does a sledge carry at most?")
    assert made.status == "answered"
    assert "A sledge carries at most three slabs." in made.text
    (first, *_) = made.citations
    text = made_up["gravelbound"]["rulebook.txt"]
    assert text[first.start : first.end] == first.quote
    assert (first.file, first.source) == ("gravelbound/rulebook.txt", "Gravelbound Rulebook")
    assert first.section == ("Quarry Phase", "Hauling")


# ------------------------------------------------------------------ what is wrong


def test_a_damaged_index_is_told_and_a_rebuild_mends_it(options, hash_embedder, asking):
    before = asking(options, "tidewick", "Can I row through fog?")  # opened in this process already
    (options.data_dir / "chroma" / "chroma.sqlite3").write_bytes(b"not a database" * 999)
    with pytest.raises(IndexDamagedError, match="run `rulespal ingest --rebuild`"):
        ensure_index(options, embedder=hash_embedder())
    made = ensure_index(options, rebuild=True, embedder=hash_embedder())
    assert sorted(made) == sorted(SHIPPED + MADE)
    after = asking(options, "tidewick", "Can I row through fog?")
    assert (after.text, after.citations) == (before.text, before.citations)
    assert [path.name for path in options.data_dir.iterdir() if path.is_dir()] == ["chroma"]


def test_a_cut_off_index_is_told(options, hash_embedder):
    database = options.data_dir / "chroma" / "chroma.sqlite3"
    database.write_bytes(database.read_bytes()[:5000])
    with pytest.raises(IndexDamagedError, match="run `rulespal ingest --rebuild`"):
        ensure_index(options, embedder=hash_embedder())


def test_a_data_folder_below_a_file_is_told(tmp_path, hash_embedder):
    # root writes anywhere whatever the permission bits, so the folder can't be a read-only one
    (tmp_path / "file").write_text("in the way", "utf-8")
    settings = Settings(data_dir=tmp_path / "file" / "data")
    with pytest.raises(
        DataFolderError, match=r"data can't be written \(Not a directory\); allow w"
    ):
        ensure_index(settings, embedder=hash_embedder())


def test_a_build_waits_for_another_one_only_so_long(options, tmp_path, hash_embedder, monkeypatch):
    (tmp_path / "games" / "tidewick" / "questions.jsonl").unlink()
    monkeypatch.setattr(pipeline, "LOCK_SECONDS", 0.1)
    with (
        pipeline._lock(options.data_dir),
        pytest.raises(DataFolderError, match=r"Another build has held .*wait for it, or end it"),
    ):
        ensure_index(options, embedder=hash_embedder())


def test_a_text_that_changed_on_disk_is_told_though_the_index_is_whole(
    options, tmp_path, hash_embedder
):
    manifest = {"title": "T", "files": [{"name": "rulebook.md", "sha256": "0" * 64}]}
    (tmp_path / "games" / "tidewick" / "game.yaml").write_text(json.dumps(manifest), "utf-8")
    with pytest.raises(TextChangedError, match=r"rulebook\.md changed on disk"):
        ensure_index(options, embedder=hash_embedder())


@pytest.mark.parametrize("rebuild", [False, True])
def test_a_game_that_can_not_be_read_costs_no_index(
    options, tmp_path, hash_embedder, asking, rebuild
):
    (tmp_path / "games" / "gravelbound" / "notes.yaml").write_text("none", "utf-8")
    before = open_store(options.data_dir).current()
    with pytest.raises(CorpusError, match="wants `notes:`"):
        ensure_index(options, rebuild=rebuild, embedder=hash_embedder())
    assert open_store(options.data_dir).current() == before
    assert "fog" in asking(options, "tidewick", "Can I row through fog?").text


def test_an_embedder_that_fails_costs_no_index(options, tmp_path, hash_embedder, asking):
    class Failing(hash_embedder):
        def encode(self, texts):
            raise MemoryError("too little memory")

    (tmp_path / "games" / "tidewick" / "questions.jsonl").unlink()
    with pytest.raises(MemoryError, match="too little"):
        ensure_index(options, embedder=Failing())
    assert "fog" in asking(options, "tidewick", "Can I row through fog?").text
    assert ensure_index(options, embedder=hash_embedder()) == ["tidewick"]


def test_vectors_stand_beside_the_words_that_they_are_of(options, hash_embedder):
    store = open_store(options.data_dir)
    words = "Council. Can a toad vote twice in one council? No. A toad may not vote twice in the "
    (near,) = store.nearest(
        "moss-court", "passages", hash_embedder().encode([words + "same council."]), 3
    )
    _, passages, _ = store.load("moss-court")
    assert near[0].passage_id == next(p.id for p in passages if "toad" in p.text)
    assert np.isclose(near[0].cosine, 1.0, atol=1e-4)
