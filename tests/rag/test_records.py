import dataclasses

import pytest
from pydantic import TypeAdapter

from rag import records
from rag.answer import answer
from rag.records import Answer, Grade, Question

TYPES = [
    value
    for value in vars(records).values()
    if dataclasses.is_dataclass(value) and value.__module__ == records.__name__
]


def test_grades_are_ordered_best_first():
    assert [grade.value for grade in sorted(Grade, key=lambda grade: grade.rank)] == [
        "rulebook",
        "designer",
        "publisher",
        "community-many",
        "community-best-reading",
        "community-one",
        "disputed",
        "none",
    ]


def test_rulebook_designer_and_publisher_are_official():
    assert [grade for grade in Grade if grade.official] == [
        Grade.RULEBOOK,
        Grade.DESIGNER,
        Grade.PUBLISHER,
    ]


@pytest.mark.parametrize("kind", TYPES, ids=lambda kind: kind.__name__)
def test_records_are_frozen_small_and_named_by_keyword(kind):
    assert kind.__dataclass_params__.frozen
    assert hasattr(kind, "__slots__")
    assert all(field.kw_only for field in dataclasses.fields(kind))


@pytest.mark.parametrize(
    "text", ["Can a heron carry the crown over the pond?", "How many slabs to finish with 4?"]
)
def test_an_answer_survives_json(engine, text):
    adapter = TypeAdapter(Answer)
    made = answer(Question(text=text, game="moss-court"), engine)
    assert adapter.validate_json(adapter.dump_json(made)) == made


def test_the_answer_has_the_fields_of_the_contract():
    names = {field.name for field in dataclasses.fields(Answer)}
    assert names >= {
        "id", "game", "question", "history", "status", "polarity", "text", "citations", "verdict",
        "conflicts", "confidence", "retrieved", "writer", "fingerprint", "elapsed_ms",
    }  # fmt: skip
