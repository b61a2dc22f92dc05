"""NEMO: NEMO's own code, in unsio, reads what manybody writes and writes what manybody reads."""

import struct

import numpy as np
import pytest

SINGLE, PLURAL = 0x0992, 0x0B92


class Items:
    """A structured file, put together from the description of the format."""

    def __init__(self, order="<"):
        self.order, self.data = order, b""

    def item(self, kind, tag, value, dims=()):
        magic = PLURAL if dims else SINGLE
        self.data += struct.pack(self.order + "H", magic) + kind.encode() + b"\0" + tag.encode() + b"\0"
        if dims:
            self.data += struct.pack(f"{self.order}{len(dims) + 1}i", *dims, 0)
        code = {"i": "i4", "d": "f8", "f": "f4", "c": "S1", "s": "i2"}[kind]
        self.data += np.asarray(value).astype((self.order if kind != "c" else "") + code).tobytes()
        return self

    def set(self, tag):
        self.data += struct.pack(self.order + "H", SINGLE) + b"(\0" + tag.encode() + b"\0"
        return self

    def tes(self):
        self.data += struct.pack(self.order + "H", SINGLE) + b")\0"
        return self

    def snapshot(self, bodies, time, kind="d", split=False, mass=True):
        self.set("SnapShot").set("Parameters").item("i", "Nobj", bodies.n).item(kind, "Time", time).tes()
        self.set("Particles").item("i", "CoordSystem", 66306)
        if mass:
            self.item(kind, "Mass", bodies.mass, (bodies.n,))
        if split:
            self.item(kind, "Position", bodies.position, (bodies.n, 3))
            self.item(kind, "Velocity", bodies.velocity, (bodies.n, 3))
        else:
            both = np.stack([bodies.position, bodies.velocity], axis=1)
            self.item(kind, "PhaseSpace", both, (bodies.n, 2, 3))
        return self.tes().tes()


def assert_same(back, bodies, real=np.float64):
    np.testing.assert_array_equal(back["mass"], bodies.mass.astype(real).astype(float))
    for k, (x, v) in enumerate([("x", "vx"), ("y", "vy"), ("z", "vz")]):
        np.testing.assert_array_equal(back[x], bodies.position[:, k].astype(real).astype(float))
        np.testing.assert_array_equal(back[v], bodies.velocity[:, k].astype(real).astype(float))


@pytest.mark.parametrize("split", [False, True])
@pytest.mark.parametrize("kind", ["d", "f"])
@pytest.mark.parametrize("order", ["<", ">"])
def test_every_dialect_is_read(manybody, stars, tmp_path, order, kind, split):
    bodies = stars(100)
    path = tmp_path / "in.nemo"
    # programs put headlines and their history before the snapshot
    history = b"mkplummer out=in.nemo\0"
    items = Items(order).item("c", "History", np.frombuffer(history, "S1"), (len(history),))
    path.write_bytes(items.snapshot(bodies, 0.5, kind, split).data)
    assert_same(manybody.columns(path), bodies, np.float32 if kind == "f" else np.float64)
    info = manybody.info(path)
    assert (info["n"], info["time"]) == (100, 0.5)


def test_the_last_of_several_or_the_chosen(manybody, stars, tmp_path):
    first, last = stars(10, seed=1), stars(10, seed=2)
    last.mass = first.mass
    path = tmp_path / "run.nemo"
    # a program that writes masses once, and diagnostics without bodies at the end
    items = Items().snapshot(first, 0.0).snapshot(last, 1.0, mass=False)
    items.set("SnapShot").set("Parameters").item("i", "Nobj", 10).item("d", "Time", 1.5).tes().set("Diagnostics").tes().tes()
    path.write_bytes(items.data)
    assert_same(manybody.columns(path), last)
    assert_same(manybody.columns(path, "--frame", "0"), first)
    info = manybody.info(path)
    assert (info["frames"], info["time"]) == (3, 1.0)
    assert any("3 snapshots" in note for note in info["notes"])
    assert any("masses" in note for note in info["notes"])
    assert "3 snapshots" in manybody("convert", path, tmp_path / "x.csv", "--frame", "3", status=2).stderr


@pytest.mark.parametrize("precision", ["f64", "f32"])
def test_nemos_own_code_reads_it(manybody, stars, tmp_path, precision):
    unsio = pytest.importorskip("unsio.input", reason="no unsio wheel for this machine")
    bodies = stars(50)
    path = tmp_path / "out.nemo"
    manybody("convert", bodies.csv(tmp_path / "in.csv"), path, "--precision", precision)
    file = unsio.CUNS_IN(str(path), "all")
    assert file.nextFrame()
    assert file.getData("time")[1] == 0.375
    for name, expected in [("pos", bodies.position), ("vel", bodies.velocity), ("mass", bodies.mass)]:
        ok, data = file.getData("all", name)
        assert ok
        # unsio itself hands single precision over
        np.testing.assert_array_equal(data, expected.astype(np.float32).ravel())
    ok, ids = file.getData("all", "id")
    assert ok
    np.testing.assert_array_equal(ids, bodies.id)


@pytest.mark.parametrize("single", [True, False])
def test_what_nemos_own_code_writes_is_read(manybody, stars, tmp_path, single):
    unsio = pytest.importorskip("unsio.output", reason="no unsio wheel for this machine")
    bodies = stars(50)
    real = np.float32 if single else np.float64
    path = tmp_path / "unsio.nemo"
    file = unsio.CUNS_OUT(str(path), "nemo", float32=single)
    file.setData(0.25, "time")
    file.setData(bodies.position.astype(real).ravel(), "all", "pos")
    file.setData(bodies.velocity.astype(real).ravel(), "all", "vel")
    file.setData(bodies.mass.astype(real), "all", "mass")
    file.save()
    file.close()
    assert_same(manybody.columns(path), bodies, real)
    assert manybody.info(path)["time"] == 0.25


def test_bad_files_are_reported(manybody, stars, tmp_path):
    bodies = stars(10)
    good = Items().snapshot(bodies, 0.5).data
    path = tmp_path / "bad.nemo"

    def error(data):
        path.write_bytes(data)
        told = manybody("convert", path, tmp_path / "x.csv", status=2).stderr
        assert str(path) in told
        return told

    assert "cut short" in error(good[:-1])
    assert "cut short" in error(good[:200])
    assert "PhaseSpace" in error(good[:300])
    broken = stars(10)
    broken.position[4, 2] = np.nan
    assert "PhaseSpace: [4][0][2]: NaN" in error(Items().snapshot(broken, 0.5).data)
    broken = stars(10)
    broken.mass[7] = -1
    assert "Mass: [7]: -1" in error(Items().snapshot(broken, 0.5).data)
    assert "Mass: missing" in error(Items().snapshot(bodies, 0.5, mass=False).data)
    # 2^30 bodies in a file of 800 bytes
    lie = good.replace(struct.pack("<2i", 10, 0), struct.pack("<2i", 1 << 30, 0))
    assert lie != good
    assert "Mass" in error(lie) and "cut short or damaged" in error(lie)
    assert "no set SnapShot" in error(Items().set("Image").tes().data)
