import io
import sys

import pytest

from api.chat import line_reader


def test_questions_are_answered_until_the_end_of_input(rulespal):
    result = rulespal("chat", "-g", "moss-court", input="can a toad vote twice?\n")
    assert result.exit_code == 0
    assert "A toad may not vote twice in the same council." in result.stdout
    assert result.stderr == ""


@pytest.mark.parametrize("word", ["/quit", "/exit", "/q"])
def test_quit_leaves(rulespal, service, word):
    result = rulespal("chat", input=f"{word}\ncan a toad vote twice?\n")
    assert result.exit_code == 0
    assert service.asked == []


def test_the_history_is_kept_and_the_game_stays(rulespal, service):
    rulespal("chat", input="In Tidewick, may I row?\nand through fog?\n\nand twice?\n")
    assert [question.game for question in service.asked] == [None, "tidewick", "tidewick"]
    assert service.asked[2].history == ("In Tidewick, may I row?", "and through fog?")


def test_only_the_last_questions_are_kept(rulespal, service):
    rulespal("chat", "-g", "tidewick", input="".join(f"row {n}?\n" for n in range(25)))
    assert len(service.asked) == 25
    assert service.asked[-1].history == tuple(f"row {n}?" for n in range(4, 24))


def test_a_game_named_when_asked_answers_the_waiting_question(rulespal, service):
    result = rulespal("chat", input="who wins?\nMoss Court\n")
    assert "Which game do you mean" in result.stdout
    assert "Type the game's name, and I answer." in result.stdout
    assert "--game" not in result.stdout
    assert (service.asked[1].text, service.asked[1].game) == ("who wins?", "moss-court")
    assert service.asked[1].history == ()


def test_another_question_may_come_instead(rulespal, service):
    rulespal("chat", input="who wins?\nIn Tidewick, may I row?\n")
    assert service.asked[1].text == "In Tidewick, may I row?"


def test_game_changes_the_game_and_forgets_the_history(rulespal, service):
    result = rulespal("chat", "-g", "tidewick", input="may I row?\n/game moss court\na toad?\n")
    assert "Now about Moss Court." in result.stdout
    assert (service.asked[1].game, service.asked[1].history) == ("moss-court", ())


def test_game_answers_a_waiting_question_too(rulespal, service):
    rulespal("chat", input="who wins?\n/game tidewick\n")
    assert (service.asked[1].text, service.asked[1].game) == ("who wins?", "tidewick")


def test_new_starts_over(rulespal, service):
    rulespal("chat", "-g", "tidewick", input="may I row?\n/new\nIn Tidewick, may I row?\n")
    assert (service.asked[1].game, service.asked[1].history) == (None, ())


def test_what_is_out_of_scope_is_not_kept(rulespal, service):
    rulespal("chat", "-g", "tidewick", input="In Catan, who moves the robber?\nmay I row?\n")
    assert service.asked[1].history == ()


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("/game tidewik", "There is no game called tidewik. Did you mean tidewick?"),
        ("x" * 2001, "The question has 2,001 characters and may have 2,000"),
    ],
)
def test_a_mistake_is_told_and_the_conversation_goes_on(rulespal, service, line, told):
    result = rulespal("chat", "-g", "tidewick", input=f"{line}\nmay I row?\n")
    assert result.exit_code == 0
    assert told in result.stderr
    assert [question.text for question in service.asked] == ["may I row?"]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("/help", "/quit or ctrl-D ends."),
        ("/dance", "There is no /dance. /new starts over"),
        ("/game", "Name one: gravelbound, moss-court, tidewick."),
        ("/games", "gravelbound, moss-court, tidewick"),
    ],
)
def test_commands_tell(rulespal, service, flat, line, told):
    result = rulespal("chat", input=f"{line}\n")
    assert told in flat(result.stdout)
    assert service.asked == []


def test_ctrl_c_leaves_with_one_line(rulespal, service):
    class Interrupted(type(service)):
        def ask(self, question, engine):
            raise KeyboardInterrupt

    inner = Interrupted(service.engine, service.embedder)
    result = rulespal("chat", "-g", "tidewick", input="may I row?\n", service=inner)
    assert (result.exit_code, result.stderr) == (130, "Stopped.\n")


def test_a_terminal_is_read_with_its_prompt(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr(sys, "stdin", Terminal())
    assert line_reader() is input
