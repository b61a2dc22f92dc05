//! The header that is installed is the one that the sources make.

use std::path::Path;

#[test]
fn the_header_is_that_of_the_sources() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = folder.join("include/manybody.h");
    let made = cbindgen::generate(folder).unwrap();
    let mut text = Vec::new();
    made.write(&mut text);
    let text = plain(&String::from_utf8(text).unwrap());
    if std::env::var_os("MANYBODY_WRITE_HEADER").is_some() {
        std::fs::write(&file, &text).unwrap();
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    let differs = kept.lines().zip(text.lines()).position(|(a, b)| a != b);
    let help = "the sources make another header: MANYBODY_WRITE_HEADER=1 cargo test -p manybody-c --test header";
    assert!(kept == text, "line {:?}; {help}", differs.map(|k| k + 1));
}

/// Without the sections that Rust's documentation has of what a caller must keep: the descriptions of the arguments say it.
fn plain(text: &str) -> String {
    let (mut out, mut is_left_out) = (String::new(), false);
    for line in text.lines() {
        match line.trim() {
            "* # Safety" => {
                is_left_out = true;
                out.truncate(out.trim_end_matches(['\n', '*', ' ']).len());
                out.push('\n');
            }
            "*/" => is_left_out = false,
            _ => {}
        }
        if !is_left_out {
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}
