"""manybody.Law on arrays: against plain NumPy, the command, and differences; forms of arrays; errors; gradients."""

import pickle

import numpy as np
import pytest

mb = pytest.importorskip("manybody", reason="the package is not installed: pip install .")

COULOMB = """
body x[3], q
param k = 1
d = j.x - i.x
r = norm(d)
sum p = k * j.q / r
sum f = -k * i.q * j.q * d / r^3
self exclude
"""
# sums of some hundred terms of one size, each with some rounding errors of 2^-53 or 2^-24
F64, F32 = 1e-12, 3e-5


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def worst(found, want):
    return np.abs(found - want).max() / np.sqrt((want**2).mean())


def potential(xi, xj, q, same=False):
    r = np.sqrt(((xj[None] - xi[:, None]) ** 2).sum(-1))
    if same:
        np.fill_diagonal(r, np.inf)
    return (q[None] / r).sum(1)


def test_one_set_and_two_of_different_sizes(rng):
    law = mb.Law(COULOMB)
    x, q, at = rng.normal(size=(200, 3)), rng.normal(size=200), rng.normal(size=(30, 3))
    one = law(x=x, q=q)
    assert list(one) == ["p", "f"] and one.p.shape == (200,) and one["f"].shape == (200, 3)
    assert worst(one.p, potential(x, x, q, True)) < F64
    assert np.abs(one.f.sum(0)).max() < 1e-9 * np.abs(one.f).max()  # Newton's third law, to rounding
    # the potential at other places reads no charge of these
    two = law(x_i=at, q_i=1.0, x_j=x, q_j=q)
    assert two.p.shape == (30,) and worst(two.p, potential(at, x, q)) < F64
    only = mb.Law("body x[3], q; sum p = j.q / norm(j.x - i.x); self exclude")
    assert worst(only(x_i=at, x_j=x, q_j=q).p, two.p) < F64


def test_every_form_of_arrays(rng):
    law = mb.Law(COULOMB)
    x, q = rng.normal(size=(50, 3)), rng.normal(size=50)
    want = law(x=x, q=q)
    for form in (np.asfortranarray(x), tuple(x.T), x.tolist()):
        assert np.array_equal(law(x=form, q=q.tolist()).f, want.f)
    assert np.array_equal(law(x=x, q=2).p, law(x=x, q=np.full(50, 2.0)).p)
    single = law(x=x.astype(np.float32), q=q.astype(np.float32))
    assert single.p.dtype == np.float32 and 0 < worst(single.p, want.p) < F32
    assert law(x=x.astype(np.float32), q=q.astype(np.float32), precision="f64").f.dtype == np.float32


def test_leading_dimensions_broadcast(rng):
    law = mb.Law("gaussian")
    members = {m.name: m.width for m in law.targets}
    assert members["x"] == 3
    y, x, w = rng.normal(size=(4, 1, 7, 3)), rng.normal(size=(5, 9, 3)), rng.normal(size=9)
    (name, out), *_ = law(x_i=y, x_j=x, w_j=w, h=0.5).items()
    assert out.shape == (4, 5, 7)
    for a in range(4):
        for b in range(5):
            assert np.array_equal(out[a, b], law(x_i=y[a, 0], x_j=x[b], w_j=w, h=0.5)[name])


def test_counts_labels_and_parameters_of_several_numbers(rng):
    law = mb.Law(
        "body x; id k; param box[2] = (1, 2); r = abs(j.x - i.x); count n = r < box[0]; argmin m = r, j.k; self exclude"
    )
    out = law(x=np.array([0.0, 0.5, 3.0]), k=np.arange(3))
    assert out.n.dtype == np.int64 and out.n.tolist() == [1, 1, 0]
    assert out.m_id.dtype == np.int64 and out.m_id.tolist() == [1, 0, 1] and out.m.tolist() == [0.5, 0.5, 2.5]
    assert law(x=np.array([0.0, 0.5, 3.0]), k=np.arange(3), box=[4, 1]).n.tolist() == [2, 2, 2]
    assert law.parameters == {"box": [1.0, 2.0]}


def test_the_command_computes_the_same_bits(manybody, stars, tmp_path):
    bodies = stars(300)
    path, out = bodies.csv(tmp_path / "b.csv"), tmp_path / "a.csv"
    text = "body x[3], m; d = j.x - i.x; sum s = j.m * exp(-dot(d, d)); sum v = j.m * d"
    manybody("force", path, "-o", out, "--law", text, "--device", "cpu")
    found = mb.Law(text)(x=bodies.position, m=bodies.mass, device="cpu")
    assert np.array_equal(np.column_stack([found.s, found.v]), np.loadtxt(out, delimiter=",", skiprows=1)[:, 1:])


def test_every_law_with_a_name_is_described_and_reads_back():
    laws = mb.laws()
    assert {"gravity", "coulomb", "nearest"} <= set(laws)
    for name, help in laws.items():
        law = mb.Law(name)
        assert law.name == name and help
        again = pickle.loads(pickle.dumps(law))
        assert [m[:3] for m in again.targets] == [m[:3] for m in law.targets] and again.results == law.results
        assert law.latex.startswith("\\begin{aligned}") and law.cost[0] > 0


@pytest.mark.parametrize(
    "arguments, exception, words",
    [
        (dict(x=np.zeros((4, 3))), TypeError, ["q is missing"]),
        (dict(x_i=np.zeros((4, 3)), q_i=1, x_j=np.zeros((4, 3))), TypeError, ["q_j is missing"]),
        (dict(x=np.zeros((4, 2)), q=1), mb.InputError, ["x", "(4, 2)", "(n, 3)"]),
        (dict(x=np.zeros((4, 3)), q=np.ones(5)), mb.InputError, ["q", "5 bodies", "4", "x"]),
        (dict(x=np.zeros((4, 3)), charge=np.ones(5)), TypeError, ["charge", "known: x, q"]),
        (dict(x=np.zeros((4, 3)), q=1, precison="f32"), TypeError, ["did you mean precision?"]),
        (dict(x=np.eye(3), q=np.array([1, np.nan, 1])), mb.InputError, ["q = NaN for body 1"]),
        (dict(x=np.zeros((4, 3)), q=1), mb.InputError, ["law", "p = inf", "body 0"]),
        (dict(x=np.eye(3), q=1, k=[1, 2]), mb.InputError, ["k", "(2,)"]),
        (dict(x=np.zeros((2, 4, 3)), q=np.ones((3, 4))), mb.InputError, ["leading dimensions"]),
    ],
)
def test_errors_name_the_argument(arguments, exception, words):
    with pytest.raises(exception) as error:
        mb.Law(COULOMB)(**arguments)
    for word in words:
        assert word in str(error.value), str(error.value)


def test_a_text_that_is_no_law():
    with pytest.raises(mb.InputError, match="did you mean coulomb"):
        mb.Law("colomb")
    with pytest.raises(mb.InputError, match="line 1"):
        mb.Law("body x[3]; sum s = j.y")


def test_a_path_is_one_of_a_file(tmp_path, monkeypatch):
    path = tmp_path / "l.txt"
    path.write_text(COULOMB)
    assert mb.Law(path).results == mb.Law(str(path)).results == mb.Law(COULOMB).results
    assert pickle.loads(pickle.dumps(mb.Law(path))).results == mb.Law(COULOMB).results
    monkeypatch.chdir(tmp_path)
    for absent in ("nofile.txt", "laws/coulomb", tmp_path / "nofile.txt"):
        with pytest.raises(FileNotFoundError) as error:
            mb.Law(absent)
        assert str(absent) in str(error.value) and "law" in str(error.value), str(error.value)
        assert "known" not in str(error.value) and "o such file" in str(error.value), str(error.value)
    with pytest.raises(TypeError, match="law: 3; must be the text of a law"):
        mb.Law(3)


def test_one_set_that_is_given_as_two_is_explained(rng):
    law = mb.Law(COULOMB)
    x, q = rng.normal(size=(20, 3)), np.ones(20)
    for again in (x, x.copy()):
        with pytest.raises(mb.InputError) as error:
            law(x_i=x, q_i=q, x_j=again, q_j=q)
        for word in ("x_i and x_j", "each body acts on itself", "x=x", "self exclude"):
            assert word in str(error.value), str(error.value)
    with pytest.raises(mb.InputError) as error:
        law(x_i=x[:3], q_i=1.0, x_j=x, q_j=2.0)
    assert "x_i and x_j" not in str(error.value)


def differences(f, value, step=1e-6):
    """The derivative of a number by each entry of an array, from central differences."""
    found = np.zeros(value.shape)
    for at in np.ndindex(*value.shape):
        up, down = value.copy(), value.copy()
        up[at] += step
        down[at] -= step
        found[at] = (f(up) - f(down)) / (2 * step)
    return found


def weighted(law, arrays, weights):
    return sum((weights[name] * value).sum() for name, value in law(**arrays).items())


@pytest.mark.parametrize("same", [True, False])
def test_gradients_are_differences(rng, same):
    from manybody._gradient import gradients

    law = mb.Law(COULOMB)
    if same:
        arrays = dict(x=rng.normal(size=(6, 3)), q=rng.normal(size=6), k=np.array(1.3))
    else:
        arrays = dict(
            x_i=rng.normal(size=(2, 5, 3)),
            q_i=np.array(0.7),
            x_j=rng.normal(size=(6, 3)),
            q_j=rng.normal(size=(2, 6)),
            k=np.array(1.3),
        )
    weights = {name: rng.normal(size=value.shape) for name, value in law(**arrays).items()}
    found = gradients(law, arrays, weights, [])
    for name, value in arrays.items():
        want = differences(lambda changed: weighted(law, {**arrays, name: changed}, weights), value)
        # a central difference loses half of the digits
        assert found[name].shape == value.shape and worst(found[name], want) < 1e-6, name


def test_arrays_of_jax_have_gradients(rng):
    jax = pytest.importorskip("jax")
    from manybody._gradient import gradients

    law = mb.Law("body x[3], q; d = j.x - i.x; sum p = j.q * exp(-dot(d, d)); count n = dot(d, d) < 1")
    x, q = (rng.normal(size=shape).astype(np.float32) for shape in ((6, 3), 6))
    out = jax.jit(lambda x, q: dict(law(x=x, q=q)))(x, q)
    want = law(x=x, q=q)
    assert np.array_equal(out["p"], want.p) and np.array_equal(out["n"], want.n)
    by_x, by_q = jax.grad(lambda x, q: (law(x=x, q=q).p ** 2).sum(), argnums=(0, 1))(
        jax.numpy.array(x), jax.numpy.array(q)
    )
    found = gradients(law, dict(x=x, q=q), dict(p=2 * want.p, n=0 * want.p), [])
    # 2 p in f32 here and there: a rounding
    assert worst(np.asarray(by_x), found["x"]) < 1e-5 and worst(np.asarray(by_q), found["q"]) < 1e-5


def test_columns_of_jax_have_gradients(rng):
    jax = pytest.importorskip("jax")
    law, x, q = mb.Law(COULOMB), rng.normal(size=(6, 3)).astype(np.float32), rng.normal(size=6).astype(np.float32)
    whole = jax.grad(lambda x: law(x=x, q=jax.numpy.array(q)).p.sum())(jax.numpy.array(x))
    columns = jax.grad(lambda *x: law(x=x, q=jax.numpy.array(q)).p.sum(), argnums=(0, 1, 2))(*map(jax.numpy.array, x.T))
    assert np.array_equal(np.stack(columns, axis=1), whole)
    # without a gradient arrays of the package, too
    assert isinstance(law(x=tuple(map(jax.numpy.array, x.T)), q=jax.numpy.array(q)).p, jax.Array)


def test_columns_of_torch_have_gradients_and_others_refuse_them(rng):
    torch = pytest.importorskip("torch")
    law, x, q = mb.Law(COULOMB), rng.normal(size=(6, 3)), torch.tensor(rng.normal(size=6))
    whole = torch.tensor(x, requires_grad=True)
    law(x=whole, q=q).p.sum().backward()
    columns = [torch.tensor(part, requires_grad=True) for part in x.T]
    law(x=tuple(columns), q=q).p.sum().backward()
    assert torch.equal(torch.stack([part.grad for part in columns], dim=1), whole.grad)
    assert isinstance(law(x=tuple(part.detach() for part in columns), q=q.numpy()).p, torch.Tensor)
    for call in [mb.accelerations, mb.potential]:
        with pytest.raises(mb.InputError, match=r"x: a tensor that requires a gradient.*must be x.detach\(\)"):
            call(whole, np.ones(6))
    with torch.no_grad():
        assert isinstance(mb.accelerations(whole, np.ones(6)), torch.Tensor)


def test_a_number_beside_arrays_of_f32_leaves_f32(rng):
    law, x = mb.Law("gaussian"), rng.normal(size=(7, 3)).astype(np.float32)
    single = law(x=x, w=np.ones(7, np.float32), h=1.0).s
    for w in [1, 1.0, np.float32(1)]:
        found = law(x=x, w=w, h=1.0).s
        assert found.dtype == np.float32 and np.array_equal(found, single)
    for w in [np.ones(7), np.float64(1)]:
        assert law(x=x, w=w, h=1.0).s.dtype == np.float64


def test_columns_of_one_row_are_not_taken_as_batches(rng):
    law, x = mb.Law("gaussian"), rng.normal(size=(10, 3))
    with pytest.raises(mb.InputError, match=r"w_j: .*\(10, 1\), which is 10 batches.*must be \(10,\)"):
        law(x_i=rng.normal(size=(4, 3)), x_j=x, w_j=np.ones((10, 1)), h=1.0)
    # as many batches as bodies, said in full
    w = np.arange(10.0)
    batches = law(x_i=rng.normal(size=(4, 3)), x_j=x, w_j=w[:, None, None] * np.ones((10, 1, 10)), h=1.0).s
    assert batches.shape[-1] == 4


def test_quantities_are_refused_by_name(rng):
    units = pytest.importorskip("astropy.units")
    with pytest.raises(mb.InputError, match="x: in pc; must be numbers without a unit"):
        mb.Law("gaussian")(x=rng.normal(size=(4, 3)) * units.pc, w=1.0, h=1.0)


def test_tensors_of_torch_have_gradients(rng):
    torch = pytest.importorskip("torch")
    x = torch.tensor(rng.normal(size=(6, 3)), requires_grad=True)
    q = torch.tensor(rng.normal(size=6), requires_grad=True)
    law = mb.Law(COULOMB)
    assert torch.autograd.gradcheck(lambda x, q: law(x=x, q=q)["p"], (x, q))
    law(x=x, q=q).p.sum().backward()
    assert x.grad.shape == x.shape


def test_second_derivatives_of_tensors_are_refused(rng):
    torch = pytest.importorskip("torch")
    law, x = mb.Law("gaussian"), torch.tensor(rng.normal(size=(6, 3)), requires_grad=True)

    def total(x):
        return law(x=x, w=1.0, h=1.0).s.sum()

    def twice():
        (first,) = torch.autograd.grad(total(x), x, create_graph=True)
        assert torch.equal(first, torch.autograd.grad(total(x), x)[0])
        first.sum().backward()

    for call in (
        twice,
        lambda: torch.autograd.functional.hessian(total, x.detach()),
        lambda: torch.autograd.functional.jvp(total, (x.detach(),), (x.detach(),)),
    ):
        with pytest.raises(mb.InputError, match="the second derivative of a law is not computed"):
            call()
    # the derivative law has a gradient, as the document says
    by_x = law.gradient()[0]
    y = torch.tensor(rng.normal(size=(4, 3)), requires_grad=True)
    given = dict(x_j=x.detach(), w_j=1.0, h=1.0, g_s_i=torch.ones(4, dtype=torch.float64))
    assert torch.autograd.gradcheck(lambda y: by_x(x_i=y, **given).d_x, (y,))


def test_laws_by_fast_multipoles(rng):
    law = mb.Law(COULOMB)
    x, q, places = rng.uniform(-1, 1, (4000, 3)), rng.uniform(0.1, 1, 4000), rng.uniform(-2, 2, (500, 3))
    for rtol in [1e-3, 1e-6]:
        for found, want in [
            (law(x=x, q=q, solver="fmm", rtol=rtol).p, potential(x, x, q, same=True)),
            (law(x_i=places, q_i=np.ones(500), x_j=x, q_j=q, solver="fmm", rtol=rtol).p, potential(places, x, q)),
        ]:
            error = np.abs(found - want) / np.maximum(np.abs(want), np.median(np.abs(want)))
            assert 0 < np.quantile(error, 0.98) < rtol
    with pytest.raises(mb.InputError, match="must be fmm or tree"):
        law(x=x, q=q, solver="direct")
    with pytest.raises(mb.InputError, match="solver fmm"):
        law(x=x, q=q, rtol=1e-3)
    with pytest.raises(mb.InputError, match="a min"):
        mb.Law("body x[3]; d = i.x - j.x; min s = dot(d, d); self exclude")(x=x, solver="fmm")


def test_laws_without_pairs_that_contribute_nothing(rng):
    spatial = pytest.importorskip("scipy.spatial")
    x, places = rng.uniform(0, 1, (20_000, 3)), rng.uniform(0, 1, (300, 3))
    law = mb.Law(
        "body x[3]; id id; d = i.x - j.x; argmin near = dot(d, d), j.id; count n = dot(d, d) < 0.0025; self exclude"
    )
    found = law(x=x, id=np.arange(len(x)), solver="tree")
    tree = spatial.cKDTree(x)
    distance, neighbour = tree.query(x, k=2)
    assert np.array_equal(found.near_id, neighbour[:, 1])
    # the rounding of three squares, a sum and a root
    assert np.allclose(np.sqrt(found.near), distance[:, 1], rtol=1e-15, atol=0)
    assert np.array_equal(found.n, tree.query_ball_point(x, 0.05, return_length=True) - 1)
    # two sets
    found = law(x_i=places, id_i=np.arange(300), x_j=x, id_j=np.arange(len(x)), solver="tree")
    assert np.array_equal(found.near_id, tree.query(places)[1])
    assert np.array_equal(found.n, tree.query_ball_point(places, 0.05, return_length=True))
    # GPUs that are here, in f32: of places that f32 has, but for neighbours and bodies at the edge that are as near as rounding
    rounded = x.astype(np.float32).astype(float)
    tree = spatial.cKDTree(rounded)
    distance, neighbour = tree.query(rounded, k=2)
    for device in {entry["device"] for entry in mb.devices()} - {"cpu"}:
        found = law(x=rounded, id=np.arange(len(x)), solver="tree", device=device, precision="f32")
        assert np.mean(found.near_id == neighbour[:, 1]) > 0.999
        assert np.allclose(np.sqrt(found.near), distance[:, 1], rtol=1e-6, atol=0)
        assert np.mean(found.n == tree.query_ball_point(rounded, 0.05, return_length=True) - 1) > 0.99
    with pytest.raises(mb.InputError, match="every pair contributes"):
        mb.Law(COULOMB)(x=x, q=np.ones(len(x)), solver="tree")
    with pytest.raises(mb.InputError, match="solver fmm"):
        law(x=x, id=np.arange(len(x)), solver="tree", rtol=1e-3)
