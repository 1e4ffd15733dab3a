"""Every error that RulesPal raises on purpose.

RulesPalError
├── SettingError            an option is unknown or has a bad value
├── QuestionError           a question or its history can't be taken
├── UnknownGameError        no such game
├── UnknownPassageError     no such passage
├── CorpusError             a folder, game.yaml, text or sidecar is wrong
│   └── TextChangedError    a text is not the one that game.yaml describes
├── ModelError              the embedding model can't be loaded
├── ChatModelError          there is no chat model, or it can't be opened or does not answer
├── IndexMissingError       there is no index, or none of this game
├── IndexDamagedError       the index can't be read
├── DataFolderError         the data folder can't be written
├── QuoteError              a citation is not the text's own words (a fault of ours)
└── BatchError              a batch file can't be read or a line of it is malformed

A message says what is wrong, with which value, where, and what to do, with an example of a right
value. It is one line: the command line prints it and exits with 2.
"""

from __future__ import annotations


class RulesPalError(Exception):
    """Base of all: `except RulesPalError` catches what RulesPal itself refuses."""


class SettingError(RulesPalError):
    """An option is unknown or has a bad value."""


class QuestionError(RulesPalError):
    """A question or its history can't be taken."""


class UnknownGameError(RulesPalError):
    """No such game."""


class UnknownPassageError(RulesPalError):
    """No such passage."""


class CorpusError(RulesPalError):
    """A folder, game.yaml, text or sidecar is wrong."""


class TextChangedError(CorpusError):
    """A text is not the one that game.yaml describes."""


class ModelError(RulesPalError):
    """The embedding model can't be loaded."""


class ChatModelError(RulesPalError):
    """There is no chat model, or it can't be opened or does not answer."""


class IndexMissingError(RulesPalError):
    """There is no index, or none of this game."""


class IndexDamagedError(RulesPalError):
    """The index can't be read."""


class DataFolderError(RulesPalError):
    """The data folder can't be written."""


class QuoteError(RulesPalError):
    """A citation is not the text's own words."""


class BatchError(RulesPalError):
    """A batch file can't be read, or a line of it is malformed."""
