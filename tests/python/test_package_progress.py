"""Bars of runs and sweeps: they move as steps are made, and change no bits."""

import sys
import types
import warnings

import numpy as np
import pytest

mb = pytest.importorskip("manybody", reason="the package is not installed: pip install .")


class Bar:
    """A bar of tqdm that notes its values."""

    made = []

    def __init__(self, total, initial=0, **_):
        self.total, self.n, self.values, self.closed = total, initial, [], False
        Bar.made.append(self)

    def update(self, by=1):
        self.n += by
        self.values.append(self.n)

    def close(self):
        self.closed = True


@pytest.fixture
def bars(monkeypatch):
    Bar.made = []
    module = types.ModuleType("tqdm.auto")
    module.tqdm = Bar
    monkeypatch.setitem(sys.modules, "tqdm", types.ModuleType("tqdm"))
    monkeypatch.setitem(sys.modules, "tqdm.auto", module)
    return Bar.made


def simulation():
    return mb.Simulation(mb.ic.plummer(100, seed=3), dt="1/64", eps=0.05, device="cpu")


def test_the_bar_of_a_run_moves_between_stops_and_changes_no_bits(bars):
    quiet = simulation().advance(1.0)
    sim = simulation()
    assert [s.time for s in sim.run(to=1.0, every=0.5, progress=True)] == [0.5, 1.0]
    assert np.array_equal(sim.bodies.x, quiet.bodies.x) and sim.step == quiet.step == 64
    (bar,) = bars
    # the first step alone, then two steps, ... : several values before the first stop
    assert bar.total == 1.0 and bar.values[0] == 1 / 64 and len([v for v in bar.values if v < 0.5]) >= 3
    assert bar.values == sorted(bar.values) and bar.values[-1] == 1.0 and bar.closed
    sim.advance(1.25, progress=True)
    assert bars[1].total == 0.25 and bars[1].values[-1] == 0.25 and bars[1].closed


def square(x):
    return x * x


def test_the_bar_of_a_sweep_counts_points(bars, tmp_path):
    mb.sweep(square, x=[1, 2], processes=0, file=tmp_path / "rows.jsonl")
    mb.sweep(square, x=[1, 2, 3, 4], processes=0, file=tmp_path / "rows.jsonl", progress=True)
    (bar,) = bars
    assert bar.total == 4 and bar.values == [3, 4] and bar.closed


def test_without_tqdm_a_warning_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.warns(RuntimeWarning, match="progress: tqdm is not installed"):
        assert simulation().advance(0.25, progress=True).time == 0.25
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("default")
        for _ in range(3):
            simulation().advance(0.25, progress=True)
    assert len(found) == 1


def test_a_bar_of_tqdm_itself(capsys):
    pytest.importorskip("tqdm")
    simulation().advance(0.25, progress=True)
    assert "0.25/0.25" in capsys.readouterr().err
