#!/usr/bin/env python3
"""Small systems beside REBOUND on one thread, leapfrog in f64, in one process' time.

    pip install rebound numpy
    python3 scripts/bench_small.py [--manybody target/release/manybody] [--repeats 20] [--quick]

Both programs make the same steps of the same bodies, in turns, and the best time of each counts: a shared machine is
slower than itself most of the time. `manybody run` measures its own time (`elapsed_s`: steps, energies during the run,
last snapshot), with its default solver and without --threads; for REBOUND, the call of steps() is timed. Positions at
the end must agree to rounding: |dx| below 1e-9 of the size, which allows 1e5 steps of rounding errors that an orbit
multiplies.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy
import rebound


def bodies_of(path):
    """The lines of a CSV snapshot that state its units, and its columns."""
    lines = path.read_text().splitlines()
    units = [line for line in lines if line.startswith(("# units =", "# G =", "# SI ="))]
    rows = [line for line in lines if not line.startswith("#")]
    columns = [name.split("[")[0].strip() for name in rows[0].split(",")]
    table = numpy.array([[float(x) for x in row.split(",")] for row in rows[1:] if row], dtype=float)
    return units, {name: table[:, k] for k, name in enumerate(columns)}


def g_of(units):
    return next((float(line.split("=")[1]) for line in units if line.startswith("# G =")), 1.0)


def write(path, units, b):
    names = ["id", "mass", "x", "y", "z", "vx", "vy", "vz"]
    rows = (",".join([str(k)] + [repr(float(b[name][k])) for name in names[1:]]) for k in range(len(b["x"])))
    path.write_text("\n".join([*units, ",".join(names), *rows]) + "\n")


def simulation(g, b, dt, active):
    sim = rebound.Simulation()
    sim.G, sim.integrator, sim.dt = g, "leapfrog", dt
    for k in range(len(b["x"])):
        sim.add(**{("m" if name == "mass" else name): b[name][k] for name in ["mass", "x", "y", "z", "vx", "vy", "vz"]})
    if active is not None:
        sim.N_active = active
    return sim


def theirs(g, b, dt, steps, active):
    sim = simulation(g, b, dt, active)
    before = time.perf_counter()
    sim.steps(steps)
    seconds = time.perf_counter() - before
    return seconds, numpy.array([[p.x, p.y, p.z] for p in sim.particles])


def ours(program, folder, start, dt, steps, solver, where):
    end = folder / "end.csv"
    words = [program, "run", start, "--integrator", "leapfrog-dkd", "--dt", repr(dt), "--t-end", repr(dt * steps)]
    words += ["--eps", "0", *where, "--json", "--out", end]
    words += ["--solver", solver] if solver else []
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    last = json.loads(done.stdout.splitlines()[-1])
    _, b = bodies_of(end)
    for old in folder.glob("end*"):
        old.unlink()
    assert last["step"] == steps, last
    return last["elapsed_s"], numpy.stack([b["x"], b["y"], b["z"]], axis=1)


def cases(folder, program, quick, on_gpu):
    """Name, units, bodies, dt, steps, N_active. On GPUs those with bodies without mass alone."""
    def ic(*words):
        path = folder / "ic.csv"
        path.unlink(missing_ok=True)
        subprocess.run([program, "ic", *words, "-o", str(path)], check=True, capture_output=True)
        return bodies_of(path)

    units, sun = ic("solar-system")
    steps = 20_000 if quick else 200_000
    few = not on_gpu
    keep = [k for k in range(len(sun["x"])) if k not in (4, 10)]  # without the Moon and Pluto
    if few:
        yield "Sun and 8 planets", units, {name: column[keep] for name, column in sun.items()}, 0.25, steps, None
        yield "solar-system, 11 bodies", units, sun, 0.125, steps, None
        units, cluster = ic("plummer", "-n", "100")
        yield "plummer, 100 bodies", units, cluster, 2.0**-14, steps // 50, None
    units, sun = ic("solar-system")
    for count in [5_000, 20_000] + [1_000_000] * on_gpu:
        angle, radius = numpy.arange(count) * 2.399963, 2.1 + 1.2 * (numpy.arange(count) * 0.618034 % 1)
        speed = numpy.sqrt(g_of(units) / radius)
        belt = {"mass": 0 * angle, "z": 0 * angle, "vz": 0 * angle, "id": 100 + numpy.arange(count)}
        belt |= {"x": radius * numpy.cos(angle), "y": radius * numpy.sin(angle)}
        belt |= {"vx": -speed * numpy.sin(angle), "vy": speed * numpy.cos(angle)}
        both = {name: numpy.concatenate([sun[name], belt[name]]) for name in belt}
        steps = (40 if quick else 400) * (10 if on_gpu and count < 1_000_000 else 1)
        yield f"11 bodies and {count} without mass", units, both, 0.125, steps, len(sun["x"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--manybody", default="target/release/manybody")
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--quick", action="store_true", help="fewer steps")
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda", "wgpu"])
    parser.add_argument("--precision", default="f64", choices=["f64", "mixed", "f32"])
    args = parser.parse_args()
    on_gpu, where = args.device != "cpu", ["--device", args.device, "--precision", args.precision]
    solvers = [None] if on_gpu else [None, "direct"]
    # positions agree to rounding; in f32, forces have 24 bits, of positions with 24 bits (mixed: 48)
    limit = {"f64": 1e-9, "mixed": 1e-5, "f32": 1e-3}[args.precision]
    print(f"REBOUND {rebound.__version__}; best of {args.repeats}, one after the other")
    print(f"{'case':36} {'steps':>7} {'REBOUND':>12} {'default':>12} {'ratio':>6} {'direct':>12} {'ratio':>6}  max |dx|")
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name, units, b, dt, steps, active in cases(folder, args.manybody, args.quick, on_gpu):
            start = folder / "start.csv"
            write(start, units, b)
            best = [float("inf")] * 3
            for _ in range(args.repeats):
                runs = [theirs(g_of(units), b, dt, steps, active)]
                runs += [ours(args.manybody, folder, start, dt, steps, solver, where) for solver in solvers]
                best[:len(runs)] = [min(least, run[0] / steps) for least, run in zip(best, runs)]
            off = max(abs(run[1] - runs[0][1]).max() for run in runs[1:]) / abs(runs[0][1]).max()
            worst = max(worst, off)
            us = [f"{1e6 * seconds:9.3f} us" for seconds in best]
            print(f"{name:36} {steps:7} {us[0]:>12} {us[1]:>12} {best[0] / best[1]:6.2f} {us[2]:>12} "
                  f"{best[0] / best[2]:6.2f}  {off:.1e}")
    if worst > limit:
        sys.exit(f"positions differ by {worst:.1e} of the size")


if __name__ == "__main__":
    main()
