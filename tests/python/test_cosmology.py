"""Cosmological snapshots after the conventions of several codes: `run` refuses them, everything else says what they are."""

import h5py
import numpy as np
import pytest

COUNTS = np.array([0, 20, 0, 0, 0, 0], dtype=np.uint32)


def particles(file, bodies, masses=True):
    group = file.create_group("PartType1")
    group["Coordinates"], group["Velocities"] = bodies.position + 50, bodies.velocity
    group["ParticleIDs"] = bodies.id
    if masses:
        group["Masses"] = bodies.mass
    header = file.create_group("Header").attrs
    header["NumPart_ThisFile"] = header["NumPart_Total"] = COUNTS
    header["NumPart_Total_HighWord"] = 0 * COUNTS
    header["NumFilesPerSnapshot"] = 1
    return header


def gadget2(file, bodies, redshift=1.0, omega=0.3):
    header = particles(file, bodies, masses=False)
    header["MassTable"] = [0, 0.125, 0, 0, 0, 0]
    header["Time"], header["Redshift"], header["BoxSize"] = 1 / (1 + redshift), redshift, 100.0
    header["Omega0"], header["OmegaLambda"], header["HubbleParam"] = omega, 1 - omega, 0.7


def gadget2_today(file, bodies):
    gadget2(file, bodies, redshift=0.0)


def einstein_de_sitter(file, bodies):
    gadget2(file, bodies, redshift=2.0, omega=1.0)


def gadget4(file, bodies):
    header = particles(file, bodies)
    header["MassTable"], header["Time"], header["Redshift"], header["BoxSize"] = np.zeros(6), 0.5, 1.0, 100.0
    parameters = file.create_group("Parameters").attrs
    parameters["ComovingIntegrationOn"] = np.int32(1)
    parameters["Omega0"], parameters["OmegaLambda"], parameters["HubbleParam"] = 0.3, 0.7, 0.7
    parameters["UnitLength_in_cm"], parameters["UnitMass_in_g"] = 3.085678e24, 1.989e43
    parameters["UnitVelocity_in_cm_per_s"] = 1e5
    file.create_group("Config").attrs["PERIODIC"] = ""


def arepo(file, bodies):
    gadget2(file, bodies)
    header = file["Header"].attrs
    header["UnitLength_in_cm"], header["UnitMass_in_g"] = 3.085678e21, 1.989e43
    header["UnitVelocity_in_cm_per_s"] = 1e5
    file["PartType1/Masses"] = bodies.mass
    file.create_group("Parameters").attrs["ComovingIntegrationOn"] = 1
    file.create_group("Config").attrs["VORONOI"] = ""


def gizmo(file, bodies):
    header = particles(file, bodies)
    header["MassTable"], header["Time"], header["Redshift"], header["BoxSize"] = np.zeros(6), 0.25, 3.0, 1e4
    header["ComovingIntegrationOn"], header["HubbleParam"] = 1, 0.7
    header["Omega_Matter"], header["Omega_Lambda"] = 0.3, 0.7


def swift(file, bodies):
    header = particles(file, bodies)
    counts = np.append(COUNTS, 0)
    header["NumPart_ThisFile"] = header["NumPart_Total"] = counts
    header["NumPart_Total_HighWord"] = 0 * counts
    header["MassTable"], header["Code"], header["Dimension"] = np.zeros(7), np.bytes_("SWIFT"), [3]
    header["BoxSize"], header["Time"], header["Redshift"] = [100.0] * 3, [0.0061], [1.0]
    header["Scale-factor"] = [0.5]
    cosmology = file.create_group("Cosmology").attrs
    cosmology["Cosmological run"], cosmology["Redshift"], cosmology["Scale-factor"] = [1], [1.0], [0.5]
    cosmology["h"], cosmology["Omega_m"], cosmology["Omega_lambda"] = [0.7], [0.3], [0.7]
    file.create_group("Policy").attrs["cosmological integration"] = [1]
    units = file.create_group("Units").attrs
    units["Unit length in cgs (U_L)"], units["Unit mass in cgs (U_M)"] = [3.0856775814913673e24], [1.98841e43]
    units["Unit time in cgs (U_t)"], units["Unit current in cgs (U_I)"] = [3.0856775814913673e19], [1.0]


def eagle(file, bodies):
    gadget2(file, bodies)
    header = file["Header"].attrs
    header["Time"], header["ExpansionFactor"] = 6.1, 0.5


CODES = [gadget2, gadget2_today, einstein_de_sitter, gadget4, arepo, gizmo, swift, eagle]


@pytest.fixture
def cosmological(stars, tmp_path):
    def write(code):
        path = tmp_path / "cosmo.hdf5"
        with h5py.File(path, "w") as file:
            code(file, stars(20))
        return path

    return write


@pytest.mark.parametrize("code", CODES, ids=lambda code: code.__name__)
def test_a_run_is_refused(manybody, cosmological, tmp_path, code):
    path = cosmological(code)
    for words in [[path], ["--resume", path], [path, "--dt", "1", "--eps", "1", "--t-end", "9"]]:
        out = tmp_path / "out.hdf5"
        error = manybody("run", *words, "--out", out, status=2).stderr
        assert f"{path}: field cosmology: " in error
        for word in ["comoving", "expansion", "periodic", "physical"]:
            assert word in error
        assert not out.exists() and not out.with_suffix(".toml").exists()
    note = [note for note in manybody.info(path)["notes"] if "a cosmological snapshot" in note]
    assert len(note) == 1
    a = {gadget2_today: "a = 1,", einstein_de_sitter: "a = 0.333", gizmo: "a = 0.25"}.get(code, "a = 0.5")
    assert a in note[0]
    forces = manybody("force", path, "-o", tmp_path / "forces.csv")
    assert "a cosmological snapshot" in forces.stderr


@pytest.mark.parametrize("extension", ["hdf5", "csv", "nemo"])
def test_a_converted_one_is_refused_as_well(manybody, cosmological, tmp_path, extension):
    path = tmp_path / f"converted.{extension}"
    done = manybody("convert", cosmological(gadget4), path)
    assert "a cosmological snapshot" in done.stderr
    error = manybody("run", path, "--out", tmp_path / "out.hdf5", status=2).stderr
    assert str(path) in error and "a = 0.5, z = 1, h = 0.7, box = 100" in error


def test_units_of_swift(manybody, cosmological):
    units = manybody.info(cosmological(swift))["units"]
    assert units["si"] == pytest.approx([3.0856775814913673e22, 1.98841e40, 3.0856775814913673e19])


def isolated_gadget2(file, bodies):
    """Gadget-2 writes the box and the densities of its parameter file, whatever they are."""
    gadget2(file, bodies, redshift=0.0)
    file["Header"].attrs["Time"] = 1.5


def isolated_gadget4(file, bodies):
    gadget4(file, bodies)
    file["Parameters"].attrs["ComovingIntegrationOn"] = np.int32(0)
    file["Header"].attrs["Time"], file["Header"].attrs["Redshift"] = 1.0, 0.0


def isolated_swift(file, bodies):
    swift(file, bodies)
    file["Cosmology"].attrs["Cosmological run"] = [0]
    file["Policy"].attrs["cosmological integration"] = [0]
    header = file["Header"].attrs
    header["Redshift"], header["Scale-factor"], header["Time"] = [0.0], [1.0], [3.0]


@pytest.mark.parametrize("code", [isolated_gadget2, isolated_gadget4, isolated_swift], ids=lambda code: code.__name__)
def test_an_isolated_system_is_not_taken_for_one(manybody, cosmological, tmp_path, code):
    path = cosmological(code)
    info = manybody.info(path)
    assert not any("cosmological" in note for note in info["notes"])
    manybody("run", path, "--dt", "1/64", "--eps", "1", "--t-end", info["time"] + 1 / 64, "--out", tmp_path / "out.hdf5")
