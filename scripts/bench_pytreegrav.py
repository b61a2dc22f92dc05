"""Accelerations of all pairs from Python beside pytreegrav's sum over all pairs, by turns in one process, on the CPU.

python scripts/bench_pytreegrav.py [N] [threads]; needs the package manybody, pytreegrav and numba.
"""

import os
import sys
import time

N = int(sys.argv[1]) if len(sys.argv) > 1 else 65_536
THREADS = sys.argv[2] if len(sys.argv) > 2 else str(os.cpu_count())
os.environ["RAYON_NUM_THREADS"] = os.environ["NUMBA_NUM_THREADS"] = THREADS

import manybody  # noqa: E402
import numpy as np  # noqa: E402
import pytreegrav  # noqa: E402

bodies = manybody.ic.plummer(N, seed=1)
x, m = bodies.x.copy(), bodies.m.copy()
#: Both without softening: pytreegrav's is a spline.
ways = {
    "manybody": lambda: manybody.accelerations(x, m, device="cpu"),
    "pytreegrav": lambda: pytreegrav.Accel(x, m, softening=np.zeros(N), G=1.0, method="bruteforce", parallel=True),
}
found = {name: way() for name, way in ways.items()}  # and compiled
off = np.linalg.norm(found["manybody"] - found["pytreegrav"], axis=1)
rms = np.sqrt((found["manybody"] ** 2).sum(1).mean())
# sums of N terms in f64 on both sides
assert off.max() < 1e-9 * rms, off.max() / rms
seconds = {name: [] for name in ways}
for _ in range(5):
    for name, way in ways.items():
        before = time.perf_counter()
        way()
        seconds[name].append(time.perf_counter() - before)
least = {name: min(values) for name, values in seconds.items()}
print(f"N = {N}, f64, {THREADS} threads, largest difference {off.max() / rms:.1e} of the rms")
for name, values in seconds.items():
    print(f"{name:11} {least[name]:.3f} s (to {max(values):.3f}), {N * N / least[name]:.3g} pairs/s")
ratios = [a / b for a, b in zip(seconds["pytreegrav"], seconds["manybody"])]
print(f"ratio {least['pytreegrav'] / least['manybody']:.2f} of the least times; turn by turn {min(ratios):.2f} to {max(ratios):.2f}")
