"""Commands that answer: they need the index, and the model that is slow to load.

Whatever takes long to import is imported inside the commands.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from api import data, views
from api.failures import INTERRUPTED, NOT_COVERED
from api.options import AsJson, GameName
from api.service import Service
from api.terminal import Waiting, complain, out, print_json, say
from rag.errors import BatchError, QuestionError
from rag.settings import Settings, load_settings

LOADING = "Loading the model"
INDEXING = "Indexing"
BAD_SHOWN = 20
"""Bad lines of a batch that are told on stderr, too."""


def ask(  # noqa: PLR0913 - the options of a command
    ctx: typer.Context,
    question: Annotated[
        list[str] | None,
        typer.Argument(metavar="QUESTION", help="Quotes around it are not needed."),
    ] = None,
    game: GameName = None,
    history: Annotated[
        list[str] | None,
        typer.Option(help="An earlier question; repeat it, oldest first.", metavar="QUESTION"),
    ] = None,
    as_json: AsJson = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show how the answer was found.")
    ] = False,
    batch: Annotated[
        Path | None, typer.Option(metavar="IN.jsonl", help="Answer the questions of a file.")
    ] = None,
    to: Annotated[
        Path | None, typer.Option("--out", metavar="OUT.jsonl", help="Where a batch's answers go.")
    ] = None,
) -> None:
    """Answer a question, or a file of them."""
    settings = load_settings()
    if batch is not None or to is not None:
        if batch is None or to is None:
            raise BatchError("--batch and --out go together: --batch in.jsonl --out out.jsonl.")
        if question or game or history or as_json or explain:
            raise BatchError(
                "--batch takes questions, games and histories from its file; leave out the "
                "question, --game, --history, --json and --explain."
            )
        _batch(ctx.obj, settings, batch, to)
        return
    if question is None:
        raise QuestionError('Give a question, such as `rulespal ask "who wins a tie?"`.')
    _ask(ctx.obj, settings, " ".join(question), game, history or [], (as_json, explain))


def _ask(
    service: Service,
    settings: Settings,
    text: str,
    game: str | None,
    history: list[str],
    shown: tuple[bool, bool],
) -> None:
    from api.asking import make_question
    from api.explain import as_data, explain, show_explanation
    from ingest.manifest import discover

    as_json, explained = shown
    question = make_question(text, game, history, discover(settings.corpus_dir))
    with Waiting(LOADING, then=INDEXING) as progress:
        engine = service.open(settings, progress, question.game)
        answer = service.ask(question, engine)
        found = explain(question, answer, engine) if explained else None
    if as_json:
        more = {"explain": as_data(found) if found else None} if explained else {}
        print_json({**data.answer_data(answer), **more})
    else:
        views.show_answer(out(), answer)
        if found:
            show_explanation(out(), text, found)
        if answer.games:
            say(out(), f"Ask again with --game {answer.games[0]}, for example.", "dim")
    if answer.status != "answered":
        raise typer.Exit(NOT_COVERED)


def _batch(service: Service, settings: Settings, source: Path, target: Path) -> None:
    from api.batch import output, read_lines, run
    from ingest.manifest import discover

    lines = read_lines(source)
    folders = discover(settings.corpus_dir)
    with output(source, target):
        with Waiting(LOADING, then=INDEXING) as progress:
            engine = service.open(settings, progress)
        with Waiting("Answering") as progress:
            outcome = run(
                lines, target, folders, lambda question: service.ask(question, engine), progress
            )
    for told in outcome.bad[:BAD_SHOWN]:
        complain(told)
    if len(outcome.bad) > BAD_SHOWN:
        complain(f"... and {len(outcome.bad) - BAD_SHOWN} more, each told in {target}.")
    complain(f"{outcome.answered} lines answered, {len(outcome.bad)} bad; written to {target}.")


def chat(ctx: typer.Context, game: GameName = None) -> None:
    """Ask and ask on: follow-up questions are understood."""
    from api.catalogue import find_game
    from api.chat import HELP, Chat, line_reader
    from ingest.manifest import discover

    settings = load_settings()
    folders = discover(settings.corpus_dir)
    slug = find_game(game, folders) if game is not None else None
    with Waiting(LOADING, then=INDEXING) as progress:
        engine = ctx.obj.open(settings, progress)
    console = out()
    say(console, f"Ask a rules question. {HELP}", "dim")
    Chat(lambda question: ctx.obj.ask(question, engine), folders, console, game=slug).run(
        line_reader()
    )


def search(
    ctx: typer.Context,
    query: Annotated[list[str], typer.Argument(metavar="QUERY", help="Words or a question.")],
    game: GameName = None,
    limit: Annotated[int, typer.Option(min=1, max=50, help="Passages of each game.")] = 5,
    as_json: AsJson = False,
) -> None:
    """Find the passages that speak to something, best first."""
    from api.asking import make_question
    from ingest.manifest import discover

    settings = load_settings()
    asked = make_question(" ".join(query), game, [], discover(settings.corpus_dir))
    with Waiting(LOADING, then=INDEXING) as progress:
        engine = ctx.obj.open(settings, progress)
        found = ctx.obj.search(asked, engine, limit)
    if as_json:
        print_json([row for _, hits in found for row in data.hits_data(hits)])
    for title, hits in [] if as_json else found:
        views.show_hits(out(), title, hits)
    if not found:
        complain("No text speaks to that.")
        raise typer.Exit(NOT_COVERED)


def ingest(
    ctx: typer.Context,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Build all anew, as when the index is damaged.")
    ] = False,
) -> None:
    """Build the index of what is new or changed."""
    settings = load_settings()
    there = (settings.data_dir / "chroma" / "chroma.sqlite3").exists()
    try:
        with Waiting(LOADING, then=INDEXING) as progress:
            built = ctx.obj.build(settings, progress, rebuild=rebuild)
    except KeyboardInterrupt as error:
        serves = "The old index still serves. " if there else ""
        complain(f"Stopped. {serves}Run `rulespal ingest` again to build the new one.")
        raise typer.Exit(INTERRUPTED) from error
    told = f"Built: {', '.join(built)}." if built else "The index is up to date."
    say(out(), told)
