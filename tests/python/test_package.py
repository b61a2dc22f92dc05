"""The package `manybody`: its types, its documentation, its command, and calls that are interrupted, threaded and
forked."""

import doctest
import hashlib
import importlib
import multiprocessing
import os
import pkgutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

mb = pytest.importorskip("manybody", reason="the package is not installed: pip install .")

ROOT = Path(__file__).resolve().parents[2]
# PyTorch and JAX may not be here
MODULES = [
    m.name
    for m in pkgutil.iter_modules(mb.__path__, "manybody.")
    if m.name not in ("manybody._native", "manybody._torch", "manybody._jax")
]


@pytest.mark.parametrize("name", ["manybody", *MODULES])
def test_examples_in_the_documentation(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    module = importlib.import_module(name)
    failed, _ = doctest.testmod(module)
    assert failed == 0


def test_everything_public_is_documented_with_an_example():
    for name in mb.__all__:
        value = getattr(mb, name)
        assert value.__doc__, name
        if callable(value) and not isinstance(value, type):
            assert ">>>" in value.__doc__, f"{name} has no example"


def test_types():
    pytest.importorskip("mypy")
    run = [sys.executable, "-m"]
    checked = subprocess.run(
        [*run, "mypy", "--config-file", ROOT / "pyproject.toml", "-p", "manybody"],
        capture_output=True,
        text=True,
        cwd=ROOT / "tests",
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
    stubs = subprocess.run(
        [*run, "mypy.stubtest", "manybody._native"], capture_output=True, text=True, cwd=ROOT / "tests"
    )
    assert stubs.returncode == 0, stubs.stdout + stubs.stderr


def test_types_of_keywords(tmp_path):
    pytest.importorskip("mypy")
    wrong = {
        "mb.Simulation(mb.ic.king(10, w0=5, mass=1, length=1), esp=1)": "esp",
        "mb.Simulation(mb.ic.king(10), eps=1, device=3)": "device",
        "mb.run(ic='king', snapshot_evry=1)": "snapshot_evry",
        "mb.ic.king(10, w=5)": "w",
        "mb.ic.solar_system(seed=1)": "seed",
        "mb.accelerations(1, 1, presision='f32')": "presision",
    }
    right = ["mb.Simulation(mb.ic.disc(9, toomre_q=2), dt='1/64', eps=0.1, par={'k': 1}, audit=1).run(to=1, every=0.5)"]
    right += ["mb.run('a.toml', n=10, out='b.hdf5')", "mb.ic.collision(9, model='king', w0=3, pericenter=1)"]
    script = tmp_path / "calls.py"
    script.write_text("\n".join(["import manybody as mb", *wrong, *right]))
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml", "--no-pretty", script],
        capture_output=True,
        text=True,
        cwd=ROOT / "tests",
    )
    errors = [line for line in done.stdout.splitlines() if ": error: " in line]
    assert len(errors) == len(wrong), done.stdout + done.stderr
    for error, word in zip(errors, wrong.values()):
        assert f'"{word}"' in error, error


def test_the_wheel_carries_the_command(manybody, tmp_path):
    program = Path(sys.executable).with_name("manybody")
    if not program.is_file():
        pytest.skip("the package is here without its command, as a folder")
    for arguments, status in [(["--version"], 0), (["ic", "plummr", "-o", tmp_path / "b.csv"], 2)]:
        ours, theirs = (
            subprocess.run([path, *map(str, arguments)], capture_output=True, text=True)
            for path in (program, manybody.path)
        )
        assert (ours.returncode, ours.stdout, ours.stderr) == (theirs.returncode, theirs.stdout, theirs.stderr)
        assert ours.returncode == status


FORCES = "manybody.accelerations(x, np.ones(len(x)), eps=0.1, device='cpu')"
#: Its first forces, and its energy.
START = "manybody.Simulation(manybody.Bodies(np.ones(len(x)), x), eps=0.1, dt=0.1, device='cpu')"

#: Of all bodies: it is ended long before it has a result.
AUDIT = "manybody.audit(x, np.ones(len(x)), x, eps=0.1, sample=len(x), limit=1e9)"


def long_call(call):
    """A program that computes for minutes on any machine of today."""
    return (
        "import numpy as np, manybody, sys\n"
        "x = np.random.default_rng(1).normal(size=(1 << 21, 3))\n"
        "print('go', flush=True)\n"
        f"{call}\n"
    )


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("call", [FORCES, START, AUDIT], ids=["forces", "start", "audit"])
def test_ctrl_c_ends_a_long_call(call):
    process = subprocess.Popen(
        [sys.executable, "-c", long_call(call)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "go\n"
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    begin = time.monotonic()
    _, errors = process.communicate(timeout=60)
    # a signal waits 0.05 s, and for the tasks under way; a busy machine has some patience
    assert time.monotonic() - begin < 20
    assert errors.rstrip().endswith("KeyboardInterrupt"), errors


def test_other_threads_run_while_it_computes():
    rng = np.random.default_rng(1)
    x, m = rng.normal(size=(30_000, 3)), np.ones(30_000)
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    begin = time.monotonic()
    mb.accelerations(x, m, eps=0.01, device="cpu")
    end = time.monotonic()
    done.set()
    thread.join()
    # with the interpreter's lock there would be no tick but the first
    assert sum(begin < at < end for at in ticks) >= 5


def digest():
    rng = np.random.default_rng(1)
    x, m = rng.normal(size=(3000, 3)), np.ones(3000)
    return hashlib.sha256(mb.accelerations(x, m, eps=0.01, device="cpu").tobytes()).hexdigest()


def in_child(queue):
    queue.put(digest())


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="fork")
def test_a_forked_process_computes_the_same():
    here = digest()  # on the threads of this process
    fork = multiprocessing.get_context("fork")
    queue = fork.Queue()
    child = fork.Process(target=in_child, args=(queue,), daemon=True)
    child.start()
    # without threads of its own it would wait for those of its parent for ever
    assert queue.get(timeout=60) == here
    child.join(timeout=60)
    assert child.exitcode == 0


def test_errors_name_the_argument():
    x, m = np.random.default_rng(0).normal(size=(4, 3)), np.ones(4)
    bodies = mb.Bodies(m, x)
    for call, said in [
        (lambda: mb.accelerations(x, m, G=None), "G: "),
        (lambda: mb.accelerations(x, m, G=np.ones(2)), "G: an array with shape"),
        (lambda: mb.accelerations(x, m, precision=np.float32), "precision: .*must be a text"),
        (lambda: mb.ic.king(-1), "n: -1"),
        (lambda: mb.ic.king(1.5), "n: 1.5; must be a whole number"),
        (lambda: mb.ic.king(10, seed=-3), "seed: -3"),
        (lambda: mb.Bodies(m, x, id=[-1, 0, 1, 2]), "id: -1"),
        (lambda: mb.Bodies(m, x, id=[0.5, 0, 1, 2]), "id: an array of float64"),
        (lambda: mb.Bodies(m, x, kind=[9, 0, 1, 2]), "kind: 9"),
        (lambda: mb.Simulation(x), "bodies: ndarray"),
        (lambda: mb.Simulation(bodies, extra=3, dt=0.1, eps=0.1), "extra: 3"),
        (lambda: bodies.lagrangian_radii([1.5]), "fractions: 1.5"),
        (lambda: bodies.lagrangian_radii([np.nan]), "fractions: nan"),
        (lambda: bodies.lagrangian_radii([0.5], center=[0, 0]), "center: an array with shape"),
    ]:
        with pytest.raises(mb.InputError, match=said):
            call()
    with pytest.raises(FileNotFoundError) as caught:
        mb.read(Path("/nothing/there.hdf5"))
    assert caught.value.filename == "/nothing/there.hdf5"
