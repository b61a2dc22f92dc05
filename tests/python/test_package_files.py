"""What `Bodies.write` and `Simulation.save` write: h5py, yt and pynbody open it, and see the same numbers and units."""

import numpy as np
import pytest

mb = pytest.importorskip("manybody", reason="the package is not installed: pip install .")
h5py = pytest.importorskip("h5py")

pytestmark = [pytest.mark.filterwarnings("ignore::RuntimeWarning"), pytest.mark.filterwarnings("ignore::UserWarning")]
# metres, kilograms and seconds to one unit, from the constants of IAU and CODATA
PC, MSUN = 3.0856775814913673e16, 1.3271244e20 / 6.6743e-11
SCALE = {"Coordinates": ("m", PC), "Velocities": ("m/s", 1e3), "Masses": ("kg", MSUN)}


@pytest.fixture(params=["write", "save"])
def written(request, tmp_path):
    """A file of bodies, and the bodies."""
    path = tmp_path / "b.hdf5"
    cluster = mb.ic.plummer(60, seed=2, mass=100, half_mass_radius=1)
    if request.param == "write":
        rng = np.random.default_rng(1)
        bodies = mb.Bodies(
            cluster.m, cluster.x, cluster.v, id=np.arange(60) * 3 + 7, time=0.375, units=cluster.units, q=rng.normal(size=60)
        )
        assert bodies.write(path) == []
        return path, bodies
    sim = mb.Simulation(cluster, dt="0.01 Myr", eps=0.05, device="cpu").advance("0.1 Myr")
    assert sim.save(path) == []
    return path, sim.bodies


def columns(bodies):
    return {"Coordinates": bodies.x, "Velocities": bodies.v, "Masses": bodies.m}


def test_h5py_sees_every_bit(written):
    path, bodies = written
    with h5py.File(path) as file:
        group, header = file["PartType1"], file["Header"].attrs
        for name, column in columns(bodies).items():
            assert np.array_equal(group[name][:], column), name
        assert np.array_equal(group["ParticleIDs"][:], bodies.id)
        assert header["NumPart_ThisFile"].tolist() == [0, 60, 0, 0, 0, 0] and header["Time"] == bodies.time
        assert file["ManyBody"].attrs["Units"] == "msun-pc-kms"
        for name, column in bodies.columns.items():
            assert np.array_equal(group[name][:], column), name


def test_yt_sees_the_numbers_and_units(written):
    yt = pytest.importorskip("yt")
    yt.set_log_level("error")
    path, bodies = written
    data = yt.load(str(path))
    everything = data.all_data()
    order, ours = np.argsort(everything["PartType1", "ParticleIDs"].v), np.argsort(bodies.id)
    for name, column in columns(bodies).items():
        unit, size = SCALE[name]
        found = everything["PartType1", name][order]
        # its own roundings of parsec and year
        assert np.allclose(found.to(unit).v, column[ours] * size, rtol=1e-6, atol=0), name
    assert np.array_equal(everything["PartType1", "Coordinates"][order].to("code_length").v, bodies.x[ours])
    assert data.current_time.to("code_time").v == bodies.time
    assert data.current_time.to("s").v == pytest.approx(bodies.time * PC / 1e3, rel=1e-6)


def test_pynbody_sees_the_numbers_and_units(written):
    pynbody = pytest.importorskip("pynbody")
    path, bodies = written
    snapshot = pynbody.load(str(path))
    assert np.array_equal(snapshot["iord"], bodies.id)
    for name, of_file in {"pos": "Coordinates", "vel": "Velocities", "mass": "Masses"}.items():
        unit, size = SCALE[of_file]
        column = columns(bodies)[of_file]
        assert np.array_equal(snapshot[name].view(np.ndarray), column), name
        in_si = snapshot[name].in_units(unit.replace("m/s", "m s**-1"))
        assert np.allclose(in_si, column * size, rtol=1e-6, atol=0), name
    assert float(snapshot.properties["time"].in_units("s")) == pytest.approx(bodies.time * PC / 1e3, rel=1e-6)


def test_types_and_single_precision(tmp_path):
    kind = [4, 1, 0, 2, 1, 4, 5, 3, 1]
    bodies = mb.Bodies(1.0, np.random.default_rng(3).normal(size=(9, 3)), kind=kind)
    bodies.write(tmp_path / "k.hdf5", precision="f32")
    with h5py.File(tmp_path / "k.hdf5") as file:
        for k in range(6):
            rows = np.flatnonzero(np.array(kind) == k)
            found = file[f"PartType{k}/Coordinates"]
            assert found.dtype == np.float32 and np.array_equal(found[:], bodies.x[rows].astype(np.float32))
    pynbody = pytest.importorskip("pynbody")
    snapshot = pynbody.load(str(tmp_path / "k.hdf5"))
    assert (len(snapshot.gas), len(snapshot.dm), len(snapshot.star), len(snapshot.bh)) == (1, 5, 2, 1)
