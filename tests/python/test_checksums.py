"""Checksums: other programs pass over them, and the one in tipsy's pad is OpenPGP's CRC-24."""

import h5py
import numpy as np
import pytest


def crc24(data):
    crc = 0xB704CE
    for byte in data:
        crc ^= byte << 16
        for _ in range(8):
            crc <<= 1
            if crc & 0x1000000:
                crc ^= 0x1864CFB
    return crc


@pytest.mark.parametrize("variant, order", [("standard", "big"), ("native", "little")])
def test_the_pad_of_tipsy(manybody, stars, tmp_path, variant, order):
    path = tmp_path / "a.tipsy"
    manybody("convert", stars(3).csv(tmp_path / "in.csv"), path, "--tipsy", variant)
    data = path.read_bytes()
    pad = int.from_bytes(data[28:32], order)
    assert pad == 0xF5 << 24 | crc24(data[:28] + data[32:])
    assert manybody.info(path)["checksum"] == {"state": "whole", "says": f"crc-24 {pad & 0xFFFFFF:06x}"}


def test_hdf5_drops_it_when_it_changes_a_file(manybody, stars, tmp_path):
    path = tmp_path / "a.hdf5"
    manybody("convert", stars(3).csv(tmp_path / "in.csv"), path)
    assert path.read_bytes()[-32:-16] == b"manybody-xxh3-64"
    with h5py.File(path, "r") as file:
        assert file["PartType1/Masses"].shape == (3,)
    assert manybody.info(path)["checksum"]["state"] == "whole"
    with h5py.File(path, "r+") as file:
        file["PartType1/Masses"][0] = 7
    assert manybody.info(path)["checksum"]["state"] == "absent"
    assert manybody.columns(path)["mass"][0] == 7


def test_numpy_reads_plain_text(manybody, stars, tmp_path):
    bodies = stars(3)
    path = tmp_path / "a.txt"
    manybody("convert", bodies.csv(tmp_path / "in.csv"), path, "--to-columns", "mass-first")
    np.testing.assert_array_equal(np.loadtxt(path)[:, 0], bodies.mass)
    manybody("convert", tmp_path / "in.csv", path, "--to-columns", "mass-first", "--no-checksum", "--force")
    assert "#" not in path.read_text()
