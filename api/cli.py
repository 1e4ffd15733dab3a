"""`rulespal`: the command line. Each command is a function elsewhere; here they get their names."""

from __future__ import annotations

import gc
import io
import logging
import sys
import warnings
from typing import Annotated

import typer

from api.answering import ask, chat, ingest, search
from api.expanding import expand
from api.failures import Commands
from api.lookup import doctor, games, rulings, show
from api.service import Service

app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,  # its panels do not fit on a phone
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="\b\nExamples:\n"
    '  rulespal ask -g root "can I move twice?"\n'
    "  rulespal chat\n"
    "  rulespal rulings -g root --find battle\n\n"
    "Exit codes: 0 answered, 1 not covered or nothing found, 2 error.",
)


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import PackageNotFoundError, version

        try:
            told = version("rulespal")
        except PackageNotFoundError:
            told = "(not installed)"
        typer.echo(f"rulespal {told}")
        raise typer.Exit


@app.callback()
def start(
    ctx: typer.Context,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks and warnings.")] = False,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Rules questions about board games, answered from the texts, with the words and who ruled."""
    ctx.obj = ctx.obj or Service()
    if debug:
        logging.disable(logging.NOTSET)
        warnings.resetwarnings()


_COMMANDS = (
    (
        ask,
        "\b\nExamples:\n"
        '  rulespal ask -g root "who wins a tie in battle?"\n'
        '  rulespal ask --history "can I move twice?" "and cats?"\n'
        "  rulespal ask --batch in.jsonl --out out.jsonl\n\n"
        'A batch holds a JSON object a line: {"id", "game", "question", "history"}. A line that '
        'can\'t be taken gives {"id", "error"}, and the run goes on.',
    ),
    (
        chat,
        "\b\nIn the conversation:\n"
        "  /game NAME  take another game\n"
        "  /new        start over\n"
        "  /quit       leave, as ctrl-D does",
    ),
    (search, '\b\nExample:\n  rulespal search -g root "persistent effects"'),
    (show, "\b\nExample:\n  rulespal show root/faq#15021-15230"),
    (
        rulings,
        "\b\nExamples:\n"
        "  rulespal rulings -g root --grade designer --year 2018\n"
        "  rulespal rulings -g root --topic vagabond --find quest",
    ),
    (games, "\b\nExample:\n  rulespal games --json"),
    (
        ingest,
        "The first question does this by itself. The old index serves until the new one is "
        "complete.",
    ),
    (
        expand,
        "\b\nExamples:\n"
        "  rulespal expand my-game --dry-run --price-in 0.25 --price-out 2\n"
        "  RULESPAL_CHAT_MODEL=ollama:llama3.2 rulespal expand my-game --yes\n\n"
        "The text of the game is sent to the model that RULESPAL_CHAT_MODEL names.",
    ),
    (doctor, "\b\nExample:\n  rulespal doctor --json"),
)
for command, epilog in _COMMANDS:
    app.command(epilog=epilog)(command)


def main() -> None:
    """Run the command line, quietly: the libraries' warnings are for their developers."""
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    gc.disable()  # loading makes millions of objects that stay; `settle` lets it work again
    app(prog_name="rulespal")


if __name__ == "__main__":
    main()
