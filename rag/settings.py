"""The options: frozen, from the environment (`RULESPAL_*`), unknown ones refused."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import platformdirs
from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict
from rapidfuzz import process

from rag.errors import SettingError

PREFIX = "RULESPAL_"
QUESTION_LIMIT = 2000
"""Characters of a question."""
HISTORY_LIMIT = 20
"""Turns of a history."""


class Settings(BaseSettings):
    """All options. The environment variable of `data_dir` is `RULESPAL_DATA_DIR`, and so on."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True, extra="forbid")

    corpus_dir: str = ""
    """Folders of games beside the shipped ones, separated as in PATH."""
    data_dir: Path = Field(default_factory=lambda: platformdirs.user_data_path("rulespal"))
    """Where the index is kept."""
    embedding_model: str = ""
    """A sentence-transformers model name or path; empty takes the packaged all-MiniLM-L6-v2."""
    adapter: bool = True
    """Whether the packaged model's vectors go through the adapter trained for rules questions."""
    threads: int = Field(default=0, ge=0, le=256)
    """CPU threads of the model; 0 leaves the choice to torch."""
    candidates: int = Field(default=50, ge=10, le=500)
    """Passages and sentences that each search brings."""
    results: int = Field(default=10, ge=10, le=50)
    """Passages that the ranking keeps."""
    min_confidence: float = Field(default=-1.0, ge=-1.0, le=1.0)
    """Below it the answer is `not_covered`; -1 takes the calibrated threshold."""
    chat_model: str = ""
    """`provider:name` of a LangChain chat model, such as `openai:gpt-5-mini`; empty is none."""

    def fingerprint(self) -> str:
        """Hash of the options that change answers (not of where things lie)."""
        kept = self.model_dump(
            exclude={"corpus_dir", "data_dir", "threads", "chat_model"}, mode="json"
        )
        return hashlib.sha256(repr(sorted(kept.items())).encode()).hexdigest()[:12]


def load_settings() -> Settings:
    """Read the options from the environment.

    Raises:
        SettingError: an option is unknown or its value can't be taken.
    """
    known = {PREFIX + name.upper() for name in Settings.model_fields}
    for name in sorted(os.environ):
        if name.upper().startswith(PREFIX) and name.upper() not in known:
            near = process.extractOne(name.upper(), sorted(known))
            raise SettingError(
                f"Unknown option {name}. Did you mean {near[0]}? "
                f"Unset it, or use one of {', '.join(sorted(known))}."
            )
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors()[0]
        name = PREFIX + "_".join(str(part) for part in first["loc"]).upper()
        raise SettingError(
            f"{name}={first.get('input')!r} can't be used: {first['msg']}. "
            f"Unset it to take the default, or give a value such as "
            f"{Settings.model_fields[str(first['loc'][0])].default!r}."
        ) from error
