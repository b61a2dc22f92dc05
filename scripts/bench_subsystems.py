#!/usr/bin/env python3
"""Clusters with binaries by hermite4: close bodies resolved, by Kepler's solution, and as regularised subsystems.

    python3 scripts/bench_subsystems.py [--manybody target/release/manybody] [--repeats 3]

The first bodies of a Plummer sphere without softening are binaries of eccentricity 0.5 at apocentre, in planes that
differ; their partners are its last bodies. `manybody run` is timed by itself (`elapsed_s`), in turns, on one thread, and
the best time of each counts, with the energy error of the run.
"""

import argparse
import json
import math
import pathlib
import subprocess
import tempfile

# bodies, binaries, semi-major axis, end, what is run
CASES = [
    (200, 20, 2e-4, 0.5, ["kepler", "chain"]),
    (200, 20, 1e-3, 0.5, ["resolved", "kepler", "chain"]),
    (200, 20, 4e-3, 0.5, ["resolved", "kepler", "chain"]),
    (200, 20, 4e-3, 5.0, ["resolved", "kepler", "chain"]),
    (1000, 50, 1e-3, 1.0, ["resolved", "kepler", "chain"]),
    (1000, 100, 3e-4, 5.0, ["kepler", "chain"]),
    (1000, 0, 0.0, 5.0, ["resolved", "chain"]),
]


def cluster(program, path, n, binaries, axis):
    """Writes the bodies."""
    path.unlink(missing_ok=True)
    subprocess.run([program, "ic", "plummer", "-n", str(n), "--seed", "5", "-o", path], check=True, capture_output=True)
    rows = [line.split(",") for line in path.read_text().splitlines() if line[:1].isdigit()]
    bodies = [[float(q) for q in row[1:8]] for row in rows]
    for k in range(binaries):
        m, x, y, z, vx, vy, vz = bodies[k]
        other = bodies[n - 1 - k]
        r, v = 1.5 * axis, math.sqrt((m + other[0]) / axis / 3)
        sin, cos = math.sin(k), math.cos(k)
        other[1:] = [x + r * cos, y + r * sin, z, vx - v * sin, vy + v * cos, vz]
    lines = [f"{k},{','.join(repr(q) for q in body)}" for k, body in enumerate(bodies)]
    path.write_text("\n".join(["id,mass,x,y,z,vx,vy,vz", *lines]) + "\n")


def run(program, path, pairs, end, more):
    """Seconds and the energy error."""
    words = ["--integrator", "hermite4", "--pairs", pairs, "--eps", "0", "--dt", "1/64", "--t-end", repr(end)]
    words += ["--audit", "0", "--threads", "1", "--out", path.with_suffix(".hdf5"), "--overwrite", "--json", *more]
    command = [program, "run", path, *words]
    lines = subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
    last = [event for event in map(json.loads, lines) if event["event"] == "end"][0]
    return last["elapsed_s"], abs(last["energy_error"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--manybody", default="target/release/manybody", type=pathlib.Path)
    parser.add_argument("--repeats", default=1, type=int)
    args = parser.parse_args()
    program = args.manybody.resolve()
    print("| bodies | binaries | a | t | pairs | seconds | energy error |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for n, binaries, axis, end, kinds in CASES:
            path = pathlib.Path(folder) / "cluster.csv"
            cluster(program, path, n, binaries, axis)
            best = {}
            for _ in range(args.repeats):
                for pairs in kinds:
                    seconds, error = run(program, path, pairs, end, [])
                    best[pairs] = min(best.get(pairs, (math.inf, 0)), (seconds, error))
            for pairs, (seconds, error) in best.items():
                print(f"| {n} | {binaries} | {axis:g} | {end:g} | {pairs} | {seconds:.2f} | {error:.1e} |", flush=True)


if __name__ == "__main__":
    main()
