"""The linear adapter: what is trained, on what, and that it is what the road uses."""

import hashlib

import numpy as np
import pytest
import torch
from safetensors import safe_open

from evals.adapter import FOLDER, RANK, Pairs, _pairs, _part, adapt, data_hash, main, train
from ingest.manifest import discover, open_game
from ingest.pipeline import entries_of
from ingest.texts import read_game
from rag.embed import PACKAGED_MODEL, PACKAGED_SHA256, AdaptedEmbedder


@pytest.fixture(scope="module")
def shipped():
    """The shipped adapter's matrices, and what it says of itself."""
    with safe_open(FOLDER / "adapter.safetensors", "np") as file:
        return {name: file.get_tensor(name) for name in file.keys()}, file.metadata()  # noqa: SIM118


def test_the_shipped_adapter_is_a_low_rank_map(shipped):
    matrices, _ = shipped
    assert {name: rows.shape for name, rows in matrices.items()} == {
        "down": (384, RANK),
        "up": (RANK, 384),
    }
    assert all(rows.dtype == np.float32 and np.isfinite(rows).all() for rows in matrices.values())


def test_the_shipped_adapter_was_trained_on_the_shipped_questions_and_model(shipped):
    _, told = shipped
    assert told["base"] == f"{PACKAGED_MODEL}@{PACKAGED_SHA256[:12]}"
    assert told["questions_sha256"] == data_hash()


def test_the_hash_is_of_all_question_files():
    files = [folder.path / "questions.jsonl" for _, folder in sorted(discover().items())]
    whole = b"".join(path.read_bytes() for path in files)
    assert data_hash() == hashlib.sha256(whole).hexdigest()


def test_what_is_trained_is_what_the_road_uses(hash_embedder):
    size, texts = hash_embedder.DIMENSIONS, ["Gulls dive.", "a tern", ""]
    rng = np.random.default_rng(0)
    down = rng.standard_normal((size, 3)).astype(np.float32)
    up = rng.standard_normal((3, size)).astype(np.float32)
    used = AdaptedEmbedder(hash_embedder(), down, up, "made").encode(texts)
    vectors = torch.from_numpy(hash_embedder().encode(texts))
    trained = adapt(vectors, (torch.from_numpy(down), torch.from_numpy(up)))
    assert np.allclose(used, trained.numpy(), atol=1e-5)


def test_questions_are_paired_with_their_passages(corpus, hash_embedder):
    texts = read_game(open_game(corpus / "moss-court"))
    parts = entries_of(texts)
    pairs = _pairs(parts["passages"], parts["questions"], hash_embedder())
    assert pairs.holders.tolist() == list(range(9))
    assert pairs.questions.shape == pairs.passages.shape == (9, hash_embedder.DIMENSIONS)


@pytest.fixture(scope="module")
def made():
    """Three passages, each asked for in two ways that share no axis."""
    axes = torch.eye(9)
    return Pairs(
        questions=axes[[0, 1, 2, 3, 4, 5] * 3],
        holders=torch.tensor([0, 0, 1, 1, 2, 2] * 3),
        passages=axes[6:],
    )


@pytest.fixture(scope="module")
def trained(made):
    return train({"made": made})


def test_training_brings_the_questions_of_a_passage_near_each_other(made, trained):
    vectors = adapt(made.questions[:6], trained)
    near = vectors @ vectors.T
    same = made.holders[:6, None] == made.holders[None, :6]
    others = near[~same].max()
    assert near[same].min() > others
    assert torch.allclose(vectors.norm(dim=1), torch.ones(6), atol=1e-5)
    nearest = (vectors @ adapt(made.passages, trained).T).argmax(1)
    assert nearest.tolist() == [0, 0, 1, 1, 2, 2]


def test_training_again_gives_the_same_adapter(made, trained):
    assert all(torch.equal(a, b) for a, b in zip(trained, train({"made": made}), strict=True))


def test_held_out_passages_share_no_question_with_the_rest(made):
    kept, held = _part(made, seen=True), _part(made, seen=False)
    assert not set(kept.holders.tolist()) & set(held.holders.tolist())
    assert len(kept.questions) + len(held.questions) == len(made.questions)


def test_a_game_that_is_not_there_can_not_be_held_out(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["--hold-out", "chess"])
    told = "--hold-out takes passages, eauchemin, root, springsign, winter-rabbit."
    assert told in capsys.readouterr().err
