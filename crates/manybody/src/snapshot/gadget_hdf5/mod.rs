//! HDF5 in Gadget's layout, the format that h5py, yt, pynbody and most of the field read.
//!
//! ```text
//! /Header                  NumPart_ThisFile[6] NumPart_Total[6] MassTable[6] Time Redshift BoxSize ...
//! /Units                   UnitLength_in_cm UnitMass_in_g UnitVelocity_in_cm_per_s UnitTime_in_s
//! /Config                  AMR: makes yt take the units from the file
//! /PartType1/Coordinates   [n, 3]
//!           /Velocities    [n, 3]
//!           /Masses        [n]
//!           /ParticleIDs   [n] u64
//!           /SofteningPlummer, /Potential, ...       [n] or [n, 3]
//! /ManyBody                Version Units G SI KindsGiven, Order/PartTypeN, Meta: what other readers pass over
//! ```
//!
//! Bodies of several types lie grouped by type; `/ManyBody/Order` keeps their places, so that write and read is the
//! identity. The datasets are contiguous and uncompressed: positions do not compress, and every reader can map them.
//!
//! The crate hdf5-pure does HDF5 itself. The writer lets it lay the file out with zeros that are never touched (an
//! untouched zero page costs no memory, a hole no disk), then fills the datasets in place from the bodies, a few MiB at
//! a time. The reader takes windows of rows. So the cost beside the bodies is a buffer, whatever n.
//!
//! pynbody takes the units from /Units and the time from Header/Time_GYR. yt's reader of Gadget files takes kpc, 1e10
//! Msun and km/s, whatever the file says; its reader of AREPO's files, which is the same otherwise, takes /Units. It is
//! chosen for a file with the attribute AMR or VORONOI in /Config, and pynbody passes over AMR. With gas, that reader
//! needs a density: a file whose gas has no density has no /Config.
//!
//! Units without a physical scale stand in /Units as 1 cm and 1 s, and the mass that gives G its value: they cannot be
//! mistaken for those of a galaxy, and quantities that analysis packages derive with G are right. /ManyBody says that
//! there is no scale.
//!
//! Layout: the users' guides to Gadget-2 [Springel 2005], section 6, and Gadget-4 [Springel 2021], snapshot files.

mod cosmology;
mod part;
mod read;
mod units;
mod values;
mod write;

pub(super) use read::{header, read};
pub(super) use write::write;

/// The variant of a file that was written here.
pub(super) const OURS: &str = "written by manybody";

/// This format's title in errors.
const TITLE: &str = "Gadget HDF5";

/// Rows moved at a time: 65,536 rows of three f64 are 1.5 MiB.
const WINDOW: usize = 1 << 16;

/// The dataset of softening lengths. Not "Softenings": that is Gadget's spline length, 2.8 times Plummer's.
const SOFTENING: &str = "SofteningPlummer";

/// Gadget's dataset names beside the names the columns have here.
const NAMES: [(&str, &str); 9] = [
    ("Acceleration", "acceleration"),
    ("Density", "density"),
    ("InternalEnergy", "internal_energy"),
    ("Metallicity", "metallicity"),
    ("Potential", "potential"),
    ("SmoothingLength", "smoothing_length"),
    ("StarFormationRate", "star_formation_rate"),
    ("StellarFormationTime", "formation_time"),
    ("Temperature", "temperature"),
];

/// Datasets that are not extra columns.
const OWN: [&str; 5] = ["Coordinates", "Velocities", "Masses", "ParticleIDs", SOFTENING];

/// The dataset name of an extra column.
fn dataset_name(column: &str) -> &str {
    NAMES.iter().find(|(_, ours)| *ours == column).map_or(column, |(theirs, _)| theirs)
}

/// The extra column of a dataset name.
fn column_name(dataset: &str) -> &str {
    NAMES.iter().find(|(theirs, _)| *theirs == dataset).map_or(dataset, |(_, ours)| ours)
}

/// The columns of a vector: ax, ay, az for the acceleration, else q_x, q_y, q_z.
fn vector_columns(stem: &str) -> [String; 3] {
    ["x", "y", "z"].map(|axis| if stem == "acceleration" { format!("a{axis}") } else { format!("{stem}_{axis}") })
}

/// The vector that a column may belong to.
fn vector_of(column: &str) -> Option<&str> {
    match column {
        "ax" | "ay" | "az" => Some("acceleration"),
        _ => ["_x", "_y", "_z"].iter().find_map(|axis| column.strip_suffix(axis)),
    }
}
