"""Commands that look something up: they need neither the model nor the index."""

from __future__ import annotations

from typing import Annotated

import typer

from api import data, views
from api.catalogue import Wanted, all_games, find_place, list_rulings, ruling_count, topics
from api.doctor import examine
from api.failures import NOT_COVERED, WRONG
from api.options import AsJson, GameName
from api.terminal import complain, out, print_json
from rag.records import Grade
from rag.settings import load_settings


def games(as_json: AsJson = False) -> None:
    """List the games, their texts, passages and rulings."""
    found = [(game, ruling_count(game)) for game in all_games(load_settings())]
    if as_json:
        print_json(data.games_data(found))
    else:
        views.show_games(out(), found)


def show(
    passage_id: Annotated[str, typer.Argument(help="As `ask` and `search` show it.")],
    around: Annotated[
        int, typer.Option(min=0, max=50, help="Passages to show before and after it.")
    ] = 1,
    as_json: AsJson = False,
) -> None:
    """Show a passage and the text around it.

    The text is shown in the order in which it is read.
    """
    place = find_place(passage_id, load_settings(), around)
    if as_json:
        print_json(data.place_data(place))
    else:
        views.show_place(out(), place)


def rulings(
    game: GameName = None,
    grade: Annotated[
        list[Grade] | None,
        typer.Option(case_sensitive=False, help="Who ruled; may be repeated."),
    ] = None,
    year: Annotated[int | None, typer.Option(help="When they ruled.")] = None,
    topic: Annotated[str, typer.Option(help="A topic, or a part of one.")] = "",
    find: Annotated[str, typer.Option(help="Words that a ruling holds, all of them.")] = "",
    as_json: AsJson = False,
) -> None:
    """List the rulings of a FAQ.

    The page lost its headings; those shown are reconstructed, and marked so.
    """
    slug, listed = list_rulings(game, load_settings())
    wanted = Wanted(grades=tuple(grade or ()), year=year, topic=topic, find=find)
    found = [ruling for ruling in listed if wanted.takes(ruling)]
    if as_json:
        print_json(data.rulings_data(found))
    elif found:
        views.show_rulings(out(), found, len(listed))
    if not found:
        known = f" Topics: {', '.join(topics(listed))}." if topic and listed else ""
        none = f"None of the {len(listed)} rulings of {slug} fits." if listed else ""
        complain(f"{none or f'{slug} has no FAQ of rulings.'}{known}")
        raise typer.Exit(NOT_COVERED)


def doctor(as_json: AsJson = False) -> None:
    """Look for what is wrong, and say how to mend it."""
    checks = examine()
    ok = all(check.ok for check in checks)
    if as_json:
        print_json(data.checks_data(checks))
    else:
        views.show_checks(out(), checks)
    if not ok:
        raise typer.Exit(WRONG)
