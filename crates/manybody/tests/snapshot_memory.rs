//! Reading and writing stream: what they take beside the bodies is a few buffers, whatever n.

use manybody::snapshot::{self, ColumnOrder, ReadOptions, WriteOptions};
use manybody::{Bodies, Snapshot};
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// One test, since the peak is the process's.
#[test]
fn no_format_copies_the_bodies() {
    let n = 400_000;
    let bodies = n * 64; // seven f64 and an id
    let mut whole = Snapshot { bodies: Bodies::zeros(n), ..Snapshot::default() };
    for i in 0..n {
        whole.bodies.x[i] = (i as f64).sqrt();
        whole.bodies.mass[i] = 1.0 / n as f64;
    }
    let folder = tempfile::tempdir().unwrap();
    for extension in ["hdf5", "nemo", "tipsy", "csv", "txt"] {
        let path = folder.path().join("b").with_extension(extension);
        let columns = Some(ColumnOrder::MassFirst);
        MEMORY.reset_peak_usage();
        let before = MEMORY.current_usage();
        snapshot::write_as(&path, &whole, &WriteOptions { columns, ..Default::default() }).unwrap();
        let writing = MEMORY.peak_usage() - before;

        MEMORY.reset_peak_usage();
        let before = MEMORY.current_usage();
        let read = snapshot::read_with(&path, &ReadOptions { columns, ..Default::default() }).unwrap();
        let reading = MEMORY.peak_usage() - before;
        assert_eq!(read.snapshot.bodies.len(), n);

        // writing: buffers of up to 2 MiB. HDF5's zeros are address space that is never touched (see the writer),
        // which this allocator counts as memory; they are freed before the data is written
        let most = if extension == "hdf5" { bodies + (4 << 20) } else { 4 << 20 };
        assert!(writing <= most, "{extension}: writing took {writing} bytes");
        // reading: the bodies; text, whose length is not known beforehand, grows by doubling; tipsy keeps eps and phi
        assert!(reading <= 2 * bodies + (4 << 20), "{extension}: reading took {reading} bytes");
        if matches!(extension, "hdf5" | "nemo") {
            assert!(reading <= bodies + (8 << 20), "{extension}: reading took {reading} bytes");
        }
    }
}
