"""The table of a run against NumPy and SciPy: densities by cKDTree, everything else by sums over all bodies."""

import numpy as np
import pytest
from scipy import spatial

FRACTIONS = [1, 5, 10, 25, 50, 75, 90]


def read(path):
    """The table as a dictionary of columns, NaN where a field is empty."""
    with open(path) as file:
        lines = [line.rstrip("\n") for line in file if not line.startswith("#")]
    names = [name.split(" [")[0] for name in lines[0].split(",")]
    rows = [[float(field) if field else np.nan for field in line.split(",")] for line in lines[1:]]
    return dict(zip(names, np.array(rows).T))


def measures(mass, x, v, g, eps):
    """The same numbers, written once more."""
    total, found = mass.sum(), {}
    massive = np.flatnonzero(mass)
    distance, near = spatial.cKDTree(x[massive]).query(x[massive], k=7)
    # the first is the body itself; the mass of the next five over the volume up to the sixth [Casertano 1985]
    density = mass[massive][near[:, 1:6]].sum(axis=1) / (4 / 3 * np.pi * distance[:, 6] ** 3)
    centre = density @ x[massive] / density.sum()
    found.update({f"density_centre_{axis}": centre[k] for k, axis in enumerate("xyz")})
    r2 = ((x[massive] - centre) ** 2).sum(axis=1)
    found["core_radius"] = np.sqrt(density**2 @ r2 / (density**2).sum())
    r = np.linalg.norm(x - centre, axis=1)
    order = np.argsort(r, kind="stable")
    share = np.cumsum(mass[order]) / total
    for f in FRACTIONS:
        found[f"lagrangian_{f}"] = r[order][np.searchsorted(share, f / 100 - 1e-12)]
    w = v - mass @ v / total
    found["velocity_dispersion"] = np.sqrt(mass @ (w**2).sum(axis=1) / (3 * total))
    s = np.sqrt(spatial.distance.cdist(x, x) ** 2 + eps**2)
    np.fill_diagonal(s, np.inf)
    inverse = 1 / s
    potential = -g * inverse @ mass
    found["escapers"] = np.sum((w**2).sum(axis=1) / 2 + potential > 0)
    found["potential"] = mass @ potential / 2
    found["kinetic"] = mass @ (v**2).sum(axis=1) / 2
    # bound pairs: mutual best partners among the six nearest
    best = {}
    for a, i in enumerate(massive):
        others = massive[near[a, 1:7]]
        mu = mass[i] * mass[others] / (mass[i] + mass[others])
        bound = g * mass[i] * mass[others] * inverse[i, others] - mu * ((v[others] - v[i]) ** 2).sum(axis=1) / 2
        if bound.max() > 0:
            best[i] = (others[bound.argmax()], bound.max())
    pairs = [(e, i, j) for i, (j, e) in best.items() if i < j and j in best and best[j][0] == i]
    found["bound_pairs"] = len(pairs)
    if pairs:
        energy, i, j = max(pairs)
        a = g * mass[i] * mass[j] / (2 * energy)
        spin = np.cross(x[j] - x[i], v[j] - v[i])
        found.update(hardest_energy=energy, hardest_a=a, hardest_id_1=i, hardest_id_2=j,
                     hardest_e=np.sqrt(max(0, 1 - spin @ spin / (g * (mass[i] + mass[j]) * a))))
    return found


@pytest.mark.parametrize("ic, units, eps", [
    ("plummer -n 3001 --seed 5", None, 0.01),
    ("king --w0 9 -n 1501", "msun-pc-kms", 0),
    ("uniform-sphere -n 503", None, 0.001),
    ("collision -n 2003", None, 0.05),
])
def test_lines_are_those_of_numpy(manybody, tmp_path, ic, units, eps):
    scale = ["--scale", "1e4Msun:1pc", "--units", units] if units else []
    manybody("ic", *ic.split(), *scale, "-o", tmp_path / "in.csv")
    g = manybody.info(tmp_path / "in.csv")["units"]["g"]
    manybody("run", tmp_path / "in.csv", "--eps", eps, "--dt", 2.0**-12, "--t-end", 2.0**-11, "--log", 2.0**-12,
             "--out", tmp_path / "b.hdf5", "--device", "cpu")
    table = read(tmp_path / "b.csv")
    assert list(table["step"]) == [0, 1, 2]
    for row, name in [(0, "in.csv"), (2, "b.hdf5")]:
        bodies = manybody.columns(tmp_path / name)
        mass = bodies["mass"]
        x, v = (np.column_stack([bodies[p + axis] for axis in "xyz"]) for p in ["", "v"])
        expected = measures(mass, x, v, g, eps)
        assert expected["bound_pairs"] > 0
        for column, value in expected.items():
            # sums of some thousand terms, each off by some units of the last place; in the eccentricity and in what is
            # bound, differences of numbers up to a thousand times as large
            tolerance = 1e-9 if column.startswith("hardest") else 1e-11
            scale = abs(value) + (expected["lagrangian_50"] if "centre" in column else 0)
            assert abs(table[column][row] - value) <= tolerance * scale, (column, table[column][row], value)
    # and so does `info` of the last snapshot
    cluster = manybody.info(tmp_path / "b.hdf5")["cluster"]
    assert cluster["core_radius"] == table["core_radius"][-1]
    assert cluster["density_centre"] == [table[f"density_centre_{axis}"][-1] for axis in "xyz"]
    assert [cluster["lagrangian_radii"][str(f)] for f in FRACTIONS] == [table[f"lagrangian_{f}"][-1] for f in FRACTIONS]
    assert cluster["hardest"]["id"] == [table["hardest_id_1"][-1], table["hardest_id_2"][-1]]


def test_what_is_conserved_is(manybody, tmp_path):
    manybody("run", "-n", 500, "--eps", 0.05, "--dt", "1/64", "--t-end", 1, "--log", "1/8",
             "--out", tmp_path / "b.hdf5")
    table = read(tmp_path / "b.csv")
    assert len(table["time"]) == 9 and table["time"][-1] == 1
    energy = table["kinetic"] + table["potential"]
    np.testing.assert_array_equal(energy, table["energy"])
    np.testing.assert_allclose(table["energy_error"], (energy - energy[0]) / abs(energy[0]), atol=1e-15)
    np.testing.assert_allclose(table["virial_ratio"], -2 * table["kinetic"] / table["potential"], rtol=1e-9)


def test_profiles_are_those_of_numpy(manybody, tmp_path):
    manybody("ic", "king", "--w0", 6, "-n", 1001, "--seed", 3, "-o", tmp_path / "in.csv")
    manybody("profile", tmp_path / "in.csv", "-o", tmp_path / "p.csv", "--shells", 13)
    found = read(tmp_path / "p.csv")
    bodies = manybody.columns(tmp_path / "in.csv")
    mass = bodies["mass"]
    x, v = (np.column_stack([bodies[p + axis] for axis in "xyz"]) for p in ["", "v"])
    expected = measures(mass, x, v, 1, 0)
    x = x - [expected[f"density_centre_{axis}"] for axis in "xyz"]
    v = v - mass @ v / mass.sum()
    r = np.linalg.norm(x, axis=1)
    order = np.argsort(r)
    cuts = np.arange(14) * 1001 // 13
    edges = np.concatenate([[0], (r[order][cuts[1:-1] - 1] + r[order][cuts[1:-1]]) / 2, r.max(keepdims=True)])
    along = (x * v).sum(axis=1) / r
    across = (v**2).sum(axis=1) - along**2
    for k in range(13):
        part = order[cuts[k]:cuts[k + 1]]
        mean = lambda q: mass[part] @ q[part] / mass[part].sum()
        radial2, tangential2 = mean(along**2) - mean(along) ** 2, mean(across) / 2
        row = {"inner": edges[k], "outer": edges[k + 1], "bodies": len(part), "radius": mean(r),
               "mass": mass[part].sum(),
               "density": mass[part].sum() / (4 / 3 * np.pi * (edges[k + 1] ** 3 - edges[k] ** 3)),
               "radial": np.sqrt(radial2), "tangential": np.sqrt(tangential2),
               "dispersion": np.sqrt((radial2 + 2 * tangential2) / 3), "anisotropy": 1 - tangential2 / radial2}
        for name, value in row.items():
            # sums of 77 terms; differences of squares and of cubes of the radii lose a digit or two
            assert abs(found[name][k] - value) <= 1e-11 * max(abs(value), name == "anisotropy"), (name, k)
