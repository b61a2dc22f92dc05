"""Files that cannot be written or read: a clear error, and never a half-written file."""

import os
import resource
import signal
import subprocess

import numpy as np
import pytest

FORMATS = ["hdf5", "tipsy", "nemo", "csv", "txt"]


def to(extension):
    return ["--columns", "mass-first"] if extension == "txt" else []


@pytest.fixture
def source(stars, tmp_path):
    return stars(5000).csv(tmp_path / "in.csv")


@pytest.mark.parametrize("extension", FORMATS)
def test_a_limit_on_size_leaves_the_old_file(manybody, source, tmp_path, extension):
    folder = tmp_path / "out"
    folder.mkdir()
    path = folder / f"b.{extension}"
    path.write_text("the old file")

    def limited():
        # what a full disk does: a write that does not succeed
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))

    done = manybody("convert", source, path, "--force", *to(extension), status=1, preexec_fn=limited)
    assert str(path) in done.stderr and "too large" in done.stderr
    assert path.read_text() == "the old file"
    assert [p.name for p in folder.iterdir()] == [path.name]


@pytest.mark.parametrize("extension", FORMATS)
def test_a_full_disk(manybody, source, tmp_path, extension):
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("mounting is not permitted here")
    try:
        path = folder / f"b.{extension}"
        path.write_text("the old file")
        done = manybody("convert", source, path, "--force", *to(extension), status=1)
        assert str(path) in done.stderr and "No space left" in done.stderr
        assert path.read_text() == "the old file"
        assert [p.name for p in folder.iterdir()] == [path.name]
    finally:
        subprocess.run(["umount", folder], check=True)


@pytest.mark.parametrize("extension", ["tipsy", "nemo", "csv", "txt"])
def test_a_device_that_is_full(manybody, source, tmp_path, extension):
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full here")
    link = tmp_path / f"full.{extension}"
    link.symlink_to("/dev/full")
    done = manybody("convert", source, link, *to(extension), status=1)
    assert str(link) in done.stderr and "No space left" in done.stderr
    assert os.path.exists("/dev/full")


def test_a_folder_that_cannot_be_written_to(manybody, source, tmp_path):
    folder = tmp_path / "closed"
    folder.mkdir()
    folder.chmod(0o555)
    options = {}
    if os.geteuid() == 0:
        # root may write anywhere: run as another user, for whom the program and the folders above it are readable
        readable = tmp_path / "manybody"
        readable.write_bytes(open(manybody.path, "rb").read())
        readable.chmod(0o755)
        for parent in [tmp_path, *tmp_path.parents]:
            if os.stat(parent).st_uid == os.geteuid() and parent.is_relative_to("/tmp") and str(parent) != "/tmp":
                parent.chmod(0o755)
        manybody = type(manybody)(readable)
        options = {"user": 65534}
    path = folder / "b.hdf5"
    done = manybody("convert", source, path, status=1, **options)
    assert str(path) in done.stderr and "ermission denied" in done.stderr
    assert list(folder.iterdir()) == []


def test_a_folder_that_is_not_there(manybody, source, tmp_path):
    path = tmp_path / "nowhere" / "b.hdf5"
    assert str(path) in manybody("convert", source, path, status=2).stderr


def test_a_read_only_file_stays(manybody, source, tmp_path):
    path = tmp_path / "kept.csv"
    path.write_text("kept")
    path.chmod(0o444)
    assert "read-only" in manybody("convert", source, path, "--force", status=1).stderr
    assert path.read_text() == "kept"


def test_an_existing_file_is_not_replaced_unasked(manybody, source, tmp_path):
    path = tmp_path / "b.nemo"
    path.write_text("kept")
    assert "--force" in manybody("convert", source, path, status=2).stderr
    assert path.read_text() == "kept"
    manybody("convert", source, path, "--force")
    assert manybody.info(path)["n"] == 5000


def test_an_extension_that_means_nothing(manybody, source, tmp_path):
    error = manybody("convert", source, tmp_path / "b.dat", status=2).stderr
    for extension in FORMATS:
        assert "." + extension in error
    manybody("convert", source, tmp_path / "b.dat", "--to", "nemo")
    # and is read by its content
    assert manybody.info(tmp_path / "b.dat")["format"] == "nemo"


@pytest.mark.parametrize("wrong", FORMATS)
@pytest.mark.parametrize("right", FORMATS)
def test_a_wrong_name_is_reported(manybody, stars, tmp_path, right, wrong):
    if right == wrong or (right, wrong) == ("csv", "txt"):
        return
    path = tmp_path / f"b.{right}"
    manybody("convert", stars(10).csv(tmp_path / "in.csv"), path, "--force", *to(right))
    path.rename(path.with_suffix("." + wrong))
    error = manybody("info", path.with_suffix("." + wrong), *to(wrong), status=2).stderr
    names = {"hdf5": "HDF5", "tipsy": "tipsy", "nemo": "NEMO", "csv": "CSV", "txt": "plain text"}
    assert f"looks like a {names[right]}" in error or f"looks like an {names[right]}" in error or names[right] in error


def test_other_files_are_named(manybody, tmp_path):
    for data, name in [
        (b"\x1f\x8b\x08\x00" + bytes(100), "gzip"),
        (b"\x93NUMPY\x01\x00v\x00" + bytes(200), "NumPy"),
        (b"\x00\x01\x00\x00" + bytes(256) + b"\x00\x01\x00\x00" + bytes(100), "Gadget binary"),
        (b"", "empty"),
    ]:
        for extension in ("hdf5", "tipsy", "nemo"):
            path = tmp_path / f"x.{extension}"
            path.write_bytes(data)
            problem = manybody.info(path, status=2)["problems"][0]
            assert name in problem, problem


@pytest.mark.parametrize(
    "text, words",
    [
        ("x,y,z,vx,vy,vz\n1,2,3,4,5,6\n", ["mass", "missing"]),
        ("x,y,z,m\n1,2,3,4\n", ["vx, vy, vz", "missing"]),
        ("x,y,z,vx,vy,vz,m\n1,2,3,4,5,6,7\n1,2,3,4,5,6\n", ["line 3", "6 columns", "7"]),
        ("x,y,z,vx,vy,vz,m\n1,2,3,4,5,6,7\n1,2,abc,4,5,6,7\n", ["z", "line 3", "abc"]),
        ("x,y,z,vx,vy,vz,m\n1,2,3,4,5,6,7\n\n1,2,nan,4,5,6,7\n", ["z", "line 4", "NaN"]),
        ("# hello\nx,y,z,vx,vy,vz,m\n1,2,3,4,5,6,-7\n", ["m:", "line 3", "-7", "0 or more"]),
        ("x,y,z,vx,vy,vz,m\n1,2,3,4,inf,6,7\n", ["vy", "line 2", "inf"]),
        ("x,y,z,vx,vy,vz,m,id\n1,2,3,4,5,6,7,-1\n", ["id", "line 2", "-1"]),
        ("x,y,z,vx,vy,vz,m,x\n1,2,3,4,5,6,7,8\n", ["x", "twice"]),
        ("x [pc],y,z,vx,vy,vz,m\n1,2,3,4,5,6,7\n", ["x, vx, mass", "all"]),
        ("x [ells],y,z,vx [km/s],vy,vz,m [Msun]\n1,2,3,4,5,6,7\n", ["ells"]),
        ("# time = soon\nx,y,z,vx,vy,vz,m\n1,2,3,4,5,6,7\n", ["time", "soon"]),
        ("1,2,3,4,5,6,7\n", ["7 columns", "no header"]),
    ],
)
def test_bad_csv_is_reported(manybody, tmp_path, text, words):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    error = manybody("convert", path, tmp_path / "x.hdf5", status=2).stderr
    assert str(path) in error
    for word in words:
        assert word in error, error
    assert not (tmp_path / "x.hdf5").exists()


@pytest.mark.parametrize(
    "text, words",
    [
        ("1 2 3 4 5 6\n", ["line 1", "6 columns"]),
        ("# m x y z\n1 2 3 4 5 6 7\n1 2 3 4 5 6 7 8\n", ["line 3", "8 columns"]),
        ("1 2 3 4 5 6 seven\n", ["line 1", "column 7", "seven"]),
        ("1 2 3 4 5 6 7\n\n-1 2 3 4 5 6 7\n", ["mass", "line 3", "-1"]),
        ("1 2 3 4 5 6 1e999\n", ["vz", "line 1", "inf"]),
    ],
)
def test_bad_text_is_reported(manybody, tmp_path, text, words):
    path = tmp_path / "bad.txt"
    path.write_text(text)
    error = manybody("convert", path, tmp_path / "x.hdf5", "--columns", "mass-first", status=2).stderr
    assert str(path) in error
    for word in words:
        assert word in error, error


def test_text_needs_the_order_of_its_columns(manybody, tmp_path):
    path = tmp_path / "in.txt"
    path.write_text("1 2 3 4 5 6 7\n8.0D0,9,10;11 12 13 14\n")
    error = manybody("convert", path, tmp_path / "x.csv", status=2).stderr
    assert "mass-first (m x y z vx vy vz)" in error and "mass-last (x y z vx vy vz m)" in error
    back = manybody.columns(path, "--columns", "mass-first")
    np.testing.assert_array_equal(back["mass"], [1, 8])
    np.testing.assert_array_equal(back["vz"], [7, 14])
    back = manybody.columns(path, "--columns", "mass-last")
    np.testing.assert_array_equal(back["mass"], [7, 14])
    np.testing.assert_array_equal(back["x"], [1, 8])
    manybody("convert", path, tmp_path / "out.txt", "--columns", "mass-first", "--to-columns", "mass-last")
    lines = (tmp_path / "out.txt").read_text().split("\n", 1)[1]  # after that of the checksum
    assert lines.split()[:7] == ["2.0", "3.0", "4.0", "5.0", "6.0", "7.0", "1.0"]


def test_units_are_converted_and_declared(manybody, tmp_path):
    path = tmp_path / "in.csv"
    path.write_text("x [kpc],y [pc],z [kpc],vx [km/s],vy [km/s],vz [km/s],m [Msun]\n1,2000,3,4,5,6,7\n")
    back = manybody.columns(path, "--units", "msun-pc-kms")
    # 1e-15: one rounding in the factor, one in the product
    np.testing.assert_allclose([back["x"][0], back["y"][0], back["z"][0]], [1000, 2000, 3000], rtol=1e-15)
    np.testing.assert_allclose([back["vx"][0], back["mass"][0]], [4, 7], rtol=1e-15)
    plain = tmp_path / "plain.txt"
    plain.write_text("7 1 2 3 4 5 6\n")
    columns = ["--columns", "mass-first"]
    assert "no physical scale" in manybody("convert", plain, tmp_path / "a.csv", *columns, "--units", "si", status=2).stderr
    back = manybody.columns(plain, *columns, "--from-units", "gadget", "--units", "msun-pc-kms")
    np.testing.assert_allclose([back["mass"][0], back["x"][0], back["vx"][0]], [7e10, 1e3, 4], rtol=1e-15)
