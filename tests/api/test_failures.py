import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from api.cli import main
from api.service import Service

ROOT = Path(__file__).parents[2]
CLI = [sys.executable, "-m", "api.cli"]


class Failing(Service):
    """Can't be opened."""

    def __init__(self, failure):
        self.failure = failure

    def open(self, settings, progress, game=None):
        raise self.failure


def test_a_fault_of_ours_is_one_line(rulespal):
    result = rulespal("ask", "hm?", service=Failing(KeyError("x")))
    assert result.exit_code == 2
    assert result.stderr == (
        "Error: this is a fault of RulesPal (KeyError: 'x'). Run it again as `rulespal --debug ...`"
        " to see where, and report it.\n"
    )


def test_debug_shows_where(rulespal):
    result = rulespal("--debug", "ask", "hm?", service=Failing(KeyError("x")))
    assert result.exit_code == 2
    assert "Traceback" in result.stderr
    refused = rulespal("--debug", "ask", "")
    assert "Traceback" in refused.stderr
    assert refused.exit_code == 2


def test_ctrl_c_is_one_word(rulespal):
    result = rulespal("ask", "hm?", service=Failing(KeyboardInterrupt()))
    assert (result.exit_code, result.stdout, result.stderr) == (130, "", "Stopped.\n")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["frobnicate"], "No such command 'frobnicate'"),
        (["games", "--gmae"], "No such option: --gmae"),
        (["rulings", "--grade", "pope"], "'pope' is not one of 'rulebook', 'designer'"),
        (["search"], "Missing argument 'QUERY"),
    ],
)
def test_a_mistake_in_the_commands_words_exits_with_2(rulespal, words, told):
    result = rulespal(*words)
    assert result.exit_code == 2
    assert told in result.stderr


def test_version_and_help(rulespal):
    assert rulespal("--version").stdout.startswith("rulespal ")
    told = rulespal("--help").stdout
    assert "Exit codes: 0 answered, 1 not covered or nothing found, 2 error." in told
    for command in ("ask", "chat", "search", "show", "rulings", "games", "ingest", "doctor"):
        assert f"\n  {command} " in told
        assert rulespal(command, "--help").exit_code == 0


def test_main_is_quiet_and_keeps_odd_bytes_from_failing(monkeypatch, made_games):
    stdout = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stdout)
    monkeypatch.setattr(sys, "argv", ["rulespal", "show", "moss-court/faq#226-276", "--json"])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 0
    stdout.flush()
    assert b'"text": "No. A toad may not vote twice' in stdout.buffer.getvalue()


@pytest.fixture(autouse=True)
def _loud_again():
    """What `main` sets for its process."""
    import gc
    import logging

    yield
    logging.disable(logging.NOTSET)
    gc.enable()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
def test_a_closed_pipe_ends_quietly():
    child = subprocess.Popen(  # noqa: S603 - our own command
        [*CLI, "rulings", "--game", "root", "--json"],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    child.stdout.close()
    assert child.stderr.read() == b""
    assert child.wait() == 141
    child.stderr.close()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
def test_ctrl_c_in_a_process_leaves_no_traceback():
    code = (
        "import os, signal, sys, time\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell's & ignores it
        "from api import cli, service\n"
        "def open(*_):\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    time.sleep(60)\n"
        "service.Service.open = open\n"
        "sys.argv = ['rulespal', 'chat']\n"
        "cli.main()\n"
    )
    run = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stdout, run.stderr) == (130, "", "Stopped.\n")


@pytest.mark.model
def test_the_first_question_builds_the_index_and_stdout_is_clean(tmp_path):
    env = {**os.environ, "RULESPAL_DATA_DIR": str(tmp_path / "new")}
    words = [*CLI, "ask", "-g", "root", "--json", "who wins a tie in battle?"]
    told = []
    for _ in range(2):
        run = subprocess.run(  # noqa: S603 - our own command
            words, cwd=ROOT, env=env, capture_output=True, text=True, check=False
        )
        assert run.returncode in {0, 1}
        assert json.loads(run.stdout)["game"] == "root"
        told.append(run.stderr)
    assert told[0]
    assert all(line.startswith("Indexing ") for line in told[0].splitlines())
    assert told[1] == ""
