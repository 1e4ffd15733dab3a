import re
from pathlib import Path

import pytest
from pydantic import ValidationError

from rag.errors import SettingError
from rag.settings import PREFIX, Settings, load_settings

README = Path(__file__).parents[2] / "README.md"
OPTIONS = {PREFIX + name.upper() for name in Settings.model_fields}


def test_the_environment_gives_the_options(monkeypatch, tmp_path):
    monkeypatch.setenv("RULESPAL_DATA_DIR", str(tmp_path / "here"))
    monkeypatch.setenv("RULESPAL_RESULTS", "12")
    monkeypatch.setenv("rulespal_threads", "2")
    monkeypatch.setenv("RULESPAL_ADAPTER", "false")
    settings = load_settings()
    assert (settings.data_dir, settings.results, settings.threads) == (tmp_path / "here", 12, 2)
    assert settings.adapter is False


def test_without_options_the_data_lie_in_the_users_folder(monkeypatch, tmp_path):
    monkeypatch.delenv("RULESPAL_DATA_DIR")
    settings = load_settings()
    assert settings.data_dir.name == "rulespal"
    assert settings.data_dir.is_relative_to(tmp_path / "home")
    assert (settings.corpus_dir, settings.embedding_model, settings.results) == ("", "", 10)


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("RULESPAL_DATA_DIRR", "RULESPAL_DATA_DIR"),
        ("RULESPAL_CORPUS", "RULESPAL_CORPUS_DIR"),
        ("rulespal_thread", "RULESPAL_THREADS"),
        ("RULESPAL_EMBED_MODEL", "RULESPAL_EMBEDDING_MODEL"),
    ],
)
def test_an_unknown_option_is_refused_with_the_nearest_name(monkeypatch, name, near):
    monkeypatch.setenv(name, "x")
    told = f"^Unknown option {name}. Did you mean {near}\\? Unset it, or use one of RULESPAL_ADAP"
    with pytest.raises(SettingError, match=told):
        load_settings()


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        (
            "RULESPAL_THREADS",
            "many",
            "RULESPAL_THREADS='many' can't be used: .*valid integer.*as 0",
        ),
        ("RULESPAL_THREADS", "-1", "greater than or equal to 0"),
        ("RULESPAL_RESULTS", "9", r"RULESPAL_RESULTS='9' .*equal to 10.*such as 10\."),
        ("RULESPAL_CANDIDATES", "501", "RULESPAL_CANDIDATES='501' .*equal to 500"),
        ("RULESPAL_MIN_CONFIDENCE", "2", r"less than or equal to 1.*such as -1\.0"),
        ("RULESPAL_MIN_CONFIDENCE", "high", "valid number"),
        ("RULESPAL_ADAPTER", "perhaps", r"RULESPAL_ADAPTER='perhaps' .*valid boolean.*as True\."),
    ],
)
def test_a_value_that_can_not_be_taken_is_refused(monkeypatch, name, value, told):
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingError, match=told):
        load_settings()


def test_options_can_not_be_changed_or_invented():
    with pytest.raises(ValidationError, match="frozen"):
        Settings().results = 20
    with pytest.raises(ValidationError, match="Extra inputs"):
        Settings(resluts=20)


@pytest.mark.parametrize(
    ("change", "same"),
    [
        ({"data_dir": "/elsewhere"}, True),
        ({"corpus_dir": "/games"}, True),
        ({"threads": 2}, True),
        ({"chat_model": "ollama:llama3.2"}, True),
        ({"results": 11}, False),
        ({"candidates": 60}, False),
        ({"min_confidence": 0.5}, False),
        ({"embedding_model": "other"}, False),
        ({"adapter": False}, False),
    ],
)
def test_the_fingerprint_tells_options_that_change_answers(change, same):
    assert (Settings(**change).fingerprint() == Settings().fingerprint()) is same


def test_every_option_is_documented_and_no_other():
    named = set(re.findall(rf"`({PREFIX}[A-Z_]*[A-Z])`", README.read_text("utf-8")))
    assert named == OPTIONS


def test_the_documented_defaults_are_the_defaults():
    rows = re.findall(rf"^\| `{PREFIX}(\w+)` \| (\S+)", README.read_text("utf-8"), re.MULTILINE)
    told = {name.lower(): default for name, default in rows}
    assert told.keys() == Settings.model_fields.keys()
    for name in ("threads", "candidates", "results", "min_confidence"):
        assert float(told[name]) == Settings.model_fields[name].default
