"""RulesPal and three plain ways of answering, all giving the same JSON so that all score alike.

The plain ones answer with the best passage as it stands and never abstain. Their confidence is
the score of that passage squeezed into [0, 1]: enough to draw a risk-coverage curve, no more.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import uuid4

import bm25s
import chromadb
import numpy as np
import Stemmer
from chromadb.config import Settings as ChromaSettings
from langchain_chroma import Chroma
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_text_splitters import RecursiveCharacterTextSplitter
from numpy.typing import NDArray
from pydantic import TypeAdapter

from evals.judge import DEPTH, AnswerJson, Item
from ingest.texts import GameTexts, Text
from rag.answer import answer
from rag.engine import Engine
from rag.records import Answer, Citation, Grade, Passage, Question, Retrieved

Found = list[tuple[Passage, float]]
"""Passages and scores, best first."""
_ANSWER = TypeAdapter(Answer)


class Encoder(Protocol):
    """Texts to unit vectors; `rag.embed.Embedder` is one."""

    @property
    def name(self) -> str:
        """The model's name."""
        ...

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row a text."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """A way of answering."""

    name: str
    model: str
    """The embedding model, or empty."""
    fingerprint: str
    """Of what makes its answers."""
    ask: Callable[[Item], AnswerJson]

    def run(self, items: Iterable[Item]) -> list[AnswerJson]:
        """The answers to some items, in their order."""
        return [self.ask(item) for item in items]


class _LangChainModel(Embeddings):
    """An encoder as LangChain wants it."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [[float(x) for x in row] for row in self._encoder.encode(texts)]

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


def rulespal(engine: Engine, model: str) -> Condition:
    """The road that a player's question goes."""

    def ask(item: Item) -> AnswerJson:
        question = Question(
            text=item["question"], game=item["game"], history=tuple(item["history"])
        )
        return _json(answer(question, engine))

    return Condition(name="rulespal", model=model, fingerprint=engine.fingerprint, ask=ask)


def tutorial(games: Mapping[str, GameTexts], encoder: Encoder) -> Condition:
    """The stock recipe: chunks of 1,000 characters that overlap by 200, in Chroma."""
    client = chromadb.EphemeralClient(ChromaSettings(anonymized_telemetry=False))
    stores = {}
    for slug, game in games.items():
        stores[slug] = Chroma(
            collection_name=f"tutorial-{slug}-{uuid4().hex}",
            embedding_function=_LangChainModel(encoder),
            client=client,
        )
        stores[slug].add_documents([piece for text in game.texts for piece in split(text)])

    def find(item: Item) -> Found:
        found = stores[item["game"]].similarity_search_with_score(item["question"], k=DEPTH)
        # Chroma's distance is the square of the Euclidean one, which is 2 - 2 cos of unit vectors.
        return [(_chunk(item["game"], piece), 1 - far / 2) for piece, far in found]

    return _plain("tutorial", encoder.name, find)


def split(text: Text) -> list[Document]:
    """The chunks of a text; `start` in their metadata is where they stand in the file."""
    splitter = RecursiveCharacterTextSplitter(
        chunk_size=1000, chunk_overlap=200, add_start_index=True
    )
    pieces, last = [], 0
    for piece in splitter.create_documents([text.text]):
        words, start = piece.page_content, piece.metadata["start_index"]
        if text.text[start : start + len(words)] != words:
            start = text.text.find(words, last)
        if start >= 0:  # words that are not the file's own can't be cited
            last = start
            about = {"file": text.source.file, "source": text.source.title, "start": start}
            pieces.append(Document(page_content=words, metadata=about))
    return pieces


def _chunk(game: str, piece: Document) -> Passage:
    start, end = piece.metadata["start"], piece.metadata["start"] + len(piece.page_content)
    return Passage(
        id=f"{piece.metadata['file']}#{start}-{end}",
        game=game,
        file=piece.metadata["file"],
        start=start,
        end=end,
        text=piece.page_content,
        kind="rule",
        source=piece.metadata["source"],
        grade=Grade.NONE,
    )


def bm25(games: Mapping[str, GameTexts]) -> Condition:
    """Words alone, over RulesPal's own passages."""
    stemmer = Stemmer.Stemmer("english")
    indexes = {}
    for slug, game in games.items():
        indexes[slug] = bm25s.BM25()
        words = bm25s.tokenize(_with_sections(game.passages), stemmer=stemmer, show_progress=False)
        indexes[slug].index(words, show_progress=False)

    def find(item: Item) -> Found:
        passages = games[item["game"]].passages
        words = bm25s.tokenize(item["question"], stemmer=stemmer, show_progress=False)
        rows, scores = indexes[item["game"]].retrieve(
            words, k=min(DEPTH, len(passages)), show_progress=False
        )
        return [
            (passages[row], float(score / (1 + score)))
            for row, score in zip(rows[0], scores[0], strict=True)
        ]

    return _plain("bm25", "", find)


def dense(games: Mapping[str, GameTexts], encoder: Encoder) -> Condition:
    """Vectors alone, over RulesPal's own passages."""
    rows = {slug: encoder.encode(_with_sections(game.passages)) for slug, game in games.items()}

    def find(item: Item) -> Found:
        scores = rows[item["game"]] @ encoder.encode([item["question"]])[0]
        best = np.argsort(-scores, kind="stable")[:DEPTH]
        return [(games[item["game"]].passages[n], float(scores[n])) for n in best]

    return _plain("dense", encoder.name, find)


def _with_sections(passages: Sequence[Passage]) -> list[str]:
    return [" ".join((*passage.section, passage.text)) for passage in passages]


def _plain(name: str, model: str, find: Callable[[Item], Found]) -> Condition:
    def ask(item: Item) -> AnswerJson:
        start = time.perf_counter()
        found = find(item)
        top, sure = found[0]
        given = Answer(
            id=item["id"],
            game=item["game"],
            question=item["question"],
            history=(),
            status="answered",
            text=top.text,
            citations=(_cite(top),),
            confidence=min(1.0, max(0.0, sure)),
            retrieved=tuple(
                Retrieved(passage_id=p.id, file=p.file, start=p.start, end=p.end, score=score)
                for p, score in found
            ),
            fingerprint=f"{name} {model}".strip(),
            elapsed_ms=(time.perf_counter() - start) * 1000,
        )
        return _json(given)

    return Condition(name=name, model=model, fingerprint=f"{name} {model}".strip(), ask=ask)


def _cite(passage: Passage) -> Citation:
    return Citation(
        n=1,
        passage_id=passage.id,
        file=passage.file,
        start=passage.start,
        end=passage.end,
        quote=passage.text,
        section=passage.section,
        source=passage.source,
        grade=passage.grade,
        grade_text=passage.grade_text,
        year=passage.year,
    )


def _json(given: Answer) -> AnswerJson:
    dumped: AnswerJson = _ANSWER.dump_python(given, mode="json")
    return dumped
