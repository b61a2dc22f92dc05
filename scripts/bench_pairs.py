#!/usr/bin/env python3
"""Distance matrices beside SciPy's pdist, and collisions beside a NumPy loop, in one run.

    python3 -m venv rivals && rivals/bin/pip install numpy scipy
    cargo build --release -p manybody --example pair_rates
    PAIR_RATES=target/release/examples/pair_rates rivals/bin/python scripts/bench_pairs.py

Ours: the library's calls, timed by the example pair_rates. Theirs: pdist, which computes in f64 whatever it is given,
and a loop over the rows of the triangle, each row at once in NumPy, column by column and in place (faster than records
or einsum), that lists the touching pairs, in the precision of ours. Both read the same numbers; answers are held
against each other before a time counts: every distance, and the whole list. Programs take turns, and each one's best
time counts. pdist uses one thread, NumPy one, ours --threads.

Distances are written into memory that is there already ("kept": out= of pdist, distance_matrix_into), and into new
memory ("new": what pdist and distance_matrix return). One JSON object a row on stdout with --json.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import scipy
from scipy.spatial.distance import pdist

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("-n", type=int, default=8000, help="points")
parser.add_argument("--spheres", type=int, default=20000)
parser.add_argument("--dimensions", default="2,3,4,16", help="of the distances")
parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="threads of ours")
parser.add_argument("--rounds", type=int, default=5, help="turns, of which the best counts")
parser.add_argument("--json", action="store_true")
args = parser.parse_args()

say = lambda text: print(text, file=sys.stderr, flush=True)
TYPES = {"f64": np.float64, "f32": np.float32}


def ours(what, file, dimensions, precision, out):
    """What pair_rates says: the best of two calls each."""
    binary = os.environ.get("PAIR_RATES", "target/release/examples/pair_rates")
    words = [binary, what, file, str(dimensions), precision, "2", out]
    run = subprocess.run(words, capture_output=True, text=True,
                         env=os.environ | {"RAYON_NUM_THREADS": str(args.threads)})
    if run.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}\n{run.stderr}")
    return json.loads(run.stdout)


def seconds(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def keep(best, **times):
    for name, value in times.items():
        best[name] = min(best.get(name, float("inf")), value)


def row(**values):
    if args.json:
        print(json.dumps(values), flush=True)


def touching(columns, radii):
    """The pairs that touch: a row of the triangle at a time."""
    found = []
    for i in range(len(radii) - 1):
        square = columns[0][i + 1:] - columns[0][i]
        square *= square
        for column in columns[1:]:
            difference = column[i + 1:] - column[i]
            difference *= difference
            square += difference
        reach = radii[i + 1:] + radii[i]
        reach *= reach
        j = np.flatnonzero(square <= reach)
        if len(j):
            found.append(np.column_stack((np.full(len(j), i), j + i + 1)))
    return np.concatenate(found) if found else np.empty((0, 2), int)


def distances(place, random):
    say(f"distances of {args.n} points, 1e9 a second: kept memory / new memory")
    say(f"{'dimensions':>10} {'pdist':>13} {'ours, f64':>13} {'ratio':>11} {'ours, f32':>13} {'ratio':>11}")
    for dimensions in map(int, args.dimensions.split(",")):
        # numbers of f32, so that both precisions read the same points
        points = random.uniform(size=(args.n, dimensions)).astype(np.float32).astype(np.float64)
        for name, kind in TYPES.items():
            points.astype(kind).tofile(place / name)
        want, best = pdist(points), {}
        buffer = np.empty_like(want)
        for _ in range(args.rounds):
            keep(best, kept=seconds(lambda: pdist(points, out=buffer)), new=seconds(lambda: pdist(points)))
            for name, kind in TYPES.items():
                said = ours("distances", place / name, dimensions, name, place / "out")
                keep(best, **{name + "kept": said["reused"], name + "new": said["seconds"]})
                # each square, sum and root off by half a unit
                found = np.fromfile(place / "out", kind)
                off = np.max(np.abs(found - want) / np.maximum(want, 1e-30))
                if not off <= (dimensions + 3) * np.finfo(kind).eps:
                    sys.exit(f"{dimensions} dimensions, {name}: a distance is off by {off:.1e} of itself")
        pairs = 1e-9 * len(want)
        rate = lambda name: f"{pairs / best[name + 'kept']:.3f}/{pairs / best[name + 'new']:.3f}"
        ratio = lambda name: [best[how] / best[name + how] for how in ("kept", "new")]
        text = lambda name: "/".join(f"{r:.1f}" for r in ratio(name))
        say(f"{dimensions:10} {rate(''):>13} {rate('f64'):>13} {text('f64'):>11} {rate('f32'):>13} {text('f32'):>11}")
        row(what="distances", n=args.n, dimensions=dimensions, threads=args.threads,
            **{f"{name or 'pdist'}_{how}": pairs / best[name + how]
               for name in ("", "f64", "f32") for how in ("kept", "new")})


def collisions(place, random):
    n = args.spheres
    say(f"collisions of {n} spheres, 1e9 tests a second")
    say(f"{'dimensions':>10} {'':4} {'NumPy':>8} {'ours':>8} {'ratio':>7}   touching")
    for dimensions, radius in ((1, 1.5 / n), (2, 0.7 * n ** (-1 / 2)), (3, 0.8 * n ** (-1 / 3))):
        for name, kind in TYPES.items():
            centers = random.uniform(size=(n, dimensions)).astype(kind)
            radii = random.uniform(0, radius, size=n).astype(kind)
            np.column_stack((centers, radii)).tofile(place / "spheres")
            columns = [np.ascontiguousarray(centers[:, d]) for d in range(dimensions)]
            best, lists = {}, []
            for _ in range(args.rounds):
                keep(best, numpy=seconds(lambda: lists.append(touching(columns, radii))))
                said = ours("collisions", place / "spheres", dimensions, name, place / "out")
                keep(best, ours=said["seconds"])
                found = np.fromfile(place / "out", np.uint32).reshape(-1, 2)
                if not np.array_equal(found, lists.pop()):
                    sys.exit(f"{dimensions} dimensions, {name}: the lists differ")
            tests = 1e-9 * n * (n - 1) / 2
            ratio = best["numpy"] / best["ours"]
            say(f"{dimensions:10} {name:4} {tests / best['numpy']:8.3f} {tests / best['ours']:8.3f} {ratio:7.1f}   "
                f"{len(found)}")
            row(what="collisions", n=n, dimensions=dimensions, precision=name, threads=args.threads,
                numpy=tests / best["numpy"], ours=tests / best["ours"], ratio=ratio, touching=len(found))


def main():
    say(f"NumPy {np.__version__}, SciPy {scipy.__version__}, {args.threads} threads, best of {args.rounds} turns")
    random = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        distances(pathlib.Path(folder), random)
        collisions(pathlib.Path(folder), random)


if __name__ == "__main__":
    main()
