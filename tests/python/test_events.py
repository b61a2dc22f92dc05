"""Collisions against REBOUND's, and the events of a simulation in Python."""

import numpy as np
import pytest
import rebound

RADIUS = 0.02
END = 1.0


@pytest.fixture(scope="module")
def cold(manybody, tmp_path_factory):
    """20 bodies at rest that fall to each other, unlike in mass: columns, and the file."""
    path = tmp_path_factory.mktemp("cold") / "a.csv"
    rng = np.random.default_rng(7)
    x = rng.normal(size=(20, 3)) * 0.5
    m = rng.uniform(0.01, 0.09, 20)
    rows = [f"{k},{','.join(repr(float(q)) for q in (m[k], *x[k]))},0,0,0" for k in range(20)]
    path.write_text("# time = 0\n# units = g1\nid,mass,x,y,z,vx,vy,vz\n" + "\n".join(rows) + "\n")
    return m, x, path


def by_rebound(m, x):
    """Masses, positions and radii of what is left at the end; by a leapfrog, which looks at each pair after each step."""
    sim = rebound.Simulation()
    for k in range(len(m)):
        sim.add(m=m[k], x=x[k, 0], y=x[k, 1], z=x[k, 2], r=RADIUS)
    sim.collision, sim.collision_resolve = "direct", "merge"
    # a step of 1e-5 is short beside the 1e-2 in which the fastest cross a radius
    sim.integrator, sim.dt = "leapfrog", 1e-5
    sim.integrate(END, exact_finish_time=0)
    return [(p.m, np.array(p.xyz), p.r) for p in sim.particles]


@pytest.mark.parametrize("scheme", [["hermite4", "--eta", "0.02", "--dt", "1/256"], ["yoshida6", "--dt", "1/65536"]])
def test_bodies_merge_as_in_rebound(manybody, cold, tmp_path, scheme):
    m, x, path = cold
    right = by_rebound(m, x)
    assert 5 <= len(right) <= 15, "some merge, some do not"
    words = ["--integrator", *scheme, "--eps", 0, "--collisions", "merge", "--radius", RADIUS, "--t-end", END]
    manybody("run", path, *words, "--device", "cpu", "--audit", 0, "--out", tmp_path / "b.hdf5")
    found = manybody.columns(tmp_path / "b.hdf5")
    assert len(found["id"]) == len(right)
    # REBOUND keeps the first of two bodies, we the heavier one: they are the same bodies by their masses
    masses = sorted(mass for mass, *_ in right)
    np.testing.assert_allclose(np.sort(found["mass"]), masses, rtol=1e-13)
    for k, mass in enumerate(found["mass"]):
        other = min(right, key=lambda body: abs(body[0] - mass))
        place = np.array([found[q][k] for q in "xyz"])
        # found: 2e-7 [2026-11-25]; REBOUND merges at the end of its steps, this at that of shorter or longer ones
        assert np.abs(place - other[1]).max() < 2e-6, (mass, place, other)
        assert found["radius"][k] == pytest.approx(other[2], rel=1e-13)


def test_a_simulation_lists_its_events(tmp_path):
    package = pytest.importorskip("manybody")
    bodies = package.ic.plummer(200, seed=1)
    sim = package.Simulation(bodies, dt="1/64", eps=0, integrator="hermite4", collisions="merge", radius=0.01)
    sim.advance(0.25)
    first = sim.events
    sim.save(tmp_path / "a.hdf5")
    sim.advance(0.5)
    events = sim.events
    assert [e.id for e in first] == [e.id for e in events[: len(first)]]
    assert len(events) > len(first) > 0
    assert len(sim.bodies) + len(events) == 200
    for event in events:
        assert event.kind == "merger" and event.id in bodies.id and event.other_id not in sim.bodies.id
        assert event.position.shape == (3,) and event.radius > 0.01 and event.speed > 0
    # what the mergers have changed is no error
    assert abs(sim.energy_error) < 1e-4
    change = sum(event.energy for event in events)
    assert sim.energy == pytest.approx(sim.initial.energy + change, rel=1e-4)
    again = package.Simulation.resume(tmp_path / "a.hdf5", t_end=0.5).advance(0.5)
    assert [e.id for e in again.events] == [e.id for e in events[len(first) :]]
    np.testing.assert_array_equal(again.bodies.x, sim.bodies.x)

    fast = package.Bodies([1.0, 1e-3], [[0, 0, 0], [3.0, 0, 0]], [[0, 0, 0], [5.0, 0, 0]])
    sim = package.Simulation(fast, dt="1/64", eps=0, t_end=1, remove_escapers=4).advance(0.5)
    (event,) = sim.events
    assert (event.kind, event.other_id, event.radius) == ("escape", None, None)
    with pytest.raises(package.InputError, match="radius"):
        package.Simulation(bodies, dt="1/64", eps=0, collisions="merge")
