"""Built-in laws against NumPy and SciPy: kernel sums, distances, two-sample statistics, holograms, waves."""

import json

import numpy as np
import pytest
from scipy import spatial, special, stats

RANDOM = np.random.default_rng(7)


@pytest.fixture
def evaluate(manybody, tmp_path):
    """Results of a law on columns, one array a column."""

    def run(law, columns, *words, device="cpu"):
        names = list(columns)
        table = np.column_stack([columns[name] for name in names])
        # the shortest digits that read back to the same bits
        lines = [",".join(names)] + [",".join(repr(float(x)) for x in row) for row in table]
        (tmp_path / "bodies.csv").write_text("\n".join(lines) + "\n")
        (tmp_path / "result.csv").unlink(missing_ok=True)
        manybody("force", tmp_path / "bodies.csv", "-o", tmp_path / "result.csv", "--law", law, "--device", device, *words)
        result = np.genfromtxt(tmp_path / "result.csv", delimiter=",", names=True)
        return {name: result[name] for name in result.dtype.names}

    return run


def needs(manybody, device):
    """Skips a test of a device that is not here."""
    here = [json.loads(line) for line in manybody("devices", "--json").stdout.splitlines()]
    if not any(one["device"] == device and "missing" not in one for one in here):
        pytest.skip(f"no device {device} here")


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


@pytest.mark.parametrize("device, precision", [("cpu", "f32"), ("cpu", "f64"), ("wgpu", "f32")])
def test_what_acts_and_what_is_acted_on(evaluate, manybody, device, precision):
    """Columns of their own for sources and targets, as text and in CUNBODY-1's form, on every device."""
    needs(manybody, device)
    n, unit = 300, 6e-8 if precision == "f32" else 1.1e-16
    columns = {name: np.float32(column).astype(float) for name, column in places(n).items()}
    columns |= {name: np.float32(RANDOM.uniform(0, 1, n)).astype(float) for name in "qwe"}
    x, q, w, e = (columns[name] for name in "xqwe")
    d = x[None, :] - x[:, None]
    apart = ~np.eye(n, dtype=bool)
    soft = d**2 + e[:, None] ** 2 + 0.1
    pull = q[None, :] * d / soft**1.5
    cunbody = """INPUT_I = (x, e); INPUT_J = (x, q);
        float dx = INPUT_J[0] - INPUT_I[0]; float r2 = dx * dx + INPUT_I[1] * INPUT_I[1] + 0.1;
        OUTPUT[0] += INPUT_J[1] * dx / (r2 * sqrt(r2));"""
    native = "body x; source q; target e; d = j.x - i.x; sum f0 = j.q * d / (d^2 + i.e^2 + 0.1)^1.5; self exclude"
    for law, want in [
        ("source q; sum s = j.q", np.full((n, n), q)),
        ("source q; sum s = j.q; self exclude", q * apart),
        ("target w; source q; sum s = i.w * j.q", np.outer(w, q)),
        ("target w; source q; max s = i.w * j.q; self exclude", np.outer(w, q)),
        ("target w; sum s = i.w; self exclude", w[:, None] * apart),
        (native, pull),
        (cunbody, pull),
    ]:
        found = evaluate(law, columns, "--precision", precision, device=device)
        (result,) = (column for name, column in found.items() if name != "id")
        if " max " in law:
            exact, size = np.where(apart, want, -np.inf).max(axis=1), want.max()
        else:
            exact, size = want.sum(axis=1), np.abs(want).sum(axis=1)
        # the roundings of a term, and of a sum of n terms at worst
        assert np.all(np.abs(result - exact) <= (n + 30) * unit * size), law


@pytest.mark.parametrize("device, precision", [("cpu", "f32"), ("cpu", "f64"), ("wgpu", "f32")])
def test_expm1_and_log1p_near_zero(evaluate, manybody, device, precision):
    """Relative to each value, which 1 - exp(-y) is not: Thole's damping of a charge is -expm1(-(r / a)^3)."""
    needs(manybody, device)
    y = np.float32(np.concatenate([10.0 ** RANDOM.uniform(-20, 1.5, 200), -(10.0 ** RANDOM.uniform(-20, -0.1, 200))]))
    y = y.astype(float)
    columns = {"y": y, "num": np.arange(len(y))}
    law = "body y; id k = num; sum e = i.k == j.k ? expm1(j.y) : 0; sum l = i.k == j.k ? log1p(j.y) : 0; self include"
    found = evaluate(law, columns, "--precision", precision, device=device)
    # units in the last place; a device may take 1 from an exponential that is off by 3 + 2 |x|
    unit = 1.2e-7 if precision == "f32" else 2.3e-16
    loose = 12 * (1 + np.abs(y)) if device == "wgpu" else 4
    for name, exact in [("e", special.expm1(y)), ("l", special.log1p(y))]:
        assert np.all(np.abs(found[name] - exact) <= loose * unit * np.abs(exact)), name
    thole = "body y; id k = num; sum damped = i.k == j.k ? -expm1(-j.y^3) : 0; self include"
    near = np.float32(np.linspace(1e-3, 1, 300)).astype(float)
    damped = evaluate(thole, {"y": near, "num": np.arange(300)}, "--precision", precision, device=device)["damped"]
    np.testing.assert_allclose(damped, -special.expm1(-(near**3)), rtol=(40 if device == "wgpu" else 12) * unit)


@pytest.mark.parametrize("device, precision", [("cpu", "f32"), ("cpu", "f64"), ("wgpu", "f32")])
def test_infinities(evaluate, manybody, device, precision):
    """Results without a partner are those of NumPy's reductions of nothing, and f64 holds what f64 can hold."""
    needs(manybody, device)
    x = np.array([1.0, 2.0, 4.0])
    law = "body x; min a = j.x when j.x > i.x; max b = j.x when j.x < i.x; logsumexp z = j.x when j.x > i.x; self exclude"
    found = evaluate(law, {"x": x}, "--precision", precision, device=device)
    np.testing.assert_array_equal(found["a"], [2, 4, np.inf])
    np.testing.assert_array_equal(found["b"], [-np.inf, 1, 2])
    np.testing.assert_allclose(found["z"], [np.logaddexp(2, 4), 4, -np.inf], rtol=1e-6)
    if precision == "f64":
        huge = evaluate("body x; min m = i.x * 1e307; max n = -j.x * 1e307", {"x": x})
        np.testing.assert_allclose(huge["m"], 1e307 * x, rtol=1e-15)
        np.testing.assert_allclose(huge["n"], -1e307, rtol=1e-15)


def crowd(n):
    """Positions at all distances from a few centres."""
    r = 1e-4 * 1e4 ** RANDOM.uniform(0, 1, n)
    d = RANDOM.normal(size=(n, 3))
    return RANDOM.uniform(-1, 1, (7, 3))[np.arange(n) % 7] + d * (r / np.linalg.norm(d, axis=1))[:, None]


SYSTEMS = {
    "cube": lambda n: RANDOM.uniform(-1, 1, (n, 3)),
    "crowd": crowd,
    "far away": lambda n: RANDOM.uniform(-1, 1, (n, 3)) + 1e5,
}
D = "body x[3], q; d = i.x - j.x; s = dot(d, d); r = sqrt(s);"
LAWS = {
    "yukawa": (f"{D} sum p = j.q * exp(-3 * r) / r; self exclude", lambda r: np.exp(-3 * r) / r),
    "gaussian": (f"{D} sum p = j.q * exp(-2 * s); self exclude", lambda r: np.exp(-2 * r**2)),
    "matern": (f"{D} sum p = j.q * (1 + 2 * r) * exp(-2 * r); self exclude", lambda r: (1 + 2 * r) * np.exp(-2 * r)),
    "gravity": (f"{D} sum p = -j.q / sqrt(s + 1e-4); self exclude", lambda r: -1 / np.sqrt(r**2 + 1e-4)),
    "force": (f"{D} sum p = -j.q * d / (s + 1e-4)^1.5; self exclude", None),
}


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("signs", [False, True])
def test_laws_by_fast_multipoles(evaluate, system, name, signs):
    """99 of 100 errors are below rtol, relative to the result or the median result, the larger of both."""
    n = 3000
    x, q = SYSTEMS[system](n), RANDOM.uniform(-1 if signs else 0.1, 1, n)
    law, f = LAWS[name]
    d = x[:, None] - x[None, :]
    r = np.linalg.norm(d, axis=2)
    np.fill_diagonal(r, 1)
    if f:
        kernel = f(r)
        np.fill_diagonal(kernel, 0)
        exact = (kernel @ q)[:, None]
    else:
        exact = -np.einsum("ijk,ij,j->ik", d, (r**2 + 1e-4) ** -1.5, q)
    size = np.linalg.norm(exact, axis=1)
    for rtol in [1e-3, 1e-6]:
        found = evaluate(law, dict(zip("xyz", x.T)) | {"q": q}, "--solver", "fmm", "--rtol", str(rtol))
        found = np.column_stack([found[k] for k in (["p"] if f else ["px", "py", "pz"])])
        errors = np.linalg.norm(found - exact, axis=1) / np.maximum(size, np.median(size))
        assert np.quantile(errors, 0.98) < rtol
        assert 0 < errors.max() < 100 * rtol
