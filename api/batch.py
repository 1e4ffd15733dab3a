"""Many questions from a file: each answer is written as it comes, a bad line stops nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from api.asking import make_question
from api.data import answer_data
from api.terminal import as_json
from ingest.manifest import GameFolder
from rag.errors import BatchError, QuestionError, QuoteError, UnknownGameError
from rag.records import Answer, Question
from rag.settings import QUESTION_LIMIT

_EXAMPLE = '{"id": "1", "game": "root", "question": "Who wins a tie?", "history": []}'
_LINE_LIMIT = 100 * QUESTION_LIMIT
"""Bytes of a line: a question, its history and what else an evaluation keeps there."""


class _Line(BaseModel):
    """A line of the file; what else stands in it (an evaluation's own fields) is left alone."""

    model_config = ConfigDict(frozen=True, strict=True)

    id: str | int
    question: str
    game: str | None = None
    history: list[str] = Field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run came to."""

    answered: int
    """Lines that gave an answer, abstentions included."""
    bad: tuple[str, ...]
    """What was wrong with the others."""


def read_lines(path: Path) -> list[tuple[int, bytes]]:
    """The lines of a batch with their numbers, blank ones left out.

    Raises:
        BatchError: the file can't be read or holds nothing.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise BatchError(
            f"The batch file {path} can't be read ({error.strerror}); give a file with lines such "
            f"as {_EXAMPLE}."
        ) from error
    rows = enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1)
    lines = [(number, line) for number, line in rows if line.strip()]
    if not lines:
        raise BatchError(f"The batch file {path} is empty; write lines such as {_EXAMPLE}.")
    return lines


@contextmanager
def output(source: Path, target: Path) -> Iterator[None]:
    """Check that `target` can be written before the work starts; what it holds is kept till then.

    Raises:
        BatchError: it can't be written, or it is the file that is read.
    """
    there = target.exists()
    if there and source.exists() and source.samefile(target):
        raise BatchError(f"--out is the batch file itself ({target}); give another file.")
    try:
        target.open("ab").close()
    except OSError as error:
        raise BatchError(
            f"The answers can't be written to {target} ({error.strerror}); give a file in a "
            f"folder that you may write to, such as --out answers.jsonl."
        ) from error
    try:
        yield
    finally:
        if not there and target.stat().st_size == 0:
            target.unlink()


def run(
    lines: list[tuple[int, bytes]],
    target: Path,
    folders: Mapping[str, GameFolder],
    ask: Callable[[Question], Answer],
    told: Callable[[str, int, int], None],
) -> Outcome:
    """Answer every line, in order, and write each answer as it comes.

    Args:
        lines: numbers and lines, as `read_lines` gives them.
        target: where the answers go.
        folders: the games that a line may name.
        ask: answers a question.
        told: told of each line, as building an index tells of its progress.

    Raises:
        BatchError: the answers can't be written any more.
        RulesPalError: nothing can be answered any more, such as when the index is damaged.
    """
    bad: list[str] = []
    try:
        with target.open("w", encoding="utf-8", newline="\n") as file:
            for done, (number, line) in enumerate(lines, 1):
                row = _answer(number, line, folders, ask)
                if "error" in row:
                    bad.append(row["error"])
                file.write(as_json(row) + "\n")
                file.flush()
                told("Answering", done, len(lines))
    except OSError as error:
        raise BatchError(
            f"The answers can't be written to {target} any more ({error.strerror}); those "
            f"written so far are kept."
        ) from error
    return Outcome(len(lines) - len(bad), tuple(bad))


def _answer(
    number: int,
    line: bytes,
    folders: Mapping[str, GameFolder],
    ask: Callable[[Question], Answer],
) -> dict[str, Any]:
    """The row of a line: its answer, or its id and what is wrong with it."""
    found: dict[str, Any] = {}
    try:
        found = _parse(line)
        read = _Line.model_validate(found)
        question = make_question(read.question, read.game, read.history, folders)
        return {**answer_data(ask(question)), "id": read.id}
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        told = f"{where}: {first['msg']}; write it as {_EXAMPLE}"
    except (BatchError, QuestionError, QuoteError, UnknownGameError) as error:
        told = str(error)
    named = found.get("id")
    return {
        "id": named if isinstance(named, str | int) else None,
        "error": f"line {number}: {told}",
    }


def _parse(line: bytes) -> dict[str, Any]:
    if len(line) > _LINE_LIMIT:
        raise BatchError(f"has {len(line):,} bytes and may have {_LINE_LIMIT:,}")
    try:
        found = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise BatchError(f"not UTF-8 (byte {error.start + 1} of the line)") from error
    except (ValueError, RecursionError) as error:
        raise BatchError(f"not JSON ({error}); write it as {_EXAMPLE}") from error
    if not isinstance(found, dict):
        raise BatchError(f"not a JSON object; write it as {_EXAMPLE}")
    return found
