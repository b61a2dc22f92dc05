"""Grids of runs over parameters and seeds, in processes."""

from __future__ import annotations

import concurrent.futures
import concurrent.futures.process
import itertools
import json
import multiprocessing
import operator
import os
import pickle
import queue
import sys
import warnings
from typing import Any, Callable, Optional, Sequence, SupportsIndex, Union

from ._arrays import whole_number, whole_numbers
from ._errors import ComputationError, InputError
from ._progress import bar

_Row = dict[str, Any]


def sweep(
    function: Callable[..., Any],
    *,
    file: Union[str, os.PathLike[str], None] = None,
    processes: Optional[int] = None,
    devices: Union[int, Sequence[int], None] = None,
    executor: Any = None,
    progress: bool = False,
    **grid: Any,
) -> Any:
    """Calls a function for each point of a grid, in processes of their own, and returns a table.

    Each keyword is a parameter of the function: a list, tuple, range or array of values, or one value for all points.
    The function returns a dictionary of results, or one result, called "result". A table of pandas is returned where
    that is installed, else a list of dictionaries: parameters and results, in the order of the grid, the last parameter
    fastest. Points whose function has raised are counted in a warning.

    `file` keeps the rows as they come, one JSON object a line: a sweep that is called again with the same file computes
    only the points that are not there. A point whose function raises has "error" in place of results, and is computed
    again in the next call. `processes` are as many as there are cores, by default; 0 computes in this process. The
    function must be importable (defined in a module or script, not in the interpreter), as for `multiprocessing`.

    `devices` shares the points among GPUs of CUDA: so many, or their indices. Each process sees one of them alone, as
    the first one; there is one process a GPU, or `processes` in turn among them.

    `executor` computes in place of own processes: anything with `submit`, as a client of Dask or an executor of
    `concurrent.futures` or joblib's loky; a `joblib.Parallel`; or a pool with `imap_unordered`, as those of
    `multiprocessing` and `ray.util.multiprocessing`. Rows are kept as they come; a `joblib.Parallel` gives them all at the
    end, unless it is made with `return_as="generator_unordered"`.

    `progress` shows a bar of tqdm, if it is installed.

    >>> import manybody
    >>> def cube(x, shift):
    ...     return {"y": x**3 + shift}
    >>> [row["y"] for row in manybody.rows(manybody.sweep(cube, x=[1, 2, 3], shift=1, processes=0))]
    [2, 9, 28]
    """
    if not callable(function):
        raise InputError(f"function: {function!r}; must be a function")
    points = _points(grid)
    seen = _seen(devices)
    if processes is not None:
        processes = whole_number(processes, "processes")
    if executor is not None:
        _check_executor(executor)
    if executor is not None and processes is not None:
        raise InputError("processes: the executor has its own; must be left out")
    if seen and (executor is not None or processes == 0):
        raise InputError("devices: belong to processes of a sweep; must be left out with an executor or processes=0")
    known = {} if file is None else _read(file, _name(function))
    keys = [_key(point) for point in points]
    todo: dict[str, _Row] = {key: point for key, point in zip(keys, points) if key not in known}

    def keep(key: str, results: _Row) -> None:
        row = {"function": _name(function), "parameters": todo[key], "results": results}
        shared = sorted(todo[key].keys() & results.keys())
        if shared:
            raise InputError(f"{shared[0]}: a result with the name of a parameter; must have another name")
        known[key] = row
        if file is not None:
            with open(file, "a", encoding="utf-8") as out:
                out.write(json.dumps(row) + "\n")
        if shown is not None:
            shown.update()

    shown = bar(len(points), len(points) - len(todo), "point") if progress else None
    try:
        _compute(function, todo, processes, seen, executor, keep)
    finally:
        if shown is not None:
            shown.close()
    failed = [key for key in keys if "error" in known[key]["results"]]
    if failed:
        point = ", ".join(f"{name}={value!r}" for name, value in todo[failed[0]].items())
        first = f"the first, {point}: {known[failed[0]]['results']['error']}"
        warnings.warn(f"{len(failed)} of {len(points)} points have failed; {first}", RuntimeWarning, stacklevel=2)
    return _table([known[key] for key in keys])


def _points(grid: dict[str, Any]) -> list[_Row]:
    """The points of a grid."""
    axes = []
    for name, values in grid.items():
        several = isinstance(values, (list, tuple, range)) or (
            hasattr(values, "tolist") and getattr(values, "ndim", 0) == 1
        )
        one = [_plain(value, name) for value in values] if several else [_plain(values, name)]
        axes.append([(name, value) for value in one])
    return [dict(point) for point in itertools.product(*axes)]


def _plain(value: Any, name: str) -> Any:
    """A value that JSON keeps."""
    value = value.tolist() if hasattr(value, "tolist") else value
    try:
        json.dumps(value)
    except TypeError:
        raise InputError(f"{name}: {value!r}; must be numbers, texts or lists of them") from None
    return value


def _key(point: _Row) -> str:
    return json.dumps(point, sort_keys=True)


def _name(function: Callable[..., Any]) -> str:
    """A function by its module and name, as far as it has them: that of a partial function is its function's."""
    inner = getattr(function, "func", function)
    return f"{getattr(inner, '__module__', '')}.{getattr(inner, '__qualname__', type(inner).__qualname__)}"


def _read(file: Union[str, os.PathLike[str]], function: str) -> dict[str, _Row]:
    """The rows of an earlier call of the same function that have results."""
    if not os.path.exists(file):
        return {}
    found = {}
    with open(file, encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            try:
                row = json.loads(line)
                parameters, results = row["parameters"], row["results"]
            except (json.JSONDecodeError, KeyError, TypeError):
                if line.endswith("\n"):
                    raise InputError(f"file: {os.fspath(file)}, line {number}: no row of a sweep") from None
                # the last line was being written when the process ended
                continue
            if row.get("function", function) != function:
                expected = f"must be a file of {function}"
                raise InputError(f"file: {os.fspath(file)}, line {number}: a row of {row['function']}; {expected}")
            if "error" not in results:
                found[_key(parameters)] = row
    _drop_a_torn_line(file)
    return found


def _drop_a_torn_line(file: Union[str, os.PathLike[str]]) -> None:
    with open(file, "rb+") as content:
        data = content.read()
        if data and not data.endswith(b"\n"):
            content.truncate(data.rfind(b"\n") + 1)


def _call(function: Callable[..., Any], point: _Row) -> _Row:
    """The results of a point, or what went wrong."""
    try:
        found = function(**point)
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}
    found = dict(found) if isinstance(found, dict) else {"result": found}
    return {name: _plain(value, name) for name, value in found.items()}


def _compute(
    function: Callable[..., Any],
    todo: dict[str, _Row],
    processes: Optional[int],
    seen: list[str],
    executor: Any,
    keep: Callable[[str, _Row], None],
) -> None:
    """Computes the points, and keeps each as it comes."""
    if not todo:
        return
    if processes == 0 and executor is None:
        for key, point in todo.items():
            keep(key, _call(function, point))
        return
    if executor is not None:
        _compute_by(executor, function, todo, keep)
        return
    _check_importable(function)
    # a process that is forked would lack the threads of this one
    context = multiprocessing.get_context("spawn")
    count = processes or len(seen) or None
    begin: tuple[Any, ...] = ()
    if seen:
        turn = context.Queue()
        for k in range(count or 0):
            turn.put(seen[k % len(seen)])
        begin = (turn,)
    pool = concurrent.futures.ProcessPoolExecutor(count, mp_context=context, initializer=_begin, initargs=begin)
    waiting: dict[Any, str] = {}
    done = 0
    try:
        for key, point in todo.items():
            waiting[pool.submit(_call, function, point)] = key
        for future in concurrent.futures.as_completed(list(waiting)):
            keep(waiting.pop(future), future.result())
            done += 1
    except BaseException as error:
        _terminate(pool)
        # those that were ready at the same time are kept, too
        for future, key in waiting.items():
            if future.done() and not future.cancelled() and future.exception() is None:
                keep(key, future.result())
        if isinstance(error, concurrent.futures.process.BrokenProcessPool):
            ended = "a process of the sweep has ended while it computed a point"
            raise ComputationError(ended if done else f"{ended}{_FIRST}") from error
        raise
    pool.shutdown()


#: What keeps processes from their first point; what went wrong in them is printed by themselves.
_FIRST = (
    ", before any was ready: a script that calls sweep must do so below the line `if __name__ == \"__main__\":`, since the "
    "processes import it, and they must be able to import the function; what they have printed says more"
)


def _check_importable(function: Callable[..., Any]) -> None:
    """Refuses, before a process is started, a function that other processes cannot import by its name."""
    inner = getattr(function, "func", function)
    remedy = "define it at the top level of a module or script, or give processes=0"
    try:
        pickle.dumps(function)
    except Exception as error:
        said = f"must be importable by its name in other processes: {remedy} ({error})"
        raise InputError(f"function: {_name(function)}; {said}") from None
    # of a program from standard input, the file is <stdin>
    file = getattr(sys.modules.get("__main__"), "__file__", None)
    if getattr(inner, "__module__", None) == "__main__" and not (file and os.path.exists(file)):
        said = f"is defined in no file, so that other processes cannot import it: {remedy}"
        raise InputError(f"function: {_name(function)}; {said}")


def _is_of_joblib(executor: Any) -> bool:
    return callable(executor) and any(of.__module__.partition(".")[0] == "joblib" for of in type(executor).__mro__)


def _check_executor(executor: Any) -> None:
    if not (hasattr(executor, "submit") or hasattr(executor, "imap_unordered") or _is_of_joblib(executor)):
        expected = (
            "must have submit, as executors of concurrent.futures and clients of Dask; or be a joblib.Parallel; or have "
            "imap_unordered, as pools of multiprocessing and ray.util.multiprocessing"
        )
        raise InputError(f"executor: {executor!r}; {expected}")


def _call_of(job: tuple[Callable[..., Any], str, _Row]) -> tuple[str, _Row]:
    """A point by its key, with its results, for what computes points in any order."""
    function, key, point = job
    return key, _call(function, point)


def _compute_by(
    executor: Any, function: Callable[..., Any], todo: dict[str, _Row], keep: Callable[[str, _Row], None]
) -> None:
    """Computes the points by an executor, and keeps each as it comes."""
    if not hasattr(executor, "submit"):
        jobs = [(function, key, point) for key, point in todo.items()]
        if _is_of_joblib(executor):
            # a job of joblib is a function with its arguments, as joblib.delayed makes it
            found = executor([(_call_of, (job,), {}) for job in jobs])
        else:
            found = executor.imap_unordered(_call_of, jobs)
        for key, results in found:
            keep(key, results)
        return
    ready: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
    futures: list[Any] = []
    try:
        for key, point in todo.items():
            future = executor.submit(_call, function, point)
            futures.append(future)
            if hasattr(future, "add_done_callback"):
                future.add_done_callback(lambda done, key=key: ready.put((key, done)))
            else:
                ready.put((key, future))
        for _ in todo:
            key, future = ready.get()
            keep(key, future.result())
    except BaseException:
        for future in futures:
            future.cancel()
        raise


def _terminate(pool: concurrent.futures.ProcessPoolExecutor) -> None:
    """Ends the processes of a pool at once, as `terminate_workers` of Python 3.14 does."""
    processes = list((getattr(pool, "_processes", None) or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.terminate()


def _seen(devices: Union[int, Sequence[int], None]) -> list[str]:
    """The GPUs to share, as the driver's variable of what a process sees names them."""
    if devices is None:
        return []
    if isinstance(devices, bool) or not isinstance(devices, SupportsIndex):
        indices = whole_numbers(devices, "devices")
    else:
        indices = list(range(operator.index(devices)))
    if not indices:
        raise InputError(f"devices: {devices!r}; must be a number of GPUs, or their indices")
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible is None:
        return [str(k) for k in indices]
    # as CUDA reads it: a name that is no GPU ends the list
    names = list(itertools.takewhile(lambda name: name not in ("", "-1"), (name.strip() for name in visible.split(","))))
    for k in indices:
        if k >= len(names):
            expected = f"must be below {len(names)}, the number of GPUs that CUDA_VISIBLE_DEVICES={visible} shows"
            raise InputError(f"devices: {k}; {expected}")
    return [names[k] for k in indices]


def _begin(turn: Any = None) -> None:
    """As many processes as cores need one thread each; with GPUs each process takes its own."""
    os.environ.setdefault("RAYON_NUM_THREADS", "1")
    if turn is not None:
        os.environ["CUDA_VISIBLE_DEVICES"] = turn.get()


def rows(table: Any) -> list[_Row]:
    """The rows of a table that `sweep` has returned, as dictionaries.

    >>> import manybody
    >>> manybody.rows([{"x": 1}])
    [{'x': 1}]
    """
    return table if isinstance(table, list) else list(table.to_dict("records"))


def _table(found: list[_Row]) -> Any:
    flat = [{**row["parameters"], **row["results"]} for row in found]
    try:
        import pandas
    except ImportError:
        return flat
    return pandas.DataFrame(flat)
