"""The shape of the code: whose the names are, what imports load, how long modules are."""

import ast
import importlib.metadata
import json
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1]
NAMES = ("api", "ingest", "rag", "ui")
MODULES = sorted(
    path for name in (*NAMES, "evals") for path in (PROJECT / name).rglob("*.py") if path.is_file()
)
HEAVY = {"chromadb", "torch", "sentence_transformers", "transformers", "numpy", "bm25s", "pydantic"}


def title(path):
    return path.relative_to(PROJECT).as_posix()


def installed():
    try:
        importlib.metadata.distribution("rulespal")
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


@pytest.mark.skipif(
    not installed(), reason="rulespal is not installed as a distribution, so owns no names"
)
@pytest.mark.parametrize("name", NAMES)
def test_the_name_of_a_package_belongs_to_rulespal_alone(name):
    assert set(importlib.metadata.packages_distributions()[name]) == {"rulespal"}


def loaded_by(statement):
    """The modules that a fresh interpreter holds after a statement."""
    code = f"{statement}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    run = subprocess.run(  # noqa: S603 - our own code
        [sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=True
    )
    return {name.partition(".")[0] for name in json.loads(run.stdout)}


@pytest.mark.parametrize("module", ["rag", "rag.records", "rag.errors"])
def test_the_types_and_errors_load_no_heavy_library(module):
    assert not loaded_by(f"import {module}") & HEAVY


@pytest.mark.parametrize("module", ["ingest.texts", "rag.settings", "rag.language", "rag.scope"])
def test_reading_texts_loads_neither_model_nor_index(module):
    heavy = {"chromadb", "torch", "sentence_transformers", "transformers"}
    assert not loaded_by(f"import {module}") & heavy


def test_the_engine_loads_no_model_library_before_a_model_is_wanted():
    assert not loaded_by("import rag.engine") & {"torch", "sentence_transformers"}


@pytest.mark.parametrize(
    "path",
    MODULES,
    ids=title,
)
def test_a_module_is_at_most_300_lines_long(path):
    assert len(path.read_text("utf-8").splitlines()) <= 300


@pytest.mark.parametrize("path", MODULES, ids=title)
def test_what_is_public_is_documented_and_annotated(path):
    tree = ast.parse(path.read_text("utf-8"))
    assert ast.get_docstring(tree)
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    scopes = [tree, *(node for node in classes if not node.name.startswith("_"))]
    for node in (node for scope in scopes for node in scope.body):
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        if isinstance(node, kinds) and not node.name.startswith("_"):
            assert ast.get_docstring(node), f"{node.name} is not documented"
            assert isinstance(node, ast.ClassDef) or node.returns, f"{node.name} is not annotated"


@pytest.mark.parametrize("path", MODULES, ids=title)
def test_no_module_hides_one_of_the_standard_library(path):
    assert path.stem not in sys.stdlib_module_names


def test_no_init_below_tests():
    # it would make `rag` mean the tests of rag
    assert not list((PROJECT / "tests").rglob("__init__.py"))


def test_no_pages_folder_in_the_ui():
    # it would switch on Streamlit's automatic pages
    assert not (PROJECT / "ui" / "pages").exists()


@pytest.mark.parametrize(
    ("library", "owners"),
    [
        ("chromadb", {"rag/store.py", "rag/faults.py"}),
        ("sentence_transformers", {"rag/embed.py"}),
        ("bm25s", {"rag/lexical.py"}),
        ("langchain", {"rag/writer.py"}),
    ],
)
def test_a_heavy_library_is_imported_by_its_owners_alone(library, owners):
    found = set()
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            if any(name.partition(".")[0] == library for name in names):
                found.add(title(path))
    assert {name for name in found if not name.startswith("evals/")} == owners
