"""What Chroma and the system raise, turned into errors with a way out."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from chromadb.errors import ChromaError

from rag.errors import DataFolderError, IndexDamagedError, RulesPalError


@contextmanager
def mapped(folder: Path | None = None) -> Iterator[None]:
    """Turn what Chroma and the system raise into errors with a way out."""
    place = f" in {folder}" if folder else ""
    try:
        yield
    except RulesPalError:
        raise
    except BaseException as error:
        told = " ".join(str(error).split())[:160]
        if _is_write_fault(error, told):
            raise DataFolderError(
                f"The data folder{place} can't be written ({told}); free some space or allow "
                f"writing, or set RULESPAL_DATA_DIR to another folder."
            ) from error
        if isinstance(error, ChromaError | sqlite3.Error | ValueError | OSError) or (
            type(error).__name__ == "PanicException"  # what Chroma's Rust part raises
        ):
            raise IndexDamagedError(
                f"The index{place} can't be read ({told}); run `rulespal ingest --rebuild` to "
                f"make it anew."
            ) from error
        raise


_WRITE_FAULTS = ("readonly", "read-only", "disk is full", "no space left", "permission denied")


def _is_write_fault(error: BaseException, told: str) -> bool:
    return isinstance(error, PermissionError | NotADirectoryError | FileExistsError) or (
        not isinstance(error, KeyboardInterrupt | SystemExit)
        and any(sign in told.lower() for sign in _WRITE_FAULTS)
    )
