import hashlib
import importlib.util
import json
import os

import pytest

from ingest import manifest
from ingest.manifest import discover, open_game, shipped_corpus
from ingest.texts import read_game
from rag.errors import CorpusError, TextChangedError
from rag.records import Grade

TEXT = "Winning\n\nThe mason with the tallest tower wins.\n"
PLAIN = {"game.yaml": "title: Made\nfiles: [rules.txt]\n", "rules.txt": TEXT}


@pytest.fixture
def game(write_game):
    """Open a made game: the plain one with some files changed or added."""

    def make(files=None, slug="made", **more):
        return open_game(write_game(slug, {**PLAIN, **(files or {}), **more}))

    return make


# ------------------------------------------------------------------- game.yaml


def test_title_and_file_names_are_enough(game):
    folder = game()
    (file,) = folder.manifest.files
    source = folder.source(file, TEXT)
    assert (folder.slug, folder.manifest.title, file.name) == ("made", "Made", "rules.txt")
    assert (source.file, source.title, source.kind) == (
        "made/rules.txt",
        "Made Rulebook",
        "rulebook",
    )
    assert source.sha256 == hashlib.sha256(TEXT.encode()).hexdigest()


def test_a_faq_without_a_title_is_called_one(game):
    folder = game({"game.yaml": "title: Made\nfiles: [{name: rules.txt, kind: faq}]\n"})
    assert folder.source(folder.manifest.files[0], TEXT).title == "Made FAQ"


@pytest.mark.parametrize("title", ["1830", "7.5", "2031-04-02"])
def test_a_title_that_yaml_reads_as_a_number_or_date_is_taken_as_written(game, title):
    folder = game({"game.yaml": f"title: {title}\nfiles: [{{name: rules.txt, updated: {title}}}]"})
    assert folder.manifest.title == folder.manifest.files[0].updated == title


@pytest.mark.parametrize(
    ("yaml", "told"),
    [
        ("title: [Made\n", r"game\.yaml is not YAML: .*line"),
        ("title: Made\nfiles: [rules.txt]\neditoin: 2\n", r"editoin: Extra inputs are not perm"),
        ("title: Made\nfiles: [{name: rules.txt, ttle: X}]", r"files\.0\.ttle: Extra inputs"),
        ("files: [rules.txt]\n", r"title: Field required"),
        ("title: Made\n", r"files: Field required"),
        ("title: Made\nfiles: rules.txt\n", r"files: .*valid tuple"),
        ("title: Made\nfiles: []\n", r"files: Tuple should have at least 1 item"),
        ("title: true\nfiles: [rules.txt]\n", r"title: .*valid string \(got True\)"),
        ("- Made\n", r"the whole: .*\(got \['Made'\]\)"),
        ("", r"the whole: .*\(got None\)"),
        ("title: Made\nfiles: [{name: rules.txt, kind: novel}]", r"kind: .*'rulebook' or 'faq'"),
        (
            "title: Made\nfiles: [{name: rules.txt, grade: best}]",
            r"grade: .*'rulebook', 'designer'",
        ),
        ("title: Made\nfiles: [../rules.txt]\n", r"inside the game's folder \(got '../rules"),
        ("title: Made\nfiles: [/etc/rules.txt]\n", r"inside the game's folder \(got '/etc"),
        ("title: Made\nfiles: [sub/../../rules.txt]\n", r"inside the game's folder"),
        ('title: Made\nfiles: ["rules\\0.txt"]\n', r"inside the game's folder"),
        (
            "title: Made\nfiles: [{name: rules.txt, headings: ../h.jsonl}]",
            r"headings: .*inside the game's folder",
        ),
        ("title: Made\nfiles: [rules.txt, rules.md]\n", r"two files are called rules,"),
        ("title: Made\nfiles: [rules.txt, rules.txt]\n", r"two files are called rules,"),
    ],
)
def test_a_wrong_game_yaml_is_refused(game, yaml, told):
    with pytest.raises(CorpusError, match=told) as caught:
        game({"game.yaml": yaml})
    assert "made/game.yaml" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_game_yaml_that_is_no_text_is_refused(game):
    with pytest.raises(CorpusError, match=r"game\.yaml is not YAML"):
        game({"game.yaml": b"title: \xff\xfe\n"})


@pytest.mark.parametrize("slug", ["Made", "made_up", "m\u00e9lange", "two games", "made--up"])
def test_the_folder_of_a_game_is_named_in_small_letters(game, slug):
    with pytest.raises(CorpusError, match="small letters, digits and hyphens, such as winter-rab"):
        game(slug=slug)


# ----------------------------------------------------------------------- texts


def test_a_text_is_read_byte_for_byte(game):
    folder = game({"rules.txt": b"\xef\xbb\xbfA\r\nB\r\n\tC\n\n"})
    assert folder.read(folder.manifest.files[0]) == "\ufeffA\r\nB\r\n\tC\n\n"


def test_a_missing_text_is_told(write_game):
    folder = open_game(write_game("made", {"game.yaml": PLAIN["game.yaml"]}))
    with pytest.raises(CorpusError, match=r"rules\.txt can't be read \(No such file.*put the file"):
        read_game(folder)


def test_a_text_that_is_not_utf8_is_told_with_the_place(game):
    with pytest.raises(CorpusError, match=r"rules\.txt is not UTF-8 \(byte 4\); save it as UTF-8"):
        read_game(game({"rules.txt": b"Win \xe9\n"}))


def test_a_format_that_is_not_known_is_refused(game):
    with pytest.raises(CorpusError, match=r"can't read \.pdf; give a text or Markdown file such"):
        read_game(game({"game.yaml": "title: Made\nfiles: [rules.pdf]\n", "rules.pdf": "x"}))


def test_a_file_without_an_ending_is_refused(game):
    with pytest.raises(CorpusError, match="can't read a file without an ending"):
        read_game(game({"game.yaml": "title: Made\nfiles: [rules]\n", "rules": "x"}))


@pytest.mark.parametrize(
    "pinned",
    [
        {"sha256": hashlib.sha256(b"another text").hexdigest()},
        {"size": len(TEXT) + 1},
        {"size": len(TEXT), "sha256": "0" * 64},
    ],
)
def test_a_text_that_changed_on_disk_is_told(game, pinned):
    manifest = {"title": "Made", "files": [{"name": "rules.txt", **pinned}]}
    with pytest.raises(
        TextChangedError, match=rf"rules\.txt changed on disk: {len(TEXT)} bytes .*Put the old text"
    ):
        read_game(game({"game.yaml": json.dumps(manifest)}))


def test_a_text_that_is_as_pinned_is_read(game):
    pinned = {"size": len(TEXT), "sha256": hashlib.sha256(TEXT.encode()).hexdigest()}
    manifest = {"title": "Made", "files": [{"name": "rules.txt", **pinned}]}
    assert read_game(game({"game.yaml": json.dumps(manifest)})).passages


@pytest.mark.parametrize("text", ["", "  \n\t\n", "\ufeff", "# One\n\n# Two\n"])
def test_a_text_without_words_that_answer_is_told(game, text):
    manifest = "title: Made\nfiles: [rules.md]\n"
    with pytest.raises(CorpusError, match=r"rules\.md holds nothing that can answer a question"):
        read_game(game({"game.yaml": manifest, "rules.md": text}))


def test_the_grade_of_a_text_can_be_set(game):
    def grade(entry):
        files = {"game.yaml": f"title: Made\nfiles: [{{name: rules.txt, {entry}}}]\n"}
        (passage,) = read_game(game(files, slug=f"g{len(entry)}")).passages
        return passage.grade

    assert grade("kind: rulebook") is Grade.RULEBOOK
    assert grade("kind: faq") is Grade.NONE
    assert grade("kind: faq, grade: publisher") is Grade.PUBLISHER


# -------------------------------------------------------------------- sidecars


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"quote": "tallest"', r"questions\.jsonl, line 2: not JSON"),
        ('{"open": ["q"], "qoute": "x"}', r"questions\.jsonl, line 2: quote: Field required"),
        (
            '{"quote": "tallest", "open": ["q"], "maybe": ["r"]}',
            r"questions\.jsonl, line 2: maybe: Extra inputs",
        ),
        (
            '{"quote": "tallest", "question": "q"}',
            r"questions\.jsonl, line 2: question: Extra inputs",
        ),
        ('{"quote": "tallest", "yes": "q"}', r"line 2: yes: .*valid tuple \(got 'q'\)"),
        ('{"quote": "tallest", "no": [7]}', r"line 2: no\.0: .*valid string \(got 7\)"),
        (
            '{"quote": "tallest", "open": ["q"], "occurrence": 0}',
            r"line 2: occurrence: .*greater than or equal to 1 \(got 0\)",
        ),
        (
            '{"quote": "tallest", "open": ["q"], "occurrence": 2}',
            r'questions\.jsonl quotes "tallest" \(occurrence 2\), which the text does not hold',
        ),
        (
            '{"quote": "shortest tower", "open": ["q"]}',
            r'questions\.jsonl quotes "shortest tower", which the text does not hold; copy the',
        ),
        ('{"quote": "", "no": ["q"]}', r'questions\.jsonl quotes "", which the text does not'),
        (
            '{"quote": "Winning", "yes": ["q"]}',
            r'quotes "Winning", which is a heading or is left out; quote words that answer',
        ),
        (
            '{"quote": "tallest", "open": ["q"], "file": "other.txt"}',
            r"names other\.txt, which game\.yaml does not list",
        ),
    ],
)
def test_a_wrong_line_of_questions_is_refused(game, line, told):
    with pytest.raises(CorpusError, match=told):
        read_game(game({"questions.jsonl": f"\n{line}\n"}))


def test_questions_that_are_not_utf8_are_refused(game):
    with pytest.raises(CorpusError, match=r"questions\.jsonl is not UTF-8 \(byte 11\)"):
        read_game(game({"questions.jsonl": b'{"quote": "\xff"}'}))


def test_a_line_separator_inside_a_question_ends_no_line(game):
    row = json.dumps({"quote": "tallest", "open": ["who\u2028wins"]}, ensure_ascii=False)
    assert game({"questions.jsonl": row}).questions()[0].open == ("who\u2028wins",)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"why": "open"', r"gaps\.jsonl, line 2: not JSON"),
        (
            '{"why": "lost", "look": "There.", "questions": ["q"]}',
            r"line 2: why: .*'printed-only', 'not-described', 'open' or 'general' \(got 'lost'\)",
        ),
        ('{"look": "There.", "questions": ["q"]}', r"gaps\.jsonl, line 2: why: Field required"),
        ('{"why": "open", "questions": ["q"]}', r"gaps\.jsonl, line 2: look: Field required"),
        ('{"why": "open", "look": "There."}', r"gaps\.jsonl, line 2: questions: Field required"),
        (
            '{"why": "open", "look": "There.", "questions": []}',
            r"line 2: questions: Tuple should have at least 1 item",
        ),
        (
            '{"why": "open", "look": "There.", "questions": ["q"], "quote": "tallest"}',
            r"line 2: quote: Extra inputs are not permitted \(got 'tallest'\)",
        ),
        ("[]", r"gaps\.jsonl, line 2: the whole: "),
    ],
)
def test_a_wrong_line_of_gaps_is_refused(game, line, told):
    with pytest.raises(CorpusError, match=told) as caught:
        read_game(game({"gaps.jsonl": f"\n{line}\n"}))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("why", ["printed-only", "not-described", "open", "general"])
def test_each_kind_of_gap_is_taken(game, why):
    row = json.dumps({"why": why, "look": "There.", "questions": ["how low", "how high"]})
    gaps = read_game(game({"gaps.jsonl": f"{row}\n\n"})).game.gaps
    assert [(gap.text, gap.why, gap.look) for gap in gaps] == [
        ("how low", why, "There."),
        ("how high", why, "There."),
    ]


@pytest.mark.parametrize(
    ("yaml", "told"),
    [
        ("terms: [Made\n", r"terms\.yaml is not YAML: .*line"),
        ("- tower\n", r"terms\.yaml: the whole: "),
        ("names: {tower: [spire]}\n", r"terms\.yaml: names: Extra inputs"),
        ("terms: [tower]\n", r"terms\.yaml: terms: .*valid dictionary"),
        ("terms: {tower: spire}\n", r"terms\.yaml: terms\.tower: .*valid tuple"),
        ("terms: {tower: [spire, 7]}\n", r"terms\.yaml: terms\.tower\.1: .*valid string"),
        ("terms: {7: [seven]}\n", r"terms\.yaml: terms\.7.*valid string"),
    ],
)
def test_wrong_terms_are_refused(game, yaml, told):
    with pytest.raises(CorpusError, match=told) as caught:
        read_game(game({"terms.yaml": yaml}))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("yaml", ["", "# none yet\n", "terms: {}\n"])
def test_a_file_without_terms_is_taken(game, yaml):
    assert read_game(game({"terms.yaml": yaml})).game.terms == ()


def test_terms_keep_their_order(game):
    yaml = "terms:\n  tower: [spire, big one]\n  mason: [builder]\n"
    assert read_game(game({"terms.yaml": yaml})).game.terms == (
        ("tower", ("spire", "big one")),
        ("mason", ("builder",)),
    )


def test_a_game_needs_no_sidecars(game):
    made = read_game(game())
    assert (made.known, made.game.gaps, made.game.terms, made.game.notes) == ((), (), (), ())


@pytest.mark.parametrize(
    ("yaml", "told"),
    [
        ("- id: x\n", r"notes\.yaml: wants `notes:` and a list below it"),
        ("notes: none\n", r"notes\.yaml: wants `notes:`"),
        ("notes: [{id: x, kind: gap, says: s}]", r"notes\.yaml: quotes: Field required"),
        (
            "notes: [{id: low, kind: gap, says: s, quotes: [shortest]}]",
            r'notes\.yaml, low, quotes "shortest", which the text does not hold',
        ),
        (
            "notes: [{id: x, kind: gap, says: s, quotes: [{quote: Winning, side: a}]}]",
            r'notes\.yaml, x, quotes "Winning", which no single passage holds; quote a sentence',
        ),
        ("notes: [{id: x, kind: gap, says: s, quotes: none}]", r"quotes: .*valid tuple"),
        (
            "notes: [{id: x, kind: gap, says: s, quotes: [{quote: tallest, occurrence: 2}]}]",
            r'quotes "tallest" \(occurrence 2\), which the text does not hold',
        ),
    ],
)
def test_wrong_notes_are_refused(game, yaml, told):
    with pytest.raises(CorpusError, match=told):
        read_game(game({"notes.yaml": yaml}))


def test_headings_that_game_yaml_names_must_be_there(game, made_up):
    files = {**made_up["moss-court"]}
    del files["headings.jsonl"]
    with pytest.raises(CorpusError, match=r"headings\.jsonl can't be read"):
        read_game(game(files))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda rows: rows[:-1], "9 headings for 10 entries; give one line an entry"),
        (
            lambda rows: [rows[1], rows[0], *rows[2:]],
            'heading 2 quotes "No. A toad", but that entry begins "A petition is heard',
        ),
    ],
)
def test_headings_must_fit_the_page(game, made_up, change, told):
    rows = made_up["moss-court"]["headings.jsonl"].splitlines()
    with pytest.raises(CorpusError, match=told):
        read_game(game({**made_up["moss-court"], "headings.jsonl": "\n".join(change(rows))}))


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ({"contents": ["no such words"]}, r'contents quotes "no such words", which the text'),
        (
            {"displaced": [{"quote": "absent", "section": "Winning", "after": "wins."}]},
            r'displaced quotes "absent", which the text',
        ),
        (
            {"displaced": [{"quote": "tallest", "section": "Losing", "after": "wins."}]},
            r'displaced: no section "Losing" holds "wins\."',
        ),
        ({"marks": [{"kind": "flavour", "quote": "dragons"}]}, r'marks quotes "dragons", which'),
    ],
)
def test_what_game_yaml_quotes_must_stand_in_the_text(game, entry, told):
    manifest = {"title": "Made", "files": [{"name": "rules.txt", **entry}]}
    with pytest.raises(CorpusError, match=told):
        read_game(game({"game.yaml": json.dumps(manifest)}))


# ------------------------------------------------------------------- discovery


def test_games_are_found_beside_the_shipped_ones(corpus):
    assert set(discover(str(corpus))) - set(discover()) == {"gravelbound", "moss-court", "tidewick"}


def test_a_folder_that_is_a_game_can_be_given_itself(corpus):
    assert "tidewick" in discover(str(corpus / "tidewick"))
    assert "gravelbound" not in discover(str(corpus / "tidewick"))


def test_several_folders_are_separated_as_in_path(write_game, tmp_path):
    write_game("one", PLAIN, tmp_path / "a")
    write_game("two", PLAIN, tmp_path / "b")
    found = discover(os.pathsep.join([str(tmp_path / "a"), "", str(tmp_path / "b")]))
    assert {"one", "two", "root"} <= set(found)


def test_two_games_of_one_name_are_refused(write_game, tmp_path):
    write_game("one", PLAIN, tmp_path / "a")
    write_game("one", PLAIN, tmp_path / "b")
    with pytest.raises(CorpusError, match=r"Two games are called one: .*/a/one and .*/b/one; ren"):
        discover(os.pathsep.join([str(tmp_path / "a"), str(tmp_path / "b")]))


def test_a_game_may_not_take_the_name_of_a_shipped_one(write_game, tmp_path):
    write_game("root", PLAIN, tmp_path / "a")
    with pytest.raises(CorpusError, match="Two games are called root"):
        discover(str(tmp_path / "a"))


def test_a_folder_that_is_given_twice_is_one(corpus):
    assert discover(os.pathsep.join([str(corpus), str(corpus)])) == discover(str(corpus))


def test_a_folder_that_is_not_there_is_told(tmp_path):
    with pytest.raises(CorpusError, match=r"RULESPAL_CORPUS_DIR names .*/nowhere, which is no fol"):
        discover(str(tmp_path / "nowhere"))


def test_a_folder_without_any_game_is_told(tmp_path):
    with pytest.raises(CorpusError, match=r"which holds no game; put a folder with a game\.yaml"):
        discover(str(tmp_path))


def test_the_shipped_corpus_is_there():
    assert (shipped_corpus() / "root" / "game.yaml").is_file()


def test_without_a_package_of_texts_those_beside_the_code_are_taken(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    assert (shipped_corpus() / "root" / "game.yaml").is_file()


def test_an_installation_without_texts_is_told(monkeypatch, tmp_path):
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    monkeypatch.setattr(manifest, "__file__", str(tmp_path / "ingest" / "manifest.py"))
    with pytest.raises(CorpusError, match="The shipped corpus is missing; install RulesPal again"):
        discover()


# ----------------------------------------------------------------- fingerprint


@pytest.mark.parametrize(
    "name",
    [
        "game.yaml",
        "faq.txt",
        "headings.jsonl",
        "notes.yaml",
        "questions.jsonl",
        "gaps.jsonl",
        "terms.yaml",
    ],
)
def test_each_file_that_is_read_changes_the_fingerprint(game, made_up, name):
    folder = game(made_up["moss-court"])
    before = folder.fingerprint()
    path = folder.path / name
    path.write_bytes((path.read_bytes() if path.exists() else b"") + b"\n")
    assert folder.fingerprint() != before


def test_other_files_do_not_change_the_fingerprint(game):
    folder = game()
    before = folder.fingerprint()
    (folder.path / "README.md").write_text("not read", "utf-8")
    assert folder.fingerprint() == before
