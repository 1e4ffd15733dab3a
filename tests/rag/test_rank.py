import pytest
from hypothesis import given, strategies as st

from rag.rank import FEW_KNOWN, KNOWN_ENOUGH, WEIGHTS, rank
from rag.records import Grade, Hit, Passage


def hit(name, *, section=(), of="", grade=Grade.RULEBOOK, year=None, number=0, **scores):
    passage = Passage(
        id=name,
        game="made",
        file="made/rules.md",
        start=0,
        end=1,
        text="x",
        kind="rule",
        source="Made",
        section=section,
        of=of,
        grade=grade,
        year=year,
        number=number,
    )
    return Hit(passage=passage, score=0.0, **scores)


def order(*hits, k=10):
    return [found.passage.id for found in rank(hits, k)]


def test_nothing_found_is_nothing_ranked():
    assert rank([], 10) == []


@pytest.mark.parametrize("signal", ["dense", "sentence", "asked", "lexical"])
def test_what_a_search_finds_nearer_comes_first(signal):
    assert order(hit("far", **{signal: 0.2}), hit("near", **{signal: 0.9})) == ["near", "far"]


def test_the_wording_of_known_questions_counts_where_they_are_known():
    hits = [hit("far", asked=0.5, phrased=1.0), hit("near", asked=0.5, phrased=2.0)]
    assert order(*hits) == ["near", "far"]
    assert order(hit("far", phrased=1.0), hit("near", phrased=2.0)) == ["far", "near"]


def asked_of(known, count=10):
    """Hits of which some have a known question; the first is near, the second was asked."""
    rest = [hit(str(n), asked=0.1 * (n < known)) for n in range(1, count - 1)]
    return [hit("dense", dense=1.0, sentence=0.2), hit("asked", asked=1.0, sentence=0.1), *rest]


def test_known_questions_count_more_in_a_game_of_which_many_are_known():
    assert WEIGHTS["asked"] > WEIGHTS["dense"]
    assert FEW_KNOWN["asked"] < FEW_KNOWN["dense"]
    few, many = int(KNOWN_ENOUGH * 10) - 1, int(KNOWN_ENOUGH * 10)
    assert order(*asked_of(few))[0] == "dense"
    assert order(*asked_of(many))[0] == "asked"


def test_every_search_has_its_weights():
    assert WEIGHTS.keys() == FEW_KNOWN.keys()
    assert all(weight >= 0 for weights in (WEIGHTS, FEW_KNOWN) for weight in weights.values())


def test_hits_are_cut_to_the_best():
    hits = [hit(str(n), dense=n / 10) for n in range(10)]
    assert order(*hits, k=3) == ["9", "8", "7"]


def test_scores_fall_from_the_first_to_the_last():
    scores = [found.score for found in rank([hit(str(n), dense=n / 10) for n in range(10)], 10)]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > scores[-1]


def test_of_equal_hits_the_better_grade_comes_first():
    grades = [Grade.NONE, Grade.DISPUTED, Grade.PUBLISHER, Grade.DESIGNER, Grade.COMMUNITY_ONE]
    hits = [hit(grade, grade=grade, dense=0.5) for grade in grades]
    assert order(*hits) == ["designer", "publisher", "community-one", "disputed", "none"]


def test_of_equal_grades_the_newer_year_comes_first():
    hits = [hit(str(year), year=year, grade=Grade.DESIGNER) for year in (2018, None, 2024)]
    assert order(*hits) == ["2024", "2018", "None"]


def test_a_better_grade_does_not_lift_what_is_less_near():
    near = hit("near", dense=0.9, grade=Grade.DISPUTED)
    assert order(near, hit("far", dense=0.5), hit("farther", dense=0.1)) == [
        "near",
        "far",
        "farther",
    ]


def test_a_passage_is_lifted_by_its_section():
    hits = [
        hit("best", section=("A",), dense=1.0),
        hit("beside", section=("A",), dense=0.4),
        hit("elsewhere", section=("B",), dense=0.5),
        hit("worst", section=("C",), dense=0.0),
    ]
    assert order(*hits) == ["best", "beside", "elsewhere", "worst"]


def test_the_entries_of_a_faq_do_not_lift_each_other():
    hits = [
        hit("best", section=("A",), number=1, dense=1.0),
        hit("beside", section=("A",), number=2, dense=0.4),
        hit("elsewhere", section=("B",), number=3, dense=0.5),
        hit("worst", section=("C",), number=4, dense=0.0),
    ]
    assert order(*hits) == ["best", "elsewhere", "beside", "worst"]


def test_a_rule_comes_before_its_example():
    hits = [
        hit("example", section=("A",), of="rule", dense=1.0),
        hit("rule", section=("A",), dense=0.3),
        hit("other", section=("B",), dense=0.0),
    ]
    assert order(*hits) == ["rule", "example", "other"]


def test_an_example_without_its_rule_is_ranked_alone():
    assert order(hit("example", of="gone", dense=1.0), hit("other")) == ["example", "other"]


@given(
    rows=st.lists(
        st.tuples(
            st.floats(-1, 1), st.floats(-1, 1), st.floats(0, 30), st.sampled_from(list(Grade))
        ),
        max_size=12,
    ),
    k=st.integers(1, 15),
)
def test_each_hit_is_ranked_once_and_none_is_changed(rows, k):
    hits = [
        hit(str(n), dense=d, sentence=s, lexical=x, grade=g, section=(str(n % 3),))
        for n, (d, s, x, g) in enumerate(rows)
    ]
    found = rank(hits, k)
    ids = [h.passage.id for h in found]
    assert len(ids) == len(set(ids)) == min(k, len(hits))
    assert [h.score for h in hits] == [0.0] * len(hits)
    by_id = {h.passage.id: h for h in hits}
    assert all(by_id[h.passage.id].passage is h.passage for h in found)
