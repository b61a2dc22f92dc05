"""Laws without the pairs that contribute nothing, beside SciPy's cKDTree: nearest neighbours, neighbours within a radius, and a
density by smoothed particles. Neighbours and counts are compared body by body.

    python scripts/bench_boxes.py target/release/manybody [bodies]
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy.spatial import cKDTree


def plummer(n, rng):
    radius = 1 / np.sqrt(rng.uniform(0, 1, n) ** (-2 / 3) - 1)
    direction = rng.normal(size=(n, 3))
    return radius[:, None] * direction / np.linalg.norm(direction, axis=1)[:, None]


def law(manybody, folder, text, *more):
    """Seconds of the faster of two evaluations, and the results."""
    seconds = []
    for _ in range(2):
        words = ["force", "b.csv", "-o", "out.csv", "--force", "--solver", "tree", "--audit", "0", "--json", "--law", text]
        lines = subprocess.run([manybody, *words, *more], cwd=folder, check=True, capture_output=True, text=True).stdout
        seconds.append(json.loads(lines.splitlines()[-1])["seconds"])
    return min(seconds), np.loadtxt(folder / "out.csv", delimiter=",", skiprows=1)


def timed(work):
    begin = time.perf_counter()
    return work(), time.perf_counter() - begin


def main():
    manybody, n = Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    rng = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for name, x, radius in [("cube", rng.uniform(0, 1, (n, 3)), 2 / n ** (1 / 3)), ("plummer", plummer(n, rng), 3 / n ** (1 / 3))]:
            rows = (f"{k},{1 / n!r},{a!r},{b!r},{c!r},0,0,0\n" for k, (a, b, c) in enumerate(x.tolist()))
            (folder / "b.csv").write_text("id,mass,x,y,z,vx,vy,vz\n" + "".join(rows))
            tree, build = timed(lambda: cKDTree(x))
            (distance, neighbour), query = timed(lambda: tree.query(x, k=2, workers=-1))
            count, within = timed(lambda: tree.query_ball_point(x, radius, return_length=True, workers=-1) - 1)
            d = "body x[3]; d = i.x - j.x; r2 = dot(d, d)"
            for precision in ["f64", "f32"]:
                seconds, found = law(manybody, folder, "nearest", "--precision", precision)
                if precision == "f64":
                    same = found[:, 2] == neighbour[:, 1]
                    assert (same | np.isclose(np.sqrt(found[:, 1]), distance[:, 1], rtol=1e-14)).all()
                print(f"{name}: nearest {precision} {seconds:.2f} s, cKDTree {build + query:.2f} s", flush=True)
            seconds, found = law(manybody, folder, f"{d}; count n = r2 < {radius**2!r}; self exclude")
            assert np.mean(found[:, 1] == count) > 1 - 1e-5  # but for pairs at the radius itself
            print(f"{name}: {count.mean():.1f} within a radius {seconds:.2f} s, cKDTree {build + within:.2f} s", flush=True)
            kernel = f"q = sqrt(r2) / {radius!r}; sum rho = q < 1 ? j.m * (1 - q)^4 * (1 + 4 * q) : 0"
            seconds, _ = law(manybody, folder, f"{d.replace('x[3]', 'x[3], m')}; {kernel}")
            print(f"{name}: density {seconds:.2f} s", flush=True)


if __name__ == "__main__":
    main()
