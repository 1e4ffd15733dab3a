"""To the terminal: words that can't command it, JSON, and progress on stderr.

What a player, a text or a file says reaches the terminal only through `words` or `say`, which take
out control characters and know no markup, or through `print_json`, which escapes them.
"""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

if TYPE_CHECKING:
    from types import TracebackType

    from rich.progress import Progress, TaskID

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Commands to the terminal, and marks that turn the direction of writing; not tab and newline."""
_LONE = re.compile(r"[\ud800-\udfff]")
"""Halves of characters: bytes of an argument that are not UTF-8."""
_ESCAPED = re.compile(r"[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""What JSON need not escape, but a terminal might obey or an encoder refuse."""


class _PipedConsole(Console):
    """A console that leaves a closed pipe to whoever called."""

    def on_broken_pipe(self) -> None:
        """Raise it on."""
        raise BrokenPipeError


def out() -> Console:
    """Where answers go."""
    return _PipedConsole(file=sys.stdout, markup=False, highlight=False, emoji=False)


def err() -> Console:
    """Where messages and progress go."""
    return _PipedConsole(file=sys.stderr, markup=False, highlight=False, emoji=False)


def words(text: str, style: str = "") -> Text:
    """Text of unknown origin, fit for a terminal."""
    return Text(clean(text), style=style)


def say(console: Console, text: Text | str, style: str = "", *, before: str = "") -> None:
    """Write text in lines that fit, each with `before` beside it."""
    body = text if isinstance(text, Text) else words(text, style)
    body.expand_tabs(4)
    lines = body.wrap(console, max(20, console.width - len(before)))
    for at, line in enumerate(lines):
        lines[at] = Text().append(before, "dim").append_text(line)
        lines[at].rstrip()
    console.print(Text("\n").join(lines), no_wrap=True, overflow="fold")


def clean(text: str) -> str:
    r"""Text with control characters replaced.

    >>> clean("red \x1b[31m\r\n")
    'red �[31m\n'
    """
    return _LONE.sub("�", _CONTROL.sub("�", text.replace("\r\n", "\n")))


def one_line(text: str) -> str:
    r"""A message as a single line.

    >>> one_line("not\nhere")
    'not here'
    """
    return " ".join(clean(text).split())


def complain(message: str) -> None:
    """Write one line to stderr, however long."""
    sys.stderr.write(f"{one_line(message)}\n")


def print_json(value: object) -> None:
    """Write a value to stdout as JSON."""
    unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    sys.stdout.write(as_json(value, indent=2, ascii_only=not unicode) + "\n")


def as_json(value: object, *, indent: int | None = None, ascii_only: bool = False) -> str:
    r"""JSON without raw control characters.

    >>> as_json({"text": "\x9b1m é"})
    '{"text": "\\u009b1m é"}'
    """
    made = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", made)


class Waiting:
    """Tells on stderr that something takes time: a bar on a terminal, few lines elsewhere.

    As a callable it is the `progress` that building an index and a batch report to.
    """

    def __init__(self, what: str, *, then: str = "") -> None:
        """Wait for `what`; what is counted later is told with `then` before it."""
        self._what = what
        self._then = then
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._told = 0

    def __enter__(self) -> Waiting:
        """Show it."""
        console = err()
        if console.is_terminal:
            from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
            from rich.table import Column

            self._bar = Progress(
                TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True)),
                BarColumn(bar_width=10),
                TimeElapsedColumn(),
                console=console,
                transient=True,
                refresh_per_second=4,
            )
            self._task = self._bar.add_task(clean(self._what), total=None)
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Take it away."""
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, what: str, done: int, whole: int) -> None:
        """Say that `done` of `whole` are done, now those of `what`."""
        said = one_line(f"{self._then} {what}: {done} of {whole}")
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, description=said, completed=done, total=whole)
        elif done * 4 >= (self._told + 1) * whole:
            self._told = done * 4 // whole
            complain(said)
