"""manybody.distances, collisions, correlation and triples: against NumPy and SciPy."""

import itertools

import numpy as np
import pytest

mb = pytest.importorskip("manybody", reason="the package is not installed: pip install .")


@pytest.fixture
def rng():
    return np.random.default_rng(11)


def test_distances_are_those_of_scipy(rng):
    from scipy.spatial.distance import pdist

    for d in (1, 2, 3, 5):
        x = rng.normal(size=(70, d))
        assert np.allclose(mb.distances(x), pdist(x), rtol=1e-14)
        single = mb.distances(x.astype(np.float32))
        assert single.dtype == np.float32 and np.allclose(single, pdist(x), rtol=1e-5, atol=1e-6)
    assert np.array_equal(mb.distances(tuple(x.T)), mb.distances(x))
    assert mb.distances(np.zeros((1, 3))).shape == mb.distances(np.zeros((0, 3))).shape == (0,)


def test_collisions_are_those_of_a_double_loop(rng):
    x, r = rng.uniform(size=(200, 3)), rng.uniform(0, 0.1, 200)
    pairs = [
        [i, j] for i, j in itertools.combinations(range(200), 2) if np.sum((x[i] - x[j]) ** 2) <= (r[i] + r[j]) ** 2
    ]
    assert len(pairs) > 50
    assert mb.collisions(x, r).tolist() == pairs
    assert mb.collisions(x, 0.0).shape == (0, 2)


def test_correlation_in_a_box_and_beside_random_points(rng):
    edges = np.linspace(0.02, 0.2, 7)
    x, random = rng.uniform(size=(800, 3)), rng.uniform(size=(1200, 3))
    d = np.abs(x[:, None] - x[None])
    d = np.minimum(d, 1 - d)
    r = np.sqrt((d**2).sum(-1))[np.triu_indices(800, 1)]
    counted = mb.count_pairs(x, edges, box=[1, 1, 1])
    assert np.array_equal(counted.counts, np.histogram(r, edges)[0]) and counted.total == 800 * 799 / 2
    shells = 4 / 3 * np.pi * np.diff(edges**3)
    assert np.allclose(
        mb.correlation(x, edges, box=[1, 1, 1]), counted.counts / (counted.total * shells) - 1, rtol=1e-12
    )
    from scipy.spatial.distance import cdist

    dr = np.histogram(cdist(x, random).ravel(), edges)[0] / (800 * 1200)
    rr = mb.count_pairs(random, edges).normalized
    dd = mb.count_pairs(x, edges).normalized
    assert np.allclose(mb.correlation(x, edges, random=random), (dd - 2 * dr + rr) / rr, rtol=1e-12)
    assert np.allclose(mb.correlation(x, edges, random=random, estimator="davis-peebles"), dd / dr - 1, rtol=1e-12)


def test_a_box_of_one_number_is_a_cube(rng):
    x, edges = rng.uniform(size=(60, 3)), [0.1, 0.2, 0.3]
    for f in (mb.count_pairs, mb.correlation):
        assert np.array_equal(np.hstack(f(x, edges, box=2)), np.hstack(f(x, edges, box=[2, 2, 2])))
    assert np.array_equal(mb.correlation(x[:, 0], edges, box=1.0), mb.correlation(x[:, 0], edges, box=[1.0]))
    cube = mb.triples(x, cutoff=0.3, box=1.0)
    assert np.array_equal(cube.force, mb.triples(x, cutoff=0.3, box=[1.0, 1.0, 1.0]).force)


def test_triples_are_those_of_a_triple_loop(rng):
    x = rng.normal(size=(12, 3)) * 2

    def energy(x):
        total = 0.0
        for i, j, k in itertools.combinations(range(12), 3):
            a, b, c = x[j] - x[i], x[k] - x[j], x[i] - x[k]
            ra, rb, rc = (np.linalg.norm(side) for side in (a, b, c))
            cosines = (-a @ b) * (-b @ c) * (-c @ a) / (ra * rb * rc) ** 2
            total += (1 + 3 * cosines) / (ra * rb * rc) ** 3
        return total

    found = mb.triples(x, nu=2.0)
    assert abs(found.energy / (2 * energy(x)) - 1) < 1e-12
    step = 1e-6
    moved = x.copy()
    moved[3, 1] += step
    back = x.copy()
    back[3, 1] -= step
    force = -2 * (energy(moved) - energy(back)) / (2 * step)
    assert abs(found.force[3, 1] - force) < 1e-6 * np.abs(found.force).max()
    assert found.force.shape == (12, 3) and np.abs(found.force.sum(0)).max() < 1e-9 * np.abs(found.force).max()


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: mb.distances(np.array([[np.nan, 0.0]])), ["x", "nan"]),
        (lambda: mb.collisions(np.zeros((3, 3)), np.ones(2)), ["radii", "(2,)", "(3,)"]),
        (lambda: mb.collisions(np.zeros((3, 3)), -1.0), ["rad", "-1"]),
        (lambda: mb.collisions(np.zeros((3, 4)), 1.0), ["4"]),
        (lambda: mb.count_pairs(np.zeros((3, 3)), [1, 0.5]), ["edges", "ascending"]),
        (lambda: mb.correlation(np.zeros((3, 3)), [0, 1]), ["random"]),
        (lambda: mb.correlation(np.eye(3), [0, 0.1], box=[1, 1]), ["box: 2 sides", "a number, or 3"]),
        (lambda: mb.count_pairs(np.eye(3)[:, :2], [0, 0.1], box=[1, 1, 1]), ["box: 3 sides", "a number, or 2"]),
        (lambda: mb.count_pairs(np.eye(3), [0, 0.1], box=-1.0), ["box: -1.0", "above 0"]),
        (lambda: mb.triples(np.eye(3), cutoff=1.0, box=[9, 9]), ["box: 2 sides", "a number, or 3"]),
        (lambda: mb.triples(np.eye(3), cutoff=1.0, box=[9, np.inf, 9]), ["box: ", "inf", "finite"]),
        (lambda: mb.triples(np.zeros((3, 2))), ["3"]),
        (lambda: mb.triples(np.eye(3), cutoff=-1.0), ["cutoff", "-1"]),
    ],
)
def test_errors_name_the_argument(call, words):
    with pytest.raises(mb.InputError) as error:
        call()
    for word in words:
        assert word.lower() in str(error.value).lower(), str(error.value)


def test_lengths_have_one_unit():
    units = pytest.importorskip("astropy.units")
    x = np.random.default_rng(4).uniform(size=(50, 3))
    parsecs, kiloparsecs = x * units.pc, x / 1000 * units.kpc
    assert np.array_equal(mb.distances(parsecs).to_value("pc"), mb.distances(x))
    assert np.array_equal(mb.collisions(parsecs, 1e-4 * units.kpc), mb.collisions(x, 0.1))
    edges = np.array([0.1, 0.2, 0.3])
    for points in [parsecs, tuple(parsecs.T)]:
        found = mb.count_pairs(points, edges * units.pc, box=1e-3 * units.kpc)
        assert np.array_equal(found.counts, mb.count_pairs(x, edges, box=1.0).counts) and found.edges.unit == units.pc
    found = mb.correlation(kiloparsecs, edges * units.pc, box=1.0 * units.pc)
    assert np.allclose(found, mb.correlation(x, edges, box=1.0), atol=1e-12)
    with pytest.raises(mb.InputError, match="radii: without a unit"):
        mb.collisions(parsecs, 0.1)
    with pytest.raises(mb.InputError, match="edges: in s"):
        mb.count_pairs(parsecs, edges * units.s)


@pytest.mark.parametrize(
    "arguments, words",
    [
        (dict(nu="two"), "nu: 'two'; must be a number"),
        (dict(nu=None), "nu: None; must be a number"),
        (dict(cutoff="a"), "cutoff: 'a'; must be a number"),
        (dict(box=3.0), "cutoff: is not given; must be, in a box: at most a third of the shortest side, 3.0"),
    ],
)
def test_arguments_of_triples_are_named(arguments, words):
    with pytest.raises(mb.InputError, match=words):
        mb.triples(np.eye(3), **arguments)
