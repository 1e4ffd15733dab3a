"""The road of a question, on one screen."""

from __future__ import annotations

import hashlib
import time
from dataclasses import replace

from rag.compose import Found, compose
from rag.engine import Engine, GameIndex
from rag.language import instructs, mend
from rag.rank import rank
from rag.records import Answer, Hit, Question, Retrieved, Status
from rag.retrieve import nearest_gap, queries, retrieve
from rag.scope import named_games, other_game, own_names, validate

CLEAR_LEAD = 0.1
"""Cosine by which the best game must lead for a question that names none."""
NAMED = 0.1
"""What it counts that a question holds a name which only one game has."""
NOTHING_NEAR = 0.25
"""Cosine below which nothing in any text speaks to a question."""


def answer(question: Question, engine: Engine) -> Answer:
    """Answer a question from the texts of one game.

    Raises:
        QuestionError: the question or its history can't be taken.
        UnknownGameError: it names a game that is not there.
        IndexDamagedError: the index can't be read.
    """
    started = time.perf_counter()
    validate(question)
    made = _answer(question, engine)
    return replace(made, elapsed_ms=round((time.perf_counter() - started) * 1000, 1))


def _answer(question: Question, engine: Engine) -> Answer:
    if instructs(question.text):
        return _plain(question, engine, "out_of_scope", "I only answer rules questions.")
    fitting = [question.game] if question.game else fitting_games(question, engine)
    if len(fitting) != 1:
        return _which(question, engine, fitting)
    question = replace(question, game=fitting[0])
    index = engine.game(fitting[0])
    title = index.game.title
    stranger = other_game(question.text, (title, *index.game.aliases))
    if stranger:
        told = f"That asks about {stranger}; the texts here are those of {title}."
        return _plain(question, engine, "out_of_scope", told)
    mended, found = find(question, index, engine)
    draft = compose(
        mended, found, index.game, index.passages, index.words.passages, engine.calibration
    )
    return replace(
        _plain(question, engine, draft.status, draft.text),
        polarity=draft.polarity,
        citations=draft.citations,
        conflicts=draft.conflicts,
        notes=draft.notes,
        confidence=round(draft.confidence, 3),
        retrieved=tuple(_row(hit) for hit in found.hits),
    )


def find(question: Question, index: GameIndex, engine: Engine) -> tuple[str, Found]:
    """The question with typing faults mended, and what was found for it."""
    mended = mend(question.text, index.vocabulary, engine.embedder.knows)
    asked = queries(mended, question.history, index.game.terms)
    vectors = engine.embedder.encode([query.text for query in asked])
    hits = retrieve(
        asked, vectors, index.passages, index.words, index.search, engine.settings.candidates
    )
    gap = nearest_gap(asked, vectors, index.search)
    return mended, Found(tuple(rank(hits, engine.settings.results)), gap)


def fitting_games(question: Question, engine: Engine) -> list[str]:
    """The games that a question which names none may be about: those it names, else the nearest."""
    games = [engine.game(slug).game for slug in engine.games]
    for text in (question.text, *reversed(question.history)):
        named = named_games(text, games)
        if named:
            return named
    if len(games) == 1:
        return [games[0].slug]
    vectors = engine.embedder.encode([" ".join((*question.history[-1:], question.text))])
    called = own_names(question.text, games)
    nearest: dict[str, float] = {}
    for game in games:
        search = engine.game(game.slug).search
        near = search("sentences", vectors, 1)[0] + search("questions", vectors, 1)[0]
        nearest[game.slug] = max((row.cosine for row in near), default=0.0)
        nearest[game.slug] += NAMED * (game.slug in called)
    best = max(nearest.values(), default=0.0)
    if best < NOTHING_NEAR:
        return []
    return [slug for slug, cosine in nearest.items() if cosine > best - CLEAR_LEAD]


def _which(question: Question, engine: Engine, fitting: list[str]) -> Answer:
    games = fitting or engine.games
    titles = [engine.game(slug).game.title for slug in games]
    if not fitting:
        told = f"Nothing in the texts of {', '.join(titles)} speaks to that."
        return _plain(question, engine, "out_of_scope", told)
    told = f"Which game do you mean: {', '.join(titles[:-1])} or {titles[-1]}?"
    return replace(_plain(question, engine, "clarify", told), games=tuple(games))


def _plain(question: Question, engine: Engine, status: Status, text: str) -> Answer:
    made = repr((question, engine.fingerprint))
    return Answer(
        id=hashlib.sha256(made.encode()).hexdigest()[:16],
        game=question.game,
        question=question.text,
        history=question.history,
        status=status,
        text=text,
        fingerprint=engine.fingerprint,
    )


def _row(hit: Hit) -> Retrieved:
    passage = hit.passage
    return Retrieved(
        passage_id=passage.id,
        file=passage.file,
        start=passage.start,
        end=passage.end,
        score=round(hit.score, 4),
    )
