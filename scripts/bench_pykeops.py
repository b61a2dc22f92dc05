#!/usr/bin/env python3
"""Laws as text beside the same formulas in PyKeOps on the CPU, in one run.

    python3 -m venv keops && keops/bin/pip install pykeops numpy
    cargo build --release && cargo build --release -p manybody --example compiled_law --features benchmarks
    MANYBODY_BIN=target/release/manybody MANYBODY_COMPILED=target/release/examples/compiled_law \
        keops/bin/python scripts/bench_pykeops.py

The column "text" is the law as text, interpreted; "compiled" the same law in Rust, each pair once, by the example
compiled_law (left out without MANYBODY_COMPILED). The ratio is that of the faster to PyKeOps.
PyKeOps compiles its formulas with g++ when they are first used; this time does not count. Both programs read the same
bodies, and their answers are compared before a time counts. The best of several evaluations of each program is taken.
Our time is that which `manybody force --law` prints, without reading and writing files; PyKeOps' time is that of its
call on NumPy arrays. With --json, one JSON object per row is written to stdout.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("-n", type=int, default=16384, help="bodies")
parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="threads of both")
parser.add_argument("--repeat", type=int, default=3, help="evaluations, of which the best counts")
parser.add_argument("--precision", default="f32,f64")
parser.add_argument("--json", action="store_true")
args = parser.parse_args()
os.environ["OMP_NUM_THREADS"] = str(args.threads)  # before PyKeOps is loaded

import numpy as np
import pykeops
from pykeops.numpy import Genred

pykeops.set_verbose(False)

# name, our law (and what compiled_law calls it), PyKeOps' formula, its variables, reduction, parameter
BODY = "body x[3], m; param p; d = j.x - i.x; "
LAWS = [
    ("gravity", BODY + "sum r = j.m * d / (dot(d, d) + p)^1.5",
     "M*Pow(Rsqrt(SqDist(X,Y)+P),3)*(Y-X)", "Sum", 1e-4),
    ("Gaussian", BODY + "sum r = j.m * exp(-p * dot(d, d))", "M*Exp(-P*SqDist(X,Y))", "Sum", 2.0),
    ("Matern 3/2", BODY + "t = p * norm(d); sum r = j.m * (1 + t) * exp(-t)",
     "M*(IntCst(1)+P*Norm2(X-Y))*Exp(-P*Norm2(X-Y))", "Sum", 2.0),
    ("wave", BODY + "sum r = j.m * cos(p * norm(d))", "M*Cos(P*Norm2(X-Y))", "Sum", 10.0),
    ("largest", BODY + "max r = j.m * exp(-p * dot(d, d))", "M*Exp(-P*SqDist(X,Y))", "Max", 2.0),
]
VARIABLES = ["X = Vi(0,3)", "Y = Vj(1,3)", "M = Vj(2,1)", "P = Pm(3,1)"]
# error of either, over the rms of the results: some sixteen roundings a term, sums in blocks
TOLERANCE = {"f32": 2e-5, "f64": 2e-13}


def ours(place, law, parameter, precision):
    """Best seconds and results of the command."""
    binary = os.environ.get("MANYBODY_BIN", "manybody")
    result = place / "result.csv"
    result.unlink(missing_ok=True)
    seconds = []
    for _ in range(args.repeat + 1):
        words = [binary, "force", place / "bodies.csv", "-o", result, "--force", "--law", law, "--json",
                 "--par", f"p={parameter!r}", "--precision", precision, "--device", "cpu",
                 "--threads", str(args.threads)]
        run = subprocess.run(words, capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"{' '.join(map(str, words))}\n{run.stderr}")
        seconds.append(json.loads(run.stdout)["seconds"])
    return min(seconds[1:]), np.loadtxt(result, delimiter=",", skiprows=1, ndmin=2)[:, 1:]


def compiled(place, law, parameter, precision):
    """Best seconds and results of the compiled law, if there is one."""
    binary = os.environ.get("MANYBODY_COMPILED")
    if not binary:
        return None, None
    result = place / "compiled.csv"
    words = [binary, place / "bodies.csv", law, repr(parameter), precision, args.repeat, result]
    run = subprocess.run([str(w) for w in words], capture_output=True, text=True,
                         env=os.environ | {"RAYON_NUM_THREADS": str(args.threads)})
    if run.returncode != 0:
        sys.exit(f"{words}\n{run.stderr}")
    return json.loads(run.stdout)["seconds"], np.loadtxt(result, delimiter=",", skiprows=1, ndmin=2)[:, 1:]


def theirs(formula, reduction, columns, parameter, precision):
    dtype = {"f32": np.float32, "f64": np.float64}[precision]
    x, m = np.ascontiguousarray(columns[:3].T, dtype), np.ascontiguousarray(columns[3:].T, dtype)
    p = np.array([parameter], dtype)
    call = Genred(formula, VARIABLES, reduction_op=reduction, axis=1)
    result = call(x, x.copy(), m, p, backend="CPU")  # compiles
    seconds = []
    for _ in range(args.repeat):
        start = time.perf_counter()
        result = call(x, x.copy(), m, p, backend="CPU")
        seconds.append(time.perf_counter() - start)
    return min(seconds), np.asarray(result, np.float64)


def main():
    # numbers of f32, so that both precisions read the same bodies
    columns = np.random.default_rng(1).uniform(0.0, 1.0, (4, args.n)).astype(np.float32).astype(np.float64)
    say = lambda text: print(text, file=sys.stderr)
    say(f"PyKeOps {pykeops.__version__}, {args.n} bodies, {args.threads} threads; 1e9 pairs/s")
    say(f"{'law':12} {'':4} {'text':>9} {'compiled':>9} {'PyKeOps':>9} {'ratio':>7}   largest difference / rms")
    least = float("inf")
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        np.savetxt(place / "bodies.csv", columns.T, fmt="%.17g", delimiter=",", header="x,y,z,m", comments="")
        for precision in args.precision.split(","):
            for name, law, formula, reduction, parameter in LAWS:
                mine, found = ours(place, law, parameter, precision)
                keops, want = theirs(formula, reduction, columns, parameter, precision)
                best, more = compiled(place, name.split()[0].lower(), parameter, precision)
                rms = np.sqrt(np.mean(np.sum(want**2, axis=1)))
                off = max(np.max(np.sqrt(np.sum((answer - want) ** 2, axis=1))) / rms
                          for answer in (found, more) if answer is not None)
                if not off <= TOLERANCE[precision]:
                    sys.exit(f"{name} {precision}: the answers differ by {off:.1e} of their rms")
                pairs, ratio = args.n**2 * 1e-9, keops / min(mine, best or mine)
                least = min(least, ratio)
                fast = f"{pairs / best:9.3f}" if best else f"{'-':>9}"
                say(f"{name:12} {precision:4} {pairs / mine:9.3f} {fast} {pairs / keops:9.3f} {ratio:7.1f}   {off:.1e}")
                if args.json:
                    print(json.dumps({"law": name, "precision": precision, "n": args.n, "threads": args.threads,
                                      "text": pairs / mine, "compiled": pairs / best if best else None, "pykeops": pairs / keops, "ratio": ratio,
                                      "difference": off}), flush=True)
    say(f"least ratio {least:.1f}")


if __name__ == "__main__":
    main()
