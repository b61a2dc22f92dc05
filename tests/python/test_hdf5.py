"""Gadget HDF5: h5py, yt, pynbody and unsio open what manybody writes; manybody reads what h5py writes."""

import h5py
import numpy as np
import pynbody
import pytest
import yt

yt.set_log_level("error")
pytestmark = [pytest.mark.filterwarnings("ignore::RuntimeWarning"), pytest.mark.filterwarnings("ignore::UserWarning")]


@pytest.fixture
def written(manybody, stars, tmp_path):
    """A function that writes n bodies in given units, and returns the file's path and the bodies."""

    def write(n, units=None, *args, kinds=None):
        bodies = stars(n)
        source = bodies.csv(tmp_path / "in.csv", units, kinds=kinds)
        path = tmp_path / "out.hdf5"
        manybody("convert", source, path, *args)
        return path, bodies

    return write


def test_h5py_sees_every_bit(written):
    path, bodies = written(100)
    with h5py.File(path) as file:
        group = file["PartType1"]
        assert group["Coordinates"].dtype == np.float64
        np.testing.assert_array_equal(group["Coordinates"][:], bodies.position)
        np.testing.assert_array_equal(group["Velocities"][:], bodies.velocity)
        np.testing.assert_array_equal(group["Masses"][:], bodies.mass)
        np.testing.assert_array_equal(group["ParticleIDs"][:], bodies.id)
        header = file["Header"].attrs
        np.testing.assert_array_equal(header["NumPart_ThisFile"], [0, 100, 0, 0, 0, 0])
        np.testing.assert_array_equal(header["NumPart_Total"], [0, 100, 0, 0, 0, 0])
        assert header["Time"] == 0.375
        assert header["NumFilesPerSnapshot"] == 1
        assert file["ManyBody"].attrs["Units"] == "g1"
        assert file["ManyBody"].attrs["G"] == 1.0


def test_single_precision_is_half_the_size(written):
    path, bodies = written(1000, None, "--precision", "f32")
    with h5py.File(path) as file:
        assert file["PartType1/Coordinates"].dtype == np.float32
        np.testing.assert_array_equal(file["PartType1/Coordinates"][:], bodies.position.astype(np.float32))
        assert file["Header"].attrs["Flag_DoublePrecision"] == 0


def test_a_file_without_bodies_opens(written):
    path, _ = written(0)
    with h5py.File(path) as file:
        assert file["PartType1/Coordinates"].shape == (0, 3)
        assert file["PartType1/ParticleIDs"].shape == (0,)
    assert len(pynbody.load(str(path))) == 0
    # yt itself has no index without bodies
    assert yt.load(str(path)).current_time.v == 0.375


def test_types_are_groups(written, manybody):
    kinds = [4, 1, 0, 2, 1, 4, 5, 3, 1]
    path, bodies = written(9, None, kinds=kinds)
    with h5py.File(path) as file:
        for kind in range(6):
            chosen = [i for i in range(9) if kinds[i] == kind]
            np.testing.assert_array_equal(file[f"PartType{kind}/ParticleIDs"][:], bodies.id[chosen])
            np.testing.assert_array_equal(file[f"PartType{kind}/Coordinates"][:], bodies.position[chosen])
    back = manybody.columns(path)
    np.testing.assert_array_equal(back["id"], bodies.id)
    np.testing.assert_array_equal(back["kind"], kinds)
    snapshot = pynbody.load(str(path))
    assert (len(snapshot.gas), len(snapshot.dm), len(snapshot.star), len(snapshot.bh)) == (1, 5, 2, 1)


@pytest.mark.parametrize(
    "units, length_in_kpc, mass_in_msun, time_in_myr",
    [
        # 1 pc / (km/s) = 0.97779 Myr; 1e-3 covers the packages' own roundings of solar mass and year
        ("msun-pc-kms", 1e-3, 1.0, 0.97779),
        ("gadget", 1.0, 1e10, 977.79),
        ("msun-au-day", 4.84814e-9, 1.0, 1 / 365.25 / 1e6),
    ],
)
def test_yt_and_pynbody_see_the_units(written, units, length_in_kpc, mass_in_msun, time_in_myr):
    path, bodies = written(50, units)
    with h5py.File(path) as file:
        unit_base = dict(file["Units"].attrs)
    data = yt.load(str(path), unit_base=unit_base)
    everything = data.all_data()
    order = np.argsort(everything["PartType1", "ParticleIDs"].v)
    position = everything["PartType1", "Coordinates"].to("kpc").v[order]
    np.testing.assert_allclose(position, bodies.position * length_in_kpc, rtol=1e-5)
    mass = everything["PartType1", "Masses"].to("Msun").v[order]
    np.testing.assert_allclose(mass, bodies.mass * mass_in_msun, rtol=1e-3)
    assert data.current_time.to("Myr").v == pytest.approx(0.375 * time_in_myr, rel=1e-3)

    snapshot = pynbody.load(str(path))
    assert len(snapshot) == 50
    np.testing.assert_allclose(snapshot["pos"].in_units("kpc"), bodies.position * length_in_kpc, rtol=1e-5)
    np.testing.assert_allclose(snapshot["mass"].in_units("Msol"), bodies.mass * mass_in_msun, rtol=1e-3)
    # km/s, from length / time, both known above to 1e-5; 1 kpc/Myr = 977.79 km/s
    velocity = bodies.velocity * length_in_kpc / time_in_myr * 977.79
    np.testing.assert_allclose(snapshot["vel"].in_units("km s**-1"), velocity, rtol=1e-4)
    assert float(snapshot.properties["time"].in_units("Myr")) == pytest.approx(0.375 * time_in_myr, rel=1e-3)
    np.testing.assert_array_equal(snapshot["iord"], bodies.id)


def test_gadget_units_are_what_yt_takes_by_default(written):
    path, bodies = written(50, "gadget")
    data = yt.load(str(path))
    position = data.all_data()["PartType1", "Coordinates"].to("kpc").v
    np.testing.assert_allclose(np.sort(position, axis=0), np.sort(bodies.position, axis=0), rtol=1e-6)


def test_without_a_scale_the_numbers_are_there(written):
    path, bodies = written(50)
    data = yt.load(str(path))
    everything = data.all_data()
    order = np.argsort(everything["PartType1", "ParticleIDs"].v)
    np.testing.assert_array_equal(everything["PartType1", "Coordinates"].to("code_length").v[order], bodies.position)
    np.testing.assert_array_equal(everything["PartType1", "Masses"].to("code_mass").v[order], bodies.mass)
    assert data.current_time.to("code_time").v == 0.375
    snapshot = pynbody.load(str(path))
    np.testing.assert_array_equal(snapshot["pos"].view(np.ndarray), bodies.position)
    np.testing.assert_array_equal(snapshot["vel"].view(np.ndarray), bodies.velocity)
    np.testing.assert_array_equal(snapshot["mass"].view(np.ndarray), bodies.mass)


def gadget_file(path, bodies, **changes):
    """A file as scripts with h5py make initial conditions for Gadget-2, GIZMO and AREPO."""
    with h5py.File(path, "w", libver=changes.get("libver", "earliest")) as file:
        header = file.create_group("Header")
        counts = np.array([0, bodies.n, 0, 0, 0, 0], dtype=changes.get("counts", np.int32))
        header.attrs["NumPart_ThisFile"] = counts
        header.attrs["NumPart_Total"] = counts
        header.attrs["NumPart_Total_HighWord"] = np.zeros(6, dtype=np.uint32)
        header.attrs["MassTable"] = np.array([0, changes.get("mass", 0.0), 0, 0, 0, 0])
        header.attrs["Time"] = 1.5
        header.attrs["Redshift"] = 0.0
        header.attrs["BoxSize"] = 0.0
        header.attrs["NumFilesPerSnapshot"] = 1
        group = file.create_group("PartType1")
        real = changes.get("real", np.float64)
        more = changes.get("storage", {})
        group.create_dataset("Coordinates", data=bodies.position.astype(real), **more)
        group.create_dataset("Velocities", data=bodies.velocity.astype(real), **more)
        if "mass" not in changes:
            group.create_dataset("Masses", data=bodies.mass.astype(real), **more)
        group.create_dataset("ParticleIDs", data=bodies.id.astype(changes.get("ids", np.uint32)), **more)
    return path


@pytest.mark.parametrize("libver", ["earliest", "v108", "v114"])
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"real": np.float32},
        {"real": ">f8", "ids": ">u8"},
        {"ids": np.int64, "counts": np.uint64},
        {"ids": np.int32, "counts": np.uint32},
        {"storage": {"chunks": True}},
        {"storage": {"chunks": (64,), "compression": "gzip", "shuffle": True, "fletcher32": True}},
        {"storage": {"compression": "gzip", "compression_opts": 9}},
        {"storage": {"compression": "lzf"}},
        {"storage": {"maxshape": (None,), "compression": "gzip"}},
    ],
)
def test_files_of_h5py_are_read(manybody, stars, tmp_path, changes, libver):
    bodies = stars(5000)
    if "storage" in changes:
        # chunks along the rows; a vector stays whole
        storage = dict(changes["storage"])
        path = tmp_path / "in.hdf5"
        gadget_file(path, bodies, **{**changes, "storage": {}}, libver=libver)
        with h5py.File(path, "a", libver=libver) as file:
            for name in list(file["PartType1"]):
                data = file["PartType1"][name][:]
                del file["PartType1"][name]
                own = dict(storage)
                for key in ("chunks", "maxshape"):
                    if isinstance(own.get(key), tuple):
                        own[key] = own[key] + data.shape[1:]
                file["PartType1"].create_dataset(name, data=data, **own)
    else:
        path = gadget_file(tmp_path / "in.hdf5", bodies, **changes, libver=libver)
    back = manybody.columns(path)
    real = changes.get("real", np.float64)
    expected = bodies.position.astype(real).astype(np.float64)
    np.testing.assert_array_equal(np.stack([back["x"], back["y"], back["z"]], axis=1), expected)
    np.testing.assert_array_equal(back["vz"], bodies.velocity[:, 2].astype(real).astype(np.float64))
    np.testing.assert_array_equal(back["mass"], bodies.mass.astype(real).astype(np.float64))
    np.testing.assert_array_equal(back["id"], bodies.id)
    info = manybody.info(path)
    assert info["time"] == 1.5
    assert any("no units" in note for note in info["notes"])


def test_a_newer_file_format_is_told(manybody, stars, tmp_path):
    path = tmp_path / "in.hdf5"
    gadget_file(path, stars(5000), storage={"compression": "gzip"}, libver="latest")
    with h5py.File(path) as file:
        # HDF5 2.0 writes filtered chunks in a layout of its own when asked for its latest format
        if h5py.version.hdf5_version_tuple < (2, 0, 0):
            pytest.skip("this h5py writes the older format")
    assert "newer version of HDF5" in manybody("info", path, status=2).stderr


def test_masses_may_stand_in_the_header(manybody, stars, tmp_path):
    path = gadget_file(tmp_path / "in.hdf5", stars(10), mass=0.125)
    np.testing.assert_array_equal(manybody.columns(path)["mass"], np.full(10, 0.125))


def test_units_of_gadget4_and_arepo(manybody, stars, tmp_path):
    path = gadget_file(tmp_path / "in.hdf5", stars(10))
    with h5py.File(path, "a") as file:
        parameters = file.create_group("Parameters")
        parameters.attrs["UnitLength_in_cm"] = 3.085678e21
        parameters.attrs["UnitMass_in_g"] = 1.989e43
        parameters.attrs["UnitVelocity_in_cm_per_s"] = 1e5
    assert manybody.info(path)["units"]["name"] == "gadget"
    with h5py.File(path, "a") as file:
        file["Parameters"].attrs["UnitMass_in_g"] = 1.0
    units = manybody.info(path)["units"]
    assert units["name"] == "custom"
    # G in cgs is 6.674e-8 cm^3 / (g s^2), here in units of kpc (km/s)^2 / g
    assert units["g"] == pytest.approx(6.6743e-8 / 3.085678e21 / 1e10, rel=1e-6)


def test_a_snapshot_in_several_files(manybody, stars, tmp_path):
    parts = [stars(5, seed=1), stars(3, seed=2)]
    parts[1].id = parts[1].id + 1000
    for k, part in enumerate(parts):
        path = gadget_file(tmp_path / f"snap.{k}.hdf5", part)
        with h5py.File(path, "a") as file:
            file["Header"].attrs["NumFilesPerSnapshot"] = 2
            file["Header"].attrs["NumPart_Total"] = np.array([0, 8, 0, 0, 0, 0], dtype=np.uint32)
    back = manybody.columns(tmp_path / "snap.0.hdf5")
    np.testing.assert_array_equal(back["x"], np.concatenate([p.position[:, 0] for p in parts]))
    (tmp_path / "snap.1.hdf5").unlink()
    error = manybody("convert", tmp_path / "snap.0.hdf5", tmp_path / "x.csv", status=2).stderr
    assert "snap.1.hdf5" in error


def test_gas_brings_its_columns(manybody, stars, tmp_path):
    path = gadget_file(tmp_path / "in.hdf5", stars(4))
    gas = stars(2, seed=5)
    with h5py.File(path, "a") as file:
        group = file.create_group("PartType0")
        group["Coordinates"], group["Velocities"], group["Masses"] = gas.position, gas.velocity, gas.mass
        group["ParticleIDs"] = gas.id + 100
        group["Density"] = np.array([1.5, 2.5])
        group["MagneticField"] = np.arange(6.0).reshape(2, 3)
        group["Comment"] = "not a column"
        counts = np.array([2, 4, 0, 0, 0, 0], dtype=np.uint32)
        file["Header"].attrs["NumPart_ThisFile"] = counts
        file["Header"].attrs["NumPart_Total"] = counts
    back = manybody.columns(path)
    np.testing.assert_array_equal(back["kind"], [0, 0, 1, 1, 1, 1])
    np.testing.assert_array_equal(back["density"], [1.5, 2.5, np.nan, np.nan, np.nan, np.nan])
    np.testing.assert_array_equal(back["MagneticField_y"][:2], [1.0, 4.0])
    assert any("Comment" in note for note in manybody.info(path)["notes"])


def damage(path, change):
    with h5py.File(path, "a") as file:
        change(file)


def drop(name):
    def change(file):
        del file[name]

    return change


def put(name, index, value):
    def change(file):
        data = file[name][:]
        data[index] = value
        file[name][:] = data

    return change


def header(name, value):
    def change(file):
        file["Header"].attrs[name] = value

    return change


@pytest.mark.parametrize(
    "change, words",
    [
        (put("PartType1/Coordinates", (3, 1), np.nan), ["PartType1/Coordinates", "[3, 1]", "NaN"]),
        (put("PartType1/Velocities", (2, 0), np.inf), ["PartType1/Velocities", "[2, 0]", "inf"]),
        (put("PartType1/Masses", 5, -2.5), ["PartType1/Masses", "[5]", "-2.5", "0 or more"]),
        (drop("PartType1/Velocities"), ["PartType1/Velocities", "missing"]),
        (drop("PartType1/Masses"), ["PartType1/Masses", "missing", "MassTable"]),
        (drop("PartType1"), ["NumPart_ThisFile", "PartType1"]),
        (drop("Header"), ["Header", "PartType1"]),
        (header("NumPart_ThisFile", np.array([0, 12, 0, 0, 0, 0])), ["PartType1/Coordinates", "12"]),
        (header("NumPart_Total", np.array([0, 12, 0, 0, 0, 0])), ["NumPart_Total", "12"]),
        (header("Time", np.nan), ["Header/Time", "NaN"]),
        (header("NumFilesPerSnapshot", 3), ["NumFilesPerSnapshot", "3"]),
    ],
)
def test_bad_files_are_told(manybody, stars, tmp_path, change, words):
    path = gadget_file(tmp_path / "bad.hdf5", stars(10))
    damage(path, change)
    error = manybody("convert", path, tmp_path / "x.csv", status=2).stderr
    assert str(path) in error
    for word in words:
        assert word in error, error
    assert not (tmp_path / "x.csv").exists()
    assert manybody.info(path, status=2)["problems"]


def test_a_duplicate_id_is_told_and_bodies_stay_apart(manybody, stars, tmp_path):
    path = gadget_file(tmp_path / "in.hdf5", stars(4))
    damage(path, put("PartType1/ParticleIDs", 3, 7))
    done = manybody("convert", path, tmp_path / "out.csv")
    assert "id 7 names more than one body" in done.stderr
    back = manybody.columns(tmp_path / "out.csv")
    np.testing.assert_array_equal(back["id"], [0, 1, 2, 3])
    np.testing.assert_array_equal(back["file_id"], [7, 10, 13, 7])


def test_unsio_reads_it_too(written):
    unsio = pytest.importorskip("unsio.input", reason="no unsio wheel for this machine")
    path, bodies = written(20)
    file = unsio.CUNS_IN(str(path), "all")
    assert file.nextFrame()
    ok, position = file.getData("all", "pos")
    assert ok
    np.testing.assert_array_equal(position.reshape(-1, 3), bodies.position.astype(np.float32))
