"""A game's `questions.jsonl`, written a passage at a time: what was paid for is kept."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence

from ingest.manifest import QUESTIONS, GameFolder
from ingest.sidecars import QuestionRow
from rag.errors import CorpusError

_BEGINNING = b'{"provenance": "generated"'
"""Of every line that is written here, so that a half-written one is told from a person's."""


def mend(folder: GameFolder) -> bool:
    """Cut off the line that an interrupted run left half written; whether there was one.

    Raises:
        CorpusError: the file can't be read or written.
    """
    path = folder.path / QUESTIONS
    try:
        data = path.read_bytes() if path.exists() else b""
        whole, end, last = data.rpartition(b"\n")
        if not _is_half(last):
            return False
        with path.open("r+b") as file:
            file.truncate(len(whole) + len(end))
    except OSError as error:
        raise _unwritable(folder, error) from error
    return True


def _is_half(line: bytes) -> bool:
    if not line or not (line.startswith(_BEGINNING) or _BEGINNING.startswith(line)):
        return False
    try:
        json.loads(line)
    except ValueError:
        return True
    return False


def check_writable(folder: GameFolder) -> None:
    """See that questions can be kept, before they are paid for.

    Raises:
        CorpusError: the game's folder can't be written, or is part of an installation.
    """
    path = folder.path / QUESTIONS
    there = path.exists()
    if {"site-packages", "dist-packages"} & set(folder.path.resolve().parts):
        raise _unwritable(folder, "it is part of the installation")
    try:
        path.open("ab").close()
        if not there:
            path.unlink()
    except OSError as error:
        raise _unwritable(folder, error) from error


def _unwritable(folder: GameFolder, why: OSError | str) -> CorpusError:
    told = why if isinstance(why, str) else why.strerror
    return CorpusError(
        f"{folder.path / QUESTIONS} can't be written ({told}); copy the folder under another "
        f"name, such as my-{folder.slug}, name the copy in RULESPAL_CORPUS_DIR, and expand that."
    )


def append(folder: GameFolder, rows: Sequence[QuestionRow]) -> None:
    """Write rows behind those that there are, safe on disk when this returns.

    Raises:
        CorpusError: they can't be written any more.
    """
    if not rows:
        return
    path = folder.path / QUESTIONS
    lines = "".join(map(_line, rows)).encode()
    try:
        with path.open("a+b") as file:
            file.seek(max(0, file.tell() - 1))
            whole = file.read(1) in {b"", b"\n"}
            file.write(lines if whole else b"\n" + lines)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise CorpusError(
            f"{path} can't be written any more ({error.strerror}); what was written is kept: mend "
            f"that and run `rulespal expand {folder.slug}` again to go on."
        ) from error


def _line(row: QuestionRow) -> str:
    kept = row.model_dump(mode="json", exclude_defaults=True)
    return json.dumps({"provenance": row.provenance, **kept}, ensure_ascii=False) + "\n"
