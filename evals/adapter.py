"""`python -m evals.adapter`: train the linear adapter of rag/adapter from the known questions.

A low-rank map x + x A B on frozen vectors of the packaged model, trained with a contrastive loss
(InfoNCE, van den Oord et al. 2018, arXiv:1807.03748; several positives as in supervised contrastive
learning, Khosla et al. 2020, arXiv:2004.11362): a question is to be nearer to the other questions
of its passage, and to the passage, than to those of the same game's other passages. The dev sets
play no part in it. `--hold-out GAME` and `--hold-out passages` train without a game, or without a
fifth of the passages, and write nothing: they show whether what was learned carries over.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file
from torch.nn.functional import cross_entropy, normalize

from ingest.manifest import discover
from ingest.pipeline import entries_of
from ingest.texts import read_game
from rag.embed import Embedder, load_embedder
from rag.records import Entry
from rag.settings import load_settings

FOLDER = Path(__file__).resolve().parent.parent / "rag" / "adapter"
RANK = 64
STEPS = 250
LEARNING_RATE = 2e-3
WEIGHT_DECAY = 1e-2
TEMPERATURE = 0.05
BATCH = 768
"""Questions of each game a step; they are compared with all questions of the game."""
DROPOUT = 0.1
PASSAGE_WEIGHT = 0.5
SEED = 0
PASSAGES = "passages"


@dataclass(frozen=True, slots=True)
class Pairs:
    """A game's vectors: questions with the number of their passage, and passages."""

    questions: torch.Tensor
    holders: torch.Tensor
    passages: torch.Tensor


Adapter = tuple[torch.Tensor, torch.Tensor]


def main(argv: Sequence[str] | None = None) -> int:
    """Train; 2 if the game to hold out is unknown."""
    parser = argparse.ArgumentParser(prog="python -m evals.adapter", description=__doc__)
    parser.add_argument("--hold-out", metavar="GAME", help="a game's slug, or `passages`")
    held = parser.parse_args(argv).hold_out
    settings = load_settings().model_copy(update={"adapter": False})
    games = {slug: entries_of(read_game(folder)) for slug, folder in discover().items()}
    if held and held not in {PASSAGES, *games}:
        parser.error(f"--hold-out takes {', '.join([PASSAGES, *games])}.")
    embedder = load_embedder(settings)
    pairs = {}
    for slug, parts in games.items():
        print(f"Embedding {slug} ...", file=sys.stderr)
        pairs[slug] = _pairs(parts["passages"], parts["questions"], embedder)
    if held:
        _hold_out(pairs, held)
        return 0
    down, up = train(pairs)
    FOLDER.mkdir(exist_ok=True)
    save_file(
        {"down": down.contiguous(), "up": up.contiguous()},
        FOLDER / "adapter.safetensors",
        metadata={"base": embedder.name, "seed": str(SEED), "questions_sha256": data_hash()},
    )
    print(f"Written to {FOLDER}; questions {data_hash()[:12]}.")
    return 0


def data_hash() -> str:
    """Hash of the question files that the adapter was trained on."""
    digest = hashlib.sha256()
    for _, folder in sorted(discover().items()):
        digest.update((folder.path / "questions.jsonl").read_bytes())
    return digest.hexdigest()


def train(games: Mapping[str, Pairs]) -> Adapter:
    """A and B of the adapter, shapes (dimensions, RANK) and (RANK, dimensions)."""
    torch.manual_seed(SEED)
    size = next(iter(games.values())).questions.shape[1]
    down = (torch.randn(size, RANK) * 0.02).requires_grad_()
    up = (torch.randn(RANK, size) * 0.02).requires_grad_()
    optimizer = torch.optim.AdamW([down, up], lr=LEARNING_RATE, weight_decay=WEIGHT_DECAY)
    for step in range(1, STEPS + 1):
        losses = [_loss(game, (down, up)) for game in games.values()]
        loss = torch.stack(losses).mean()
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call] # torch leaves it so
        optimizer.step()
        if step % 10 == 0:
            print(f"\rstep {step}/{STEPS}, loss {loss.item():.3f}", end="", file=sys.stderr)
    print(file=sys.stderr)
    return down.detach(), up.detach()


def adapt(vectors: torch.Tensor, adapter: Adapter) -> torch.Tensor:
    """Vectors through the adapter, scaled to length 1."""
    down, up = adapter
    return normalize(vectors + vectors @ down @ up, dim=1)


def _loss(game: Pairs, adapter: Adapter) -> torch.Tensor:
    chosen = torch.randperm(len(game.questions))[:BATCH]
    rows = torch.arange(len(chosen))
    asked = adapt(torch.nn.functional.dropout(game.questions[chosen], DROPOUT), adapter)
    near = asked @ adapt(game.questions, adapter).T / TEMPERATURE
    near[rows, chosen] = -torch.inf  # a question is no neighbour of itself
    same = game.holders[chosen][:, None] == game.holders[None]
    same[rows, chosen] = False
    some = same.any(1)
    shares = torch.logsumexp(near.masked_fill(~same, -torch.inf)[some], 1) - torch.logsumexp(
        near[some], 1
    )
    passages = asked @ adapt(game.passages, adapter).T / TEMPERATURE
    return -shares.mean() + PASSAGE_WEIGHT * cross_entropy(passages, game.holders[chosen])


def _pairs(passages: Sequence[Entry], questions: Sequence[Entry], embedder: Embedder) -> Pairs:
    place = {entry.passage_id: i for i, entry in enumerate(passages)}
    return Pairs(
        questions=torch.from_numpy(embedder.encode([entry.text for entry in questions])),
        holders=torch.tensor([place[entry.passage_id] for entry in questions]),
        passages=torch.from_numpy(embedder.encode([entry.text for entry in passages])),
    )


def _hold_out(games: Mapping[str, Pairs], held: str) -> None:
    """Print how often a held-out question's nearest other question is of its passage."""
    if held == PASSAGES:
        kept = {slug: _part(game, seen=True) for slug, game in games.items()}
        unseen = {slug: _part(game, seen=False) for slug, game in games.items()}
    else:
        kept = {slug: game for slug, game in games.items() if slug != held}
        unseen = {held: games[held]}
    adapter = train(kept)
    zero = (torch.zeros_like(adapter[0]), adapter[1])
    for slug, game in unseen.items():
        before, after = _nearest(game, games[slug], zero), _nearest(game, games[slug], adapter)
        print(f"{slug}: nearest question of the same passage {before:.3f}, adapted {after:.3f}")


def _part(game: Pairs, *, seen: bool) -> Pairs:
    """The questions of four fifths of the passages, or of the rest."""
    rng = np.random.default_rng(SEED)
    held = torch.from_numpy(rng.random(len(game.passages)) < 0.2)[game.holders]
    kept = held != seen
    return Pairs(game.questions[kept], game.holders[kept], game.passages)


def _nearest(asked: Pairs, game: Pairs, adapter: Adapter) -> float:
    near = adapt(asked.questions, adapter) @ adapt(game.questions, adapter).T
    best = near.topk(2, dim=1).indices  # the first is the question itself
    return float((game.holders[best[:, 1]] == asked.holders).float().mean())


if __name__ == "__main__":
    sys.exit(main())
