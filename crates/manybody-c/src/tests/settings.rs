//! Settings, statuses and messages.

use super::{Settings, bad, c, good, message};
use crate::error::{mb_last_error, mb_status_name, mb_version};
use crate::settings::{
    mb_settings_free, mb_settings_get, mb_settings_new, mb_settings_read, mb_settings_set, mb_settings_set_number,
};
use crate::status::mb_status::{self, MB_ERROR_ARGUMENT, MB_ERROR_FILE, MB_ERROR_INPUT};
use manybody::settings::Form;
use std::ffi::{CStr, c_char};
use std::ptr::{null, null_mut};

fn get(settings: &Settings, name: &str) -> String {
    let mut buffer = [0 as c_char; 64];
    good(unsafe { mb_settings_get(settings.0, c(name).as_ptr(), buffer.as_mut_ptr(), 64) });
    unsafe { CStr::from_ptr(buffer.as_ptr()) }.to_string_lossy().into_owned()
}

#[test]
fn every_setting_is_set_by_its_name() {
    let settings = Settings::of(&[("t-end", "10 Myr"), ("snapshot_every", "1/4"), ("n", "1e3"), ("overwrite", "true")]);
    assert_eq!((get(&settings, "t-end"), get(&settings, "snapshot-every")), ("10 Myr".into(), "1/4".into()));
    assert_eq!(
        (get(&settings, "n"), get(&settings, "overwrite"), get(&settings, "dt")),
        ("1000".into(), "true".into(), String::new())
    );
    good(settings.set("par", "a=1"));
    good(settings.set("par", "b=2"));
    assert_eq!(get(&settings, "par"), "a=1 b=2");
    good(unsafe { mb_settings_set_number(settings.0, c"dt".as_ptr(), 0.1) });
    assert_eq!(get(&settings, "dt"), "0.1");
    good(unsafe { mb_settings_set_number(settings.0, c"n".as_ptr(), 500.0) });
    assert_eq!(get(&settings, "n"), "500");
    good(settings.set("w0", "6")); // of King's models
    // all of the table; a word may be refused, where the setting has its own
    for setting in manybody::settings::TABLE {
        let value = match (setting.name, setting.form) {
            (_, Form::Flag) => "true",
            (_, Form::Number) => "1",
            ("field", _) => "nfw:m=20,a=5",
            (_, Form::List) => "k=1",
            _ => "text",
        };
        let status = settings.set(setting.name, value);
        let is_refused_word =
            status == MB_ERROR_INPUT && setting.form == Form::Word && !message().contains("unknown setting");
        assert!(status == mb_status::MB_OK || is_refused_word, "{}: {}", setting.name, message());
    }
}

#[test]
fn wrong_names_and_values_are_refused() {
    let settings = Settings::of(&[]);
    bad(settings.set("presicion", "f32"), MB_ERROR_INPUT, "did you mean precision?");
    bad(settings.set("precision", "f46"), MB_ERROR_INPUT, "f46");
    bad(settings.set("threads", "0"), MB_ERROR_INPUT, "threads = 0");
    bad(settings.set("n", "many"), MB_ERROR_INPUT, "n = many");
    let (at, dt, mut buffer) = (settings.0, c("dt"), [1 as c_char; 4]);
    unsafe {
        bad(mb_settings_set(null_mut(), dt.as_ptr(), dt.as_ptr()), MB_ERROR_ARGUMENT, "settings: is a null pointer");
        bad(mb_settings_set(at, null(), dt.as_ptr()), MB_ERROR_ARGUMENT, "name: is a null pointer");
        bad(mb_settings_set(at, dt.as_ptr(), null()), MB_ERROR_ARGUMENT, "value: is a null pointer");
        bad(mb_settings_set_number(null_mut(), dt.as_ptr(), 1.0), MB_ERROR_ARGUMENT, "settings");
        bad(mb_settings_new(null_mut()), MB_ERROR_ARGUMENT, "the handle");
        good(settings.set("dt", "0.125"));
        bad(mb_settings_get(at, dt.as_ptr(), buffer.as_mut_ptr(), 4), MB_ERROR_ARGUMENT, "has 4 bytes; must have 6");
        assert_eq!(buffer, [1; 4]);
        bad(mb_settings_get(at, dt.as_ptr(), null_mut(), 4), MB_ERROR_ARGUMENT, "value: is a null pointer");
        bad(mb_settings_get(at, c"dtt".as_ptr(), buffer.as_mut_ptr(), 4), MB_ERROR_INPUT, "did you mean dt?");
        bad(mb_settings_read(at, c"/no/such/file".as_ptr()), MB_ERROR_FILE, "/no/such/file");
        mb_settings_free(null_mut());
    }
}

#[test]
fn a_file_gives_what_is_not_given() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.toml");
    std::fs::write(&file, "ic = \"plummer\"\nn = 100\ndt = \"1/64\"\nw0 = 7\n").unwrap();
    let settings = Settings::of(&[("n", "50")]);
    good(unsafe { mb_settings_read(settings.0, c(file.to_str().unwrap()).as_ptr()) });
    assert_eq!(
        (get(&settings, "n"), get(&settings, "dt"), get(&settings, "ic")),
        ("50".into(), "1/64".into(), "plummer".into())
    );
}

#[test]
fn messages_belong_to_their_thread() {
    bad(Settings::of(&[]).set("presicion", "f32"), MB_ERROR_INPUT, "precision");
    let other = std::thread::spawn(|| {
        let before = message();
        bad(Settings::of(&[]).set("threads", "0"), MB_ERROR_INPUT, "threads = 0");
        before
    });
    assert_eq!(other.join().unwrap(), "");
    assert!(message().contains("precision"));
    assert!(!mb_last_error().is_null());
}

#[test]
fn statuses_have_names() {
    let name = |status: i32| unsafe { CStr::from_ptr(mb_status_name(status)) }.to_str().unwrap();
    assert_eq!(
        (name(0), name(mb_status::MB_ERROR_FILE as i32), name(99), name(-1)),
        ("MB_OK", "MB_ERROR_FILE", "no status", "no status")
    );
    let version = unsafe { CStr::from_ptr(mb_version()) }.to_str().unwrap();
    assert_eq!(version, env!("CARGO_PKG_VERSION"));
}
