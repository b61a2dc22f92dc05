"""Shared by the proofs that the field's own packages read what manybody writes, and the other way round."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]


class Command:
    """The command `manybody`."""

    def __init__(self, path):
        self.path = str(Path(path).resolve())

    def __call__(self, *args, status=0, **kwargs):
        """Runs it, checks the exit status, and returns the finished process."""
        command = [self.path, *map(str, args)]
        kwargs.setdefault("timeout", 60)
        done = subprocess.run(command, capture_output=True, text=True, **kwargs)
        assert "panicked" not in done.stderr, done.stderr
        assert done.returncode == status, f"{command}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    def info(self, path, *args, status=0):
        return json.loads(self("info", path, "--json", *args, status=status).stdout)

    def columns(self, path, *args):
        """Reads any file through manybody, as a dictionary of columns."""
        out = Path(path).with_suffix(".columns.csv")
        self("convert", path, out, "--force", *args)
        with open(out) as file:
            lines = [line for line in file if not line.startswith("#")]
        names = [name.split(" [")[0] for name in lines[0].strip().split(",")]
        rows = [[float(word) if word.strip() else np.nan for word in line.split(",")] for line in lines[1:]]
        table = np.array(rows).reshape(len(rows), len(names))
        return dict(zip(names, table.T))


@pytest.fixture(scope="session")
def manybody():
    path = os.environ.get("MANYBODY_BIN", ROOT / "target/debug/manybody")
    if not Path(path).is_file():
        pytest.fail(f"{path} is missing: build it, or set MANYBODY_BIN")
    return Command(path)


class Stars:
    """Bodies that a test makes up: every number is different from all others."""

    def __init__(self, n, seed=1):
        random = np.random.default_rng(seed)
        self.n = n
        self.mass = random.uniform(0.5, 1.5, n)
        self.position = random.normal(size=(n, 3))
        self.velocity = random.normal(size=(n, 3))
        self.id = np.arange(n) * 3 + 7

    def csv(self, path, units=None, time=0.375, kinds=None):
        """Writes them as CSV, to the last bit."""
        with open(path, "w") as file:
            print(f"# time = {time!r}", file=file)
            if units:
                print(f"# units = {units}", file=file)
            print("id,mass,x,y,z,vx,vy,vz" + (",kind" if kinds is not None else ""), file=file)
            for i in range(self.n):
                row = [self.mass[i], *self.position[i], *self.velocity[i]]
                words = [str(self.id[i]), *(repr(float(value)) for value in row)]
                if kinds is not None:
                    words.append(str(kinds[i]))
                print(",".join(words), file=file)
        return path


@pytest.fixture
def stars():
    return Stars
