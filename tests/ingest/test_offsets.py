"""Whatever a text holds, passages are its own words, and nothing of it is lost or read twice."""

import json

import pytest
from hypothesis import given, settings, strategies as st

from ingest.chunks import LONGEST
from ingest.faq import entries
from ingest.manifest import open_game
from ingest.texts import read_game
from rag.errors import CorpusError
from rag.language import sentence_spans

WORDS = st.sampled_from(
    [
        "gull", "lamp", "Pier", "oil", "row", "the", "jar", "and", "2", "17", "naïve", "Größe",
        "島", "🦊", "\U0001f469\u200d\U0001f467", "e\u0301", "e.g.", "no.", "(or)",
        '"Hire"', "can't", "—", "*x*", "`y`",
    ]
)  # fmt: skip
SENTENCES = st.builds(
    lambda words, end: " ".join(words).capitalize() + end,
    st.lists(WORDS, min_size=1, max_size=14),
    st.sampled_from([".", "!", "?", ":", '."', ".)", "", " …"]),
)
PARAGRAPHS = st.lists(SENTENCES, min_size=1, max_size=5).map(" ".join)
LINES = st.one_of(
    PARAGRAPHS,
    st.builds(
        "{}{}{}".format,
        st.sampled_from(["", "  ", "    ", "\t", "\u00a0"]),
        st.sampled_from(["• ", "- ", "1. ", "12) ", "a. ", "- A. ", "▪  "]),
        PARAGRAPHS,
    ),
    st.builds("{} {}".format, st.sampled_from(["#", "##", "######"]), SENTENCES),
    st.lists(WORDS, min_size=1, max_size=4).map(lambda words: " ".join(words).title()),
    st.builds("{}: {}".format, WORDS.map(str.title), PARAGRAPHS),
    st.builds("{} — {}".format, WORDS.map(str.title), PARAGRAPHS),
    st.builds("Example: {}".format, PARAGRAPHS),
    st.builds("{} (sic: {}) {}".format, PARAGRAPHS, WORDS, PARAGRAPHS),
    st.builds("({})".format, PARAGRAPHS),
    st.sampled_from(
        [
            "", "", "", " ", "\t", "\u3000", "\x0c", "---", "===", "```", "|", "|---|---|",
            "| A | B |", "| 1 | 2 | 3 |", "A\tB", "1\t", "SeatsCoins to Take", "1-25", "3-44",
            "5-63", "Table of Contents", "Contents", "A: Sail", "(sic)", "(sic: x)", "\u2028",
        ]
    ),
)  # fmt: skip
BREAKS = st.sampled_from(["\n", "\n\n", "\r\n", "\r\n\r\n", "\n\n\n"])
TEXTS = st.one_of(
    st.builds(
        lambda rows, mark: mark + "".join(line + end for line, end in rows),
        st.lists(st.tuples(LINES, BREAKS), max_size=30),
        st.sampled_from(["", "", "", "\ufeff"]),
    ),
    st.text(max_size=300),
)
NAMES = st.sampled_from(["rules.txt", "rules.md"])


@pytest.fixture(scope="module")
def read(tmp_path_factory):
    """Read a text as a game of its own, through the file system; None if nothing can be quoted."""
    folder = tmp_path_factory.mktemp("texts") / "made"
    folder.mkdir()

    def read_text(text, name, **keys):
        manifest = {"title": "Made", "files": [{"name": name, **keys}]}
        (folder / "game.yaml").write_text(json.dumps(manifest), "utf-8")
        (folder / name).write_bytes(text.encode())
        try:
            return read_game(open_game(folder)).texts[0]
        except CorpusError as error:
            if "holds nothing that can answer" in str(error):
                return None
            raise

    return read_text


def check(made, text):
    """Exact words, in order where nothing was moved, none lost, none twice."""
    assert made.text == text
    for passage in made.passages:
        assert passage.text == text[passage.start : passage.end] != ""
        assert passage.text == passage.text.strip()
        assert passage.id == f"made/rules#{passage.start}-{passage.end}"
    parts = [(p.start, p.end) for p in made.passages]
    parts += [(s.start, s.end) for s in made.skipped]
    at = int(text.startswith("\ufeff"))
    for start, end in sorted(parts):
        assert at <= start < end
        assert not text[at:start].strip()
        at = end
    assert not text[at:].strip()


@given(text=TEXTS, name=NAMES)
@settings(max_examples=80)
def test_passages_are_the_text_and_nothing_is_lost(read, text, name):
    made = read(text, name)
    if made is None:
        return
    check(made, text)
    assert [p.start for p in made.passages] == sorted(p.start for p in made.passages)


@given(text=TEXTS, name=NAMES)
@settings(max_examples=25)
def test_only_a_sentence_or_a_table_is_long(read, text, name):
    made = read(text * 3, name)
    for passage in made.passages if made else ():
        if len(passage.text) > LONGEST and passage.kind != "table":
            assert len(sentence_spans(passage.text, 0, len(passage.text))) == 1


@given(text=TEXTS, name=NAMES)
@settings(max_examples=25)
def test_what_a_passage_is_of_stands_before_it(read, text, name):
    made = read(text, name)
    seen = set()
    for passage in made.passages if made else ():
        assert not passage.of or passage.of in seen
        seen.add(passage.id)


@given(text=TEXTS, name=NAMES)
@settings(max_examples=25)
def test_the_same_text_is_read_the_same_way(read, text, name):
    assert read(text, name) == read(text, name)


@given(
    rows=st.lists(
        st.one_of(
            PARAGRAPHS,
            PARAGRAPHS.map("- {}".format),
            st.sampled_from(["Setup", "Play", "End", "Do this:"]),
        ),
        max_size=12,
    ),
    moved=st.integers(0, 11),
    gap=st.sampled_from(["\n", "\n\n"]),
)
@settings(max_examples=60)
def test_nothing_is_lost_when_words_are_put_back(read, rows, moved, gap):
    whole = ["Start", "Begin here:", *rows]
    at = min(moved, len(rows)) + 2
    whole.insert(at, "- Take the moved marker.")
    text = "\n\n".join(whole[:2]) + "\n\n" + gap.join(whole[2:]) + "\n"
    entry = {"quote": "- Take the moved marker.", "section": "Start", "after": "Begin here:"}
    made = read(text, "rules.txt", displaced=[entry])
    check(made, text)
    (holder,) = [p for p in made.passages if "moved marker" in p.text]
    assert holder.section == ("Start",)


GRADES = st.sampled_from(
    [
        "The designer ruled on this directly on BGG in 2024.",
        "The publisher answered this directly.",
        'The rulebook answers this in "3.1 Oil".',
        "Several experienced players agree; there is no official ruling.",
        "One player disputes it.",
    ]
)


@given(rows=st.lists(st.tuples(st.one_of(GRADES, LINES), BREAKS), max_size=30))
@settings(max_examples=80)
def test_a_graded_page_is_read_whole(rows):
    text = "".join(line + end for line, end in rows)
    found, skipped = entries(text)
    assert [e.number for e in found] == list(range(1, len(found) + 1))
    parts = [(e.start, e.end) for e in found if not e.lost] + [(s.start, s.end) for s in skipped]
    at = 0
    for start, end in sorted(parts):
        assert at <= start < end
        assert not text[at:start].strip()
        at = end
    assert not text[at:].strip()
    lost = [e for e in found if e.lost]
    assert len(lost) == len([s for s in skipped if s.why == "lost"])
    assert all(e.ruled for e in lost)
