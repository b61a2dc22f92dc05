"""Tipsy: pynbody reads and writes it; the structs of NVIDIA's nbody sample and of Bonsai fit it."""

import numpy as np
import pynbody
import pytest

pytestmark = [pytest.mark.filterwarnings("ignore::RuntimeWarning"), pytest.mark.filterwarnings("ignore::UserWarning")]

# struct dump, dark_particle, star_particle of cuda-samples' nbody/tipsy.h as a 64-bit compiler lays them out
HEADER = np.dtype([("time", "<f8"), ("counts", "<i4", 5), ("pad", "<i4")])
DARK = np.dtype([("mass", "<f4"), ("pos", "<f4", 3), ("vel", "<f4", 3), ("eps", "<f4"), ("phi", "<i4")])
STAR = np.dtype(
    [("mass", "<f4"), ("pos", "<f4", 3), ("vel", "<f4", 3), ("metals", "<f4"), ("tform", "<f4")]
    + [("eps", "<f4"), ("phi", "<i4")]
)
# Bonsai's dark_particleV2 and star_particleV2: 64 bits of id in place of eps and phi
DARK2 = np.dtype([("mass", "<f4"), ("pos", "<f4", 3), ("vel", "<f4", 3), ("id", "<u8")])
STAR2 = np.dtype(
    [("mass", "<f4"), ("pos", "<f4", 3), ("vel", "<f4", 3), ("metals", "<f4"), ("tform", "<f4"), ("id", "<u8")]
)
KINDS = [1, 1, 1, 4, 4]


@pytest.fixture
def written(manybody, stars, tmp_path):
    def write(variant, kinds=KINDS):
        bodies = stars(len(kinds))
        path = tmp_path / f"{variant}.tipsy"
        manybody("convert", bodies.csv(tmp_path / "in.csv", kinds=kinds), path, "--tipsy", variant)
        return path, bodies

    return write


@pytest.mark.parametrize("variant", ["standard", "native"])
def test_pynbody_reads_it(written, variant):
    path, bodies = written(variant, [0, 0, 1, 1, 4])
    snapshot = pynbody.load(str(path))
    assert (len(snapshot.gas), len(snapshot.dm), len(snapshot.star)) == (2, 2, 1)
    np.testing.assert_array_equal(snapshot["pos"].view(np.ndarray), bodies.position.astype(np.float32))
    np.testing.assert_array_equal(snapshot["vel"].view(np.ndarray), bodies.velocity.astype(np.float32))
    np.testing.assert_array_equal(snapshot["mass"].view(np.ndarray), bodies.mass.astype(np.float32))
    assert float(snapshot.properties["time"]) == 0.375


def test_pynbody_writes_what_is_read(manybody, tmp_path):
    snapshot = pynbody.new(gas=2, dm=3, star=4)
    random = np.random.default_rng(3)
    for name in ("pos", "vel"):
        snapshot[name] = random.normal(size=(9, 3)).astype(np.float32)
    for name in ("mass", "eps", "phi"):
        snapshot[name] = -random.uniform(1, 2, 9).astype(np.float32) if name == "phi" else np.full(9, 0.5, np.float32)
    snapshot.gas["rho"] = np.array([3, 4], np.float32)
    snapshot.gas["temp"] = np.array([100, 200], np.float32)
    snapshot.gas["metals"] = np.zeros(2, np.float32)
    snapshot.star["metals"] = np.full(4, 0.25, np.float32)
    snapshot.star["tform"] = np.full(4, 2.0, np.float32)
    snapshot.properties["time"] = 0.75
    path = tmp_path / "p.tipsy"
    snapshot.write(fmt=pynbody.snapshot.tipsy.TipsySnap, filename=str(path))
    assert manybody.info(path)["kinds"] == [2, 3, 0, 0, 4, 0]
    back = manybody.columns(path)
    np.testing.assert_array_equal(back["x"], np.asarray(snapshot["pos"][:, 0], float))
    np.testing.assert_array_equal(back["vz"], np.asarray(snapshot["vel"][:, 2], float))
    np.testing.assert_array_equal(back["potential"], np.asarray(snapshot["phi"], float))
    np.testing.assert_array_equal(back["density"], [3, 4] + [np.nan] * 7)
    np.testing.assert_array_equal(back["metallicity"], [0, 0, np.nan, np.nan, np.nan, 0.25, 0.25, 0.25, 0.25])
    np.testing.assert_array_equal(back["eps"], np.full(9, 0.5))


def test_nvidias_nbody_sample_can_read_it(written, manybody):
    path, bodies = written("nvidia")
    data = path.read_bytes()
    header = np.frombuffer(data, HEADER, 1)[0]
    assert header["time"] == 0.375
    # nbodies ndim nsph ndark nstar: the reader takes no gas
    assert list(header["counts"]) == [5, 3, 0, 3, 2]
    dark = np.frombuffer(data, DARK, 3, 32)
    star = np.frombuffer(data, STAR, 2, 32 + 3 * 36)
    # and the checksum, which readers that count records pass over
    assert len(data) == 32 + 3 * 36 + 2 * 44 + 32
    np.testing.assert_array_equal(np.concatenate([dark["phi"], star["phi"]]), bodies.id)
    np.testing.assert_array_equal(np.concatenate([dark["pos"], star["pos"]]), bodies.position.astype(np.float32))
    np.testing.assert_array_equal(np.concatenate([dark["vel"], star["vel"]]), bodies.velocity.astype(np.float32))
    np.testing.assert_array_equal(np.concatenate([dark["mass"], star["mass"]]), bodies.mass.astype(np.float32))
    back = manybody.columns(path)
    np.testing.assert_array_equal(back["id"], bodies.id)
    assert "potential" not in back


def test_bonsai_can_read_it(written, manybody):
    path, bodies = written("bonsai")
    data = path.read_bytes()
    assert np.frombuffer(data, HEADER, 1)[0]["pad"] == 2
    dark = np.frombuffer(data, DARK2, 3, 32)
    star = np.frombuffer(data, STAR2, 2, 32 + 3 * 36)
    # Bonsai recognizes dark matter by ids of 3e18 and more
    np.testing.assert_array_equal(dark["id"], np.uint64(3 * 10**18) + bodies.id[:3].astype(np.uint64))
    np.testing.assert_array_equal(star["id"], bodies.id[3:].astype(np.uint64))
    back = manybody.columns(path)
    np.testing.assert_array_equal(back["id"], bodies.id)
    np.testing.assert_array_equal(back["kind"], KINDS)


def test_bonsais_own_files_are_read(manybody, tmp_path):
    # as Bonsai's example inputs are: ids from 200,000,000 on for dark matter, anything in the pad word
    header = np.zeros(1, HEADER)
    header["counts"], header["pad"] = [5, 3, 0, 3, 2], 32550
    dark, star = np.zeros(3, DARK), np.zeros(2, STAR)
    dark["phi"], star["phi"] = 200_000_000 + np.arange(3), 100_000_000 + np.arange(2)
    dark["eps"] = star["eps"] = 0.125
    dark["mass"] = star["mass"] = 1
    path = tmp_path / "model.tipsy"
    path.write_bytes(header.tobytes() + dark.tobytes() + star.tobytes())
    back = manybody.columns(path)
    np.testing.assert_array_equal(back["id"], np.concatenate([dark["phi"], star["phi"]]))
    np.testing.assert_array_equal(back["eps"], np.full(5, 0.125))
    np.testing.assert_array_equal(back["kind"], KINDS)


@pytest.mark.parametrize("positions, velocities", [("f8", "f4"), ("f8", "f8")])
@pytest.mark.parametrize("order", [">", "<"])
def test_double_positions_are_read(manybody, stars, tmp_path, positions, velocities, order):
    bodies = stars(7)
    dark = np.zeros(
        7,
        [("mass", order + "f4"), ("pos", order + positions, 3), ("vel", order + velocities, 3)]
        + [("eps", order + "f4"), ("phi", order + "f4")],
    )
    dark["mass"], dark["pos"], dark["vel"], dark["phi"] = bodies.mass, bodies.position, bodies.velocity, -1
    header = np.zeros(1, [("time", order + "f8"), ("counts", order + "i4", 6)])
    header["counts"] = [7, 3, 0, 7, 0, 0]
    path = tmp_path / "wide.tipsy"
    path.write_bytes(header.tobytes() + dark.tobytes())
    back = manybody.columns(path)
    np.testing.assert_array_equal(back["y"], bodies.position[:, 1])
    np.testing.assert_array_equal(back["vy"], dark["vel"][:, 1].astype(float))


def test_what_tipsy_cannot_hold_is_reported(manybody, stars, tmp_path):
    source = stars(5).csv(tmp_path / "in.csv", "msun-pc-kms", kinds=[4, 1, 0, 2, 1])
    told = manybody("convert", source, tmp_path / "a.tipsy").stderr
    for lost in ("single precision", "ids", "order", "types", "units"):
        assert lost in told
    error = manybody("convert", source, tmp_path / "b.tipsy", "--tipsy", "nvidia", status=2).stderr
    assert "gas" in error and "dark matter and stars only" in error
    assert not (tmp_path / "b.tipsy").exists()


@pytest.mark.parametrize("cut", [0, 10, 31, 32, 60, -1])
def test_cut_files_are_reported(written, manybody, tmp_path, cut):
    path, _ = written("standard")
    cut_path = tmp_path / "cut.tipsy"
    cut_path.write_bytes(path.read_bytes()[:cut])
    error = manybody("convert", cut_path, tmp_path / "x.csv", status=2).stderr
    assert str(cut_path) in error
    assert "cut short" in error or "empty" in error
