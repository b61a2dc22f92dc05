"""docs/python.md: its blocks of code run in their order, and its messages are those of the package."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

mb = pytest.importorskip("manybody", reason="the package is not installed: pip install .")

DOCUMENT = (Path(__file__).resolve().parents[2] / "docs/python.md").read_text()
BLOCKS = re.findall(r"^```python\n(.*?)^```$", DOCUMENT, re.MULTILINE | re.DOTALL)
SCRIPTS = [block for block in BLOCKS if "__main__" in block]


def test_the_blocks_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "document"}
    for k, block in enumerate(block for block in BLOCKS if block not in SCRIPTS):
        exec(compile(block, f"docs/python.md, block {k}", "exec"), names)
    # 10,000 charges about the origin: the noise of their mean place is 0.01 / 5 of the potential
    assert np.allclose(names["there"], [10_000 / 5, 10_000 / 6], rtol=0.01)
    # the 99th percentile of the error is what was asked for
    assert np.quantile(np.abs(names["fast"] / names["p"] - 1), 0.99) <= 1e-5
    # a tenth of the bodies beside all of them, by NumPy
    away = np.linalg.norm(names["x"][:1000, None] - names["x"][None], axis=2)
    away[np.arange(1000), np.arange(1000)] = np.inf
    # the rounding of three squares, a sum and a root
    assert np.allclose(names["found"].r[:1000], away.min(axis=1), rtol=1e-15, atol=0)
    assert np.array_equal(names["found"].n[:1000], (away < 0.1).sum(axis=1))
    # the rounding of a sum of 10,000 terms
    assert np.allclose(names["a"], names["both"].acceleration, rtol=0, atol=2e-12)
    assert np.array_equal(names["again"].x, names["cluster"].x)
    assert names["sim"].time == 0.5 and names["out"].end == "finished"
    assert "ended 1.0" in capsys.readouterr().out


@pytest.mark.parametrize("block", SCRIPTS)
def test_a_script_runs(block, tmp_path):
    (tmp_path / "script.py").write_text(block)
    subprocess.run([sys.executable, "script.py"], cwd=tmp_path, check=True)
    assert len((tmp_path / "drift.jsonl").read_text().splitlines()) == 20


def test_there_are_blocks():
    assert len(BLOCKS) >= 7 and len(SCRIPTS) == 1


def test_the_messages_are_those_of_the_package():
    x = np.arange(12.0).reshape(4, 3)
    not_finite = np.where(x == 5, np.nan, x)
    for arguments in ({"x": x, "m": np.ones(5)}, {"x": not_finite, "m": 1.0}, {"x": x, "m": 1.0, "precision": "f46"}):
        with pytest.raises(mb.InputError) as found:
            mb.accelerations(**arguments)
        assert f"\n{found.value}\n" in DOCUMENT
