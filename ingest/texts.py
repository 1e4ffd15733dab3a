"""A game's folder to its passages: what every command and the index stand on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath

from ingest.chunks import drafts
from ingest.faq import entries, is_graded
from ingest.load import load
from ingest.manifest import QUESTIONS, GameFolder
from ingest.sidecars import HeadingRow, NoteRow, QuestionRow, TextFile
from ingest.structure import Skipped, find_quote, sections
from rag.errors import CorpusError
from rag.language import asks_yes_no, said
from rag.records import Entry, Game, Gap, Grade, Note, Passage, Polarity, Source


@dataclass(frozen=True, slots=True)
class Text:
    """A text as it was read."""

    source: Source
    text: str
    passages: tuple[Passage, ...]
    """In reading order: displaced words stand where they belong."""
    skipped: tuple[Skipped, ...]


@dataclass(frozen=True, slots=True)
class Ruling:
    """An entry of a graded FAQ page, the lost ones included."""

    n: int
    question: str
    topic: str
    passage: Passage | None
    """None where the answer is lost."""
    grade: Grade
    grade_text: str
    year: int | None
    section: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class GameTexts:
    """All that is known of a game before any model has seen it."""

    game: Game
    texts: tuple[Text, ...]
    known: tuple[Entry, ...]
    """The questions that the passages are known to answer, reconstructed headings among them."""
    generated: tuple[Entry, ...] = ()
    """Those of them that a chat model wrote."""

    @property
    def passages(self) -> tuple[Passage, ...]:
        """Of all texts, in reading order."""
        return tuple(passage for text in self.texts for passage in text.passages)


def read_game(folder: GameFolder) -> GameTexts:
    """Read all texts and sidecars of a game.

    Raises:
        CorpusError: a text or sidecar is wrong.
    """
    texts = tuple(read_text(folder, file) for file in folder.manifest.files)
    game = Game(
        slug=folder.slug,
        title=folder.manifest.title,
        aliases=folder.manifest.aliases,
        sources=tuple(text.source for text in texts),
        notes=tuple(_note(row, texts, folder) for row in folder.notes()),
        gaps=tuple(
            Gap(text=question, why=row.why, look=row.look)
            for row in folder.gaps()
            for question in row.questions
        ),
        terms=tuple(folder.terms().terms.items()),
        fingerprint=folder.fingerprint(),
    )
    asked = [(row, _asked(row, texts, folder)) for row in folder.questions()]
    known = (*_headings_asked(texts), *(each for _, part in asked for each in part))
    generated = (each for row, part in asked for each in part if row.provenance == "generated")
    return GameTexts(game, texts, known, tuple(generated))


def read_text(folder: GameFolder, file: TextFile) -> Text:
    """Read one text.

    Raises:
        CorpusError: the text or a sidecar entry is wrong, or nothing in it can be quoted.
    """
    found = _read_text(folder, file)
    if not found.passages:
        raise CorpusError(
            f"{folder.path / file.name} holds nothing that can answer a question: it is empty, or "
            f"headings only. Put the text there, or take it out of game.yaml."
        )
    return found


def _read_text(folder: GameFolder, file: TextFile) -> Text:
    text = folder.read(file)
    source = folder.source(file, text)
    if file.kind == "faq" and is_graded(text):
        rulings, skipped = _rulings(folder, file, source, text)
        found = tuple(ruling.passage for ruling in rulings if ruling.passage)
        return Text(source, text, found, tuple(skipped))
    parts, left_out = sections(text, load(file.name, text, file.outline, file.contents), file)
    grade = file.grade or (Grade.RULEBOOK if file.kind == "rulebook" else Grade.NONE)
    passages: list[Passage] = []
    for draft in drafts(text, parts, file):
        base = next((p.id for p in reversed(passages) if p.kind in {"rule", "table"}), "")
        passages.append(
            Passage(
                id=_id(folder.slug, file.name, draft.start, draft.end),
                game=folder.slug,
                file=source.file,
                start=draft.start,
                end=draft.end,
                text=text[draft.start : draft.end],
                kind="faq" if file.kind == "faq" and draft.kind == "rule" else draft.kind,
                source=source.title,
                section=draft.section,
                context=draft.context,
                reading=draft.reading,
                of=base if draft.attached else "",
                grade=grade,
                grade_text=_grade_text(source, grade),
            )
        )
    return Text(source, text, tuple(passages), tuple(left_out))


def rulings(folder: GameFolder) -> list[Ruling]:
    """All entries of a game's graded FAQ pages, in page order.

    Raises:
        CorpusError: a text or its headings are wrong.
    """
    found: list[Ruling] = []
    for file in folder.manifest.files:
        text = folder.read(file)
        if file.kind == "faq" and is_graded(text):
            found.extend(_rulings(folder, file, folder.source(file, text), text)[0])
    return found


def _rulings(
    folder: GameFolder, file: TextFile, source: Source, text: str
) -> tuple[list[Ruling], list[Skipped]]:
    found, skipped = entries(text)
    headings = _headings(folder, file, [text[e.start : e.end] for e in found])
    listed = []
    for entry, heading in zip(found, headings, strict=True):
        ruled = entry.ruled
        grade = ruled.grade if ruled else Grade.NONE
        topic, question = (heading.topic, heading.question) if heading else ("", "")
        passage = Passage(
            id=_id(folder.slug, file.name, entry.start, entry.end),
            game=folder.slug,
            file=source.file,
            start=entry.start,
            end=entry.end,
            text=text[entry.start : entry.end],
            kind="faq",
            source=source.title,
            section=(topic,) if topic else (),
            question=question,
            number=entry.number,
            grade=grade,
            grade_text=ruled.text if ruled else "",
            year=ruled.year if ruled else None,
            rulebook_section=ruled.section if ruled else "",
        )
        listed.append(
            Ruling(
                n=entry.number,
                question=question,
                topic=topic,
                passage=None if entry.lost else passage,
                grade=grade,
                grade_text=passage.grade_text,
                year=passage.year,
                section=passage.rulebook_section,
                start=entry.start,
                end=entry.end,
            )
        )
    return listed, skipped


def _headings(
    folder: GameFolder, file: TextFile, answers: list[str]
) -> list[HeadingRow] | list[None]:
    rows = folder.headings(file)
    if not rows:
        return [None] * len(answers)
    if len(rows) != len(answers):
        raise CorpusError(
            f"{folder.path / file.headings}: {len(rows)} headings for {len(answers)} entries; "
            f"give one line an entry, in page order."
        )
    for row, answer in zip(rows, answers, strict=True):
        if not answer.startswith(row.quote) or bool(row.quote) != bool(answer):
            raise CorpusError(
                f'{folder.path / file.headings}: heading {row.n} quotes "{row.quote}", but that '
                f'entry begins "{answer[:60]}".'
            )
    return list(rows)


def _headings_asked(texts: tuple[Text, ...]) -> list[Entry]:
    return [
        Entry(
            text=p.question,
            passage_id=p.id,
            start=p.start,
            end=p.end,
            polarity=said(p.text) if asks_yes_no(p.question) else None,
        )
        for text in texts
        for p in text.passages
        if p.question
    ]


def _asked(row: QuestionRow, texts: tuple[Text, ...], folder: GameFolder) -> list[Entry]:
    """Each question of a row, with the passage that holds most of the words which answer it."""
    text = _text_of(texts, row.file, folder)
    where = f"{folder.path}/{QUESTIONS}"
    start, end = find_quote(text.text, row.quote, where, row.occurrence)
    best = max(text.passages, key=lambda p: min(p.end, end) - max(p.start, start))
    if not (best.start < end and start < best.end):
        raise CorpusError(
            f'{where} quotes "{row.quote[:60]}", which is a heading or is left out; quote '
            f"words that answer the question."
        )
    asked: dict[Polarity | None, tuple[str, ...]] = {None: row.open, "yes": row.yes, "no": row.no}
    return [
        Entry(
            text=question,
            passage_id=best.id,
            start=max(best.start, start),
            end=min(best.end, end),
            polarity=polarity,
        )
        for polarity, questions in asked.items()
        for question in questions
    ]


def _note(row: NoteRow, texts: tuple[Text, ...], folder: GameFolder) -> Note:
    spans = []
    for quote in row.quotes:
        text = _text_of(texts, quote.file, folder)
        where = f"{folder.path}/notes.yaml, {row.id},"
        start, end = find_quote(text.text, quote.quote, where, quote.occurrence)
        if quote.side and not any(p.start <= start and end <= p.end for p in text.passages):
            raise CorpusError(
                f'{where} quotes "{quote.quote[:60]}", which no single passage holds; quote a '
                f"sentence that tells this side."
            )
        spans.append((text.source.file, start, end, quote.side))
    return Note(id=row.id, kind=row.kind, says=row.says, spans=tuple(spans))


def _text_of(texts: tuple[Text, ...], name: str, folder: GameFolder) -> Text:
    for text in texts:
        if not name or text.source.file == f"{folder.slug}/{name}":
            return text
    raise CorpusError(f"{folder.path}: a sidecar names {name}, which game.yaml does not list.")


def _id(slug: str, name: str, start: int, end: int) -> str:
    return f"{slug}/{PurePosixPath(name).with_suffix('')}#{start}-{end}"


def _grade_text(source: Source, grade: Grade) -> str:
    return f"Printed in the {source.title}." if grade is Grade.RULEBOOK else ""
