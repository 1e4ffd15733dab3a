import dataclasses

import pytest
from hypothesis import given, strategies as st

from evals.judge import WORDS, contradicts, covered, finds, is_verbatim, occurrences, says, score
from evals.metrics import (
    aurc,
    average,
    calibration_error,
    crag,
    reliability,
    risk_coverage,
    share,
    summarise,
)

FILE = "g/rules.txt"
SPAN = "a token does not count toward who rules a clearing"
TEXT = f"Rule. {SPAN}. And more words that say nothing of the kind. Tie: nobody rules."
TEXTS = {FILE: TEXT}
START = TEXT.index(SPAN)
END = START + len(SPAN)


def place(start=START, end=END, file=FILE, **more):
    return {"file": file, "start": start, "end": end, **more}


def citation(start=START, end=END, grade="rulebook", **more):
    return place(start, end, quote=TEXT[start:end], grade=grade, **more)


def item(**changes):
    return {
        "id": "g-1",
        "game": "g",
        "question": "does a token count",
        "history": [],
        "style": "plain",
        "answerable": True,
        "answer": "No.",
        "polarity": "no",
        "must": [["no", "not"], ["token"]],
        "evidence": [SPAN],
        "needs": "single",
        **changes,
    }


def answer(**changes):
    return {
        "status": "answered",
        "polarity": "no",
        "text": "No. A token does not count. [1]",
        "citations": [citation()],
        "retrieved": [place()],
        "confidence": 0.8,
        **changes,
    }


def scored(item_changes=None, **changes):
    return score(item(**(item_changes or {})), answer(**changes), TEXTS)


UNANSWERABLE = {"answerable": False, "evidence": [], "must": [], "polarity": None}

# --- spans


def test_occurrences_of_nothing():
    assert occurrences("abc", "x") == []
    assert occurrences("abc", "") == []


@pytest.mark.parametrize(
    ("places", "found"),
    [
        ([place()], True),
        ([place(0, len(TEXT))], True),
        ([place(START - 3, START + len(SPAN) // 2)], True),
        ([place(START - 3, START + len(SPAN) // 2 - 1)], False),
        ([place(START + 5, START + 25)], True),
        ([place(START + 5, START + 24)], False),
        ([place(file="g/other.txt")], False),
        ([place(END, len(TEXT))], False),
        ([], False),
        # two that cover half together, neither by itself
        ([place(0, START + 13), place(END - 12, len(TEXT))], True),
        # the same words twice cover them once
        ([place(0, START + 13), place(0, START + 12)], False),
    ],
)
def test_finds(places, found):
    assert finds(places, SPAN, TEXTS) is found


def test_any_length_inside_a_span_is_enough_where_a_row_is():
    row = [place(START + 5, START + 9)]
    assert finds(row, SPAN, TEXTS, any_length=True)
    assert not finds([place(START + 5, START + 5)], SPAN, TEXTS, any_length=True)
    assert not finds([place(0, START + 4)], SPAN, TEXTS, any_length=True)
    for needs in ("table", "compute"):
        assert scored({"needs": needs}, retrieved=row).rank == 1
    assert scored({"needs": "multi"}, retrieved=row).rank is None


def test_any_occurrence_counts():
    twice = {FILE: "one rule. two. one rule."}
    assert finds([place(15, 24)], "one rule", twice)
    assert finds([place(0, 8)], "one rule", twice)
    assert not finds([place(5, 17)], "one rule", {FILE: "one rule------one rule"})


INTERVALS = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)).map(sorted).map(tuple))


@given(st.integers(0, 60), st.integers(0, 60), INTERVALS)
def test_covered_counts_each_character_once(start, end, intervals):
    inside = {n for a, b in intervals for n in range(a, b) if start <= n < end}
    assert covered(start, end, intervals) == len(inside)


@given(INTERVALS, INTERVALS)
def test_more_passages_never_find_less(few, more):
    few_places = [place(a, b) for a, b in few]
    all_places = few_places + [place(a, b) for a, b in more]
    if finds(few_places, SPAN, TEXTS):
        assert finds(all_places, SPAN, TEXTS)


@given(INTERVALS, st.randoms())
def test_order_does_not_matter(intervals, random):
    places = [place(a, b) for a, b in intervals]
    shuffled = random.sample(places, len(places))
    assert finds(places, SPAN, TEXTS) is finds(shuffled, SPAN, TEXTS)


@given(st.integers(0, len(TEXT)), st.integers(0, len(TEXT)))
def test_one_passage_finds_by_half_or_by_lying_inside(a, b):
    start, end = sorted((a, b))
    overlap = max(0, min(end, END) - max(start, START))
    inside = start >= START and end <= END and end - start >= 20
    assert finds([place(start, end)], SPAN, TEXTS) is (2 * overlap >= len(SPAN) or inside)


# --- an answer


def test_says_reads_the_first_90_words_in_any_case():
    assert says("NO " + "w " * (WORDS - 2) + "Token", [["no"], ["TOKEN"]])
    assert not says("no " + "w " * (WORDS - 1) + "token", [["no"], ["token"]])
    assert says("white\nspace", [["white space"]])
    assert says("anything", [])


@pytest.mark.parametrize("given_polarity", ["yes", "no", None])
@pytest.mark.parametrize("wanted", ["yes", "no", None])
def test_null_never_contradicts(given_polarity, wanted):
    expected = {given_polarity, wanted} == {"yes", "no"}
    assert contradicts(given_polarity, wanted) is expected
    assert scored({"polarity": wanted}, polarity=given_polarity).right is not expected


def test_right_wants_all_four():
    assert scored().right
    assert not scored(status="not_covered").right
    assert not scored(text="No.").right
    assert not scored(polarity="yes").right
    assert not scored(citations=[citation(0, 5)]).right
    assert not scored(citations=[]).right
    assert not scored(UNANSWERABLE).right


def test_right_wants_one_citation_that_finds_alone_and_recall_all_together():
    halves = [citation(0, START + 13), citation(END - 12, len(TEXT))]
    row = scored(citations=halves)
    assert row.cited
    assert not row.right
    assert row.citations_found == 0


def test_rank_is_of_the_first_that_finds_alone_and_hits_of_all_so_far():
    far, half, other = place(0, 5), place(0, START + 13), place(END - 12, len(TEXT))
    row = scored(retrieved=[far, half, other, place()])
    assert row.rank == 4
    assert row.hits == (False, False, *[True] * 8)


def test_nothing_beyond_ten_counts():
    row = scored(retrieved=[place(0, 5)] * 10 + [place()])
    assert row.rank is None
    assert not any(row.hits)
    assert summarise([row])["mrr"] == 0


def test_all_found_wants_every_span_in_five():
    spans = {"evidence": [SPAN, "Tie: nobody rules"]}
    tie = place(TEXT.index("Tie"), len(TEXT))
    assert not scored(spans).all_found
    assert scored(spans).hits[0]
    assert scored(spans, retrieved=[place(), tie]).all_found
    assert not scored(spans, retrieved=[place(), *[place(0, 5)] * 4, tie]).all_found
    assert not scored(UNANSWERABLE).all_found


def test_verbatim():
    assert is_verbatim(citation(), TEXTS)
    assert not is_verbatim(citation() | {"quote": "a token counts"}, TEXTS)
    assert not is_verbatim(citation() | {"file": "g/none.txt"}, TEXTS)
    row = scored(citations=[citation(), citation() | {"quote": "x"}])
    assert (row.citations, row.citations_verbatim) == (2, 1)


def test_grade_is_of_the_first_citation():
    graded = {"grade": "designer"}
    designer, rulebook = citation(grade="designer"), citation()
    assert scored(graded, citations=[designer, rulebook]).grade_right is True
    assert scored(graded, citations=[rulebook, designer]).grade_right is False
    assert scored(graded, citations=[]).grade_right is False
    assert scored(graded, status="not_covered").grade_right is None
    assert scored().grade_right is None
    assert scored({"grade": None}).grade_right is None


def test_top_chars_are_of_five():
    assert scored(retrieved=[place(0, 10)] * 7).top_chars == 50


# --- the figures

RIGHT = scored()
WRONG = scored(text="Yes.")
SILENT = scored(status="not_covered")
FOOLED = scored(UNANSWERABLE)
CAREFUL = scored(UNANSWERABLE, status="out_of_scope")


def test_crag():
    assert [crag(row) for row in (RIGHT, WRONG, SILENT, FOOLED, CAREFUL)] == [1, -1, 0, -1, 1]
    assert summarise([RIGHT, WRONG, SILENT, FOOLED, CAREFUL])["crag"] == 0
    assert summarise([RIGHT, RIGHT, SILENT, CAREFUL])["crag"] == 0.75


def test_answerable_figures_leave_the_unanswerable_out():
    figures = summarise([RIGHT, SILENT, FOOLED, CAREFUL])
    assert figures["items"] == 4
    assert figures["right"] == 0.5
    assert figures["hit@1"] == figures["hit@5"] == figures["all@5"] == figures["mrr"] == 1
    assert figures["citation_recall"] == 1
    assert figures["abstained"] == 0.5
    assert figures["abstained_answerable"] == 0.5
    assert figures["top5_chars"] == len(SPAN)


def test_citation_precision_is_of_all_citations():
    extra = scored(citations=[citation(), citation(0, 5), citation(0, 5)])
    assert summarise([extra, FOOLED])["citation_precision"] == 0.25
    assert summarise([extra, FOOLED])["verbatim"] == 1


def test_mrr():
    second = scored(retrieved=[place(0, 5), place()])
    never = scored(retrieved=[])
    assert summarise([RIGHT, second, never])["mrr"] == 0.5


def test_polarity_is_of_answered_yes_no_items():
    rows = [
        scored(polarity="no"),
        scored(polarity="yes"),
        scored(polarity=None),
        scored(polarity=None),
        scored(polarity="yes", status="not_covered"),
        scored({"polarity": None}, polarity="yes"),
    ]
    figures = summarise(rows)
    assert figures["polarity_committed"] == 0.5
    assert figures["polarity_precision"] == 0.5


def test_grade_right_is_of_graded_items():
    graded = {"grade": "designer"}
    rows = [scored(graded), scored(graded, citations=[citation(grade="designer")]), RIGHT]
    assert summarise(rows)["grade_right"] == 0.5


def test_a_figure_of_nothing_is_none():
    figures = summarise([])
    assert figures.pop("items") == 0
    assert set(figures.values()) == {None}
    assert share([]) is None
    assert average([]) == {}


def sure(confidence, right):
    return dataclasses.replace(RIGHT, confidence=confidence, right=right)


def test_risk_coverage_starts_with_the_surest():
    rows = [sure(0.5, False), sure(0.9, True), SILENT, sure(0.7, True)]
    points = risk_coverage(rows)
    assert points == [(0.25, 0.0), (0.5, 0.0), (0.75, pytest.approx(1 / 3))]
    assert aurc(rows) == pytest.approx(1 / 9)


def test_equal_confidences_make_one_point_whatever_their_order():
    rows = [sure(0.5, False), sure(0.5, True)]
    assert risk_coverage(rows) == risk_coverage(rows[::-1]) == [(1.0, 0.5)]
    assert aurc(rows) == 0.5


def test_no_answer_no_curve():
    assert risk_coverage([SILENT]) == []
    assert aurc([SILENT]) is None
    assert calibration_error([SILENT]) is None


def test_an_answer_that_should_not_be_is_a_risk():
    assert risk_coverage([FOOLED]) == [(1.0, 1.0)]


def test_reliability_bins():
    rows = [sure(0.62, True), sure(0.68, False), sure(1.0, True), sure(0.0, False), SILENT]
    assert reliability(rows) == [
        (0.0, 0.0, 1),
        (pytest.approx(0.65), 0.5, 2),
        (1.0, 1.0, 1),
    ]
    assert calibration_error(rows) == pytest.approx(0.15 * 2 / 4)


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=40))
def test_calibration_and_risk_stay_between_0_and_1(pairs):
    rows = [sure(confidence, right) for confidence, right in pairs]
    assert 0 <= calibration_error(rows) <= 1
    assert 0 <= aurc(rows) <= 1 + 1e-9
    assert sum(n for _, _, n in reliability(rows)) == len(rows)
    assert risk_coverage(rows)[-1] == (1.0, pytest.approx(1 - share(r.right for r in rows)))
