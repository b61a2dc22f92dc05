"""`manybody pairs` on NumPy's own files, against SciPy and NumPy."""

import json

import numpy as np
import pytest
from scipy import spatial

RANDOM = np.random.default_rng(11)


@pytest.mark.parametrize("dimensions", [1, 2, 3, 4, 5, 16])
@pytest.mark.parametrize("kind, precision", [(np.float64, "f64"), (np.float32, "f32")])
@pytest.mark.parametrize("order", ["C", "F"])
def test_distances_are_those_of_pdist(manybody, tmp_path, dimensions, kind, precision, order):
    points = np.asarray(RANDOM.uniform(size=(301, dimensions)).astype(kind), order=order)
    np.save(tmp_path / "points.npy", points)
    manybody("pairs", "distances", tmp_path / "points.npy", "-o", tmp_path / "d.npy", "--precision", precision,
             "--device", "cpu")
    found = np.load(tmp_path / "d.npy", mmap_mode="r")
    assert found.dtype == kind
    want = spatial.distance.pdist(points.astype(np.float64))
    # each square, sum and root off by half a unit; in f32 coordinates are moved to their middle: half a unit of 1 each
    eps = np.finfo(kind).eps
    moved = 2 * np.sqrt(dimensions) * eps if precision == "f32" else 0
    assert np.all(np.abs(found - want) <= (dimensions + 3) * eps * want + moved)
    assert spatial.distance.squareform(found).shape == (301, 301)


@pytest.mark.parametrize("dimensions", [1, 2, 3])
def test_touching_spheres_are_those_of_a_double_loop(manybody, tmp_path, dimensions):
    x = RANDOM.uniform(size=(400, dimensions))
    r = RANDOM.uniform(0, 0.05, 400)
    np.save(tmp_path / "spheres.npy", np.column_stack((x, r)))
    names = ",".join(f"c{d}" for d in range(dimensions))
    manybody("pairs", "collisions", tmp_path / "spheres.npy", "--coordinates", names, "--radius", f"c{dimensions}",
             "-o", tmp_path / "c.csv", "--device", "cpu")
    found = np.loadtxt(tmp_path / "c.csv", delimiter=",", skiprows=1, dtype=int, ndmin=2)
    square = np.sum((x[:, None] - x[None]) ** 2, axis=2)
    want = np.argwhere(np.triu(square <= (r[:, None] + r[None]) ** 2, 1))
    assert len(want) > 50 and np.array_equal(found, want)


def test_correlation_counts_are_numpys(manybody, tmp_path):
    data, random = RANDOM.uniform(size=(300, 3)), RANDOM.uniform(size=(500, 3))
    np.save(tmp_path / "data.npy", data)
    np.save(tmp_path / "random.npy", random)
    manybody("pairs", "correlation", tmp_path / "data.npy", "--random", tmp_path / "random.npy", "--bins",
             "log:0.05:0.8:8", "-o", tmp_path / "xi.csv")
    found = np.genfromtxt(tmp_path / "xi.csv", delimiter=",", names=True)
    edges = np.append(found["from"], found["to"][-1])
    assert np.allclose(edges, np.geomspace(0.05, 0.8, 9))
    dd, dr, rr = (np.histogram(d, edges)[0] for d in
                  (spatial.distance.pdist(data), spatial.distance.cdist(data, random).ravel(), spatial.distance.pdist(random)))
    assert np.array_equal(found["dd"], dd) and np.array_equal(found["dr"], dr) and np.array_equal(found["rr"], rr)
    dd, dr, rr = dd / (300 * 299 / 2), dr / (300 * 500), rr / (500 * 499 / 2)
    np.testing.assert_allclose(found["xi"], (dd - 2 * dr + rr) / rr, rtol=1e-12, atol=1e-12)


def test_triples_are_those_of_a_loop(manybody, tmp_path):
    x = np.indices((3, 3, 2)).reshape(3, -1).T + RANDOM.uniform(0, 0.4, (18, 3))
    np.save(tmp_path / "x.npy", x)
    done = manybody("pairs", "axilrod-teller", tmp_path / "x.npy", "--nu", 3, "--json", "--device", "cpu")
    d, energy = spatial.distance.cdist(x, x), 0.0
    for i in range(18):
        for j in range(i):
            for k in range(j):
                a, b, c = d[j, k], d[i, k], d[i, j]
                cosines = ((b * b + c * c - a * a) / (2 * b * c) * (a * a + c * c - b * b) / (2 * a * c)
                           * (a * a + b * b - c * c) / (2 * a * b))
                energy += 3 * (1 + 3 * cosines) / (a * b * c) ** 3
    assert abs(json.loads(done.stdout)["energy"] - energy) < 1e-12 * abs(energy)


@pytest.mark.parametrize("array, said", [
    (np.arange(6).reshape(3, 2), "float64 or float32"),
    (np.zeros((2, 2, 2)), "shape"),
    (np.array(1.0), "shape"),
    (np.array([[1.0, np.nan]]), "NaN"),
    (np.array([[1.0], [np.inf]]), "inf"),
])
def test_arrays_that_hold_no_points_are_refused(manybody, tmp_path, array, said):
    np.save(tmp_path / "a.npy", array)
    done = manybody("pairs", "distances", tmp_path / "a.npy", "-o", tmp_path / "d.npy", status=2)
    assert said in done.stderr and "a.npy" in done.stderr
    assert not (tmp_path / "d.npy").exists()
