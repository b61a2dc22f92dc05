"""Hermite schemes with block time steps against SciPy's and REBOUND's integration of the same bodies."""

import numpy as np
import pytest
import rebound
from scipy.integrate import solve_ivp

EPS = 0.05
END = 1.0


@pytest.fixture(scope="module")
def cluster(manybody, tmp_path_factory):
    """A small cluster: its masses, positions and velocities, and where its file is."""
    path = tmp_path_factory.mktemp("cluster") / "a.csv"
    manybody("ic", "plummer", "-n", 12, "--seed", 4, "-o", path)
    columns = manybody.columns(path)
    return columns["mass"], *(np.column_stack([columns[k] for k in names]) for names in ("x y z".split(), "vx vy vz".split())), path


def solved(mass, x, v):
    """Positions and velocities at the end, to 1e-11 or so."""
    n = len(mass)

    def rates(_, state):
        x, v = state.reshape(2, n, 3)
        d = x[None, :] - x[:, None]
        a = (mass[None, :, None] * d / (np.sum(d**2, axis=2) + EPS**2)[:, :, None] ** 1.5).sum(axis=1)
        return np.concatenate([v, a]).ravel()

    found = solve_ivp(rates, (0, END), np.concatenate([x, v]).ravel(), method="DOP853", rtol=3e-14, atol=1e-14)
    return found.y[:, -1].reshape(2, n, 3)


@pytest.mark.parametrize(
    ("words", "tolerance"),
    # five times the errors that were found [2026-11-23, three points 2026-11-30]; they fall with the order where eta or dt is halved
    [
        (["--integrator", "hermite4", "--eta", 0.01], 4e-11),
        (["--integrator", "hermite6", "--eta", 0.05], 5e-13),
        (["--integrator", "hermite4", "--eta", 0.02, "--time-steps", "shared"], 3e-10),
        (["--integrator", "hermite6", "--time-steps", "constant", "--dt", "1/1024"], 1e-11),
        (["--integrator", "hermite6-3pt", "--eta", 0.05], 3e-12),
        (["--integrator", "hermite6-3pt", "--time-steps", "constant", "--dt", "1/1024"], 7e-11),
    ],
)
def test_a_cluster_moves_as_scipy_says(manybody, cluster, tmp_path, words, tolerance):
    mass, x, v, path = cluster
    step = [] if "--dt" in words else ["--dt", "1/16"]
    manybody("run", path, *words, *step, "--eps", EPS, "--t-end", END, "--out", tmp_path / "b.hdf5", "--device", "cpu")
    columns = manybody.columns(tmp_path / "b.hdf5")
    right = solved(mass, x, v)
    found = [np.column_stack([columns[k] for k in names]) for names in ("x y z".split(), "vx vy vz".split())]
    assert np.abs(found[0] - right[0]).max() < tolerance
    assert np.abs(found[1] - right[1]).max() < 10 * tolerance
    # what a body carries is its acceleration and its jerk at the end
    kept = np.column_stack([columns[f"hermite_a{k}"] for k in "xyz"])
    d = right[0][None, :] - right[0][:, None]
    a = (mass[None, :, None] * d / (np.sum(d**2, axis=2) + EPS**2)[:, :, None] ** 1.5).sum(axis=1)
    assert np.abs(kept - a).max() < 50 * tolerance


def test_an_eccentric_orbit_moves_as_rebound_says(manybody, tmp_path):
    """Without softening, e = 0.9: individual steps follow the pericentre, and the phase is that of IAS15."""
    simulation = rebound.Simulation()
    simulation.add(m=0.6)
    simulation.add(m=0.4, a=1.0, e=0.9)
    simulation.move_to_com()
    rows = [f"{k},{p.m!r},{p.x!r},{p.y!r},{p.z!r},{p.vx!r},{p.vy!r},{p.vz!r}" for k, p in enumerate(simulation.particles)]
    (tmp_path / "a.csv").write_text("\n".join(["id,mass,x,y,z,vx,vy,vz", *rows]) + "\n")
    simulation.integrate(10.0)
    for scheme, eta, tolerance in (("hermite4", 0.005, 5e-10), ("hermite6", 0.05, 1e-10), ("hermite6-3pt", 0.05, 7e-10)):
        out = tmp_path / f"{scheme}.hdf5"
        words = ["--integrator", scheme, "--eta", eta, "--eps", 0, "--dt", "1/8", "--t-end", 10, "--out", out]
        manybody("run", tmp_path / "a.csv", *words)
        columns = manybody.columns(out)
        for k, p in enumerate(simulation.particles):
            assert abs(columns["x"][k] - p.x) < tolerance and abs(columns["y"][k] - p.y) < tolerance, scheme


def test_orbits_in_fields_are_those_of_a_splitting(manybody, tmp_path):
    """Two bodies in every field that there is: hermite4 with small steps meets yoshida6 with small steps."""
    fields = ["point-mass:m=2,x=3", "uniform:gx=0.3", "harmonic:omega=1.5", "logarithmic:v0=1.2,rc=0.3,q=0.8"]
    fields += ["miyamoto-nagai:m=2,a=0.8,b=0.2", "plummer:m=2,b=0.5", "hernquist:m=2,a=0.7,z=-0.2", "nfw:m=2,a=0.7"]
    rows = ["0,0.1,1.0,0.2,0.3,0.1,0.9,0.2", "1,0.2,-0.8,0.5,-0.4,0.3,-0.7,0.4"]
    (tmp_path / "a.csv").write_text("\n".join(["id,mass,x,y,z,vx,vy,vz", *rows]) + "\n")
    for words in [[field] for field in fields] + [fields[2:]]:
        chosen = [word for field in words for word in ("--field", field)]
        ends = []
        for scheme in (["hermite4", "--eta", 0.005, "--dt", "1/64"], ["yoshida6", "--dt", "1/2048"]):
            out = tmp_path / f"{scheme[0]}.hdf5"
            common = ["--eps", 0.1, "--t-end", 1, "--out", out, "--overwrite", "--device", "cpu", "--audit", 0]
            manybody("run", tmp_path / "a.csv", "--integrator", *scheme, *chosen, *common)
            columns = manybody.columns(out)
            ends.append(np.column_stack([columns[k] for k in ("x", "y", "z", "vx", "vy", "vz")]))
        assert np.abs(ends[0] - ends[1]).max() < 1e-9, words
