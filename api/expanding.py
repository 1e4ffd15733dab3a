"""The command that lets a chat model write the questions that players would ask of a game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Annotated

import typer

from api.catalogue import find_game
from api.failures import INTERRUPTED, NOT_COVERED
from api.terminal import Waiting, complain, err, out, say
from ingest import journal
from ingest.expand import (
    AT_LEAST,
    CHARACTERS_A_TOKEN,
    MOST,
    Done,
    estimate,
    expand as write,
    price,
    tasks_of,
)
from ingest.manifest import QUESTIONS, GameFolder, discover
from ingest.texts import read_game
from ingest.wording import PROMPT_VERSION, Task
from rag.errors import SettingError
from rag.settings import load_settings
from rag.writer import ChatModel

SKIPPED_SHOWN = 20
"""Passages left out that are told."""

Prices = tuple[float, float]
_PRICE = "of a million tokens {}, to estimate the cost."


def expand(  # noqa: PLR0913 - the options of a command
    ctx: typer.Context,
    game: Annotated[str, typer.Argument(metavar="GAME", help="Slug or title.")],
    limit: Annotated[int | None, typer.Option(min=1, help="Passages to ask for, at most.")] = None,
    at_least: Annotated[
        int, typer.Option(min=1, max=MOST, help="Known questions that a passage should have.")
    ] = AT_LEAST,
    price_in: Annotated[
        float | None, typer.Option(min=0, help=f"Price {_PRICE.format('in')}")
    ] = None,
    price_out: Annotated[
        float | None, typer.Option(min=0, help=f"Price {_PRICE.format('out')}")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before it starts.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Estimate only.")] = False,
) -> None:
    """Let a chat model write the questions that players would ask of a game.

    They help to find its passages and are never shown as words of the rules. Each passage's are
    kept at once: a run that was stopped goes on where it was.
    """
    prices = _prices(price_in, price_out)
    settings = load_settings()
    folders = discover(settings.corpus_dir)
    folder = folders[find_game(game, folders)]
    if journal.mend(folder):
        complain("The last line of an interrupted run was half written and is taken out.")
    tasks = tasks_of(read_game(folder), at_least=at_least, limit=limit)
    if not tasks:
        say(out(), f"Each passage of {folder.manifest.title} has questions enough.")
        return
    if dry_run:
        _show_estimate(tasks, prices, settings.chat_model)
        return
    model = ctx.obj.chat_model(settings)
    journal.check_writable(folder)
    _show_estimate(tasks, prices, model.name)
    if not yes and not _agreed():
        complain("Nothing was sent or written. Add --yes to go on without being asked.")
        raise typer.Exit(NOT_COVERED)
    _run(tasks, model, folder, prices)


def _prices(price_in: float | None, price_out: float | None) -> Prices | None:
    if price_in is None and price_out is None:
        return None
    if price_in is None or price_out is None:
        raise SettingError("--price-in and --price-out go together: --price-in 0.25 --price-out 2.")
    return price_in, price_out


def _agreed() -> bool:
    try:
        return typer.confirm("Send them to the model?", err=True)
    except typer.Abort:
        err().print()  # nobody has ended the line of the question
        return False


def _show_estimate(tasks: Sequence[Task], prices: Prices | None, model: str) -> None:
    told = estimate(tasks)
    asked = _many(told.passages, "passage")
    say(out(), f"{asked} for {model or 'a chat model'} (prompt {PROMPT_VERSION}).")
    say(
        out(),
        f"About {told.tokens_in:,} tokens in and {told.tokens_out:,} out, at "
        f"{CHARACTERS_A_TOKEN} characters a token{_cost(told.tokens_in, told.tokens_out, prices)}. "
        f"A model that thinks before it answers takes more.",
    )


def _cost(tokens_in: int, tokens_out: int, prices: Prices | None) -> str:
    """What tokens cost, in the currency of the prices; nothing where there are none."""
    if prices is None:
        return ""
    cost = price(tokens_in, tokens_out, prices)
    return f", about {cost:.{2 if cost >= 1 else 4}f} at your prices"


def _run(
    tasks: Sequence[Task], model: ChatModel, folder: GameFolder, prices: Prices | None
) -> None:
    done: list[Done] = []
    try:
        with Waiting(f"Asking {model.name}") as progress:
            for step in write(tasks, model, folder):
                done.append(step)
                progress("Passages", len(done), len(tasks))
    except KeyboardInterrupt as error:
        complain(
            f"Stopped. What was written is kept; run `rulespal expand {folder.slug}` again to go "
            f"on."
        )
        raise typer.Exit(INTERRUPTED) from error
    finally:
        _show_outcome(done, folder, prices)
    if not any(step.questions for step in done):
        raise typer.Exit(NOT_COVERED)


def _show_outcome(done: Sequence[Done], folder: GameFolder, prices: Prices | None) -> None:
    written = [step.questions for step in done if step.questions]
    told = f"{_many(sum(written), 'question')} of {_many(len(written), 'passage')}"
    place = f"marked generated, to {folder.path / QUESTIONS}"
    say(out(), f"Written: {told}, {place}." if written else "Nothing was written.")
    dropped = Counter(why for step in done for why in step.dropped)
    if dropped:
        reasons = ", ".join(f"{count} {why}" for why, count in dropped.most_common())
        say(out(), f"Dropped: {_many(dropped.total(), 'question')} ({reasons}).")
    skipped = [step for step in done if step.skipped]
    for step in skipped[:SKIPPED_SHOWN]:
        say(out(), f"Left out: {step.passage_id}: {step.skipped}")
    if len(skipped) > SKIPPED_SHOWN:
        say(out(), f"Left out: {len(skipped) - SKIPPED_SHOWN} more.")
    _show_tokens(done, prices)
    if written:
        say(out(), "The next question, or `rulespal ingest`, takes them into the index.")


def _show_tokens(done: Sequence[Done], prices: Prices | None) -> None:
    used = sum(step.tokens_in for step in done), sum(step.tokens_out for step in done)
    about = "" if all(step.counted for step in done) else "about, for the model did not count: "
    say(out(), f"Tokens: {about}{used[0]:,} in, {used[1]:,} out{_cost(*used, prices)}.")


def _many(count: int, thing: str) -> str:
    return f"{count:,} {thing}{'' if count == 1 else 's'}"
