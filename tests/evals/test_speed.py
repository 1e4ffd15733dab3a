import pytest

from evals.processes import ChildError, interleaved, measure, python
from evals.speed import Pair, as_table, clock, turns


def test_a_child_is_timed_and_weighed():
    cost = measure(python("import time; x = bytearray(60_000_000); time.sleep(0.05)"))
    assert cost.seconds > 0.05
    assert cost.megabytes > 60


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("raise SystemExit(3)", "failed with code 3: it said nothing"),
        ("raise ValueError('bad number')", "failed with code 1: ValueError: bad number"),
    ],
)
def test_a_child_that_fails_is_told(code, message):
    with pytest.raises(ChildError, match=message):
        measure(python(code))


def test_a_child_that_found_nothing_counts():
    assert measure(python("raise SystemExit(1)")).seconds > 0


def test_children_take_turns(tmp_path):
    log = tmp_path / "log"
    code = f"import pathlib; pathlib.Path({str(log)!r}).open('a').write"
    costs = interleaved({name: python(f"{code}({name!r})") for name in "ab"}, runs=2)
    assert log.read_text() == "ababab"
    assert set(costs) == {"a", "b"}


def test_calls_take_turns_after_warming_up():
    seen = []
    calls = {name: lambda value, name=name: seen.append((name, value)) for name in "ab"}
    spent = turns(calls, [1, 2, 3], warm=1)
    expected = [(name, value) for value in (1, 1, 2, 3) for name in "ab"]
    assert seen == expected
    assert [len(values) for values in spent.values()] == [3, 3]


def test_the_table_shows_the_ratio():
    pair = Pair(what="question, p50", ours=30, against="bare encoding", theirs=20, unit="ms")
    assert as_table([pair]).splitlines()[1].split()[-4:] == ["30.0", "20.0", "ms", "1.50"]


def test_clock():
    assert clock(lambda: None) >= 0
