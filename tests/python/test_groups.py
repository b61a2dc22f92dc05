"""Which galaxy a body came from, and which part of it: seen by pynbody and yt, before and after a run."""

import h5py
import numpy as np
import pynbody
import pytest
import yt

yt.set_log_level("error")
pytestmark = [pytest.mark.filterwarnings("ignore::RuntimeWarning"), pytest.mark.filterwarnings("ignore::UserWarning")]

HALO, DISC, BULGE = 1, 2, 3


def check(path, groups):
    """What pynbody and yt see of a file, beside the groups and components by id."""
    group, component = groups
    snapshot = pynbody.load(str(path))
    assert set(snapshot.families()) == {pynbody.family.dm, pynbody.family.star}
    for family, parts in [(snapshot.dm, [HALO]), (snapshot.star, [DISC, BULGE])]:
        ids = np.asarray(family["iord"])
        np.testing.assert_array_equal(np.isin(component[ids], parts), True)
        assert len(ids) == np.isin(component, parts).sum()
        for name, expected in [("group", group), ("component", component)]:
            found = np.asarray(family[name])
            assert found.dtype.kind == "i"
            np.testing.assert_array_equal(found, expected[ids])
    everything = yt.load(str(path)).all_data()
    for kind, parts in [("PartType1", [HALO]), ("PartType4", [DISC, BULGE])]:
        ids = everything[kind, "ParticleIDs"].v.astype(int)
        assert len(ids) == np.isin(component, parts).sum()
        np.testing.assert_array_equal(everything[kind, "group"].v, group[ids])
        np.testing.assert_array_equal(everything[kind, "component"].v, component[ids])


def by_id(columns):
    order = np.argsort(columns["id"])
    return columns["group"][order].astype(int), columns["component"][order].astype(int)


def test_a_collision_keeps_its_galaxies(manybody, tmp_path):
    start, half, end = (tmp_path / f"{name}.hdf5" for name in ["start", "half", "end"])
    manybody("ic", "collision", "-n", 120, "--seed", 3, "--bulge-mass", 0.5, "--mass-ratio", 0.5, "-o", start)
    columns = manybody.columns(start)
    np.testing.assert_array_equal(columns["id"], np.arange(120))
    group, component = groups = by_id(columns)
    # 80 bodies of the first, 40 of the second; halo, disc and bulge share each by mass, 6 to 1 to 0.5
    np.testing.assert_array_equal(group, np.repeat([0, 1], [80, 40]))
    np.testing.assert_array_equal(component, np.repeat([1, 2, 3, 1, 2, 3], [64, 11, 5, 32, 5, 3]))
    check(start, groups)
    with h5py.File(start) as file:
        assert file["ManyBody/Meta"].attrs["groups"].decode() == "0 first disc, 1 second disc"
        assert file["ManyBody/Meta"].attrs["components"].decode() == "1 halo, 2 disc, 3 bulge"

    step = ["--dt", "1/64", "--eps", "1/16"]
    manybody("run", start, *step, "--t-end", "1/8", "--out", half)
    check(half, groups)
    assert by_id(manybody.columns(half))[0].tolist() == group.tolist()
    # resumed, with snapshots during the run
    manybody("run", "--resume", half, "--t-end", "1/4", "--snapshot-every", "1/16", "--out", end)
    for path in [end.with_name("end.0003.hdf5"), end]:
        check(path, groups)
    meta = manybody.info(end)["meta"]
    assert meta["groups"] == "0 first disc, 1 second disc"
    assert (manybody.columns(end)["x"] != columns["x"]).all()


@pytest.mark.parametrize("extension", ["csv", "nemo"])
def test_other_formats_keep_them(manybody, tmp_path, extension):
    path, back = tmp_path / f"c.{extension}", tmp_path / "c.hdf5"
    manybody("run", "--ic", "collision", "-n", 60, "--with", "bulge-mass=0.5", "--dt", "1/64", "--eps", "1/16",
             "--t-end", "1/16", "--out", path)  # fmt: skip
    if extension == "csv":
        assert path.read_text().splitlines()[-1].endswith(",3,1")
    columns = manybody.columns(path)
    assert set(columns["group"]) == {0, 1} and set(columns["component"]) == {1, 2, 3}
    manybody("convert", path, back)
    check(back, by_id(columns))


def test_tipsy_says_what_it_loses(manybody, tmp_path):
    done = manybody("ic", "collision", "-n", 60, "-o", tmp_path / "c.tipsy")
    assert "component, group" in done.stderr and "types" not in done.stderr
    snapshot = pynbody.load(str(tmp_path / "c.tipsy"))
    assert len(snapshot.star) > 0 and len(snapshot.dm) > len(snapshot.star)


def test_clusters_have_groups_and_no_components(manybody, tmp_path):
    path = tmp_path / "c.hdf5"
    manybody("ic", "collision", "--model", "plummer", "-n", 30, "-o", path)
    columns = manybody.columns(path)
    np.testing.assert_array_equal(columns["group"], np.repeat([0, 1], 15))
    assert "component" not in columns and "kind" not in columns
    np.testing.assert_array_equal(pynbody.load(str(path)).dm["group"], columns["group"])


def test_a_column_that_is_no_label_stays_what_it_is(manybody, tmp_path):
    """A file may have a column of this name that holds something else."""
    table = "id,mass,x,y,z,vx,vy,vz,group\n0,1,1,2,3,0,0,1,0.5\n1,1,2,3,5,0,1,1,\n"
    (tmp_path / "in.csv").write_text(table)
    manybody("convert", tmp_path / "in.csv", tmp_path / "out.hdf5")
    np.testing.assert_array_equal(manybody.columns(tmp_path / "out.hdf5")["group"], [0.5, np.nan])
