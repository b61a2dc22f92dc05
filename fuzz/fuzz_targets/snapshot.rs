//! Any bytes, read as any format, are sound bodies or an error.
//!
//! The first byte chooses format and options; crates/manybody/tests/data and what `manybody convert` writes are good
//! files to begin with, a byte put before them.

#![no_main]

use libfuzzer_sys::fuzz_target;
use manybody::snapshot::{ColumnOrder, Format, ReadOptions, TipsyVariant, read_bytes};

fuzz_target!(|data: &[u8]| {
    let Some((&choice, bytes)) = data.split_first() else { return };
    let choice = usize::from(choice);
    let format = Format::ALL[choice % 5];
    let options = ReadOptions {
        columns: Some(ColumnOrder::ALL[choice / 5 % 2]),
        tipsy: (choice >= 200).then(|| TipsyVariant::ALL[choice % 4]),
        ..ReadOptions::default()
    };
    let name = format!("input.{}", format.extensions()[0]);
    if let Ok(loaded) = read_bytes(name, bytes.to_vec(), &options) {
        loaded.snapshot.bodies.validate().expect("what is read is sound");
    }
});
