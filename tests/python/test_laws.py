"""Built-in laws against NumPy and SciPy: kernel sums, distances, two-sample statistics, holograms, waves."""

import numpy as np
import pytest
from scipy import spatial, stats

RANDOM = np.random.default_rng(7)


@pytest.fixture
def evaluate(manybody, tmp_path):
    """Results of a law on columns, one array a column."""

    def run(law, columns, *words):
        names = list(columns)
        table = np.column_stack([columns[name] for name in names])
        # the shortest digits that read back to the same bits
        lines = [",".join(names)] + [",".join(repr(float(x)) for x in row) for row in table]
        (tmp_path / "bodies.csv").write_text("\n".join(lines) + "\n")
        (tmp_path / "result.csv").unlink(missing_ok=True)
        manybody("force", tmp_path / "bodies.csv", "-o", tmp_path / "result.csv", "--law", law, "--device", "cpu", *words)
        result = np.genfromtxt(tmp_path / "result.csv", delimiter=",", names=True)
        return {name: result[name] for name in result.dtype.names}

    return run


def places(n):
    return dict(zip("xyz", RANDOM.uniform(-1, 1, (3, n))))


def distances(columns):
    x = np.column_stack([columns[k] for k in "xyz"])
    return spatial.distance.cdist(x, x)


def close(a, b, terms):
    """A dozen roundings a term, and the sum's own."""
    size = np.max(np.abs(b))
    np.testing.assert_allclose(a, b, rtol=0, atol=(terms + 12) * 2.3e-16 * max(size, 1))


def test_kernel_sums(evaluate):
    n, h = 300, 0.7
    columns = places(n) | {"w": RANDOM.uniform(0, 1, n)}
    r, w = distances(columns), columns["w"]
    close(evaluate("gaussian", columns, "--par", f"h={h}")["s"], np.exp(-0.5 * (r / h) ** 2) @ w, n)
    t = np.sqrt(3) * r / h
    close(evaluate("matern", columns, "--par", f"h={h}")["s"], ((1 + t) * np.exp(-t)) @ w, n)
    close(evaluate("distances", columns)["s"], r @ w, n)


def test_gaussian_sums_as_scipy_estimates_densities(evaluate):
    n, h = 200, 0.4
    columns = places(n) | {"w": np.full(n, 1 / n)}
    x = np.column_stack([columns[k] for k in "xyz"])
    kde = stats.gaussian_kde(x.T)
    # SciPy's kernel has the samples' covariance: white coordinates make it ours
    white = np.linalg.solve(np.linalg.cholesky(kde.covariance), x.T)
    s = evaluate("gaussian", dict(zip("xyz", white)) | {"w": columns["w"]}, "--par", "h=1")["s"]
    norm = np.sqrt(np.linalg.det(2 * np.pi * kde.covariance))
    np.testing.assert_allclose(s / norm, kde(x.T), rtol=1e-12)


def test_nearest_neighbours(evaluate):
    n = 400
    columns = places(n)
    found = evaluate("nearest", columns)
    x = np.column_stack([columns[k] for k in "xyz"])
    distance, index = spatial.cKDTree(x).query(x, k=2)
    close(found["r2"], distance[:, 1] ** 2, 1)
    np.testing.assert_array_equal(found["r2_id"], index[:, 1])


def test_energy_distance(evaluate):
    n, m = 120, 90
    x = np.concatenate([RANDOM.normal(size=n), RANDOM.normal(0.5, 2, size=m)])
    w = np.concatenate([np.full(n, 1 / n), np.full(m, -1 / m)])
    s = evaluate("distances", {"x": x, "y": 0 * x, "z": 0 * x, "w": w})["s"]
    # SciPy's is the root of it
    np.testing.assert_allclose(-np.sum(w * s), stats.energy_distance(x[:n], x[n:]) ** 2, rtol=1e-10)


@pytest.mark.parametrize("grain", [None, 0.25])
def test_kolmogorov_smirnov(evaluate, grain):
    n, m = 120, 90
    x = np.concatenate([RANDOM.normal(size=n), RANDOM.normal(0.3, 1.2, size=m)])
    if grain:
        x = np.round(x / grain) * grain  # ties
    sample = np.repeat([0, 1], [n, m])
    found = evaluate("kolmogorov-smirnov", {"x": x, "sample": sample})
    ours = np.max(np.abs(found["a"] / n - found["b"] / m))
    assert abs(ours - stats.ks_2samp(x[:n], x[n:]).statistic) < 1e-14


def test_kolmogorov_smirnov_in_two_dimensions(evaluate):
    """Fasano and Franceschini's statistic, written out in NumPy."""
    n, m = 80, 70
    x, y = RANDOM.normal(size=(2, n + m))
    y[n:] += 0.6 * x[n:]
    sample = np.repeat([0, 1], [n, m])
    found = evaluate("kolmogorov-smirnov-2d", {"x": x, "y": y, "sample": sample})
    ours = max(np.max(np.abs(found[f"a{q}"] / n - found[f"b{q}"] / m)) for q in range(4))
    right, up = x[None, :] >= x[:, None], y[None, :] > y[:, None]
    quadrants = [right & up, ~right & up, ~right & ~up, right & ~up]
    theirs = max(np.max(np.abs(q[:, :n].mean(axis=1) - q[:, n:].mean(axis=1))) for q in quadrants)
    assert abs(ours - theirs) < 1e-14


def test_waves(evaluate):
    n, k = 150, 4.0
    columns = places(n) | {"re": RANDOM.normal(size=n), "im": RANDOM.normal(size=n)}
    r = distances(columns)
    np.fill_diagonal(r, 1)
    green = np.exp(1j * k * r) / (4 * np.pi * r)
    np.fill_diagonal(green, 0)
    q = columns["re"] + 1j * columns["im"]
    found = evaluate("helmholtz-single", columns, "--par", f"k={k}")
    np.testing.assert_allclose(found["u_re"] + 1j * found["u_im"], green @ q, rtol=0, atol=1e-12 * np.abs(green @ q).max())

    normals = RANDOM.normal(size=(3, n))
    normals /= np.linalg.norm(normals, axis=0)
    x = np.array([columns[k] for k in "xyz"])
    along = np.einsum("kj,kij->ij", normals, x[:, :, None] - x[:, None, :])
    slope = along * (1 - 1j * k * r) * np.exp(1j * k * r) / (4 * np.pi * r**3)
    np.fill_diagonal(slope, 0)
    oriented = columns | dict(zip(("nx", "ny", "nz"), normals))
    found = evaluate("helmholtz-double", oriented, "--par", f"k={k}")
    np.testing.assert_allclose(found["u_re"] + 1j * found["u_im"], slope @ q, rtol=0, atol=1e-12 * np.abs(slope @ q).max())
