//! libFuzzer on the target that the environment variable `TARGET` names.
#![no_main]

#[path = "targets.rs"]
mod targets;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    static RUN: std::sync::LazyLock<fn(&[u8])> = std::sync::LazyLock::new(|| {
        // libFuzzer's own hook ends the process at any panic, also at one that is caught
        let crash = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !manybody::guard::is_guarded() {
                crash(panic);
            }
        }));
        let name = std::env::var("TARGET").unwrap_or_default();
        let found = targets::TARGETS.into_iter().find(|(target, _)| *target == name);
        let names = targets::TARGETS.map(|(target, _)| target).join(", ");
        found.unwrap_or_else(|| panic!("TARGET={name}: one of {names} must be given")).1
    });
    RUN(data);
});
