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


# metres, kilograms and seconds to one unit, from the constants of IAU and CODATA and nothing of ours
PC, AU, GM_SUN, G = 3.0856775814913673e16, 149597870700.0, 1.3271244e20, 6.6743e-11
MSUN = GM_SUN / G
SCALES = {
    "msun-pc-kms": (PC, MSUN, PC / 1e3),
    "msun-au-day": (AU, MSUN, 86400.0),
    "gadget": (1e3 * PC, 1e10 * MSUN, PC),
    "si": (1.0, 1.0, 1.0),
    "henon:1e5msun:3pc": (3 * PC, 1e5 * MSUN, ((3 * PC) ** 3 / (1e5 * GM_SUN)) ** 0.5),
    "g1:4e10msun:3000pc": (3e3 * PC, 4e10 * MSUN, ((3e3 * PC) ** 3 / (4e10 * GM_SUN)) ** 0.5),
    # no scale: 1 cm and 1 s, and the mass that makes G = 1
    "g1": (1e-2, 1e-6 / G, 1.0),
    "henon": (1e-2, 1e-6 / G, 1.0),
    None: (1e-2, 1e-6 / G, 1.0),
}


@pytest.mark.parametrize("units", SCALES, ids=str)
def test_yt_and_pynbody_see_the_units(written, units):
    """Nothing is said to either of them beyond the file's name; 1e-6 covers their own roundings of parsec and year."""
    path, bodies = written(50, units)
    metre, kilogram, second = SCALES[units]
    time = 0.375 * second
    data = yt.load(str(path))
    everything = data.all_data()
    order = np.argsort(everything["PartType1", "ParticleIDs"].v)
    expected = [("Coordinates", "m", bodies.position * metre), ("Masses", "kg", bodies.mass * kilogram)]
    expected += [("Velocities", "m/s", bodies.velocity * metre / second)]
    for name, unit, values in expected:
        found = everything["PartType1", name][order].to(unit).v
        np.testing.assert_allclose(found, values, rtol=1e-6, err_msg=name)
    assert data.current_time.to("s").v == pytest.approx(time, rel=1e-6)
    # the numbers of the file, to the bit, in units of the file
    np.testing.assert_array_equal(everything["PartType1", "Coordinates"][order].to("code_length").v, bodies.position)
    assert data.current_time.to("code_time").v == 0.375

    snapshot = pynbody.load(str(path))
    assert len(snapshot) == 50
    np.testing.assert_array_equal(snapshot["iord"], bodies.id)
    expected = [("pos", "m", bodies.position * metre), ("mass", "kg", bodies.mass * kilogram)]
    expected += [("vel", "m s**-1", bodies.velocity * metre / second)]
    for name, unit, values in expected:
        np.testing.assert_allclose(snapshot[name].in_units(unit), values, rtol=1e-6, err_msg=name)
        np.testing.assert_array_equal(snapshot[name].view(np.ndarray), getattr(bodies, {"pos": "position",
                                      "mass": "mass", "vel": "velocity"}[name]))  # fmt: skip
    assert float(snapshot.properties["time"].in_units("s")) == pytest.approx(time, rel=1e-6)
    assert type(snapshot).__name__ == "GadgetHDFSnap"


def test_without_a_scale_gravity_is_right(written):
    """G = 1 in the file's units, and so in those that yt and pynbody show."""
    path, _ = written(50)
    data = yt.load(str(path))
    g = data.units.physical_constants.G.to("code_length**3/(code_mass*code_time**2)")
    assert g.v == pytest.approx(1.0, rel=1e-4)  # yt has an older G
    assert "cm" in str(pynbody.load(str(path))["pos"].units)


@pytest.mark.parametrize("model", ["figure8", "kepler", "pythagorean"])
def test_bodies_in_a_plane_need_a_box_in_yt(manybody, tmp_path, model):
    path = tmp_path / "out.hdf5"
    manybody("ic", model, "-o", path)
    with pytest.raises(ZeroDivisionError):
        yt.load(str(path)).all_data()
    data = yt.load(str(path), bounding_box=[[-5, 5], [-5, 5], [-5, 5]])
    with h5py.File(path) as file:
        expected = file["PartType1/Coordinates"][:]
    found = data.all_data()["PartType1", "Coordinates"].to("code_length").v
    np.testing.assert_array_equal(found, expected)
    assert len(pynbody.load(str(path))) == len(expected)


def test_gas_with_a_density_has_units_in_yt(manybody, tmp_path):
    table = "id,kind,mass,x,y,z,vx,vy,vz,density\n0,0,1,1,2,3,0,0,1,0.5\n1,0,1,2,3,5,0,1,1,0.25\n2,1,4,0,1,0,1,0,0,\n"
    (tmp_path / "in.csv").write_text("# time = 1\n# units = msun-pc-kms\n" + table)
    manybody("convert", tmp_path / "in.csv", tmp_path / "out.hdf5")
    everything = yt.load(str(tmp_path / "out.hdf5")).all_data()
    np.testing.assert_allclose(everything["PartType0", "Coordinates"].to("pc").v, [[1, 2, 3], [2, 3, 5]], rtol=1e-6)
    np.testing.assert_allclose(everything["PartType0", "Density"].to("Msun/pc**3").v, [0.5, 0.25], rtol=1e-3)


def test_a_file_of_few_bodies_is_small(manybody, tmp_path):
    """The record of a run took 4 KiB an entry."""
    out = tmp_path / "out.hdf5"
    manybody("run", "--ic", "figure8", "--dt", "1/64", "--t-end", "1/8", "--out", out)
    assert out.stat().st_size < 32_000
    with h5py.File(out) as file:
        assert file["ManyBody/Meta"].attrs["run.dt"].decode() == "0.015625"
        assert file["ManyBody"].attrs["Units"] == "g1"


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


def test_a_newer_file_format_is_reported(manybody, stars, tmp_path):
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


def test_forces_need_only_the_datasets_that_the_law_reads(manybody, stars, tmp_path):
    path = gadget_file(tmp_path / "in.hdf5", stars(10))
    potential = "body x[3], m; d = j.x - i.x; sum p = j.m * rsqrt(dot(d, d) + 0.01)"
    counted = "body x[3]; d = j.x - i.x; count c = dot(d, d) < 1"
    words = ["force", path, "--force", "--device", "cpu", "-o"]
    for name, law in [("a", ["--eps", "0.1"]), ("p", ["--law", potential])]:
        manybody(*words, tmp_path / f"{name}.csv", *law)
    with h5py.File(path, "a") as file:
        del file["PartType1/Velocities"]
    for name, law in [("a", ["--eps", "0.1"]), ("p", ["--law", potential])]:
        manybody(*words, tmp_path / f"{name}2.csv", *law)
        assert (tmp_path / f"{name}2.csv").read_bytes() == (tmp_path / f"{name}.csv").read_bytes()
    moving = "body x[3], v[3]; sum s = dot(j.v, j.x - i.x)"
    assert "vx" in manybody(*words, tmp_path / "s.csv", "--law", moving, status=2).stderr
    for command in (["run", path, "--dt", "1/64", "--t-end", "1/64"], ["convert", path, tmp_path / "c.csv"]):
        assert "PartType1/Velocities: missing" in manybody(*command, status=2).stderr
    with h5py.File(path, "a") as file:
        del file["PartType1/Masses"]
    manybody(*words, tmp_path / "c.csv", "--law", counted)
    assert "mass" in manybody(*words, tmp_path / "a2.csv", "--eps", "0.1", status=2).stderr
    assert "field m" in manybody(*words, tmp_path / "p2.csv", "--law", potential, status=2).stderr


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


@pytest.mark.parametrize("real", ["i4", "i8", "u2", ">i4", "f4", ">f4", ">f8"])
@pytest.mark.parametrize("whole", ["i8", "u8", ">u4", "f8", "i2"])
def test_attributes_of_any_type(manybody, stars, tmp_path, real, whole):
    """Python's integers, arrays of one, single precision, big-endian: whatever a script wrote."""
    bodies = stars(4)
    path = gadget_file(tmp_path / "in.hdf5", bodies, mass=1.0)
    with h5py.File(path, "a") as file:
        header = file["Header"].attrs
        for name in ["NumPart_ThisFile", "NumPart_Total", "NumPart_Total_HighWord"]:
            header[name] = np.array(header[name], dtype=whole)
        header["NumFilesPerSnapshot"] = np.array([1], dtype=whole)
        header["MassTable"] = np.array([0, 3, 0, 0, 0, 0], dtype=real)
        header["Time"] = np.array([2], dtype=real)
        units = file.create_group("Units").attrs
        units["UnitLength_in_cm"] = np.array([100], dtype=real)
        units["UnitMass_in_g"] = np.array([1000], dtype=real)
        units["UnitVelocity_in_cm_per_s"] = np.array(100, dtype=real)
    back = manybody.columns(path)
    np.testing.assert_array_equal(back["mass"], np.full(4, 3.0))
    np.testing.assert_array_equal(back["x"], bodies.position[:, 0])
    info = manybody.info(path)
    assert (info["time"], info["n"], info["units"]["name"]) == (2.0, 4, "si")


@pytest.mark.parametrize(
    "name, value, words",
    [
        ("MassTable", "six", '"six"; it must be six numbers'),
        ("NumPart_ThisFile", np.array([0, -4, 0, 0, 0, 0]), "[0, -4, 0, 0, 0, 0]; it must be a list of whole numbers"),
        ("NumPart_Total", np.array([0, 4.5, 0, 0, 0, 0]), "4.5"),
        ("NumFilesPerSnapshot", np.array([1, 2]), "[1, 2]; it must be one whole number"),
        ("Time", "now", '"now"; it must be one number'),
        ("Time", np.array([1.0, 2.0]), "[1.0, 2.0]; it must be one number"),
        ("Time", np.longdouble(1), "64 bits at most"),
        ("MassTable", np.zeros(6, dtype=[("mass", "f8")]), "numbers of 64 bits at most"),
    ],
)
def test_a_wrong_attribute_is_shown_as_the_file_has_it(manybody, stars, tmp_path, name, value, words):
    path = gadget_file(tmp_path / "in.hdf5", stars(4), mass=1.0)
    with h5py.File(path, "a") as file:
        file["Header"].attrs[name] = value
    error = manybody("convert", path, tmp_path / "out.csv", status=2).stderr
    assert f"{path}: field Header/{name}: it is " in error and words in error
    assert "Array(" not in error and "String(" not in error


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
def test_bad_files_are_reported(manybody, stars, tmp_path, change, words):
    path = gadget_file(tmp_path / "bad.hdf5", stars(10))
    damage(path, change)
    error = manybody("convert", path, tmp_path / "x.csv", status=2).stderr
    assert str(path) in error
    for word in words:
        assert word in error, error
    assert not (tmp_path / "x.csv").exists()
    assert manybody.info(path, status=2)["problems"]


def test_a_duplicate_id_is_reported_and_bodies_stay_apart(manybody, stars, tmp_path):
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
