"""A conversation: earlier questions are kept, and so is the game once it is known."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from rich.console import Console

from api.asking import make_question
from api.catalogue import find_game
from api.terminal import complain, say
from api.views import show_answer
from ingest.manifest import GameFolder
from rag.errors import QuestionError, UnknownGameError
from rag.records import Answer, Question
from rag.settings import HISTORY_LIMIT

HELP = "/new starts over, /game NAME takes another game, /games lists them, /quit or ctrl-D ends."


@dataclass(slots=True)
class Chat:
    """The state of a conversation."""

    ask: Callable[[Question], Answer]
    folders: Mapping[str, GameFolder]
    console: Console
    game: str | None = None
    history: list[str] = field(default_factory=list)
    waiting: str = ""
    """A question that waits for its game."""

    def run(self, read: Callable[[str], str]) -> None:
        """Talk until the other one leaves.

        Args:
            read: shows a prompt and gives the next line; raises EOFError at the end.
        """
        going = True
        while going:
            try:
                line = read(f"{self.game or 'any game'}> ").strip()
            except EOFError:
                self.console.print()
                return
            try:
                going = not line or self.take(line)
            except (QuestionError, UnknownGameError) as error:
                complain(f"Error: {error}")

    def take(self, line: str) -> bool:
        """Do what a line says; false ends the conversation.

        Raises:
            QuestionError: the question can't be taken.
            UnknownGameError: there is no such game.
        """
        if line.startswith("/"):
            return self._command(line)
        if self.waiting:
            with suppress(UnknownGameError):  # then it is another question
                self.game = find_game(line, self.folders)
                line = self.waiting
        self.waiting = ""
        self._question(line)
        return True

    def _question(self, text: str) -> None:
        question = make_question(text, self.game, self.history[-HISTORY_LIMIT:], self.folders)
        answer = self.ask(question)
        show_answer(self.console, answer)
        self.console.print()
        if answer.status == "clarify":
            say(self.console, "Type the game's name, and I answer.", "dim")
            self.waiting = text
            return
        self.game = self.game or answer.game
        if answer.status != "out_of_scope":
            self.history.append(text)

    def _command(self, line: str) -> bool:
        command, _, rest = line.partition(" ")
        if command in {"/quit", "/exit", "/q"}:
            return False
        if command == "/new":
            self.game, self.history, self.waiting = None, [], ""
            say(self.console, "A new conversation, about any game.")
        elif command == "/game":
            if rest.strip():
                self._choose(rest.strip())
            else:
                say(self.console, f"Name one: {', '.join(self.folders)}.")
        elif command == "/games":
            say(self.console, ", ".join(self.folders))
        else:
            told = "" if command in {"/help", "/?"} else f"There is no {command}. "
            say(self.console, told + HELP)
        return True

    def _choose(self, name: str) -> None:
        slug = find_game(name, self.folders)
        if slug != self.game:
            self.history = []
        self.game = slug
        if self.waiting:
            text, self.waiting = self.waiting, ""
            self._question(text)
        else:
            title = self.folders[slug].manifest.title
            say(self.console, f"Now about {title}.")


def line_reader() -> Callable[[str], str]:
    """Reads lines from stdin; on a terminal with its prompt and a memory of earlier lines."""
    if sys.stdin.isatty():
        with suppress(ImportError):  # Windows has none
            importlib.import_module("readline")
        return input

    def read(_: str) -> str:
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        return line

    return read
