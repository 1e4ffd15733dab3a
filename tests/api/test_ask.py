import json
import re
import subprocess
import sys
from itertools import pairwise

import pytest
from pydantic import TypeAdapter

from api.views import badge, show_answer, sureness
from rag.rank import SAME
from rag.records import Answer, Citation, Grade, Verdict

HERON = "can a heron carry the crown over the pond?"


def test_an_answer_shows_words_place_grade_and_confidence(rulespal, flat):
    result = rulespal("ask", "-g", "moss-court", "can a toad vote twice in one council?")
    assert result.exit_code == 0
    assert result.stderr == ""
    told = flat(result.stdout)
    assert "A toad may not vote twice in the same council. [1]" in told
    assert "[1] Designer ruling, 2027 · official" in told
    assert "The designer ruled on this directly on BGG in 2027." in told
    assert "Moss Court FAQ > Council" in told
    assert "Can a toad vote twice in one council? (reconstructed)" in told
    assert "moss-court/faq.txt#226-276" in told
    assert re.search(r"Confidence: \d+%, (very )?likely right", told)


def test_a_table_is_told_in_words_and_quoted(rulespal):
    result = rulespal("ask", "-g", "tidewick", "how many points for lamps lit")
    assert "│ | 1 to 3 | 2 |" in result.stdout
    assert "The table in words:\n  Lamps lit 1 to 3: Points 2" in result.stdout


def test_a_known_gap_of_the_words_is_told(rulespal):
    result = rulespal("ask", "-g", "tidewick", "May I row my warden through fog?")
    assert "Note: The text never says where fog lies." in result.stdout


def test_json_is_the_contract_and_nothing_else(rulespal, made_up):
    result = rulespal("ask", "-g", "moss-court", HERON, "--json")
    answer = TypeAdapter(Answer).validate_json(result.stdout)
    assert answer.status == "answered"
    assert answer.game == "moss-court"
    text = made_up["moss-court"]["faq.txt"]
    assert all(text[c.start : c.end] == c.quote for c in answer.citations)
    assert result.stderr == ""


def test_quotes_around_a_question_are_not_needed(rulespal, service):
    rulespal("ask", "-g", "tidewick", "May", "I", "row", "through", "fog?")
    assert service.asked[0].text == "May I row through fog?"


def test_the_history_is_kept_in_order(rulespal, service):
    rulespal("ask", "-g", "tidewick", "--history", "first?", "--history", "second?", "and fog?")
    assert service.asked[0].history == ("first?", "second?")


@pytest.mark.parametrize("name", ["tidewick", "Tidewick", "harbor of lamps", "TIDEWICK"])
def test_a_game_is_found_by_slug_title_or_alias(rulespal, service, name):
    rulespal("ask", "-g", name, "May I row through fog?")
    assert service.asked[0].game == "tidewick"


def test_not_covered_exits_with_1_and_shows_the_nearest_words(rulespal, flat):
    result = rulespal("ask", "-g", "moss-court", "zebra quark nonsense")
    assert result.exit_code == 1
    assert "do not clearly answer this" in flat(result.stdout)
    assert re.search(r"How likely these words answer it: \d+%, too little", flat(result.stdout))


def test_a_question_that_fits_several_games_asks_back(rulespal):
    result = rulespal("ask", "who wins?")
    assert result.exit_code == 1
    assert "Which game do you mean:" in result.stdout
    assert "Ask again with --game" in result.stdout


def test_out_of_scope_exits_with_1(rulespal):
    result = rulespal("ask", "-g", "tidewick", "In Catan, who moves the robber?")
    assert result.exit_code == 1
    assert "That asks about Catan" in result.stdout


def test_explain_shows_signals_features_and_the_mended_question(rulespal, flat):
    result = rulespal("ask", "-g", "moss-court", "can a hron carry the crown", "--explain")
    told = flat(result.stdout)
    assert "How it was found Understood as: can a heron carry the crown" in told
    assert re.search(
        r"1\. moss-court/faq#\S+ score [\d.]+ dense [\d.]+ sentence [\d.]+ asked", told
    )
    assert re.search(r"near [\d.]+ x \+4\.00", told)
    assert "bias -3.00; an answer needs 35%" in told


def test_explain_as_json_stands_beside_the_answer(rulespal):
    made = json.loads(rulespal("ask", "-g", "moss-court", HERON, "--explain", "--json").stdout)
    explained = made.pop("explain")
    assert TypeAdapter(Answer).validate_python(made).retrieved
    ids = [row["passage_id"] for row in explained["ranking"]]
    assert ids == [row["passage_id"] for row in made["retrieved"]]
    assert set(explained["ranking"][0]) >= {
        "passage_id", "score", "dense", "sentence", "asked", "lexical",
    }  # fmt: skip
    assert {"near", "gap"} <= set(explained["features"])
    assert explained["threshold"] == 0.35


def test_nothing_is_explained_where_nothing_was_searched(rulespal):
    result = rulespal("ask", "who wins?", "--explain")
    assert "How it was found" not in result.stdout
    assert json.loads(rulespal("ask", "who wins?", "--explain", "--json").stdout)["explain"] is None


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["ask"], 'Give a question, such as `rulespal ask "who wins a tie?"`.'),
        (["ask", ""], "The question is empty; ask something such as"),
        (["ask", "  \n"], "The question is empty; ask something such as"),
        (["ask", "x" * 2001], "The question has 2,001 characters and may have 2,000;"),
        (["ask", "hm?", "--history", ""], "The question is empty"),
        (["ask", "hm?", *["--history", "h?"] * 21], "The history has 21 turns and may have 20;"),
        (
            ["ask", "hm?", "-g", "tidewik"],
            "There is no game called tidewik. Did you mean tidewick?",
        ),
        (["ask", "hm?", "-g", ""], "There is no game called"),
        (["ask", "\udcff?"], "The question is not valid Unicode ('\\udcff?'); write it in UTF-8."),
        (["search", "x" * 2001], "The question has 2,001 characters"),
        (["search", "hm", "-g", "tidewik"], "There is no game called tidewik."),
        (["chat", "-g", "tidewik"], "There is no game called tidewik."),
    ],
)
def test_bad_input_is_one_line_and_opens_nothing(rulespal, service, words, told):
    result = rulespal(*words)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert told in result.stderr
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    assert service.opened == 0


def test_a_question_of_2000_characters_is_taken(rulespal):
    assert rulespal("ask", "-g", "tidewick", "fog " * 500).exit_code in {0, 1}


def test_an_unknown_option_is_one_line(rulespal, monkeypatch):
    monkeypatch.setenv("RULESPAL_RESULT", "10")
    result = rulespal("ask", "hm?")
    assert result.exit_code == 2
    assert "Unknown option RULESPAL_RESULT. Did you mean RULESPAL_RESULTS?" in result.stderr
    assert result.stderr.count("\n") == 1


def test_search_lists_passages_with_scores(rulespal):
    result = rulespal("search", "-g", "moss-court", "crown", "--limit", "2")
    assert result.exit_code == 0
    assert re.search(r"1\. \d\.\d\d  Designer ruling · official", result.stdout)
    assert "moss-court/faq#966-1016" in result.stdout
    assert "3. " not in result.stdout


def test_search_as_json_is_ranked(rulespal):
    rows = json.loads(rulespal("search", "-g", "moss-court", "crown", "--json").stdout)
    assert len(rows) == 5
    scores = [row["score"] for row in rows]  # the grade orders what scores the same
    assert all(a >= b * (1 - SAME) for a, b in pairwise(scores))
    assert {"id", "text", "grade", "year", "dense", "sentence", "asked", "lexical"} <= set(rows[0])


def test_search_without_a_game_looks_into_those_that_fit(rulespal):
    rows = json.loads(rulespal("search", "who wins?", "--json", "--limit", "1").stdout)
    assert len(rows) == len({row["game"] for row in rows}) > 1


def test_search_that_finds_nothing_exits_with_1(rulespal, service):
    class Empty(type(service)):
        def search(self, question, engine, limit):
            return []

    empty = Empty(service.engine, service.embedder)
    result = rulespal("search", "qwertz", service=empty)
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", "No text speaks to that.\n")
    assert json.loads(rulespal("search", "qwertz", "--json", service=empty).stdout) == []


@pytest.mark.parametrize(
    ("grade", "year", "said"),
    [
        (Grade.DESIGNER, 2018, "Designer ruling, 2018 · official"),
        (Grade.PUBLISHER, None, "Publisher's answer · official"),
        (Grade.RULEBOOK, None, "Rulebook · official"),
        (Grade.COMMUNITY_MANY, None, "Several players agree · not official"),
        (Grade.DISPUTED, None, "Disputed reading · not official"),
        (Grade.NONE, None, "No grade given · not official"),
    ],
)
def test_a_badge_says_who_ruled(grade, year, said):
    assert badge(grade, year) == said


def citation(n, **more):
    made = {
        "n": n, "passage_id": "kiln/faq#10-30", "file": "kiln/faq.txt", "start": 10, "end": 30,
        "quote": "Yes. [bold]Glaze[/] it", "section": ("Glazing",), "source": "Kiln FAQ",
        "grade": Grade.DESIGNER, "year": 2030, "kind": "faq",
    }  # fmt: skip
    return Citation(**{**made, **more})


def shown(answer, console):
    show_answer(console, answer)
    return console.file.getvalue()


@pytest.fixture
def console():
    import io

    from rich.console import Console

    return Console(file=io.StringIO(), width=40, markup=False, highlight=False, emoji=False)


def made(**more):
    base = {
        "id": "1", "game": "kiln", "question": "?", "history": (), "status": "answered",
        "text": "Glaze it. [1]", "citations": (citation(1),), "confidence": 0.8,
    }  # fmt: skip
    return Answer(**{**base, **more})


def test_a_conflict_says_who_ruled_and_when(console, flat):
    other = citation(
        2, grade=Grade.PUBLISHER, year=2024, quote="No glaze", start=12, end=20, question="Glaze?"
    )
    told = flat(shown(made(conflicts=(other,), notes=("They disagree.",)), console))
    assert "The texts also say: [2] Publisher's answer, 2024 · official" in told
    assert "Glaze? (reconstructed) No glaze" in told
    assert "kiln/faq.txt#12-20, part of kiln/faq#10-30" in told
    assert "Note: They disagree." in told


def test_brackets_are_words_and_no_markup(console):
    assert "│ Yes. [bold]Glaze[/] it" in shown(made(), console)


def test_control_characters_never_reach_the_terminal(console):
    nasty = "a\x1b]0;own\x07b\x9b2Jc\u202ed\r\x08"
    bad = citation(1, quote=nasty, section=(nasty,), source=nasty, question=nasty, reading=nasty)
    told = shown(
        made(text=nasty, citations=(bad,), conflicts=(bad,), notes=(nasty,), games=(nasty,)),
        console,
    )
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", told)


def test_no_line_is_wider_than_a_phone(console):
    long = citation(
        1, quote="word " * 60 + "Donaudampfschifffahrtsgesellschaftskapitaenspatent" * 2
    )
    told = shown(made(text="word " * 60, citations=(long,)), console)
    assert max(map(len, told.splitlines())) <= 40
    assert not any(line.endswith(" ") for line in told.splitlines())


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (0.95, "Confidence: 95%, very likely right"),
        (0.8, "Confidence: 80%, likely right"),
        (0.6, "Confidence: 60%, more likely right than not"),
        (0.4, "Confidence: 40%, unsure"),
    ],
)
def test_confidence_is_said_in_words_too(share, said):
    assert sureness(made(confidence=share)) == said


def test_a_verdict_is_told(console, flat):
    verdict = Verdict(outcome="verified", reason="", rule="kiln.glaze", because="bowls are glazed")
    told = flat(shown(made(verdict=verdict), console))
    assert "Checked: the encoded rules prove it (kiln.glaze): bowls are glazed" in told


def test_a_verdict_of_not_covered_is_not_told(console):
    verdict = Verdict(outcome="not_covered", reason="no_rule")
    assert "Checked" not in shown(made(verdict=verdict), console)


def test_a_bad_question_is_refused_before_anything_heavy_is_imported():
    code = (
        "import sys; from api.asking import make_question\n"
        "try: make_question(' ', None, [], {})\n"
        "except Exception as error: print(type(error).__name__)\n"
        "print(sorted({'torch', 'chromadb', 'bm25s', 'numpy'} & set(sys.modules)))"
    )
    ran = subprocess.run(  # noqa: S603 - our own code
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert ran.stdout.split() == ["QuestionError", "[]"]
