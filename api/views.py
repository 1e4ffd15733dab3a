"""Answers, passages and rulings for people, on a screen as narrow as a phone's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.text import Text

from api.catalogue import Place
from api.doctor import Check
from api.terminal import say, words
from ingest.texts import GameTexts, Ruling
from rag.records import Answer, Citation, Grade, Hit, Passage, Verdict

_BADGES = {
    Grade.RULEBOOK: "Rulebook",
    Grade.DESIGNER: "Designer ruling",
    Grade.PUBLISHER: "Publisher's answer",
    Grade.COMMUNITY_MANY: "Several players agree",
    Grade.COMMUNITY_BEST_READING: "Best reading",
    Grade.COMMUNITY_ONE: "One player's answer",
    Grade.DISPUTED: "Disputed reading",
    Grade.NONE: "No grade given",
}
_SURENESS = (
    (0.9, "very likely right"),
    (0.75, "likely right"),
    (0.5, "more likely right than not"),
)
_SNIPPET = 220
"""Characters of a passage in a list."""
_RECONSTRUCTED = " (reconstructed)"
"""Said of a heading that is not the page's words."""
_CHECKED = {
    "verified": "Checked: the encoded rules prove it",
    "contradicted": "Checked: the encoded rules contradict it",
}


def badge(grade: Grade, year: int | None) -> str:
    """Who ruled and when, in words.

    >>> badge(Grade.DESIGNER, 2018)
    'Designer ruling, 2018 · official'
    """
    when = f", {year}" if year else ""
    return f"{_BADGES[grade]}{when} · {'official' if grade.official else 'not official'}"


def sureness(answer: Answer) -> str:
    """How sure an answer is, in words and as a number; empty where nothing was weighed."""
    share = f"{answer.confidence:.0%}"
    if answer.status == "not_covered" and answer.citations:
        return f"How likely these words answer it: {share}, too little to rely on"
    if answer.status != "answered":
        return ""
    said = next((said for least, said in _SURENESS if answer.confidence >= least), "unsure")
    return f"Confidence: {share}, {said}"


def show_answer(console: Console, answer: Answer) -> None:
    """An answer: the decision, its words and who ruled, what speaks against it, how sure it is."""
    say(console, answer.text, "bold")
    for citation in answer.citations:
        console.print()
        _citation(console, citation)
    if answer.conflicts:
        console.print()
        say(console, "The texts also say:", "bold yellow")
    for citation in answer.conflicts:
        console.print()
        _citation(console, citation)
    if answer.notes or sureness(answer) or answer.verdict:
        console.print()
    for note in answer.notes:
        say(console, f"Note: {note}", "yellow")
    if answer.verdict:
        _verdict(console, answer.verdict)
    if sureness(answer):
        say(console, sureness(answer), "dim")


def _verdict(console: Console, verdict: Verdict) -> None:
    if verdict.outcome in _CHECKED:
        because = f": {verdict.because}" if verdict.because else ""
        say(console, f"{_CHECKED[verdict.outcome]} ({verdict.rule}){because}")


def _citation(console: Console, citation: Citation) -> None:
    head = words(f"[{citation.n}] ", "bold")
    head.append_text(_badge(citation.grade, citation.year))
    say(console, head)
    if citation.kind == "faq" and citation.grade_text:
        say(console, citation.grade_text, "dim")
    place = f"{citation.file}#{citation.start}-{citation.end}"
    whole = citation.passage_id.endswith(f"#{citation.start}-{citation.end}")
    _where(console, citation.source, citation.section, citation.question)
    _quoted(console, citation.quote)
    _reading(console, citation.reading)
    part = "" if whole else f", part of {citation.passage_id}"
    say(console, f"{place}{part}", "dim")


def _badge(grade: Grade, year: int | None) -> Text:
    style = "green" if grade.official else "red" if grade is Grade.DISPUTED else "yellow"
    return words(badge(grade, year), style)


def _where(console: Console, source: str, section: Sequence[str], question: str) -> None:
    say(console, " > ".join((source, *section)), "cyan")
    if question:
        heading = words(question, "italic")
        say(console, heading.append_text(words(_RECONSTRUCTED, "dim")))


def _quoted(console: Console, text: str, style: str = "") -> None:
    """Words of a text, verbatim, with a bar beside them."""
    say(console, text, style, before="│ ")


def _reading(console: Console, reading: str) -> None:
    if reading:
        say(console, "The table in words:", "dim")
        for row in reading.splitlines():
            say(console, row, before="  ")


def show_place(console: Console, place: Place) -> None:
    """A passage between its neighbours."""
    for passage in place.before:
        _neighbour(console, passage)
    _passage(console, place.passage)
    for note in place.notes:
        say(console, f"Note: {note}", "yellow")
    for passage in place.after:
        console.print()
        _neighbour(console, passage, trailing=False)


def _passage(console: Console, passage: Passage) -> None:
    say(console, _badge(passage.grade, passage.year))
    if passage.kind == "faq" and passage.grade_text:
        say(console, passage.grade_text, "dim")
    _where(console, passage.source, passage.section, passage.question)
    if passage.of:
        say(console, f"Belongs to {passage.of}", "dim")
    _quoted(console, passage.text)
    _reading(console, passage.reading)
    say(console, passage.id, "bold")


def _neighbour(console: Console, passage: Passage, *, trailing: bool = True) -> None:
    say(console, passage.id, "dim")
    if passage.section:
        say(console, " > ".join(passage.section), "dim")
    if passage.question:
        say(console, passage.question + _RECONSTRUCTED, "dim")
    _quoted(console, passage.text, "dim")
    if trailing:
        console.print()


def show_hits(console: Console, title: str, hits: Iterable[Hit]) -> None:
    """The passages that a search found, best first."""
    say(console, title, "bold")
    for number, hit in enumerate(hits, 1):
        passage = hit.passage
        console.print()
        head = words(f"{number}. {hit.score:.2f}  ", "bold")
        say(console, head.append_text(_badge(passage.grade, passage.year)))
        _where(console, passage.source, passage.section, passage.question)
        _quoted(console, snippet(passage.text))
        say(console, passage.id, "dim")


def snippet(text: str) -> str:
    """The beginning of a text on one line.

    >>> snippet("Draw  two cards.")
    'Draw two cards.'
    """
    flat = " ".join(text.split())
    return flat if len(flat) <= _SNIPPET else flat[:_SNIPPET].rsplit(" ", 1)[0] + " …"


def show_rulings(console: Console, found: Sequence[Ruling], whole: int) -> None:
    """Rulings with their headings, and how many of all they are."""
    for ruling in found:
        head = words(f"{ruling.n}. ", "bold")
        if ruling.question:
            head.append_text(words(ruling.question, "bold italic"))
            head.append_text(words(_RECONSTRUCTED, "dim"))
        say(console, head)
        _ruling(console, ruling)
        console.print()
    say(console, f"{len(found)} of {whole} rulings", "dim")


def _ruling(console: Console, ruling: Ruling) -> None:
    line = _badge(ruling.grade, ruling.year)
    line.append_text(words(f" · {ruling.topic}" if ruling.topic else "", "cyan"))
    say(console, line)
    if ruling.section:
        say(console, ruling.grade_text, "dim")
    if ruling.passage:
        _quoted(console, ruling.passage.text)
        say(console, ruling.passage.id, "dim")
    else:
        say(console, "The answer is lost: only its grade is left on the page.", "red")


def show_games(console: Console, games: Iterable[tuple[GameTexts, int]]) -> None:
    """Games with their texts, and how many rulings each has."""
    for number, (read, rulings) in enumerate(games):
        if number:
            console.print()
        game = read.game
        say(console, words(game.slug, "bold").append_text(words(f"  {game.title}")))
        counted = f"{len(read.passages)} passages"
        say(console, f"  {counted}, {rulings} rulings" if rulings else f"  {counted}")
        for text in read.texts:
            source = text.source
            facts = [source.kind, f"edition {source.edition}" if source.edition else ""]
            facts.append(f"updated {source.updated}" if source.updated else "")
            told = ", ".join(fact for fact in facts if fact)
            say(console, f"{source.title} ({told})", "dim", before="  ")


def show_checks(console: Console, checks: Iterable[Check]) -> None:
    """What was looked at, a line each."""
    for check in checks:
        line = words("ok     ", "green") if check.ok else words("wrong  ", "bold red")
        line.append_text(words(f"{check.name}: ", "bold")).append_text(words(check.says))
        say(console, line)
