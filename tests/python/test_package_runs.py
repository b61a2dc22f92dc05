"""manybody.Simulation and run: against the command, REBOUND and closed forms; resumed runs, forces, errors."""

import signal
import subprocess
import sys
import time

import numpy as np
import pytest

mb = pytest.importorskip("manybody", reason="the package is not installed: pip install .")


@pytest.fixture
def cluster():
    return mb.ic.plummer(100, seed=3)


def test_the_bits_of_the_command(manybody, tmp_path, cluster):
    options = ["--dt", "1/64", "--t-end", 0.5, "--eps", 0.05, "--device", "cpu"]
    manybody("run", "--ic", "plummer", "-n", 100, "--seed", 3, *options, "--out", tmp_path / "b.hdf5")
    of_command = mb.read(tmp_path / "b.hdf5")
    sim = mb.Simulation(cluster, dt="1/64", eps=0.05, device="cpu").advance(0.5)
    assert np.array_equal(sim.bodies.x, of_command.x) and np.array_equal(sim.bodies.v, of_command.v)
    out = mb.run(ic="plummer", n=100, seed=3, dt="1/64", t_end=0.5, eps=0.05, device="cpu", out=tmp_path / "c.hdf5")
    assert out.end == "finished" and np.array_equal(mb.read(out.file).x, of_command.x)
    assert (tmp_path / "c.toml").is_file() and out.steps == 32


def test_times_callbacks_and_diagnostics(cluster):
    sim = mb.Simulation(cluster, dt="1/64", eps=0.05)
    seen, times = [], []
    for s in sim.run(to=0.55, every=0.125, callback=lambda s: seen.append(s.time)):
        times.append(s.time)
    assert times == seen == [0.125, 0.25, 0.375, 0.5, 0.55]
    assert sim.step == 36 and sim.bodies.time == 0.55
    now = sim.measure()
    v2 = (sim.bodies.v**2).sum(1)
    assert now.kinetic == pytest.approx(0.5 * (sim.bodies.m * v2).sum(), rel=1e-13)
    assert now.potential == pytest.approx(
        0.5 * (sim.bodies.m * mb.potential(sim.bodies.x, sim.bodies.m, eps=0.05)).sum(), rel=1e-13
    )
    assert now.energy == sim.energy and 0 < abs(now.energy_error) < 1e-3 and now.momentum_error < 1e-14
    assert abs(sim.initial.energy / now.energy - 1) < 1e-3
    assert np.all(np.diff(sim.lagrangian_radii([0.1, 0.5, 0.9])) > 0)
    # a callback ends the run
    assert len(list(sim.run(to=2, every=0.25, callback=lambda s: s.time < 1))) == 1


@pytest.mark.parametrize("every", [5e-324, 1e-300, 1e-9, 1e-5, 1e-3, 0.01, 1 / 64])
def test_each_step_is_yielded_once(cluster, every):
    sim = mb.Simulation(cluster, dt="1/64", eps=0.05)
    assert [s.step for s in sim.run(to=5 / 64, every=every)] == [1, 2, 3, 4, 5]
    # an end that is closer than what rounding makes of a step
    assert [s.time for s in sim.run(to=5 / 64 + 1e-6, every=every)] == [5 / 64 + 1e-6]


@pytest.mark.parametrize("every, steps", [(0.02, [2, 3, 4, 6, 7, 8, 9, 11]), (0.05, [4, 7, 10, 11]), (1.0, [11])])
def test_a_stop_is_at_the_first_step_at_its_time_or_later(cluster, every, steps):
    sim = mb.Simulation(cluster, dt="1/64", eps=0.05)
    times = [min(k * every, 11 / 64) for k in range(1, len(steps) + 1)]
    assert steps == [int(np.ceil(time * 64)) for time in times]
    assert [s.step for s in sim.run(to=11 / 64, every=every)] == steps


def test_the_virial_ratio_is_that_of_the_command(manybody, tmp_path, cluster):
    cluster.v = cluster.v + np.array([3.0, 0.0, 0.0])  # the motion of the whole does not count
    cluster.write(tmp_path / "b.hdf5")
    of_command = manybody("info", tmp_path / "b.hdf5").stderr
    (line,) = (line for line in of_command.splitlines() if "virial ratio" in line)
    found = mb.Simulation(cluster, dt="1/64", eps=0.0).measure().virial_ratio
    # it is printed with six digits
    assert "(2T/|W|)" in line and abs(float(line.split()[2]) - found) < 1e-6 and 0.7 < found < 1.3
    alone = mb.Simulation(mb.Bodies(1.0, np.zeros((1, 3))), dt=0.1, eps=0.0).measure()
    assert np.isnan(alone.virial_ratio)


def test_a_run_in_the_memory_is_audited_and_checked_where_that_is_named(cluster):
    how = dict(dt="1/64", eps=0.05, device="cpu")
    assert mb.Simulation(cluster, max_energy_error=1e-2, audit=1, **how).advance(0.5).time == 0.5
    with pytest.raises(mb.ComputationError, match="energy error .* beyond the limit of 1"):
        mb.Simulation(cluster, max_energy_error=1e-14, **how).advance(0.5)
    with pytest.raises(mb.ComputationError, match="the audit found body .* beyond 1.0e-12"):
        mb.Simulation(cluster, audit=1, audit_limit=1e-12, precision="f32", **how).advance(0.5)
    few = mb.Bodies(np.where(np.arange(200) == 0, 1, 1e-45), np.random.default_rng(1).normal(size=(200, 3)), np.zeros((200, 3)))
    with pytest.warns(UserWarning, match="199 bodies attract no other one"):
        mb.Simulation(few, precision="f32", **how)
    for name in ("snapshot_every", "log"):
        with pytest.raises(TypeError, match=f"{name} is no keyword of Simulation"):
            mb.Simulation(cluster, **{name: 0.25}, **how)


def test_a_callback_is_a_function(cluster):
    with pytest.raises(mb.InputError, match="callback: 'x'; must be a function"):
        mb.Simulation(cluster, dt="1/64", eps=0.05).run(to=1, callback="x")


def test_a_damaged_run_is_named_with_its_file(cluster, tmp_path):
    mb.Simulation(cluster, dt="1/64", eps=0.05, device="cpu").advance(0.25).save(tmp_path / "a.csv")
    lines = [line for line in (tmp_path / "a.csv").read_text().splitlines(True) if "checksum" not in line]
    for entry, value in (("run.start", "NaN"), ("run.initial.kinetic", "NaN"), ("run.step", "3.5"), ("run.dt", "soon")):
        assert any(f'"{entry}"' in line for line in lines), entry
        damaged = [f'# meta "{entry}" = "{value}"\n' if f'"{entry}"' in line else line for line in lines]
        (tmp_path / "b.csv").write_text("".join(damaged))
        with pytest.raises(mb.InputError, match=f"b.csv: field .*{entry.split('.')[-1]}"):
            mb.Simulation.resume(tmp_path / "b.csv")


def test_times_are_numbers_texts_or_quantities():
    units = pytest.importorskip("astropy.units")
    cluster = mb.ic.plummer(100, seed=3, mass=100, half_mass_radius=1)
    steps = {}
    for every in (0.05 * units.Myr, "0.05 Myr", (0.05 * units.Myr).to_value(mb.Units.of("msun-pc-kms").unit("time"))):
        sim = mb.Simulation(cluster, dt="0.01 Myr", eps=0.05)
        steps[repr(every)] = [s.step for s in sim.run(to="0.1 Myr", every=every)]
    assert list(steps.values()) == [[5, 10]] * 3, steps
    sim.advance(110 * units.kyr)
    assert sim.step == 11


def test_diagnostics_are_quantities_of_astropy(tmp_path):
    units = pytest.importorskip("astropy.units")
    solar = mb.Simulation(mb.ic.plummer(100, seed=3, mass=100, half_mass_radius=1), dt="0.01 Myr", eps=0.05)
    now = solar.measure()
    assert now.units == solar.bodies.units == solar.initial.units
    # half the mass times the square of the speeds, by astropy itself
    m, v, x = (solar.bodies.quantity(name) for name in "mvx")
    kinetic = 0.5 * (m * (v**2).sum(axis=1)).sum()
    assert now.quantity("kinetic").to_value(units.erg) == pytest.approx(kinetic.to_value(units.erg), rel=1e-12)
    assert now.quantity("energy").to(units.J) == now.quantity("kinetic") + now.quantity("potential")
    momentum = (m[:, None] * v).sum(axis=0)
    np.testing.assert_allclose(now.quantity("momentum").to_value(momentum.unit), momentum.value, atol=1e-12)
    turning = np.cross(x.value, (m[:, None] * v).value).sum(axis=0) * x.unit * momentum.unit
    np.testing.assert_allclose(now.quantity("angular_momentum").to_value(turning.unit), turning.value, rtol=1e-10)
    for name, unit in (("time", units.Myr), ("mass", units.Msun), ("half_mass_radius", units.pc), ("center_of_mass", units.pc)):
        np.testing.assert_allclose(now.quantity(name).to_value(unit), getattr(now, name), rtol=1e-9)
    with pytest.raises(mb.InputError, match="energy_error"):
        now.quantity("energy_error")
    solar.save(tmp_path / "a.hdf5")
    assert mb.Simulation.resume(tmp_path / "a.hdf5").measure().units == now.units
    with pytest.raises(mb.InputError, match="no physical scale"):
        mb.Simulation(mb.ic.plummer(50, seed=3), dt=0.01, eps=0.05).measure().quantity("energy")


@pytest.mark.parametrize(
    "arguments, words",
    [
        (dict(to=1.0, every="soon"), ["every", "soon"]),
        (dict(to=1.0, every=[0.5]), ["every", "[0.5]", "number"]),
        (dict(to=1.0, every=0), ["every", "0", "above 0"]),
        (dict(to=1.0, every=np.nan), ["every", "nan", "finite"]),
        (dict(to=1.0, every="0.1 pc"), ["every", "0.1 pc"]),
        (dict(to=np.inf), ["to", "inf", "finite"]),
        (dict(to=[1.0]), ["to", "[1.0]", "number"]),
    ],
)
def test_errors_name_the_time(arguments, words):
    sim = mb.Simulation(mb.ic.plummer(100, seed=3, mass=100, half_mass_radius=1), dt=0.01, eps=0.05)
    with pytest.raises(mb.InputError) as error:
        sim.run(**arguments)
    for word in words:
        assert word in str(error.value), str(error.value)
    units = pytest.importorskip("astropy.units")
    for name in ("to", "every"):
        with pytest.raises(mb.InputError, match=f"{name}: in pc; must be a time"):
            sim.run(**{"to": 1.0, name: 1 * units.pc})


def test_steps_are_counted_from_the_start(cluster, tmp_path):
    sim = mb.Simulation(cluster, dt=0.01, eps=0.05, device="cpu").advance(0.1)
    sim.save(tmp_path / "a.hdf5")
    again = mb.Simulation.resume(tmp_path / "a.hdf5")
    assert sim.step == again.step == 10
    whole = mb.Simulation(cluster, dt=0.01, eps=0.05, device="cpu").advance(0.3)
    assert again.advance(0.3).step == whole.step == 30
    # the same grid of steps, so that the file is the same
    for run, name in ((again, "b.hdf5"), (whole, "c.hdf5")):
        run.save(tmp_path / name)
    assert (tmp_path / "b.hdf5").read_bytes() == (tmp_path / "c.hdf5").read_bytes()
    # a short step to a time off the grid counts, and those after it go on from there
    assert again.advance(0.305).step == 31
    again.save(tmp_path / "d.hdf5")
    later = mb.Simulation.resume(tmp_path / "d.hdf5")
    assert later.step == 31 and later.advance(0.325).step == again.advance(0.325).step == 33


def test_resuming_with_forces_names_the_keyword(cluster, tmp_path):
    def pull(x, v, m, time):
        return -x

    own, plain = tmp_path / "own.hdf5", tmp_path / "plain.hdf5"
    mb.Simulation(cluster, dt="1/64", eps=0.05, extra=pull).advance(0.125).save(own)
    mb.Simulation(cluster, dt="1/64", eps=0.05).advance(0.125).save(plain)
    for path, given, words in (
        (own, {}, ["extra: is not given", "gravity + pull", "again"]),
        (own, dict(extra=pull), ["eps: is not given", "again"]),
        (plain, dict(extra=pull), ["extra: is given", "another run"]),
        (own, dict(extra=lambda x, v, m, time: -x, eps=0.05), ["gravity + pull", "gravity + <lambda>"]),
    ):
        with pytest.raises(mb.InputError) as error:
            mb.Simulation.resume(path, **given)
        for word in words:
            assert word in str(error.value), str(error.value)
        assert "resume_with" not in str(error.value) and "for all" not in str(error.value)


def test_a_force_is_the_path_of_a_law(cluster, tmp_path):
    text = "body x[3], m; sum acc = j.m * (j.x - i.x)"
    (tmp_path / "spring.txt").write_text(text)
    settings = dict(dt="1/64", eps=0.05, device="cpu")
    want = mb.Simulation(cluster, **settings, extra=text).advance(0.125).bodies.x
    for extra in (tmp_path / "spring.txt", str(tmp_path / "spring.txt"), (tmp_path / "spring.txt", {})):
        assert np.array_equal(mb.Simulation(cluster, **settings, extra=extra).advance(0.125).bodies.x, want)
    with pytest.raises(FileNotFoundError, match="extra: there is no such file"):
        mb.Simulation(cluster, **settings, extra=tmp_path / "absent.txt")


def test_a_run_that_goes_on_has_the_same_bits(cluster, tmp_path):
    settings = dict(dt="1/64", eps=0.05, device="cpu")
    whole = mb.Simulation(cluster, **settings).advance(1.0)
    twice = mb.Simulation(cluster, **settings).advance(0.5)
    twice.save(tmp_path / "half.hdf5")
    assert np.array_equal(twice.advance(1.0).bodies.x, whole.bodies.x)
    resumed = mb.Simulation.resume(tmp_path / "half.hdf5")
    assert resumed.time == 0.5 and resumed.settings["dt"] == whole.settings["dt"]
    assert np.array_equal(resumed.advance(1.0).bodies.x, whole.bodies.x)
    assert resumed.initial.energy == whole.initial.energy


def test_rebound_makes_the_same_orbits():
    pytest.importorskip("rebound")
    pair = mb.ic.kepler()
    ours = mb.Simulation(pair, dt=1 / 256, eps=0.0, integrator="leapfrog-dkd")
    theirs = ours.to_rebound()
    ours.advance(2.0)
    theirs.integrate(2.0, exact_finish_time=0)
    back = mb.Bodies.from_rebound(theirs)
    assert theirs.t == pytest.approx(2.0, abs=1e-12)
    # 512 steps of the same scheme, each with some roundings
    assert np.abs(back.x - ours.bodies.x).max() < 1e-12


def test_what_rebound_does_not_have_is_not_lost(cluster):
    pytest.importorskip("rebound")
    soft = cluster.copy()
    soft.eps = np.full(len(soft), 0.1)
    for bodies, settings, named in [
        (cluster, dict(integrator="hermite4", dt=1 / 64), "integrator: 'hermite4'"),
        (cluster, dict(dt=1 / 64, field="nfw:m=20,a=5"), "field"),
        (cluster, dict(dt=1 / 64, extra=lambda x, v, m, time: -x), "extra"),
        (cluster, dict(dt=1 / 64, remove_escapers=50.0), "remove_escapers"),
        (soft, dict(dt=1 / 64), "eps"),
        (cluster, dict(dt=1 / 64, eps=0.1, softening="spline"), "softening"),
    ]:
        with pytest.raises(mb.InputError, match=named):
            mb.Simulation(bodies, **settings).to_rebound()
    with pytest.warns(UserWarning, match="leapfrog-dkd"):
        mb.Simulation(cluster, dt=1 / 64, eps=0.1).to_rebound()


def test_forces_by_functions_and_laws(cluster):
    def pull(x, v, m, time):
        assert x.shape == v.shape == (100, 3) and m.shape == (100,)
        return -x

    settings = dict(dt="1/64", eps=0.05, device="cpu")
    field = mb.Simulation(cluster, **settings, field="harmonic:omega=1").advance(1.0)
    force = mb.Force(pull, potential=lambda x, v, m, time: 0.5 * (x**2).sum(1), name="springs")
    beside = mb.Simulation(cluster, **settings, extra=force).advance(1.0)
    assert beside.forces == "gravity + springs"
    # the same kicks added in another order: a rounding each step
    assert np.abs(beside.bodies.x - field.bodies.x).max() < 1e-12
    assert beside.energy == pytest.approx(field.energy, rel=1e-12) and abs(beside.energy_error) < 1e-3
    assert np.isnan(mb.Simulation(cluster, **settings, extra=pull).energy_error)
    # the pull of a law on all pairs is that of the centre of mass: a spring by pairs
    pairs = mb.Simulation(
        cluster, **settings, extra=("body x[3], m; param k; sum acc = k * j.m * (j.x - i.x)", {"k": 1.0})
    ).advance(1.0)
    assert np.abs(pairs.bodies.x - field.bodies.x).max() < 1e-9
    drag = mb.Simulation(
        cluster, **settings, extra=mb.Force(lambda x, v, m, t: -0.5 * v, reads_velocities=True)
    ).advance(1.0)
    assert drag.measure().kinetic < 0.9 * field.initial.kinetic


def test_a_force_that_fails_raises_its_own_exception(cluster):
    with pytest.raises(ZeroDivisionError):
        mb.Simulation(cluster, dt="1/64", eps=0.05, extra=lambda x, v, m, t: 1 / 0).advance(1)
    with pytest.raises(mb.InputError, match=r"force <lambda>: .*\(3,\); must return accelerations of shape \(100, 3\)"):
        mb.Simulation(cluster, dt="1/64", eps=0.05, extra=lambda x, v, m, t: np.zeros(3)).advance(1)
    # a simulation goes on where a force has failed for once
    fail = [False]

    def sometimes(x, v, m, t):
        if fail[0]:
            raise KeyError("once")
        return np.zeros_like(x)

    sim = mb.Simulation(cluster, dt="1/64", eps=0.05, extra=sometimes).advance(0.25)
    fail[0] = True
    with pytest.raises(KeyError):
        sim.advance(0.5)
    fail[0] = False
    assert sim.advance(0.5).time == 0.5


@pytest.mark.parametrize(
    "settings, exception, words",
    [
        (dict(esp=0.1), TypeError, ["'esp'", "did you mean eps?"]),
        (dict(out="b.hdf5"), TypeError, ["out", "manybody.run"]),
        (dict(dt=-1.0), mb.InputError, ["dt", "-1"]),
        (dict(threads=1), TypeError, ["'threads'", "known: bodies, extra, dt", "RAYON_NUM_THREADS"]),
        (dict(eps=np.full(100, 0.1)), mb.InputError, ["eps: an array with shape (100,)", "Bodies(..., eps=...)"]),
        (dict(eps=[0.1] * 100), mb.InputError, ["eps: 100 values; must be one value"]),
        (dict(dt={}), mb.InputError, ["dt: {}; must be a text or a number"]),
        (dict(dt="soon"), mb.InputError, ["dt", "soon"]),
        (dict(integrator="leapfrg"), mb.InputError, ["integrator", "did you mean leapfrog?"]),
        (dict(law="coulomb", dt=0.1), mb.InputError, ["q"]),
        (dict(extra="coulomb"), mb.InputError, ["q"]),
        (dict(extra=3), mb.InputError, ["extra: 3"]),
        (dict(audit=2.0), mb.InputError, ["audit", "2"]),
    ],
)
def test_errors_name_the_setting(cluster, settings, exception, words):
    with pytest.raises(exception) as error:
        mb.Simulation(cluster, **settings)
    for word in words:
        assert word in str(error.value), str(error.value)
    assert "--" not in str(error.value), "settings are keywords here"


def test_every_setting_is_a_keyword_and_described(manybody):
    help = manybody("run", "--help").stdout
    for name, text in mb.settings().items():
        assert text
        if name != "file":
            assert f"-{name.replace('_', '-')}" in help
    with pytest.raises(TypeError, match="did you mean snapshot_every"):
        mb.run(snapshot_evry=1)


def test_keywords_for_type_checkers_are_the_settings():
    from manybody._native import settings_table
    from manybody._settings import RunSettings, SimulationSettings

    every = {name: in_memory for name, _, _, _, in_memory, _ in settings_table()}
    assert set(RunSettings.__annotations__) == set(every)
    of_memory = {name for name, in_memory in every.items() if in_memory} - {"snapshot_every", "log"}
    assert set(SimulationSettings.__annotations__) == of_memory


def test_an_observer_gets_events_and_ends_the_run(tmp_path):
    events = []

    def observer(event):
        events.append(event["event"])
        return not (event["event"] == "snapshot" and event["time"] > 0)

    settings = dict(ic="plummer", n=64, dt="1/64", t_end=1, eps=0.05, snapshot_every=0.25, out=tmp_path / "b.hdf5")
    out = mb.run(**settings, observer=observer)
    assert out.end == "interrupted" and out.time < 1 and events[0] in ("note", "started") and "snapshot" in events
    again = mb.run(resume=tmp_path / "b.hdf5")
    assert again.end == "finished" and again.time == 1
    with pytest.raises(ZeroDivisionError):
        mb.run(**{**settings, "out": tmp_path / "c.hdf5"}, observer=lambda event: 1 / 0)


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_ends_a_run_and_leaves_it_whole():
    program = """
import manybody
sim = manybody.Simulation(manybody.ic.plummer(2000), dt=1e-4, eps=0.05, device="cpu")
print("go", flush=True)
try:
    sim.advance(1000)
except KeyboardInterrupt:
    at = sim.time
    print(at > 0, sim.advance(at + 3e-4).time > at, flush=True)
"""
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "go\n"
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=60)
    assert out == "True True\n", errors
