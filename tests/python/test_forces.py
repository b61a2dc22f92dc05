"""Runs under other laws and in external fields against SciPy's integration of the same equations."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

# potentials of the fields as the books have them, with G = 1
POTENTIALS = {
    "point-mass:m=2,x=0.1": lambda x, y, z: -2 / np.sqrt((x - 0.1) ** 2 + y**2 + z**2),
    "uniform:gx=0.3,gz=-0.2": lambda x, y, z: -0.3 * x + 0.2 * z,
    "harmonic:omega=1.5": lambda x, y, z: 1.5**2 / 2 * (x**2 + y**2 + z**2),
    "logarithmic:v0=1.2,rc=0.3,q=0.8": lambda x, y, z: 1.2**2 / 2 * np.log(0.3**2 + x**2 + y**2 + (z / 0.8) ** 2),
    "miyamoto-nagai:m=2,a=0.8,b=0.2": lambda x, y, z: -2
    / np.sqrt(x**2 + y**2 + (0.8 + np.sqrt(z**2 + 0.2**2)) ** 2),
    "plummer:m=2,b=0.5": lambda x, y, z: -2 / np.sqrt(x**2 + y**2 + z**2 + 0.25),
    "hernquist:m=2,a=0.7,z=-0.2": lambda x, y, z: -2 / (np.sqrt(x**2 + y**2 + (z + 0.2) ** 2) + 0.7),
    "nfw:m=2,a=0.7": lambda x, y, z: -2 * np.log(1 + np.sqrt(x**2 + y**2 + z**2) / 0.7) / np.sqrt(x**2 + y**2 + z**2),
}


def write(path, names, rows):
    lines = ["# time = 0", "# units = g1", ",".join(names)]
    path.write_text("\n".join(lines + [",".join([str(row[0]), *(repr(float(x)) for x in row[1:])]) for row in rows]) + "\n")


def end(manybody, folder, *words):
    """The positions at the end of a run of sixth order from bodies.csv."""
    times = ["--integrator", "yoshida6", "--dt", "1/1024", "--t-end", 1]
    manybody("run", folder / "bodies.csv", *words, *times, "--device", "cpu", "--out", folder / "b.hdf5", "--overwrite")
    columns = manybody.columns(folder / "b.hdf5")
    return np.column_stack([columns[k] for k in "xyz"])


def solved(acceleration, x, v):
    """The positions after one time unit, to 1e-12 or so."""
    n = len(x)

    def rates(_, state):
        x, v = state.reshape(2, n, 3)
        return np.concatenate([v, acceleration(x)]).ravel()

    found = solve_ivp(rates, (0, 1), np.concatenate([x, v]).ravel(), method="DOP853", rtol=3e-14, atol=1e-14)
    return found.y[:, -1].reshape(2, n, 3)[0]


def slope(potential, x):
    """The gradient by complex steps, exact to rounding."""
    columns = []
    for axis in range(3):
        moved = x.astype(complex)
        moved[:, axis] += 1e-30j
        columns.append(potential(*moved.T).imag / 1e-30)
    return np.column_stack(columns)


@pytest.mark.parametrize("fields", [[name] for name in POTENTIALS] + [list(POTENTIALS)[3:]])
def test_orbits_in_fields(manybody, tmp_path, fields):
    random = np.random.default_rng(3)
    x = random.uniform(0.5, 1.5, (5, 3)) * random.choice([-1, 1], (5, 3))
    v = random.uniform(-1, 1, (5, 3))
    names = ["id", "mass", "x", "y", "z", "vx", "vy", "vz"]
    # bodies without mass do nothing to each other
    write(tmp_path / "bodies.csv", names, [[k, 0, *x[k], *v[k]] for k in range(5)])
    words = [word for field in fields for word in ["--field", field]]
    found = end(manybody, tmp_path, "--eps", 0, *words)
    want = solved(lambda x: -sum(slope(POTENTIALS[field], x) for field in fields), x, v)
    # steps of 1/1024 in sixth order: (omega dt)^6, 1e-14 where omega is 5, and its factor of some 100
    np.testing.assert_allclose(found, want, rtol=0, atol=1e-11)


def test_charges(manybody, tmp_path):
    """Four charges of unlike masses: accelerations are forces over masses."""
    x = np.array([[1.0, 0, 0], [-1, 0.2, 0], [0.1, 1, 0.3], [0, -1, -0.4]])
    v = np.zeros((4, 3))
    m, q = np.array([1.0, 2, 3, 0.5]), np.array([1.0, -1, 0.5, -0.7])
    names = ["id", "mass", "x", "y", "z", "vx", "vy", "vz", "q"]
    write(tmp_path / "bodies.csv", names, [[k, m[k], *x[k], *v[k], q[k]] for k in range(4)])

    def acceleration(x):
        d = x[:, None] - x[None]
        r = np.sqrt((d**2).sum(-1)) + np.eye(4)
        force = 1.5 * (q[:, None] * q[None] / r**3)[..., None] * d
        return force.sum(1) / m[:, None]

    found = end(manybody, tmp_path, "--law", "coulomb", "--par", "k=1.5")
    np.testing.assert_allclose(found, solved(acceleration, x, v), rtol=0, atol=1e-11)


def test_atoms(manybody, tmp_path):
    """Eight atoms of Lennard-Jones on a cube, some way from rest."""
    random = np.random.default_rng(4)
    x = np.array([[i, j, k] for i in (0, 1) for j in (0, 1) for k in (0, 1)]) * 1.2 + random.uniform(-0.05, 0.05, (8, 3))
    v = random.uniform(-0.1, 0.1, (8, 3))
    names = ["id", "mass", "x", "y", "z", "vx", "vy", "vz", "sigma", "epsilon"]
    write(tmp_path / "bodies.csv", names, [[k, 1, *x[k], *v[k], 1, 1] for k in range(8)])

    def acceleration(x):
        d = x[:, None] - x[None]
        r2 = (d**2).sum(-1) + np.eye(8)
        s = r2**-3.0
        pull = 24 * (2 * s**2 - s) / r2 * (1 - np.eye(8))
        return (pull[..., None] * d).sum(1)

    found = end(manybody, tmp_path, "--law", "lennard-jones")
    # bonds of frequency 10: (omega dt)^6 = 1e-12, and its factor of some 100
    np.testing.assert_allclose(found, solved(acceleration, x, v), rtol=0, atol=1e-9)
