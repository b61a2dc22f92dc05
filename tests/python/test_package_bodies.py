"""manybody.Bodies, ic, read and write: files, units, quantities, and other packages' systems."""

import ast
import inspect

import numpy as np
import pytest

mb = pytest.importorskip("manybody", reason="the package is not installed: pip install .")
from manybody import _native  # noqa: E402


@pytest.fixture
def bodies():
    rng = np.random.default_rng(3)
    return mb.Bodies(
        rng.uniform(0.5, 1.5, 40),
        rng.normal(size=(40, 3)),
        rng.normal(size=(40, 3)),
        id=np.arange(40) + 7,
        time=0.5,
        q=rng.normal(size=40),
    )


def same(a, b):
    return all(np.array_equal(getattr(a, k), getattr(b, k)) for k in ("m", "x", "v", "id")) and a.time == b.time


def test_files_keep_every_bit(bodies, tmp_path, manybody):
    for name in ("b.hdf5", "b.csv"):
        assert bodies.write(tmp_path / name) == []
        back = mb.read(tmp_path / name)
        assert same(back, bodies) and np.array_equal(back["q"], bodies["q"]) and back.units == bodies.units
    manybody("convert", tmp_path / "b.hdf5", tmp_path / "c.csv")
    assert same(mb.read(tmp_path / "c.csv"), bodies)
    assert (tmp_path / "c.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    with pytest.raises(FileNotFoundError):
        mb.read(tmp_path / "absent.hdf5")
    (tmp_path / "cut.hdf5").write_bytes((tmp_path / "b.hdf5").read_bytes()[:900])
    with pytest.raises(mb.InputError, match="cut.hdf5"):
        mb.read(tmp_path / "cut.hdf5")


def test_initial_conditions_are_those_of_the_command(manybody, tmp_path):
    manybody("ic", "king", "-n", 200, "--seed", 5, "--w0", 7, "-o", tmp_path / "k.hdf5")
    ours = mb.ic.king(200, seed=5, w0=7)
    assert same(mb.read(tmp_path / "k.hdf5"), ours) and ours.units.name == "henon"
    options = ["--scale", "1e5Msun", "--half-mass-radius", "3pc", "--units", "msun-pc-kms"]
    manybody("ic", "plummer", "-n", 300, "--seed", 2, *options, "-o", tmp_path / "p.hdf5")
    scaled, of_command = mb.ic.plummer(300, seed=2, mass=1e5, half_mass_radius="3 pc"), mb.read(tmp_path / "p.hdf5")
    for name in ("m", "x", "v"):
        # in one of the two, the scale passes through a decimal number
        assert np.allclose(getattr(scaled, name), getattr(of_command, name), rtol=1e-14)
    assert abs(scaled.lagrangian_radii([0.5])[0] - 3) < 1e-12
    assert len(mb.ic.solar_system()) > 8 and mb.ic.solar_system().units.name == "msun-au-day"
    for name in mb.ic.models():
        assert getattr(mb.ic, name).__doc__


@pytest.mark.parametrize(
    "call, exception, words",
    [
        (lambda: mb.ic.king(100, w=7), TypeError, ["'w'", "did you mean w0?"]),
        (lambda: mb.ic.king(100, w0=-1), mb.InputError, ["w0", "-1"]),
        (lambda: mb.ic.king(-1), mb.InputError, ["n: -1"]),
        (lambda: mb.ic.plummer(10, length=3), mb.InputError, ["mass"]),
        (lambda: mb.ic.solar_system(mass=1, length=1), mb.InputError, ["scale of its own"]),
        (lambda: mb.Bodies([1, 2], np.zeros((3, 3))), mb.InputError, ["m", "(2,)", "(3,)"]),
        (lambda: mb.Bodies([1, -2, 1], np.zeros((3, 3))), mb.InputError, ["m[1]", "-2"]),
        (lambda: mb.Bodies(1, np.zeros((3, 3)), id=[1]), mb.InputError, ["id", "1", "3"]),
        (lambda: mb.Bodies(1, np.zeros((3, 3)), q=[1.0]), mb.InputError, ["q", "(1,)"]),
        (lambda: mb.Bodies(1, np.zeros((3, 3)), units="henn"), mb.InputError, ["henn", "did you mean henon?"]),
        (lambda: mb.Bodies(1, np.zeros((3, 3)), units=3), mb.InputError, ["units: 3; must be a name", "msun-pc-kms"]),
        (lambda: mb.Bodies(1, np.zeros((3, 3)), time=np.zeros(3)), mb.InputError, ["time", "(3,)", "one number"]),
        (lambda: mb.Bodies(None, np.zeros((3, 3))), mb.InputError, ["m: None; must be a number"]),
        (lambda: mb.Bodies.from_rebound(5), mb.InputError, ["sim: 5; must be a rebound.Simulation"]),
        (lambda: mb.ic.king(1, mass=5, half_mass_radius=3), mb.InputError, ["n: 1", "half_mass_radius", "length"]),
        (lambda: mb.ic.king(0, mass=5, length=3), mb.InputError, ["n: 0; must be 1 or more"]),
        (lambda: mb.ic.king(9, mass=-5, length=3), mb.InputError, ["mass: -5; must be a finite mass above 0"]),
        (lambda: mb.ic.king(9, mass=np.nan, length=3), mb.InputError, ["mass: nan; must be a finite mass"]),
        (lambda: mb.ic.king(9, mass=[1], length=3), mb.InputError, ["mass", "(1,)", "one number"]),
        (lambda: mb.ic.king(9, mass=1, half_mass_radius=-3), mb.InputError, ["half_mass_radius: -3; must be"]),
        (lambda: mb.ic.solar_system(seed=3), TypeError, ["seed is no keyword", "the same bodies"]),
        (lambda: mb.ic.solar_system(mas=3), TypeError, ["known: mass, length", "did you mean mass?"]),
        (lambda: list(mb.ic.plummer(5)), TypeError, ["bodies[3:4]", "zip(bodies.id"]),
        (lambda: mb.ic.plummer(5)["mas"], KeyError, ["mas", "mass"]),
        (lambda: mb.ic.plummer(5).to("si"), mb.InputError, ["henon"]),
    ],
)
def test_errors_name_the_argument(call, exception, words):
    with pytest.raises(exception) as error:
        call()
    for word in words:
        assert word in str(error.value), str(error.value)


def test_units_and_quantities():
    units = pytest.importorskip("astropy.units")
    pair = mb.Bodies(
        [1, 2] * units.Msun, [[0, 0, 0], [1, 0, 0]] * units.kpc, [[0, 0, 0], [0, 5, 0]] * (units.km / units.s)
    )
    assert pair.units.name == "msun-pc-kms" and pair.x[1, 0] == pytest.approx(1000) and pair.v[1, 1] == pytest.approx(5)
    assert pair.quantity("x")[1, 0].to_value(units.kpc) == pytest.approx(1, rel=1e-14)
    assert pair.to("si").m[1] == pytest.approx((2 * units.Msun).to_value(units.kg), rel=1e-4)  # GM is exact, not M
    with pytest.raises(mb.InputError, match="v: in km; must be a velocity"):
        mb.Bodies(1 * units.Msun, np.zeros((1, 3)), np.zeros((1, 3)) * units.km)


def test_quantities_in_tuples_and_lists():
    units = pytest.importorskip("astropy.units")
    x = np.arange(6.0).reshape(2, 3)
    bodies = mb.Bodies([1 * units.Msun, 2 * units.Msun], tuple((x * units.kpc).T), tuple((x * units.km / units.s).T))
    assert bodies.units.name == "msun-pc-kms" and np.allclose(bodies.m, [1, 2], rtol=1e-14)
    assert np.allclose(bodies.x, 1000 * x, rtol=1e-14) and np.allclose(bodies.v, x, rtol=1e-14)
    with pytest.raises(mb.InputError, match=r"x\[1\]: without a unit"):
        mb.Bodies(1 * units.Msun, (x[:, 0] * units.pc, x[:, 1], x[:, 2] * units.pc))
    with pytest.raises(mb.InputError, match="units: Unit.*must be a name"):
        mb.Bodies(1.0, x, units=units.pc)


def test_center_of_mass_and_radii(bodies):
    bodies.move_to_com()
    assert np.abs(bodies.center_of_mass()).max() < 1e-14
    r = np.sort(np.linalg.norm(bodies.x, axis=1))
    assert bodies.lagrangian_radii([1.0])[0] == pytest.approx(r[-1], rel=1e-14)
    copy = bodies.copy()
    copy.x[0, 0] += 1
    assert copy.x[0, 0] != bodies.x[0, 0]


def test_slices_masks_and_indices_are_bodies():
    rng = np.random.default_rng(4)
    whole = mb.Bodies(
        rng.uniform(0.5, 1.5, 40),
        rng.normal(size=(40, 3)),
        rng.normal(size=(40, 3)),
        id=np.arange(40) + 7,
        eps=rng.uniform(size=40),
        kind=np.arange(40) % 6,
        units="msun-pc-kms",
        time=0.5,
        meta={"source": "a test", "names": " ".join(f"star{k}" for k in range(40))},
        group=np.arange(40) // 20,
    )
    whole.notes = ["a note"]
    for index, rows in (
        (slice(10), range(10)),
        (slice(3, 5), [3, 4]),
        (slice(None, None, -2), range(39, -1, -2)),
        (whole.m > 1, np.flatnonzero(whole.m > 1)),
        ((whole.m > 1).tolist(), np.flatnonzero(whole.m > 1)),
        ([5, -1, 0], [5, 39, 0]),
        (np.array([5, 2], dtype=np.uint8), [5, 2]),
        ([], []),
        (np.zeros(40, bool), []),
    ):
        rows, some = np.array(rows, dtype=int), whole[index]
        assert isinstance(some, mb.Bodies) and len(some) == len(rows)
        for name in ("m", "x", "v", "id", "eps", "kind"):
            assert np.array_equal(getattr(some, name), getattr(whole, name)[rows]), name
        assert np.array_equal(some["group"], whole["group"][rows]) and some.names() == whole.names()
        assert some.units == whole.units and some.time == 0.5 and some.notes == ["a note"]
        assert some.meta["source"] == "a test"
        assert some.meta["names"].split() == [f"star{k}" for k in rows]
    some = whole[:10]
    some.x[0, 0] += 1
    some["group"][0] = 9
    assert some.x[0, 0] != whole.x[0, 0] and whole["group"][0] == 0
    planets = mb.ic.solar_system()[1:5]
    assert planets.meta["names"] == "Mercury Venus Earth Moon" and planets.id.tolist() == [1, 2, 399, 301]


def test_some_bodies_of_a_run_are_not_the_run(tmp_path):
    sim = mb.Simulation(mb.ic.plummer(100, seed=3), dt="1/64", eps=0.05).advance(0.25)
    half = sim.bodies[:50]
    assert half.meta["run.eps"] == sim.bodies.meta["run.eps"]
    half.write(tmp_path / "half.hdf5")
    with pytest.raises(mb.InputError, match="only a snapshot that a run has kept"):
        mb.Simulation.resume(tmp_path / "half.hdf5")
    assert mb.Simulation(half, dt="1/64", eps=0.05).advance(0.5).time == 0.5


@pytest.mark.parametrize(
    "index, words",
    [
        (5, ["index: 5", "bodies[5:6]"]),
        (-1, ["index: -1", "bodies[-1:]"]),
        ([1, 40], ["index: 40", "below 40"]),
        ([-41], ["index: -41", "-40"]),
        ([0.5], ["index", "float64", "(1,)"]),
        (np.zeros((2, 2), int), ["index", "(2, 2)"]),
        ([True, False], ["index", "mask", "(2,)", "(40,)"]),
        (None, ["index", "object"]),
    ],
)
def test_errors_name_the_index(bodies, index, words):
    with pytest.raises(mb.InputError) as error:
        bodies[index]
    for word in words:
        assert word in str(error.value), str(error.value)


def test_rebound_and_pynbody(bodies):
    pynbody = pytest.importorskip("pynbody")
    snapshot = bodies.to_pynbody()
    assert np.array_equal(snapshot["pos"], bodies.x) and np.array_equal(snapshot["mass"], bodies.m)
    scaled = mb.ic.plummer(50, mass=100, length=2).to_pynbody()
    assert float(scaled["mass"].sum().in_units("Msol")) == pytest.approx(100, rel=2e-4)  # pynbody's own solar mass
    del pynbody
    rebound = pytest.importorskip("rebound")
    sim = bodies.to_rebound()
    back = mb.Bodies.from_rebound(sim)
    assert np.array_equal(back.x, bodies.x) and np.array_equal(back.v, bodies.v) and np.array_equal(back.m, bodies.m)
    assert sim.t == bodies.time and isinstance(sim, rebound.Simulation)


def test_units_of_rebound_are_converted():
    rebound = pytest.importorskip("rebound")
    sim = rebound.Simulation()
    with pytest.raises(mb.InputError, match="sim: a simulation without units"):
        mb.Bodies.from_rebound(sim, units="msun-au-day")
    sim.units = ("yr", "AU", "Msun")
    sim.add(m=1.0)
    sim.add(m=1e-3, a=5.2, e=0.05)
    sim.t, sim.softening = 2.0, 0.1
    period = sim.particles[1].P
    here = mb.Bodies.from_rebound(sim, units="msun-au-day")
    assert here.units.name == "msun-au-day" and here.time == pytest.approx(2 * 365.25, rel=1e-12)
    assert float(here.meta["run.eps"]) == pytest.approx(0.1, rel=1e-12)
    # REBOUND's and the IAU's G M of the Sun agree to nine digits; its length of an astronomical unit exactly
    assert here.m == pytest.approx([1, 1e-3], rel=1e-8) and here.x[1, 0] == pytest.approx(5.2 * 0.95, rel=1e-12)
    # the period of the orbit from positions and velocities in the new units
    r, v2 = np.linalg.norm(here.x[1] - here.x[0]), ((here.v[1] - here.v[0]) ** 2).sum()
    gm = here.units.G * here.m.sum()
    a = 1 / (2 / r - v2 / gm)
    assert 2 * np.pi * np.sqrt(a**3 / gm) == pytest.approx(period * 365.25, rel=1e-10)
    si = mb.Bodies.from_rebound(sim, units="si")
    assert si.x[1, 0] == pytest.approx(5.2 * 0.95 * 149597870700, rel=1e-12)
    # numbers of NumPy become plain ones where the file keeps a text
    same = mb.Units("si", si.units.G, tuple(np.array(si.units.si)))
    assert mb.Bodies.from_rebound(sim, units=same).meta["run.eps"] == si.meta["run.eps"]
    with pytest.raises(mb.InputError, match="units: henon have no physical scale; must be .*, or left out"):
        mb.Bodies.from_rebound(sim, units="henon")


def test_columns_are_set_by_name(bodies):
    n = len(bodies)
    bodies["mass"], bodies["vy"], bodies["eps"], bodies["q"] = np.ones(n), np.arange(n), np.full(n, 0.1), np.zeros(n)
    assert (bodies.m == 1).all() and np.array_equal(bodies.v[:, 1], np.arange(n)) and (bodies.eps == 0.1).all()
    assert "q" in bodies.columns and not {"mass", "vy", "eps"} & set(bodies.columns)
    with pytest.raises(mb.InputError, match="id: .*must be set as bodies.id"):
        bodies["id"] = np.arange(n)


def test_units_beside_numbers_are_refused():
    units = pytest.importorskip("astropy.units")
    x = np.ones((3, 3))
    for name, arguments in [("m", (1.0, x * units.pc)), ("v", (1.0 * units.Msun, x * units.pc, x))]:
        with pytest.raises(mb.InputError, match=f"{name}: without a unit"):
            mb.Bodies(*arguments)
    assert (mb.Bodies(1.0 * units.Msun, x * units.pc, np.zeros((3, 3))).v == 0).all()


@pytest.mark.parametrize("name", ["mass", "y", "z", "vx", "vy", "vz"])
def test_a_further_column_has_a_name_of_its_own(name):
    with pytest.raises(mb.InputError, match=f"^{name}: .*must be .*the argument [mxv]"):
        mb.Bodies(np.ones(3), np.eye(3), **{name: np.full(3, 7.0)})


def test_parameters_of_models_are_those_of_the_table():
    """In what `help` shows, and in what type checkers read."""
    checked = next(node for node in ast.parse(inspect.getsource(mb.ic)).body if isinstance(node, ast.If))
    declared = {node.name: node.args for node in checked.body if isinstance(node, ast.FunctionDef)}
    scale = {"mass", "length", "half_mass_radius", "units"}
    models = _native.models()
    assert set(declared) == {model.replace("-", "_") for model, *_ in models}
    for model, _, n, parameters in models:
        name = model.replace("-", "_")
        want = {key.replace("-", "_") for key, *_ in parameters} | (set() if n else {"n", "seed"})
        assert {arg.arg for arg in [*declared[name].args, *declared[name].kwonlyargs]} - scale == want, name
        shown = inspect.signature(getattr(mb.ic, name)).parameters
        assert set(shown) - scale - {"of_the_model"} == want and scale <= set(shown), name
    assert inspect.signature(mb.ic.king).parameters["w0"].default == 6.0
