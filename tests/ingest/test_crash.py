"""A build that is killed leaves the old index serving, and the next build succeeds.

The killed build is a real process with its own embedder, stopped with SIGKILL, which no handler
sees; it builds over an index that a finished build has left.
"""

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from ingest.pipeline import ensure_index
from rag.answer import answer
from rag.engine import Engine
from rag.records import Question
from rag.store import open_store

PROJECT = Path(__file__).parents[2]
BUILD = textwrap.dedent(
    """
    import importlib.util, os, signal, sys, time
    from pathlib import Path

    spec = importlib.util.spec_from_file_location("made", sys.argv[1])
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    from ingest.pipeline import ensure_index
    from rag.settings import Settings
    from rag.store import PassageStore

    class Slow(made.HashEmbedder):
        calls = 0

        def encode(self, texts):
            Slow.calls += 1
            if where == f"batch {Slow.calls}":
                print("reached", flush=True)
                time.sleep(600)
            return super().encode(texts)

    def stop(self, *args):
        print("reached", flush=True)
        time.sleep(600)

    where = sys.argv[4]
    if where == "publish":
        PassageStore.publish = stop
    settings = Settings(data_dir=Path(sys.argv[2]), corpus_dir=sys.argv[3])
    ensure_index(settings, rebuild="rebuild" in sys.argv, embedder=Slow())
    print("finished", flush=True)
    """
)
ASKED = [
    ("gravelbound", "How many chisels does each mason draw?"),
    ("tidewick", "Can I row through fog?"),
    ("tidewick", "how much kerosene do we begin with"),
]


@pytest.fixture
def answers(hash_embedder, engine):
    """What the index that serves says to some questions, time and fingerprint left out."""

    def ask(options):
        store = open_store(options.data_dir)
        opened = Engine(options, store, hash_embedder(), engine.calibration, store.current())
        made = [answer(Question(text=text, game=game), opened) for game, text in ASKED]
        return [(a.status, a.text, a.citations, a.retrieved) for a in made]

    return ask


# gravelbound is one batch, so the second batch is tidewick's
@pytest.mark.parametrize(
    ("where", "how"),
    [("batch 1", "build"), ("batch 2", "build"), ("publish", "build"), ("batch 2", "rebuild")],
)
def test_a_killed_build_leaves_the_old_index_serving(
    where, how, options, tmp_path, hash_embedder, answers
):
    before = answers(options)
    serving = open_store(options.data_dir).current()
    for path, old, new in (
        ("gravelbound/rulebook.txt", "four chisels", "nine chisels"),
        ("tidewick/rulebook.md", "through fog", "through thick fog"),
        ("tidewick/notes.yaml", "through fog", "through thick fog"),
        ("tidewick/questions.jsonl", "through fog", "through thick fog"),
    ):
        text = (tmp_path / "games" / path).read_text("utf-8")
        (tmp_path / "games" / path).write_text(text.replace(old, new), "utf-8")

    conftest = PROJECT / "tests" / "conftest.py"
    script = [sys.executable, "-c", BUILD, conftest, options.data_dir, options.corpus_dir]
    script += [where, how]
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    with subprocess.Popen(script, stdout=subprocess.PIPE, text=True, env=environment) as build:  # noqa: S603 - ours
        try:
            assert build.stdout.readline() == "reached\n"
        finally:
            build.send_signal(signal.SIGKILL)
        assert build.wait() == -signal.SIGKILL

    assert open_store(options.data_dir).current() == serving
    assert answers(options) == before
    assert sorted(ensure_index(options, embedder=hash_embedder())) == ["gravelbound", "tidewick"]
    after = answers(options)
    assert "nine chisels" in after[0][1]
    assert "thick fog" in after[1][1]
    assert ensure_index(options, embedder=hash_embedder()) == []
