"""manybody.accelerations, potential and forces: against plain NumPy, SciPy and the command, in every form of arrays."""

import numpy as np
import pytest

mb = pytest.importorskip("manybody", reason="the package is not installed: pip install .")

N = 300


def plain(x, m, eps=0.0, v=None):
    """Accelerations, potentials and jerks by NumPy, in f64."""
    d = x[None] - x[:, None]
    r2 = (d**2).sum(-1) + eps**2
    np.fill_diagonal(r2, np.inf)
    a = (m[None, :, None] * d / r2[..., None] ** 1.5).sum(1)
    potential = -(m[None] / np.sqrt(r2)).sum(1)
    if v is None:
        return a, potential, None
    dv = v[None] - v[:, None]
    along = (d * dv).sum(-1) / r2
    jerk = (m[None, :, None] * (dv - 3 * along[..., None] * d) / r2[..., None] ** 1.5).sum(1)
    return a, potential, jerk


@pytest.fixture
def stars3():
    rng = np.random.default_rng(5)
    return rng.normal(size=(N, 3)), rng.uniform(0.5, 1.5, N), rng.normal(size=(N, 3))


def worst(found, want):
    """The largest difference over the root mean square."""
    return np.abs(found - want).max() / np.sqrt((want**2).mean())


# N terms of rounding error 2^-53 or 2^-24 each, of sizes up to some tens of the root mean square in this cloud
F64, F32 = 1e-12, 1e-4


@pytest.mark.parametrize("eps", [0.0, 0.05])
def test_forces_are_those_of_numpy(stars3, eps):
    x, m, v = stars3
    want = plain(x, m, eps, v)
    found = mb.forces(x, m, v=v, eps=eps)
    for have, must in zip(found, want):
        assert have.shape == must.shape and have.dtype == np.float64
        assert worst(have, must) < F64
    assert worst(mb.accelerations(x, m, eps=eps), want[0]) < F64
    assert worst(mb.potential(x, m, eps=eps), want[1]) < F64
    assert mb.forces(x, m, eps=eps).jerk is None


def of_the_spline(x, m, eps, v):
    """Accelerations, potentials and jerks of bodies with the spline softening, by the polynomials of Springel, Yoshida & White
    (2001, New Astron. 6, 79), appendix A, and their derivatives by NumPy."""
    poly = np.polynomial.Polynomial
    inner = poly([-14 / 5, 0, 16 / 3, 0, -48 / 5, 32 / 5])
    # times u, so that it is a polynomial
    outer = poly([1 / 15, -16 / 5, 0, 32 / 3, -16, 48 / 5, -32 / 15])

    def potential(u):
        return np.select([u < 0.5, u < 1], [inner(u), outer(u) / u], -1 / u)

    def force(u):
        """dW/du / u"""
        between = (outer.deriv()(u) * u - outer(u)) / u**3
        return np.select([u < 0.5, u < 1], [inner.deriv()(u) / u, between], u**-3)

    def slope(u):
        """d(dW/du / u)/du / u"""
        derived = (inner.deriv(2)(u) * u - inner.deriv()(u)) / u**3
        p = outer.deriv() * poly([0, 1]) - outer
        between = (p.deriv()(u) * u - 3 * p(u)) / u**5
        return np.select([u < 0.5, u < 1], [derived, between], -3 * u**-5)

    d, w = x[None] - x[:, None], v[None] - v[:, None]
    r = np.sqrt((d**2).sum(-1))
    np.fill_diagonal(r, 1e30)
    h = 2.8 * np.sqrt(0.5 * (np.broadcast_to(eps, len(x))[None] ** 2 + np.broadcast_to(eps, len(x))[:, None] ** 2))
    u = r / h
    f, s = m[None] * force(u) / h**3, m[None] * slope(u) / h**5
    a = (f[..., None] * d).sum(1)
    jerk = (f[..., None] * w + (s * (d * w).sum(-1))[..., None] * d).sum(1)
    return a, (m[None] * potential(u) / h).sum(1), jerk


@pytest.mark.parametrize("each", [False, True])
def test_the_spline_softening_is_that_of_numpy(stars3, each):
    x, m, v = stars3
    # of a cloud of size 1: most within each other, some, hardly any
    for size in (2.0, 0.3, 0.02):
        eps = size * np.linspace(0.5, 1.5, N) if each else size
        want = of_the_spline(x, m, eps, v)
        for solver in ("symmetric", "direct", "reference"):
            found = mb.forces(x, m, v=v, eps=eps, softening="spline", solver=solver)
            for have, must in zip(found, want):
                assert worst(have, must) < F64, (size, solver)
        single = mb.forces(x.astype("f4"), m.astype("f4"), v=v.astype("f4"), eps=eps, softening="spline")
        for have, must in zip(single, want):
            assert worst(have, must) < F32, size
        mixed = mb.forces(x, m, eps=eps, softening="spline", precision="mixed")
        assert worst(mixed.acceleration, want[0]) < 1e-5
        for solver in ("tree", "fmm"):
            found = mb.forces(x, m, eps=eps, softening="spline", solver=solver, rtol=1e-5)
            assert worst(found.acceleration, want[0]) < 1e-4 and worst(found.potential, want[1]) < 1e-4
        assert mb.audit(x, m, want[0], eps=eps, softening="spline").max < F64
        assert mb.audit(x, m, mb.forces(x, m, eps=eps, softening="spline"), eps=eps, softening="spline").potential < F64
        with pytest.raises(mb.ComputationError):
            mb.audit(x, m, want[0], eps=eps)
    with pytest.raises(ValueError, match="plummer or spline"):
        mb.accelerations(x, m, eps=0.1, softening="gauss")


def test_the_command_computes_the_same_bits(manybody, stars, tmp_path):
    bodies = stars(1000)
    path, out = bodies.csv(tmp_path / "b.csv"), tmp_path / "a.csv"
    for precision in ("f64", "f32"):
        manybody("force", path, "-o", out, "--eps", 0.01, "--device", "cpu", "--precision", precision, "--force")
        of_command = np.loadtxt(out, delimiter=",", skiprows=1)[:, 1:]
        found = mb.forces(bodies.position, bodies.mass, eps=0.01, device="cpu", precision=precision)
        assert np.array_equal(np.column_stack([found.acceleration, found.potential]), of_command)


def test_every_form_of_arrays(stars3):
    x, m, _ = stars3
    want = mb.accelerations(x, m, eps=0.01)
    by_columns = mb.accelerations(np.asfortranarray(x), m, eps=0.01)
    assert by_columns.flags.f_contiguous and np.array_equal(by_columns, want)
    assert want.flags.c_contiguous
    parts = mb.accelerations(tuple(x.T), m, eps=0.01)
    assert isinstance(parts, tuple) and np.array_equal(np.column_stack(parts), want)
    wide = np.zeros((2 * N, 6))
    wide[::2, ::2] = x
    assert np.array_equal(mb.accelerations(wide[::2, ::2], m, eps=0.01), want)
    assert np.array_equal(mb.accelerations(x.tolist(), m.tolist(), eps=0.01), want)
    assert np.array_equal(mb.accelerations(x.astype(">f8"), m, eps=0.01), want)
    whole = np.arange(3 * N).reshape(N, 3)
    assert np.array_equal(mb.accelerations(whole, 2), mb.accelerations(whole.astype(float), np.full(N, 2.0)))


def test_f32_in_f32_out(stars3):
    x, m, _ = stars3
    single = mb.accelerations(x.astype(np.float32), m.astype(np.float32), eps=0.05)
    assert single.dtype == np.float32
    want = plain(x, m, 0.05)[0]
    assert 0 < worst(single, want) < F32
    # a precision that is named decides, not the arrays; the result keeps their type
    exact = mb.accelerations(x.astype(np.float32), m, eps=0.05, precision="f64")
    assert exact.dtype == np.float32
    assert worst(exact, plain(x.astype(np.float32).astype(float), m, 0.05)[0]) < 2 * np.finfo(np.float32).eps * 30


def test_softenings_of_their_own_targets_and_g(stars3):
    x, m, _ = stars3
    assert np.allclose(mb.accelerations(x, m, eps=np.full(N, 0.1)), plain(x, m, 0.1)[0], rtol=1e-11)
    some = [7, 3, 250]
    at = mb.forces(x, m, eps=0.05, targets=some)
    a, potential, _ = plain(x, m, 0.05)
    assert worst(at.acceleration, a[some]) < F64 and worst(at.potential, potential[some]) < F64
    assert worst(mb.accelerations(x, m, eps=0.05, G=6.5), 6.5 * a) < F64


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_few_bodies(n):
    x = np.arange(3.0 * n).reshape(n, 3)
    a = mb.accelerations(x, np.ones(n))
    assert a.shape == (n, 3)
    assert np.allclose(a, plain(x, np.ones(n))[0])


@pytest.mark.parametrize(
    "arguments, words",
    [
        (dict(x=np.zeros((4, 2))), ["x", "float64", "(4, 2)", "(n, 3)"]),
        (dict(x=np.zeros(4)), ["x", "(4,)", "(n, 3)"]),
        (dict(x=(np.zeros(4), np.zeros(5), np.zeros(4))), ["x[1]", "(5,)", "(4,)"]),
        (dict(x=np.zeros((4, 3), complex)), ["x", "complex128", "(4, 3)"]),
        (dict(x="here"), ["x: 'here'; must be an array of numbers"]),
        (dict(x=None), ["x: None; must be an array of numbers"]),
        (dict(m="1"), ["m: '1'; must be a number, or an array [n]"]),
        (dict(eps=None), ["eps: None; must be a number, or an array [n]"]),
        (dict(eps="0.1"), ["eps: '0.1'; must be a number, or an array [n]"]),
        (dict(G="1"), ["G: '1'; must be a number"]),
        (dict(rtol=np.full(64, 0.1)), ["rtol: an array with shape (64,); must be one value"]),
        (dict(m=np.ones(5)), ["m", "(5,)", "(4,)"]),
        (dict(m=np.array([1.0, -2.0, 1.0, 1.0])), ["m[1]", "-2"]),
        (dict(x=np.array([[0, 0, 0], [1, 0, np.nan], [2, 0, 0], [3, 0, 0]])), ["x[1, 2]", "NaN"]),
        (dict(eps=-0.5), ["eps", "-0.5"]),
        (dict(eps=np.ones(3)), ["eps", "(3,)", "(4,)"]),
        (dict(G=np.inf), ["G", "inf"]),
        (dict(x=np.zeros((4, 3))), ["eps", "bodies 0", "1"]),
        (dict(targets=[4]), ["targets", "4"]),
        (dict(precision="f46"), ["precision", "f46", "did you mean f64?"]),
        (dict(device="cud"), ["device", "cud", "did you mean cuda?"]),
        (dict(solver="direkt"), ["solver", "direkt", "did you mean direct?"]),
        (dict(gpus=2, device="cpu"), ["gpus", "2", "device cuda"]),
    ],
)
def test_errors_name_the_argument_its_shape_and_value(arguments, words):
    good = dict(x=np.arange(12.0).reshape(4, 3), m=np.ones(4))
    with pytest.raises(mb.InputError) as error:
        mb.forces(**{**good, **arguments})
    assert isinstance(error.value, ValueError)
    for word in words:
        assert word in str(error.value), str(error.value)


def test_a_result_that_overflows_is_an_error():
    x = np.array([[0.0, 0, 0], [1e-160, 0, 0]])
    with pytest.raises(mb.ComputationError, match="body 0"):
        mb.accelerations(x, np.full(2, 1e300))


def test_quantities_of_astropy():
    units = pytest.importorskip("astropy.units")
    from astropy import constants

    sun = np.array([[0.0, 0, 0], [1.0, 0, 0]]) * units.au
    found = mb.forces(sun, np.array([1.0, 0.0]) * units.Msun)
    want = (constants.G * constants.M_sun / units.au**2).to(units.m / units.s**2)
    assert abs(found.acceleration[1, 0] / -want - 1) < 1e-12
    assert abs(found.potential[1] / -(want * units.au).to(units.m**2 / units.s**2) - 1) < 1e-12
    # a softening in another unit
    soft = mb.accelerations(sun, np.array([1.0, 0.0]) * units.Msun, eps=units.au.to(units.pc) * units.pc)
    assert abs(soft[1, 0] / found.acceleration[1, 0] - 2**-1.5) < 1e-12
    parts = mb.accelerations(tuple(sun.T), [1.0 * units.Msun, 0.0 * units.Msun])
    assert np.array_equal(parts[0], found.acceleration[:, 0])


def test_quantities_beside_plain_numbers_are_refused():
    units = pytest.importorskip("astropy.units")
    x, m = np.arange(6.0).reshape(2, 3), np.ones(2)
    for arguments, words in (
        (dict(x=x * units.pc, m=m), ["m: without a unit", "must be a mass", "Msun"]),
        (dict(x=x, m=m * units.Msun), ["x: without a unit", "must be a length", "pc"]),
        (dict(x=tuple(x.T), m=m * units.Msun), ["x[0]: without a unit", "must be a length"]),
        (dict(x=x * units.kg, m=m * units.Msun), ["x: in kg", "must be a length"]),
        (dict(x=x * units.pc, m=m * units.pc), ["m: in pc", "must be a mass"]),
        (dict(x=(x[:, 0] * units.pc, x[:, 1] * units.s, x[:, 2]), m=m * units.kg), ["x[1]: in s", "must be a length"]),
        (dict(x=x * units.pc, m=m * units.Msun, eps=1 * units.s), ["eps: in s", "must be a length"]),
        (dict(x=x * units.pc, m=m * units.Msun, eps=0.1), ["eps: without a unit", "must be a length"]),
        (dict(x=x * units.pc, m=m * units.Msun, v=x), ["v: without a unit", "must be a velocity", "km / s"]),
        (dict(x=x * units.pc, m=m * units.Msun, G=4.3e-3), ["G: without a unit", "gravitational constant"]),
        (dict(x=x * units.pc, m=m * units.Msun, G=1 * units.kg), ["G: in kg", "gravitational constant"]),
        (dict(x=x, m=m, eps=0.1 * units.pc), ["x: without a unit", "must be a length"]),
    ):
        with pytest.raises(mb.InputError) as error:
            mb.forces(**arguments)
        for word in words:
            assert word in str(error.value), str(error.value)


class Exported:
    """An array of a package that speaks DLPack and nothing else."""

    def __init__(self, array, device=(1, 0)):
        self.array, self.device = array, device

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)


def test_arrays_through_dlpack(stars3):
    x, m, _ = stars3
    want = mb.accelerations(x, m, eps=0.01)
    assert np.array_equal(mb.accelerations(Exported(x), Exported(m), eps=0.01), want)
    with pytest.raises(mb.InputError, match="x: an array on the device 10:0 of DLPack"):
        mb.accelerations(Exported(x, (10, 0)), m)
    with pytest.raises(mb.InputError, match="x: an array on the device 2:0 of DLPack"):
        mb.distances(Exported(x, (2, 0)))


def test_tensors_of_torch(stars3):
    torch = pytest.importorskip("torch")
    x, m, _ = stars3
    found = mb.accelerations(torch.from_numpy(x), torch.from_numpy(m), eps=0.01)
    assert isinstance(found, torch.Tensor)
    assert np.array_equal(found.numpy(), mb.accelerations(x, m, eps=0.01))


def test_arrays_of_jax(stars3):
    jax = pytest.importorskip("jax")
    x, m, _ = (part.astype(np.float32) for part in stars3)
    found = mb.accelerations(jax.numpy.asarray(x), jax.numpy.asarray(m), eps=0.01)
    assert isinstance(found, jax.Array)
    assert np.array_equal(np.asarray(found), mb.accelerations(x, m, eps=0.01))


def test_rtol_chooses_the_solver_and_is_kept():
    stars = mb.ic.plummer(20000, seed=3)
    x, m = np.asarray(stars.x), np.asarray(stars.m)
    want = mb.accelerations(x, m, eps=0.01, device="cpu")
    size = np.linalg.norm(want, axis=1)
    for keywords, rtol in [({}, 1e-3), ({"solver": "fmm"}, 1e-4), ({"solver": "tree", "precision": "f32"}, 1e-3)]:
        found = mb.accelerations(x, m, eps=0.01, device="cpu", rtol=rtol, **keywords)
        errors = np.sort(np.linalg.norm(found - want, axis=1) / size)
        # 512 of 20,000 bodies were audited
        assert errors[-200] < 1.5 * rtol and errors[-200] > 1e-3 * rtol, (keywords, errors[-200])
    # few bodies are computed by all pairs
    few = mb.accelerations(x[:300], m[:300], eps=0.01, device="cpu", rtol=1e-9)
    assert np.array_equal(few, mb.accelerations(x[:300], m[:300], eps=0.01, device="cpu"))
    # with a solver of all pairs, the precision is chosen
    cheap = mb.accelerations(x, m, eps=0.01, device="cpu", solver="symmetric", rtol=1e-3)
    assert np.array_equal(cheap, mb.accelerations(x, m, eps=0.01, device="cpu", solver="symmetric", precision="f32"))
    fixed = {"eps": 0.01, "device": "cpu", "solver": "direct", "sum": "fixed"}
    summed = mb.accelerations(x, m, precision="f32", rtol=1e-4, **fixed)
    assert np.array_equal(summed, mb.accelerations(x, m, precision="f32", **fixed))
    with pytest.raises(mb.Error, match="sum = fixed: .*name both"):
        mb.accelerations(x, m, rtol=1e-4, **fixed)
    with pytest.raises(mb.Error, match="rtol = .*most exact"):
        mb.accelerations(x, m, eps=0.01, device="cpu", solver="symmetric", rtol=1e-30)
    with pytest.raises(mb.Error, match="rtol"):
        mb.accelerations(x, m, device="cpu", rtol=0.0)


def test_results_beyond_the_range_of_f32_are_errors(stars3):
    x, m, _ = stars3
    x, m = np.asarray(x, dtype=np.float32), np.asarray(m, dtype=np.float32)
    for call, words in [
        (lambda: mb.accelerations(x, m, eps=0.1, G=1e40, device="cpu"), "ax = -?inf"),
        (lambda: mb.accelerations(x, m.astype(float) * 1e40, eps=0.1, device="cpu"), "ax = -?inf"),
        (lambda: mb.potential(x, m, eps=0.1, G=1e40, device="cpu"), "(ax|potential) = -?inf"),
        (lambda: mb.Law("body x[3], q; param k; d = j.x - i.x; sum p = k * j.q / sqrt(dot(d, d) + 1)")(x=x, q=m, k=1e60), "p: .*float32"),
    ]:
        with pytest.raises(mb.ComputationError, match=words):
            call()
    assert np.isfinite(mb.accelerations(x.astype(float), m, eps=0.1, G=1e40, device="cpu")).all()


def test_keywords_of_forces_are_the_settings_of_forces(stars3):
    """Those of the library's table, and no others."""
    from manybody._native import settings_table
    from manybody._settings import ForceSettings

    table = [name for name, *_, of_forces in settings_table() if of_forces]
    assert list(ForceSettings.__annotations__) == table
    x, m, _ = stars3
    for call in [mb.accelerations, mb.potential, mb.forces]:
        with pytest.raises(TypeError, match="unknown keyword 'presision'.*did you mean precision"):
            call(x, m, presision="f32")
        with pytest.raises(TypeError, match="unknown keyword 'dt'"):
            call(x, m, dt=0.1)
    scalar = mb.accelerations(x, m, device="cpu", simd="scalar")
    assert worst(scalar, plain(x, m)[0]) < F64
    with pytest.raises(mb.InputError, match="sse9"):
        mb.accelerations(x, m, simd="sse9")
    many = np.random.default_rng(3).normal(size=(5000, 3))
    by_angle = mb.accelerations(many, 1.0, eps=0.1, solver="fmm", order=3, theta=0.6, device="cpu")
    assert 1e-8 < worst(by_angle, mb.accelerations(many, 1.0, eps=0.1, device="cpu")) < 1e-1
    with pytest.raises(mb.InputError, match="order"):
        mb.accelerations(x, m, order=3, device="cpu")


def test_targets_are_indices_a_mask_or_a_slice(stars3):
    x, m, _ = stars3
    every = mb.accelerations(x, m)
    mask = np.arange(N) % 7 == 0
    for targets, rows in [
        (mask, np.flatnonzero(mask)),
        (slice(3, 20, 4), np.arange(3, 20, 4)),
        ([-1, 0], np.array([N - 1, 0])),
        (5, np.array([5])),
    ]:
        found = mb.accelerations(x, m, targets=targets)
        assert np.array_equal(found, mb.accelerations(x, m, targets=rows)) and worst(found, every[rows]) < F64, targets
    assert mb.accelerations(x, m, targets=[]).shape == (0, 3)
    assert worst(mb.potential(tuple(x.T), m, targets=mask), mb.potential(x, m)[mask]) < F64
    for targets, said in [([1.5], "float64"), ([N], f"{N}; must be at least"), (mask[:5], "a mask with shape"), ([[1]], "shape")]:
        with pytest.raises(mb.InputError, match=f"targets: .*{said}"):
            mb.accelerations(x, m, targets=targets)


def test_an_audit_says_how_wrong_accelerations_are(stars3):
    x, m, v = stars3
    want, potential, _ = plain(x, m, 0.05)
    single = mb.accelerations(x.astype(np.float32), m, eps=0.05, device="cpu")
    size = np.sqrt((want**2).sum(axis=1).mean())
    off = np.linalg.norm(single - plain(x.astype(np.float32).astype(float), m, 0.05)[0], axis=1) / size
    found = mb.audit(x.astype(np.float32), m, single, eps=0.05)
    # NumPy's own sums in f64 have errors of 1e-15 to 1e-13
    assert found.sample == N and abs(found.max - off.max()) < 1e-9 and abs(found.median - np.quantile(off, 0.5)) < 1e-8
    assert found.potential is None and found.relative is None and found.net < 1e-6
    # those of any code, here NumPy
    of_numpy = mb.audit(x, m, want, eps=0.05, sample=20)
    assert of_numpy.sample == 20 and of_numpy.max < F64
    both = mb.audit(tuple(x.T), m, mb.forces(x, m, eps=0.05, device="cpu"), eps=0.05)
    assert 0 < both.potential < F64 and both.max < F64
    fmm = dict(eps=0.05, device="cpu", solver="fmm", rtol=1e-3)
    assert mb.audit(x, m, mb.accelerations(x, m, **fmm), **fmm).relative < 1e-3
    wrong = want.copy()
    wrong[7, 1] *= 1.001
    with pytest.raises(mb.ComputationError, match="body 7 .*f64"):
        mb.audit(x, m, wrong, eps=0.05)
    with pytest.raises(mb.ComputationError, match="beyond the limit|limit that was set"):
        mb.audit(x, m, single.astype(float), eps=0.05, limit=1e-9)
    bad = mb.forces(x, m, eps=0.05)
    with pytest.raises(mb.ComputationError, match="potential"):
        mb.audit(x, m, bad._replace(potential=bad.potential * 1.001), eps=0.05)
    for arguments, words in [
        (dict(found=want[:7]), r"found: .*\(7, 3\)"),
        (dict(found=want, sample=0), "sample: 0"),
        (dict(found=want, limit=-1.0), "limit: -1"),
        (dict(found=want, rtol=1e-3), "rtol: without a solver"),
        (dict(found=want, G=np.inf), "G = inf"),
        (dict(found=want * np.nan), "NaN"),
    ]:
        with pytest.raises(mb.Error, match=words):
            mb.audit(x, m, **{"eps": 0.05, **arguments})
    with pytest.raises(TypeError, match="epsilon"):
        mb.audit(x, m, want, epsilon=0.05)


def test_an_audit_of_quantities():
    units = pytest.importorskip("astropy.units")
    b = mb.ic.plummer(200, seed=1, mass=1000, half_mass_radius=1)
    x, m = b.x * units.pc, b.m * units.Msun
    found = mb.forces(x, m, eps=0.1 * units.pc)
    assert mb.audit(x, m, found, eps=0.1 * units.pc).potential < F64
    with pytest.raises(mb.InputError, match="found"):
        mb.audit(x, m, found.potential, eps=0.1 * units.pc)


def test_masses_below_the_range_of_f32_are_warned_of(stars3):
    x, m, _ = stars3
    few = np.where(np.arange(N) == 0, 1e30, 1e-30)
    with pytest.warns(UserWarning, match="299 bodies attract no other one.*precision='f64'|299 bodies attract no other one"):
        mb.accelerations(x, few, eps=0.05, precision="f32", device="cpu")
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mb.accelerations(x, few, eps=0.05, device="cpu")
        mb.accelerations(x.astype(np.float32), m, eps=0.05, device="cpu")
    # explained by the precision, and of no use: two bodies at one place
    x[1] = x[0]
    with pytest.warns(UserWarning, match="potentials are off by"):
        mb.audit(x, m, mb.forces(x, m, eps=1e-20, device="cpu", precision="f32"), eps=1e-20, precision="f32")


@pytest.mark.parametrize("solver", ["fmm", "tree"])
def test_expansions_with_softenings_of_the_bodies_are_those_of_numpy(solver):
    b = mb.ic.plummer(3000, seed=4)
    eps = np.where(np.arange(3000) % 3 == 0, 0.1, 0.02)
    d = b.x[None] - b.x[:, None]
    s2 = (d**2).sum(-1) + (eps[None] ** 2 + eps[:, None] ** 2) / 2
    np.fill_diagonal(s2, np.inf)
    want = (b.m[None, :, None] * d / s2[..., None] ** 1.5).sum(1)
    found = mb.accelerations(b.x, b.m, eps=eps, device="cpu", solver=solver, rtol=1e-4)
    errors = np.linalg.norm(found - want, axis=1) / np.linalg.norm(want, axis=1)
    # the promise is for 99 of 100, by an audit of 512 bodies, which allows 5
    assert np.quantile(errors, 0.98) < 1e-4, np.quantile(errors, 0.98)


@pytest.mark.parametrize("solver", ["fmm", "tree"])
def test_jerks_by_expansions_are_those_of_numpy(solver):
    b = mb.ic.plummer(3000, seed=4)
    x, m, v = (np.asarray(column) for column in (b.x, b.m, b.v))
    want = plain(x, m, 0.02, v)[2]
    for precision, rtol in [("f64", 1e-6), ("f64", 1e-3), ("f32", 1e-3)]:
        keywords = dict(eps=0.02, device="cpu", solver=solver, precision=precision, rtol=rtol)
        found = mb.forces(x, m, v=v, **keywords)
        errors = np.linalg.norm(found.jerk - want, axis=1) / np.linalg.norm(want, axis=1)
        # docs/accuracy.md: of 99 of 100 bodies, 16 times the error of accelerations
        assert 0 < np.quantile(errors, 0.99) < 16 * rtol, (precision, rtol, np.quantile(errors, 0.99))
        some = mb.forces(x, m, v=v, targets=[7, 2999, 0], **keywords)
        assert np.array_equal(some.jerk, found.jerk[[7, 2999, 0]])


def test_masked_arrays_are_refused_unless_nothing_is_masked():
    rng = np.random.default_rng(2)
    x, m = rng.normal(size=(6, 3)), np.ones(6)
    some, every = np.ma.array(x, mask=x > 1.0), np.ma.array(x, mask=np.zeros_like(x))
    assert some.mask.any()
    heavy = np.ma.array(m, mask=[0, 0, 1, 0, 0, 0])
    law = mb.Law("gaussian")
    for call, name in [
        (lambda: mb.accelerations(some, m), "x"),
        (lambda: mb.accelerations(x, heavy), "m"),
        (lambda: mb.accelerations(x, m, eps=np.ma.masked), "eps"),
        (lambda: mb.accelerations(tuple(some.T), m), r"x\[[012]\]"),
        (lambda: mb.accelerations(list(some), m), "x"),
        (lambda: mb.accelerations(x, m, targets=np.ma.array([0, 1], mask=[0, 1])), "targets"),
        (lambda: mb.forces(x, m, v=some), "v"),
        (lambda: law(x=some, w=m, h=1.0), "x"),
        (lambda: law(x=x, w=1.0, h=np.ma.masked), "h"),
        (lambda: mb.distances(some), "x"),
        (lambda: mb.count_pairs(x, [0, 1], weights=heavy), "weights"),
        (lambda: mb.Bodies(heavy, x), "m"),
        (lambda: mb.Bodies(m, x, q=heavy), "q"),
        (lambda: mb.Bodies(m, x, id=np.ma.array(range(6), mask=[0, 0, 0, 0, 0, 1])), "id"),
    ]:
        with pytest.raises(mb.InputError, match=f"^{name}: an array with shape .* masked; must have no masked elements"):
            call()
    assert np.array_equal(mb.accelerations(every, np.ma.array(m)), mb.accelerations(x, m))


def test_masked_quantities_are_refused():
    units = pytest.importorskip("astropy.units")
    masked = pytest.importorskip("astropy.utils.masked").Masked
    x = masked(np.eye(3) * units.pc, mask=np.eye(3) > 0)
    with pytest.raises(mb.InputError, match="^x: .* 3 elements are masked"):
        mb.accelerations(x, np.ones(3) * units.Msun)


def test_unknown_keywords_are_named_beside_all_that_there_are():
    x, m = np.eye(3), np.ones(3)
    for call, words in [
        (lambda: mb.accelerations(x, m, epsi=0.1), ["'epsi' of 'accelerations'", "x, m, eps, G", "did you mean eps?"]),
        (lambda: mb.forces(x, m, vel=x), ["'vel' of 'forces'", "targets, v, softening, solver"]),
        (lambda: mb.audit(x, m, x, smaple=3), ["'smaple' of 'audit'", "did you mean sample?"]),
        (lambda: mb.potential(x, m, threads=2), ["'threads'", "RAYON_NUM_THREADS"]),
        (lambda: mb.potential(x, m, dt=2), ["'dt'", "it is a setting of Simulation"]),
        (lambda: mb.Law("gaussian")(x=x, w=m, h=1.0, sum="fixed"), ["'sum'", "simd, gpus, solver, rtol"]),
        (lambda: mb.Law("gaussian")(x=x, w=m, h=1.0, solvr="fmm"), ["'solvr'", "did you mean solver?"]),
    ]:
        with pytest.raises(TypeError) as error:
            call()
        for word in words:
            assert word in str(error.value), str(error.value)
        assert "theta?" not in str(error.value)


def test_arrays_of_jax_without_numbers_are_refused():
    jax = pytest.importorskip("jax")
    x = np.random.default_rng(1).normal(size=(8, 3))
    for call in (
        lambda: jax.jit(mb.accelerations)(x, np.ones(8)),
        lambda: jax.grad(lambda x: mb.accelerations(x, np.ones(8)).sum())(x),
        lambda: jax.jit(mb.distances)(x),
    ):
        with pytest.raises(mb.InputError, match="^x: an array that JAX traces"):
            call()
    with pytest.raises(mb.InputError, match="^x: an array of bfloat16"):
        mb.accelerations(jax.numpy.asarray(x, dtype="bfloat16"), 1.0)


@pytest.mark.parametrize("failing", [ValueError("no place"), NotImplementedError(), RuntimeError("a\nb")])
def test_arrays_of_other_packages_that_cannot_be_read_are_named(failing):
    class Odd:
        dtype = "odd8"

        def __dlpack__(self, **_):
            raise BufferError

        def __dlpack_device__(self):
            raise failing

    with pytest.raises(mb.InputError, match="^m: an array of odd8 .*must be a dense array of float32 or float64"):
        mb.accelerations(np.eye(3), Odd())


def test_tensors_that_numpy_cannot_have_are_named():
    torch = pytest.importorskip("torch")
    x = torch.randn(8, 3)
    for odd in (x.to(torch.bfloat16), x.to("meta"), x.to_sparse()):
        with pytest.raises(mb.InputError, match="^x: an array of torch.* must be a dense array of float32 or float64"):
            mb.accelerations(odd, 1.0)
        with pytest.raises(mb.InputError, match="^x: "):
            mb.Law("gaussian")(x=odd, w=1.0, h=1.0)
