"""Questions in players' words for a game that has none, written by a chat model.

They go into the game's own `questions.jsonl`, a passage at a time and at once: whatever stops a
run, what was paid for is kept, and the next run goes on behind it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ingest import journal
from ingest.manifest import GameFolder
from ingest.texts import GameTexts
from ingest.wording import AGAIN, Accepted, Task, accept, prompt_of, read_reply
from rag.errors import ChatModelError
from rag.language import sentence_spans
from rag.records import Passage
from rag.writer import ChatModel, Reply

AT_LEAST = 8
"""Known questions that a passage should have."""
MOST = 16
"""Questions that are taken of a reply."""
FAILURES = 3
"""Passages in a row that the model may leave unanswered before a run ends."""
CHARACTERS_A_TOKEN = 4
TOKENS_A_QUESTION = 60
"""Of a reply: the question, its answer and its quote."""
_PER_SENTENCE = 3


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run will take, before it is made."""

    passages: int
    tokens_in: int
    tokens_out: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What came of a passage."""

    passage_id: str
    questions: int = 0
    """Those that were written."""
    dropped: tuple[str, ...] = ()
    """Why each of the others was not."""
    skipped: str = ""
    """Why nothing could be read; empty if it could."""
    tokens_in: int = 0
    tokens_out: int = 0
    counted: bool = True
    """Whether the model counted the tokens; else they are estimated."""


def tasks_of(texts: GameTexts, *, at_least: int = AT_LEAST, limit: int | None = None) -> list[Task]:
    """The passages that have too few known questions and none that a chat model wrote.

    Args:
        texts: a game.
        at_least: known questions that are enough.
        limit: how many passages; None takes all.
    """
    known: dict[str, list[str]] = {passage.id: [] for passage in texts.passages}
    for question in texts.known:
        known[question.passage_id].append(question.text)
    seen = {question.passage_id for question in texts.generated}
    found = [
        Task(
            passage=passage,
            text=text.text,
            file=_name(texts, passage),
            title=texts.game.title,
            known=tuple(known[passage.id]),
            wanted=_wanted(text.text, passage, at_least - len(known[passage.id])),
        )
        for text in texts.texts
        for passage in text.passages
        if len(known[passage.id]) < at_least and passage.id not in seen
    ]
    return found[:limit]


def _name(texts: GameTexts, passage: Passage) -> str:
    return passage.file.removeprefix(f"{texts.game.slug}/") if len(texts.texts) > 1 else ""


def _wanted(text: str, passage: Passage, missing: int) -> int:
    sentences = len(sentence_spans(text, passage.start, passage.end))
    return min(MOST, max(missing, _PER_SENTENCE * sentences))


def estimate(tasks: Sequence[Task]) -> Estimate:
    """About how many tokens a run takes, at 4 characters a token."""
    return Estimate(
        passages=len(tasks),
        tokens_in=sum(_tokens(prompt_of(task)) for task in tasks),
        tokens_out=sum(task.wanted * TOKENS_A_QUESTION for task in tasks),
    )


def price(tokens_in: int, tokens_out: int, prices: tuple[float, float]) -> float:
    """What tokens cost, given prices of a million in and a million out.

    >>> price(2_000_000, 500_000, (0.25, 2.0))
    1.5
    """
    return (tokens_in * prices[0] + tokens_out * prices[1]) / 1e6


def _tokens(text: str) -> int:
    return -(-len(text) // CHARACTERS_A_TOKEN)


def expand(tasks: Sequence[Task], model: ChatModel, folder: GameFolder) -> Iterator[Done]:
    """Ask for questions of each passage, and keep them before the next one is asked.

    A passage that the model does not answer is left out, for it may be the only one.

    Raises:
        ChatModelError: the model answers no passage, or none of several in a row.
        CorpusError: the questions can't be written any more.
    """
    failed = 0
    for task in tasks:
        try:
            accepted, done = _asked(task, model)
        except ChatModelError as error:
            failed += 1
            if failed in {FAILURES, len(tasks)}:
                raise
            yield Done(passage_id=task.passage.id, skipped=str(error))
            continue
        failed = 0
        journal.append(folder, accepted.rows)
        yield done


def _asked(task: Task, model: ChatModel) -> tuple[Accepted, Done]:
    prompt = prompt_of(task)
    sent, replies = [prompt], [model.complete(prompt)]
    drafts = read_reply(replies[0].text)
    if drafts is None:
        sent.append(prompt + AGAIN)
        replies.append(model.complete(prompt + AGAIN))
        drafts = read_reply(replies[1].text)
    accepted = accept(task, drafts or [], MOST)
    return accepted, Done(
        passage_id=task.passage.id,
        questions=accepted.questions,
        dropped=accepted.dropped,
        skipped="" if drafts is not None else "two replies were not the JSON asked for",
        tokens_in=sum(map(_tokens_in, replies, sent)),
        tokens_out=sum(map(_tokens_out, replies)),
        counted=all(None not in {reply.tokens_in, reply.tokens_out} for reply in replies),
    )


def _tokens_in(reply: Reply, prompt: str) -> int:
    return _tokens(prompt) if reply.tokens_in is None else reply.tokens_in


def _tokens_out(reply: Reply) -> int:
    return _tokens(reply.text) if reply.tokens_out is None else reply.tokens_out
