"""manybody.sweep: a grid of runs in processes, kept in a file and resumed."""

import concurrent.futures
import functools
import json
import multiprocessing.pool
import os
import signal
import subprocess
import sys
import time

import pytest

mb = pytest.importorskip("manybody", reason="the package is not installed: pip install .")


def drift(seed, dt):
    """A small run: its energy error, and the process that made it."""
    sim = mb.Simulation(mb.ic.plummer(64, seed=seed), dt=dt, eps=0.1).advance(0.25)
    return {"energy_error": sim.energy_error, "process": os.getpid()}


def picky(x, log):
    with open(log, "a") as calls:
        calls.write(f"{x}\n")
    if x == 2:
        raise ValueError("not two")
    return x * 10


def test_a_grid_in_processes():
    rows = mb.rows(mb.sweep(drift, seed=[1, 2], dt=[1 / 32, 1 / 64], processes=2))
    assert [(row["seed"], row["dt"]) for row in rows] == [(1, 1 / 32), (1, 1 / 64), (2, 1 / 32), (2, 1 / 64)]
    assert os.getpid() not in {row["process"] for row in rows}
    here = [drift(row["seed"], row["dt"])["energy_error"] for row in rows]
    # the bits do not depend on the process, nor on its number of threads
    assert [row["energy_error"] for row in rows] == here


def test_a_file_keeps_the_rows_and_an_error_is_tried_again(tmp_path):
    file, log = tmp_path / "rows.jsonl", str(tmp_path / "calls")
    with pytest.warns(RuntimeWarning, match=r"1 of 2 points have failed; the first, x=2, log='.*': ValueError: not two"):
        rows = mb.rows(mb.sweep(picky, x=[1, 2], log=log, processes=0, file=file))
    assert rows[0]["result"] == 10 and rows[1]["error"] == "ValueError: not two"
    with open(file, "a") as torn:
        torn.write('{"parameters": {"x": 3')  # the process was killed here
    with pytest.warns(RuntimeWarning, match="1 of 3 points have failed"):
        rows = mb.rows(mb.sweep(picky, x=[1, 2, 3], log=log, processes=0, file=file))
    assert [row.get("result") for row in rows][::2] == [10, 30]
    assert open(log).read().split() == ["1", "2", "2", "3"]
    assert all(json.loads(line) for line in open(file))
    with open(file, "a") as damaged:
        damaged.write("not a row\n")
    with pytest.raises(mb.InputError, match="line 5: no row"):
        mb.sweep(picky, x=[1], log=log, processes=0, file=file)


def test_an_executor_of_the_users(tmp_path):
    with concurrent.futures.ThreadPoolExecutor(2) as executor:
        with pytest.warns(RuntimeWarning, match="1 of 3 points have failed"):
            rows = mb.rows(mb.sweep(picky, x=range(3), log=str(tmp_path / "calls"), executor=executor))
    assert [row.get("result") for row in rows][:2] == [0, 10] and "not two" in rows[2]["error"]


def test_rows_of_an_executor_are_kept_as_they_come(tmp_path):
    file = tmp_path / "rows.jsonl"

    def waits(x):
        # the first point ends when the rows of the others are in the file
        limit = time.monotonic() + 60
        while x == 0 and not (file.exists() and file.read_text().count("\n") == 2):
            assert time.monotonic() < limit
            time.sleep(0.01)
        return x

    with concurrent.futures.ThreadPoolExecutor(2) as executor:
        rows = mb.rows(mb.sweep(waits, x=range(3), file=file, executor=executor))
    assert [row["result"] for row in rows] == [0, 1, 2]
    kept = [json.loads(line)["results"]["result"] for line in file.read_text().splitlines()]
    assert sorted(kept[:2]) == [1, 2] and kept[2] == 0


def test_an_executor_that_fails_leaves_what_was_ready(tmp_path):
    class Fails(concurrent.futures.Executor):
        """The second point of three raises, as a worker that was lost."""

        def submit(self, *call):
            future = concurrent.futures.Future()
            if call[-1] == {"x": 1}:
                future.set_exception(OSError("lost"))
            elif call[-1] == {"x": 0}:
                future.set_result(call[0](*call[1:]))
            made.append(future)
            return future

    made, file = [], tmp_path / "rows.jsonl"
    with pytest.raises(OSError, match="lost"):
        mb.sweep(cube, x=range(3), file=file, executor=Fails())
    assert [json.loads(line)["results"] for line in file.read_text().splitlines()] == [{"result": 0}]
    assert made[2].cancelled()


def cube(x):
    return x**3


def test_pools_of_multiprocessing():
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert [row["result"] for row in mb.rows(mb.sweep(cube, x=range(5), executor=pool))] == [0, 1, 8, 27, 64]
    with multiprocessing.pool.ThreadPool(2) as pool:
        assert [row["result"] for row in mb.rows(mb.sweep(cube, x=range(3), executor=pool))] == [0, 1, 8]


@pytest.mark.parametrize("how", [{}, {"return_as": "generator_unordered"}])
def test_joblib(how):
    joblib = pytest.importorskip("joblib")
    for jobs in (1, 2):
        rows = mb.rows(mb.sweep(cube, x=range(5), executor=joblib.Parallel(n_jobs=jobs, **how)))
        assert [row["result"] for row in rows] == [0, 1, 8, 27, 64]


def test_a_client_of_dask():
    distributed = pytest.importorskip("distributed")
    with distributed.Client(processes=False, n_workers=1, threads_per_worker=2, dashboard_address=None) as client:
        assert [row["result"] for row in mb.rows(mb.sweep(cube, x=range(5), executor=client))] == [0, 1, 8, 27, 64]


def test_a_function_that_processes_cannot_import_is_refused_before_they_start():
    def inner(x):
        return x

    for function in (lambda x: x, inner, functools.partial(lambda x, y: x, y=1)):
        with pytest.raises(mb.InputError, match="^function: .*must be importable by its name.*top level.*processes=0"):
            mb.sweep(function, x=[1, 2])


GUARDLESS = """
import manybody

def square(x):
    return x * x

manybody.sweep(square, x=[1, 2], processes=2)
"""


def test_a_script_without_its_line_is_an_error_that_says_so(tmp_path):
    (tmp_path / "script.py").write_text(GUARDLESS)
    of_script = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    # Warnings of multiprocessing about the processes that ended may follow the error.
    error = next((line for line in of_script.stderr.splitlines() if "Error: " in line and "sweep" in line), of_script.stderr)
    assert of_script.returncode == 1 and "a process of the sweep has ended while it computed a point" in error
    assert 'if __name__ == "__main__":' in error
    of_text = subprocess.run([sys.executable, "-c", GUARDLESS], capture_output=True, text=True, timeout=60)
    of_input = subprocess.run([sys.executable], input=GUARDLESS, capture_output=True, text=True, timeout=60)
    for done in (of_text, of_input):
        assert "InputError: function: __main__.square; is defined in no file" in done.stderr, done.stderr


def test_errors_name_the_argument():
    with pytest.raises(mb.InputError, match="function: 3"):
        mb.sweep(3, x=[1])
    with pytest.raises(mb.InputError, match="x: .*must be numbers"):
        mb.sweep(picky, x=[object()], processes=0)


def other(x):
    return x


def test_a_file_belongs_to_one_function(tmp_path):
    file = tmp_path / "rows.jsonl"
    mb.sweep(other, x=[1], processes=0, file=file)
    with pytest.raises(mb.InputError, match="line 1: a row of .*other; must be a file of .*picky"):
        mb.sweep(picky, x=[1], log=str(tmp_path / "calls"), processes=0, file=file)
    with pytest.raises(mb.InputError, match="x: a result with the name of a parameter"):
        mb.sweep(lambda x: {"x": 2}, x=[1], processes=0)


def gpu(x):
    """What a process of a sweep sees of the GPUs."""
    import os
    import time

    time.sleep(0.3)
    return {"sees": os.environ.get("CUDA_VISIBLE_DEVICES", "all"), "process": os.getpid()}


@pytest.mark.parametrize(
    "devices, visible, processes, sees",
    [(2, None, None, {"0", "1"}), ([3, 1], None, 4, {"3", "1"}), (2, "5,7,9", None, {"5", "7"}), ([2], "5,7,9", 2, {"9"})],
)
def test_each_process_sees_one_gpu(monkeypatch, devices, visible, processes, sees):
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    if visible is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    rows = mb.rows(mb.sweep(gpu, x=range(8), devices=devices, processes=processes))
    assert {row["sees"] for row in rows} == sees
    of = {row["process"]: row["sees"] for row in rows}
    assert all(of[row["process"]] == row["sees"] for row in rows) and len(of) <= (processes or len(sees))


def test_devices_of_a_sweep_are_checked(monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "5,7")
    for devices, words in [(0, "devices: 0"), ([], "devices"), ([-1], "devices: -1"), ("two", "devices"), (3, "devices: 2; must be below 2")]:
        with pytest.raises(mb.InputError, match=words):
            mb.sweep(gpu, x=[1], devices=devices)
    with pytest.raises(mb.InputError, match="devices: belong"):
        mb.sweep(gpu, x=[1], devices=1, processes=0)


def test_arguments_of_a_sweep_are_checked():
    for arguments, words in [
        (dict(processes=-1), "processes: -1"),
        (dict(processes="2"), "processes: '2'"),
        (dict(executor=5), "executor: 5; must have submit.* joblib.Parallel.* imap_unordered"),
    ]:
        with pytest.raises(mb.InputError, match=words):
            mb.sweep(gpu, x=[1], **arguments)


INTERRUPTED = """
import os, sys, time
import manybody

def wait(x):
    time.sleep(0.1 if x == 0 else 60)
    return x

if __name__ == "__main__":
    manybody.sweep(wait, x=[0, 1, 2, 3], processes=2, file=sys.argv[1])
"""


@pytest.mark.parametrize("group", [False, True])
def test_an_interrupted_sweep_ends_at_once_and_keeps_what_was_ready(tmp_path, group):
    script, file = tmp_path / "waits.py", tmp_path / "rows.jsonl"
    script.write_text(INTERRUPTED)
    process = subprocess.Popen([sys.executable, script, file], start_new_session=True, stderr=subprocess.PIPE, text=True)
    limit = time.monotonic() + 60
    while not (file.exists() and file.read_text().endswith("\n")):
        assert time.monotonic() < limit and process.poll() is None
        time.sleep(0.05)
    begin = time.monotonic()
    (os.killpg if group else os.kill)(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    # the points that are being computed take a minute; the interpreter and its processes end in a second or so
    assert time.monotonic() - begin < 20 and process.returncode != 0, errors
    assert "KeyboardInterrupt" in errors, errors
    assert [json.loads(line)["results"] for line in file.read_text().splitlines()] == [{"result": 0}]
