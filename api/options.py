"""Options that several commands take."""

from __future__ import annotations

from typing import Annotated

import typer

GameName = Annotated[
    str | None,
    typer.Option(
        "--game", "-g", metavar="NAME", help="Slug or title; `rulespal games` lists them."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Write JSON to stdout.")]
