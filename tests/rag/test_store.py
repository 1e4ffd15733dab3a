import json
import sqlite3

import chromadb.errors  # noqa: TID251 - its errors must all be mapped
import numpy as np
import pytest
from chromadb.errors import ChromaError, NotFoundError  # noqa: TID251 - the same

from rag.errors import DataFolderError, IndexDamagedError, IndexMissingError
from rag.records import Entry, Game, Gap, Grade, Note, Passage, Source
from rag.store import PARTS, PassageStore, discard_store, open_store, replace_store

GAME = Game(
    slug="made",
    title="Made",
    aliases=("Maid",),
    sources=(Source(file="made/r.md", title="Rules", kind="rulebook", edition="2nd"),),
    notes=(Note(id="n", kind="gap", says="None.", spans=(("made/r.md", 0, 3, ""),)),),
    gaps=(Gap(text="🦊?", why="open", look="Ask."), Gap(text="b", why="general", look="No rule.")),
    terms=(("Größe", ("size", "bulk")), ("Fox", ())),
    fingerprint="f",
)


def passages(count, mark=""):
    return [
        Passage(
            id=f"made/r#{n}-{n + 1}",
            game="made",
            file="made/r.md",
            start=n,
            end=n + 1,
            text=f"🦊 {n}{mark}",
            kind="faq",
            source="Rules",
            section=("A", "B"),
            context="c",
            reading="r",
            question="q?",
            number=n,
            of="made/r#0-1",
            grade=Grade.DESIGNER,
            grade_text="He ruled.",
            year=2024,
            rulebook_section="3.1",
        )
        for n in range(count)
    ]


def parts(held):
    """Entries whose vectors point ever farther away from the first axis."""
    entries = [Entry(passage_id=p.id, start=p.start, end=p.end, text=p.text) for p in held]
    angles = np.linspace(0, np.pi / 2, len(held))
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    nothing = ([], np.zeros((0, 1), np.float32))
    return {
        "passages": (entries, vectors),
        "sentences": (entries, vectors),
        "questions": nothing,
        "gaps": nothing,
    }


def asked(count):
    """Entry questions of the passages, with every answer in turn."""
    says = (None, "yes", "no")
    return [
        Entry(
            text=f"Größe {n}?",
            passage_id=f"made/r#{n}-{n + 1}",
            start=n,
            end=n + 1,
            polarity=says[n % 3],
        )
        for n in range(count)
    ]


def with_known(held, known):
    """The same parts with known questions, and the gaps of the game."""
    rows = [
        Entry(passage_id=k.passage_id, start=k.start, end=k.end, text=k.text, polarity=k.polarity)
        for k in known
    ]
    gaps = [Entry(passage_id="", start=0, end=0, text=gap.text) for gap in GAME.gaps]
    angles = np.linspace(0, np.pi / 2, len(known))
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    axes = np.eye(2, dtype=np.float32)
    return {**parts(held), "questions": (rows, vectors), "gaps": (gaps, axes)}


@pytest.fixture
def store(tmp_path):
    return open_store(tmp_path / "data", create=True)


def names(store):
    return {collection.name for collection in store._client.list_collections()}


# --------------------------------------------------------------- write and read


def test_what_was_written_is_read_back_whole_and_in_order(store):
    held = passages(30)
    store.write("v1", GAME, held, parts(held))
    store.publish({"made": "v1"})
    assert store.load("made") == (GAME, held, [])


@pytest.mark.parametrize("batch", [2, 5_000])
def test_known_questions_are_read_back_whole_and_in_order(store, monkeypatch, batch):
    monkeypatch.setattr(store._client, "get_max_batch_size", lambda: batch)
    held, known = passages(12), [*asked(12), *asked(2)]  # above ten: not in the order of letters
    store.write("v1", GAME, held, with_known(held, known))
    store.publish({"made": "v1"})
    game, read, asked_of = store.load("made")
    assert (game, read) == (GAME, held)
    assert [(k.text, k.passage_id, k.start, k.end, k.polarity) for k in asked_of] == [
        (k.text, k.passage_id, k.start, k.end, k.polarity) for k in known
    ]


def test_a_known_question_is_found_with_its_words_and_answer(store):
    held, known = passages(5), asked(5)
    store.write("v1", GAME, held, with_known(held, known))
    store.publish({"made": "v1"})
    ((first, second, *rest),) = store.nearest("made", "questions", np.array([[0, 1]]), 5)
    assert (first.text, first.polarity, first.entry) == ("Größe 4?", "yes", 4)
    assert (first.passage_id, first.start, first.end) == ("made/r#4-5", 4, 5)
    assert (second.polarity, [near.polarity for near in rest]) == (None, ["no", "yes", None])


def test_a_gap_is_found_by_its_place_in_the_game(store):
    held = passages(5)
    store.write("v1", GAME, held, with_known(held, asked(5)))
    store.publish({"made": "v1"})
    vectors = np.array([[1, 0], [0, 1]], np.float32)
    (first,), (second,) = store.nearest("made", "gaps", vectors, 1)
    assert (first.entry, second.entry) == (0, 1)
    assert GAME.gaps[second.entry].text == "b"
    assert (first.passage_id, first.text, first.polarity) == ("", "", None)
    assert first.cosine == pytest.approx(1, abs=1e-5)


def test_a_game_is_searched_without_being_loaded_first(store, tmp_path):
    held = passages(4)
    store.write("v1", GAME, held, with_known(held, asked(4)))
    store.publish({"made": "v1"})
    fresh = open_store(tmp_path / "data")
    vector = np.array([[1, 0]], np.float32)
    for part in PARTS:
        assert fresh.nearest("made", part, vector, 9) == store.nearest("made", part, vector, 9)


def test_what_is_not_published_does_not_serve(store):
    store.write("v1", GAME, passages(3), parts(passages(3)))
    assert store.current() == {}
    with pytest.raises(IndexMissingError, match=r"no index of made; run `rulespal ingest`"):
        store.load("made")
    with pytest.raises(IndexMissingError, match="no index of made"):
        store.nearest("made", "passages", np.ones((1, 2), np.float32), 1)


def test_the_nearest_come_best_first_with_their_cosine(store):
    held = passages(7)
    store.write("v1", GAME, held, parts(held))
    store.publish({"made": "v1"})
    vectors = np.array([[1, 0], [0, 1]], np.float32)
    left, right = store.nearest("made", "sentences", vectors, 3)
    assert [near.passage_id for near in left] == [p.id for p in held[:3]]
    assert [near.passage_id for near in right] == [p.id for p in held[:3:-1]]
    assert left[0].cosine == pytest.approx(1, abs=1e-5)
    assert left[2].cosine == pytest.approx(np.cos(np.pi / 6), abs=1e-5)
    assert (left[1].start, left[1].end, left[1].entry) == (1, 2, 1)


def test_of_fewer_entries_than_wanted_all_come(store):
    held = passages(2)
    store.write("v1", GAME, held, parts(held))
    store.publish({"made": "v1"})
    vector = np.array([[1, 0]], np.float32)
    assert len(store.nearest("made", "passages", vector, 50)[0]) == 2
    assert store.nearest("made", "questions", vector, 50) == [[]]
    assert store.nearest("made", "gaps", vector, 50) == [[]]


def test_many_entries_are_written_in_batches(store, monkeypatch):
    monkeypatch.setattr(store._client, "get_max_batch_size", lambda: 4)
    held = passages(10)
    store.write("v1", GAME, held, parts(held))
    store.publish({"made": "v1"})
    assert store.load("made")[1] == held
    assert len(store.nearest("made", "sentences", np.ones((1, 2), np.float32), 50)[0]) == 10


# ---------------------------------------------------------------------- publish


def test_a_new_index_serves_at_once_and_the_old_one_is_kept(store):
    for version in ("v1", "v2"):
        held = passages(3, version)
        store.write(version, GAME, held, parts(held))
        store.publish({"made": version})
        assert store.current() == {"made": version}
        assert store.load("made")[1] == held
    kept = {f"made.{version}.{part}" for version in ("v1", "v2") for part in PARTS}
    assert kept <= names(store)


def test_what_served_before_the_last_one_is_dropped(store):
    for version in ("v1", "v2", "v3"):
        store.write(version, GAME, passages(3), parts(passages(3)))
        store.publish({"made": version})
    assert {name.split(".")[1] for name in names(store) if "." in name} == {"v2", "v3"}


def test_what_an_interrupted_build_left_is_written_anew(store):
    store.write("v1", GAME, passages(9), parts(passages(9)))
    held = passages(2)
    store.write("v1", GAME, held, parts(held))
    store.publish({"made": "v1"})
    assert store.load("made")[1] == held


def test_a_game_that_is_no_longer_served_is_missing(store):
    store.write("v1", GAME, passages(3), parts(passages(3)))
    store.publish({"made": "v1"})
    store.publish({})
    with pytest.raises(IndexMissingError, match="no index of made"):
        store.load("made")


def test_another_process_sees_what_was_published(store, tmp_path):
    store.write("v1", GAME, passages(3), parts(passages(3)))
    store.publish({"made": "v1"})
    assert open_store(tmp_path / "data").current() == {"made": "v1"}


def test_who_loaded_a_game_searches_what_was_loaded(store):
    vector = np.array([[1, 0]], np.float32)
    for version, count in (("v1", 2), ("v2", 5)):
        held = passages(count)
        store.write(version, GAME, held, parts(held))
        store.publish({"made": version})
        if version == "v1":
            store.load("made")
    assert len(store.nearest("made", "passages", vector, 50)[0]) == 2
    store.load("made")
    assert len(store.nearest("made", "passages", vector, 50)[0]) == 5


# ----------------------------------------------------------------- open, discard


def test_an_index_that_is_not_there_is_not_made(tmp_path):
    with pytest.raises(IndexMissingError, match=r"There is no index in .*none; run `rulespal"):
        open_store(tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_an_index_below_a_file_can_not_be_made(tmp_path):
    (tmp_path / "file").write_text("in the way", "utf-8")
    with pytest.raises(DataFolderError, match=r"data folder in .*file/data can't be written"):
        open_store(tmp_path / "file" / "data", create=True)


def test_after_an_index_is_discarded_a_new_one_can_be_made_in_its_place(store, tmp_path):
    store.write("v1", GAME, passages(3), parts(passages(3)))
    store.publish({"made": "v1"})
    discard_store(tmp_path / "data")
    fresh = open_store(tmp_path / "data", create=True)
    assert fresh.current() == {}
    fresh.write("v2", GAME, passages(2), parts(passages(2)))
    fresh.publish({"made": "v2"})
    assert len(fresh.load("made")[1]) == 2


def test_an_index_takes_the_place_of_another_or_of_none(store, tmp_path):
    store.write("v1", GAME, passages(3), parts(passages(3)))
    store.publish({"made": "v1"})
    for version, folder in (("v2", "data"), ("v3", "new")):
        made = open_store(tmp_path / folder / "rebuild", create=True)
        made.write(version, GAME, passages(2), parts(passages(2)))
        made.publish({"made": version})
        replace_store(tmp_path / folder, tmp_path / folder / "rebuild")
        assert open_store(tmp_path / folder).current() == {"made": version}
        assert len(open_store(tmp_path / folder).load("made")[1]) == 2
        assert not (tmp_path / folder / "rebuild").exists()


def test_discarding_nothing_is_no_fault(tmp_path):
    discard_store(tmp_path / "none")
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("garbage", [b"", b"not a database" * 500])
def test_a_damaged_index_is_told(store, tmp_path, garbage):
    discard_store(tmp_path / "data")
    (tmp_path / "data" / "chroma").mkdir()
    (tmp_path / "data" / "chroma" / "chroma.sqlite3").write_bytes(garbage)
    if garbage:
        with pytest.raises(IndexDamagedError, match=r"in .*data can't be read .*ingest --rebuild"):
            open_store(tmp_path / "data")
    else:  # an empty file is an empty database
        assert open_store(tmp_path / "data").current() == {}


# --------------------------------------------------------------- foreign errors


def subclasses(kind):
    return {kind} | {below for child in kind.__subclasses__() for below in subclasses(child)}


CHROMA_ERRORS = sorted(
    {kind for kind in subclasses(ChromaError) if kind.__module__ == chromadb.errors.__name__},
    key=lambda kind: kind.__name__,
)


class FailingClient:
    """A Chroma client of which every call fails, or fails beyond the pointer."""

    def __init__(self, error, serving=None):
        self._error = error
        self._serving = serving

    def get_collection(self, name, **_):
        if self._serving and name == "rulespal-current":
            metadata = {"pointer": json.dumps({"serving": self._serving})}
            return type("Pointer", (), {"metadata": metadata})
        raise self._error

    def __getattr__(self, name):
        def fail(*_, **__):
            raise self._error

        return fail


def calls(store):
    return {
        "current": store.current,
        "load": lambda: store.load("made"),
        "nearest": lambda: store.nearest("made", "passages", np.ones((1, 2)), 1),
        "write": lambda: store.write("v1", GAME, passages(1), parts(passages(1))),
        "publish": lambda: store.publish({"made": "v1"}),
    }


def test_chroma_has_errors_to_map():
    assert len(CHROMA_ERRORS) > 10


@pytest.mark.parametrize("kind", CHROMA_ERRORS, ids=lambda kind: kind.__name__)
def test_every_error_of_chroma_is_mapped(kind):
    told = r"index can't be read \(odd thing\); run `rulespal ingest --rebuild`"
    broken = calls(PassageStore(FailingClient(kind("odd thing"))))
    if issubclass(kind, NotFoundError):  # without a pointer nothing serves yet
        assert broken["current"]() == {}
    else:
        with pytest.raises(IndexDamagedError, match=told):
            broken["current"]()
    pointed = calls(PassageStore(FailingClient(kind("odd thing"), {"made": "v1"})))
    for name in ("load", "nearest", "publish", "write"):
        with pytest.raises(IndexDamagedError, match=told):
            pointed[name]()


class PanicException(BaseException):
    """What Chroma's Rust part raises has this name and no better base."""


@pytest.mark.parametrize(
    "error",
    [
        sqlite3.DatabaseError("odd thing"),
        sqlite3.OperationalError("odd thing"),
        ValueError("odd thing"),
        OSError("odd thing"),
        PanicException("odd thing"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_every_other_error_of_reading_is_mapped(error):
    for call in calls(PassageStore(FailingClient(error, {"made": "v1"}))).values():
        if call.__name__ != "current":
            with pytest.raises(IndexDamagedError, match=r"can't be read \(odd thing\)"):
                call()


@pytest.mark.parametrize(
    "error",
    [
        PermissionError(13, "Permission denied"),
        OSError(28, "No space left on device"),
        OSError(30, "Read-only file system"),
        sqlite3.OperationalError("attempt to write a readonly database"),
        chromadb.errors.InternalError("(code: 13) database or disk is full"),
        PanicException("readonly database"),
    ],
    ids=str,
)
@pytest.mark.parametrize("name", ["write", "publish"])
def test_a_folder_that_can_not_be_written_is_told(error, name):
    # what the system and Chroma say on a folder that may not be written or is full; root is never
    # refused, so a fake client says it
    with pytest.raises(DataFolderError, match=r"can't be written \(.*set RULESPAL_DATA_DIR to an"):
        calls(PassageStore(FailingClient(error)))[name]()


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(1), KeyError("ours")], ids=repr)
def test_what_is_no_fault_of_the_index_is_not_mapped(error):
    with pytest.raises(type(error)):
        PassageStore(FailingClient(error)).current()


def test_a_game_may_be_called_readonly(store):
    with pytest.raises(IndexMissingError, match="no index of readonly"):
        store.load("readonly")
