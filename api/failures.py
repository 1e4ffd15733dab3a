"""Where every failure of a command ends: one line on stderr and an exit code, no traceback."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperGroup

from api.terminal import complain
from rag.errors import RulesPalError

NOT_COVERED = 1
"""Exit code of a question that is not answered, or a search that finds nothing."""
WRONG = 2
"""Exit code of every error."""
INTERRUPTED = 130
"""Exit code after ctrl-C, as shells give it."""
PIPE_CLOSED = 141
"""Exit code when whoever reads has gone, as shells give it."""


class Commands(TyperGroup):
    """The commands, each run with this module's care."""

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401 - typer's context is a private class
        """Run a command."""
        with _last_stop(debug=bool(ctx.params.get("debug"))):
            return super().invoke(ctx)


@contextmanager
def _last_stop(*, debug: bool) -> Iterator[None]:
    try:
        yield
        sys.stdout.flush()  # else a closed pipe is noticed after the last chance to say nothing
    except RulesPalError as error:
        if debug:
            traceback.print_exc()
        complain(f"Error: {error}")
        raise typer.Exit(WRONG) from error
    except KeyboardInterrupt as error:
        complain("Stopped.")
        raise typer.Exit(INTERRUPTED) from error
    except BrokenPipeError as error:
        _stop_writing()
        raise typer.Exit(PIPE_CLOSED) from error
    except Exception as error:
        if _is_typers(error):
            raise
        if debug:
            traceback.print_exc()
        complain(
            f"Error: this is a fault of RulesPal ({type(error).__name__}: {error}). Run it again "
            f"as `rulespal --debug ...` to see where, and report it."
        )
        raise typer.Exit(WRONG) from error


def _is_typers(error: Exception) -> bool:
    """Whether typer itself raised it: an exit, or a mistake in the command's words."""
    return isinstance(error, typer.Abort) or hasattr(error, "exit_code")


def _stop_writing() -> None:
    """What is still in the buffer can go nowhere; Python would complain of it at the end."""
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, sys.stdout.fileno())
