#!/usr/bin/env python3
"""Close encounters of few bodies beside REBOUND's IAS15, on one thread.

    pip install rebound
    python3 scripts/bench_few_bodies.py [--manybody target/release/manybody] [--repeats 5]

Both programs integrate the same bodies to the same time, in turns, and the best time of each counts. `manybody run`
is timed by itself (`elapsed_s`: steps, energies during the run, last snapshot), IAS15 by its call of integrate() with
its own settings. A time counts only with its answer: the energy error is computed from the last bodies of both in
the same way, and of Burrau's problem the place of the escaper, whose right one is that of
scripts/few_body_reference.py.
"""

import argparse
import json
import math
import pathlib
import subprocess
import tempfile
import time

import rebound

ESCAPER = [12.4474428920319303, 36.6423087251150659]
ORBITS = 10_000
PROBLEMS = {
    "10,000 orbits, e = 0.9999": (
        ["kepler", "--eccentricity", "0.9999", "--phase", "180"],
        math.tau,
        ORBITS * math.tau,
    ),
    "Burrau's problem to t = 80": (["pythagorean"], 80.0, 80.0),
}


def bodies_of(path):
    """Rows of mass, x, y, z, vx, vy, vz."""
    rows = [line.split(",") for line in path.read_text().splitlines() if line[:1].isdigit()]
    return [[float(q) for q in row[1:8]] for row in rows]


def energy(bodies):
    """The total energy, G = 1."""
    kinetic = [0.5 * m * (vx * vx + vy * vy + vz * vz) for m, _, _, _, vx, vy, vz in bodies]
    pairs = [(a, b) for k, a in enumerate(bodies) for b in bodies[:k]]
    return math.fsum(kinetic + [-a[0] * b[0] / math.dist(a[1:4], b[1:4]) for a, b in pairs])


def regularised(program, folder, bodies, dt, end):
    """Seconds and the last bodies of ar-chain."""
    out = folder / "end.csv"
    words = ["--integrator", "ar-chain", "--eps", "0", "--dt", repr(dt), "--t-end", repr(end), "--audit", "0"]
    words += ["--device", "cpu", "--threads", "1", "--out", out, "--overwrite", "--json"]
    command = [program, "run", bodies, *words]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    last = [event for event in map(json.loads, lines) if event["event"] == "end"][0]
    return last["elapsed_s"], bodies_of(out)


def ias15(bodies, end):
    """The same of IAS15."""
    sim = rebound.Simulation()
    sim.integrator = "ias15"
    for m, x, y, z, vx, vy, vz in bodies:
        sim.add(m=m, x=x, y=y, z=z, vx=vx, vy=vy, vz=vz)
    begin = time.perf_counter()
    sim.integrate(end)
    seconds = time.perf_counter() - begin
    return seconds, [[p.m, p.x, p.y, p.z, p.vx, p.vy, p.vz] for p in sim.particles]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--manybody", default="target/release/manybody")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    print(f"REBOUND {rebound.__version__}")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for title, (ic, dt, end) in PROBLEMS.items():
            start = folder / f"{ic[0]}.csv"
            subprocess.run([options.manybody, "ic", *ic, "-o", start], check=True, capture_output=True)
            bodies = bodies_of(start)
            ways = {
                "ar-chain": lambda: regularised(options.manybody, folder, start, dt, end),
                "IAS15": lambda: ias15(bodies, end),
            }
            best, last = {}, {}
            for _ in range(options.repeats):
                for way, run in ways.items():
                    seconds, last[way] = run()
                    best[way] = min(seconds, best.get(way, math.inf))
            for way in ways:
                error = energy(last[way]) / energy(bodies) - 1.0
                line = f"{title}: {way:8} {best[way]:9.4f} s, energy error {error:+.1e}"
                if len(bodies) == 3:
                    line += f", place of the escaper off by {math.dist(last[way][0][1:3], ESCAPER):.1e}"
                print(line)
            print(f"{title}: IAS15 takes {best['IAS15'] / best['ar-chain']:.1f} times as long")


if __name__ == "__main__":
    main()
