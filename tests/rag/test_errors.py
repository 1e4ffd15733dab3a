import inspect
import re

import pytest

from rag import errors
from rag.errors import CorpusError, RulesPalError, TextChangedError

CLASSES = [kind for _, kind in inspect.getmembers(errors, inspect.isclass)]


def test_the_tree_at_the_top_shows_every_error():
    drawn = re.findall(r"^(?:[│ ]*[├└]── )?(\w+Error)\b", errors.__doc__, re.MULTILINE)
    assert sorted(drawn) == sorted(kind.__name__ for kind in CLASSES)


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_one_except_catches_each(kind):
    assert issubclass(kind, RulesPalError)
    assert kind.__doc__


def test_a_changed_text_is_an_error_of_the_corpus():
    assert issubclass(TextChangedError, CorpusError)
