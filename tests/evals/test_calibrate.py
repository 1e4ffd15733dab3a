from dataclasses import replace

import pytest

from evals.calibrate import data_hash
from rag.engine import load_calibration
from rag.settings import Settings


def test_the_hash_tells_the_index_that_was_fitted_on(engine):
    other = replace(engine, serving={**engine.serving, "tidewick": "other"})
    assert data_hash(engine) == data_hash(replace(engine)) != data_hash(other)


@pytest.mark.model
def test_the_confidence_was_fitted_on_the_shipped_texts_questions_and_model(real_engine):
    assert load_calibration(Settings()).data == data_hash(real_engine)
