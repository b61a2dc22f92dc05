#!/usr/bin/env python3
"""Calls for few bodies from Python beside the same sum in NumPy and beside pytreegrav, by turns in one process, on the CPU.

    python scripts/bench_calls.py [--quick]

Needs the package manybody and numpy; pytreegrav and numba are measured too if they are here. What counts here is the
cost of a call itself: its target is below 10 microseconds for 8 bodies. Answers are compared before times count.
"""

import argparse
import timeit

import numpy as np

import manybody

try:
    import pytreegrav
except ImportError:
    pytreegrav = None

EPS = 0.01


def with_numpy(x, m):
    d = x[None] - x[:, None]
    s2 = np.einsum("ijk,ijk->ij", d, d) + EPS**2
    return np.einsum("ij,ijk->ik", m[None] * s2**-1.5, d)


def ways(x, m):
    yield "manybody", EPS, lambda: manybody.accelerations(x, m, eps=EPS)
    yield "NumPy", EPS, lambda: with_numpy(x, m)
    if pytreegrav is not None:
        # its softening is a spline: without one it is the same force
        none = np.zeros(len(m))
        yield "pytreegrav", 0.0, lambda: pytreegrav.Accel(x, m, softening=none, G=1.0, method="bruteforce")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few repetitions, to try the script")
    repeats = 3 if parser.parse_args().quick else 20
    for n in [8, 64, 256, 1024]:
        bodies = manybody.ic.plummer(n, seed=1)
        x, m = bodies.x.copy(), bodies.m.copy()
        number = max(10, 20_000 // n)
        best = {}
        for name, eps, way in ways(x, m):
            expected = manybody.accelerations(x, m, eps=eps, solver="reference")
            off = np.abs(way() - expected).max() / np.abs(expected).max()
            # sums of N terms in f64
            assert off < 1e-12, f"{name}, {n} bodies: {off:.1e}"
        for _ in range(repeats):
            for name, _, way in ways(x, m):
                best[name] = min(best.get(name, np.inf), timeit.timeit(way, number=number) / number)
        print(f"N = {n:5}: " + ", ".join(f"{name} {seconds * 1e6:.1f} us" for name, seconds in best.items()))


if __name__ == "__main__":
    main()
