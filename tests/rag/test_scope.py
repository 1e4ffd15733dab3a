import pytest

from rag.records import Game
from rag.scope import named_games, other_game, own_names, unknown_game

GAMES = [
    Game(slug="tide-wick", title="Tidewick", aliases=("Harbor of Lamps",), sources=()),
    Game(slug="moss-court", title="Moss Court", sources=()),
    Game(slug="c-plus", title="C++ (2nd)", sources=()),
]


@pytest.mark.parametrize(
    ("text", "slugs"),
    [
        ("In Tidewick, who rows?", ["tide-wick"]),
        ("harbor of lamps: who rows", ["tide-wick"]),
        ("tide-wick who rows", ["tide-wick"]),
        ("MOSS COURT or Tidewick?", ["tide-wick", "moss-court"]),
        ("Tidewick's fog", ["tide-wick"]),
        ("who plays C++ (2nd)?", ["c-plus"]),
        ("Tidewicks are mosscourts", []),
        ("who rows", []),
    ],
)
def test_a_game_is_named_by_its_title_aliases_or_slug(text, slugs):
    assert named_games(text, GAMES) == slugs


NAMING = [
    Game(slug="birds", title="Birds", sources=(), terms=(("Gull", ("sea bird",)), ("Nest", ()))),
    Game(
        slug="boats", title="Boats", sources=(), terms=(("Anchor", ("hook",)), ("nest", ("nook",)))
    ),
    Game(slug="bare", title="Bare", sources=()),
]


@pytest.mark.parametrize(
    ("text", "slugs"),
    [
        ("where does a GULL sleep", {"birds"}),
        ("is a sea bird safe", {"birds"}),
        ("a hook for the sea bird", {"birds", "boats"}),
        ("where is the nest", set()),  # two games have one
        ("where is the nook", {"boats"}),
        ("seagulls hooked", set()),
        ("", set()),
    ],
)
def test_a_name_that_one_game_alone_has_tells_it(text, slugs):
    assert own_names(text, NAMING) == slugs


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("In Catan, who moves the robber?", "Catan"),
        ("ark nova: how many animals", "Ark Nova"),
        ("who moves the robber", ""),
        ("catanese rules", ""),
    ],
)
def test_a_well_known_game_that_is_none_of_ours_is_told(text, other):
    assert other_game(text, ["Tidewick"]) == other


def test_a_game_of_ours_is_no_other_game():
    assert other_game("In Catan, who moves?", ["Catan"]) == ""
    assert other_game("In Catan, who moves?", ["Tidewick", "catan"]) == ""


def test_an_unknown_game_offers_the_nearest():
    told = str(unknown_game("tidwick", ["gravelbound", "moss-court", "tidewick"]))
    assert told == (
        "There is no game called tidwick. Did you mean tidewick? "
        "Known: gravelbound, moss-court, tidewick."
    )


def test_an_unknown_game_like_no_other_lists_them():
    assert str(unknown_game("xyz", ["tidewick"])) == (
        "There is no game called xyz. Known: tidewick."
    )
    assert str(unknown_game("xyz", [])) == "There is no game called xyz. Known: none."
