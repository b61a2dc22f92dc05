//! Makes nothing: the reason is beside the build dependency.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
}
