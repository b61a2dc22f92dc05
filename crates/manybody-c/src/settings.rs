//! Settings by name: those of a run, from the library's table, of which the forces of arrays read some.
#![allow(unsafe_code)] // exported functions

use crate::border::{Failure, Outcome, call};
use crate::status::mb_status;
use crate::{handle, text};
use manybody::driver::device::ProblemSize;
use manybody::driver::{self, Threads};
use manybody::settings::{Effect, Form, Raw, Setting, Settings, TABLE, setting};
use manybody::solver::{Method, Precision, Softening};
use manybody::{Error, ic};
use std::ffi::c_char;
use std::path::Path;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};

/// Whether forces of arrays read a setting.
fn is_of_arrays(setting: &Setting) -> bool {
    setting.of_forces || [&setting::threads, &setting::par].contains(&setting)
}

/// Settings by name. A handle may be read by several threads at once, and changed by one that no other uses beside it.
#[allow(non_camel_case_types)]
pub struct mb_settings(RwLock<Chosen>);

/// Settings that were given.
#[derive(Clone, Default)]
pub(crate) struct Chosen {
    pub(crate) settings: Settings,
    /// One that a run alone has.
    of_run: Option<&'static str>,
}

impl Chosen {
    /// Those of a handle, or no settings for null.
    ///
    /// # Safety
    /// As [`handle::of`].
    pub(crate) unsafe fn of(at: *const mb_settings) -> Outcome<Chosen> {
        // SAFETY: as this function's
        match unsafe { handle::optional(at) } {
            Some(settings) => settings.read().map(|chosen| chosen.clone()),
            None => Ok(Chosen::default()),
        }
    }

    /// Sets the one called `name`.
    pub(crate) fn set(&mut self, name: &str, value: Raw) -> Outcome {
        let is_called = |setting: &&&Setting| setting.name == name || setting.name.replace('-', "_") == name;
        match TABLE.iter().find(is_called) {
            Some(setting) => self.set_known(setting, value)?,
            None => self.set_of_model(name, value)?,
        }
        self.note_run();
        Ok(())
    }

    fn set_known(&mut self, setting: &'static Setting, value: Raw) -> Outcome {
        let value = match (setting.form, value) {
            (Form::List, value) => {
                let given = self.given(setting);
                let mut list = if let Some(Raw::List(list)) = given { list } else { Vec::new() };
                list.push(value.to_string());
                Raw::List(list)
            }
            (Form::Path, Raw::Text(text)) => Raw::Path(text.into()),
            (_, value) => value,
        };
        self.settings.set(setting.name, value)?;
        self.settings = std::mem::take(&mut self.settings).with_law_text(Path::new(""))?;
        Ok(())
    }

    /// Sets a parameter of initial conditions.
    fn set_of_model(&mut self, name: &str, value: Raw) -> Outcome {
        if !ic::registry().iter().flat_map(|model| model.parameters).any(|parameter| parameter.name == name) {
            // which lists what is known
            return Ok(self.settings.set(name, value)?);
        }
        self.settings.with.get_or_insert_default().insert(name.into(), value.to_string());
        Ok(())
    }

    /// Gives those that are not given the values of a TOML file.
    fn read_file(&mut self, path: &Path) -> Outcome {
        let read = Settings::read(path)?;
        self.settings = std::mem::take(&mut self.settings).or(read);
        self.note_run();
        Ok(())
    }

    fn note_run(&mut self) {
        let others =
            self.settings.raw().into_iter().map(|(setting, _)| setting).filter(|setting| !is_of_arrays(setting));
        let with = self.settings.with.as_ref().map(|_| "ic");
        self.of_run = others.map(|setting| setting.name).chain(with).next();
    }

    fn given(&self, setting: &Setting) -> Option<Raw> {
        self.settings.raw().into_iter().find_map(|(given, raw)| (given.name == setting.name).then_some(raw))
    }

    /// Refuses settings that choose bodies or name files, which bodies in memory do not have.
    pub(crate) fn refuse_start(&self) -> Outcome {
        let of_start = |setting: &Setting| matches!(setting.effect, Effect::Start | Effect::Name);
        let found = self.settings.raw().into_iter().find(|(setting, _)| of_start(setting));
        let found = found.map(|(setting, _)| setting.name).or(self.settings.with.as_ref().map(|_| "ic"));
        match found {
            Some(name) => Err(Failure::Input(format!(
                "the setting {name} belongs to bodies that are read or drawn: mb_simulation_start and mb_run have it"
            ))),
            None => Ok(()),
        }
    }

    /// The value of the one called `name`, as text; empty where it is not given.
    pub(crate) fn get(&self, name: &str) -> Outcome<String> {
        let Some(setting) = manybody::settings::find(name) else {
            let known = TABLE.iter().map(|setting| setting.name).collect::<Vec<_>>().join(", ");
            return Err(Error::Unknown { what: "setting", name: name.into(), known }.into());
        };
        Ok(self.given(setting).map_or(String::new(), |raw| raw.to_string()))
    }

    /// What a softening length is.
    pub(crate) fn softening(&self) -> Softening {
        self.settings.softening.unwrap_or_default()
    }

    /// How the forces of arrays are computed: in `precision` where no other is given.
    pub(crate) fn method(&self, precision: Precision, size: impl Into<ProblemSize>) -> Outcome<Method> {
        self.refuse_run()?;
        Ok(driver::method(&self.settings, precision, size)?)
    }

    /// The same for a law.
    pub(crate) fn method_of_law(&self, precision: Precision, bodies: usize) -> Outcome<Method> {
        self.refuse_run()?;
        Ok(driver::method_of_law(&self.settings, precision, bodies)?)
    }

    /// The same for a law on arrays in the memory of a GPU.
    #[cfg(feature = "gpu")]
    pub(crate) fn method_of_law_of_arrays(&self, precision: Precision, bodies: usize) -> Outcome<Method> {
        self.refuse_run()?;
        Ok(driver::method_of_law_of_arrays(&self.settings, precision, bodies)?)
    }

    /// Refuses a setting that a run alone has.
    fn refuse_run(&self) -> Outcome {
        let Some(name) = self.of_run else { return Ok(()) };
        let known: Vec<&str> = TABLE.iter().filter(|setting| is_of_arrays(setting)).map(|s| s.name).collect();
        let text = format!("the setting {name} belongs to a run; forces of arrays have {}", known.join(", "));
        Err(Failure::Input(text))
    }

    pub(crate) fn threads(&self) -> Option<Threads> {
        self.settings.threads
    }

    /// The parameters of a law, each as "name=value".
    pub(crate) fn law_parameters(&self) -> &[String] {
        self.settings.par.as_ref().map_or(&[], |words| &words.0)
    }

    /// Settings in words NAME=VALUE between white space.
    pub(crate) fn of_words(text: &str) -> Outcome<Chosen> {
        let mut chosen = Chosen::default();
        for word in text.split_whitespace() {
            let Some((name, value)) = word.split_once('=') else {
                return Err(Failure::Input(format!("'{word}' must be NAME=VALUE, as in precision=f32")));
            };
            chosen.set(name, Raw::Text(value.into()))?;
        }
        Ok(chosen)
    }
}

impl mb_settings {
    fn read(&self) -> Outcome<RwLockReadGuard<'_, Chosen>> {
        match self.0.try_read() {
            Ok(chosen) => Ok(chosen),
            Err(TryLockError::Poisoned(chosen)) => Ok(PoisonError::into_inner(chosen)),
            Err(TryLockError::WouldBlock) => Err(Failure::Busy("handle of settings")),
        }
    }

    fn write(&self) -> Outcome<RwLockWriteGuard<'_, Chosen>> {
        match self.0.try_write() {
            Ok(chosen) => Ok(chosen),
            Err(TryLockError::Poisoned(chosen)) => Ok(PoisonError::into_inner(chosen)),
            Err(TryLockError::WouldBlock) => Err(Failure::Busy("handle of settings")),
        }
    }
}

/// Makes settings without any value. To be freed with mb_settings_free.
///
/// # Safety
/// `settings` points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mb_settings_new(settings: *mut *mut mb_settings) -> mb_status {
    // SAFETY: as this function's
    call(|| unsafe { handle::give(settings, || Ok(mb_settings(RwLock::default()))) })
}

/// Gives the setting called `name` a value as text: mb_settings_set(s, "precision", "f32"), (s, "t-end", "10 Myr"). Names are
/// those of docs/settings.md, `_` may stand for `-`; parameters of initial conditions have names of their own, as "w0".
/// A setting that may be given several times (par, field) gets one value more with each call.
///
/// # Safety
/// `settings` is a handle; `name` and `value` are texts that end with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mb_settings_set(
    settings: *mut mb_settings,
    name: *const c_char,
    value: *const c_char,
) -> mb_status {
    call(|| {
        // SAFETY: as this function's
        let (settings, name, value) =
            unsafe { (handle::of("settings", settings)?, text::text("name", name)?, text::text("value", value)?) };
        settings.write()?.set(name, Raw::Text(value.into()))
    })
}

/// The same with a number.
///
/// # Safety
/// `settings` is a handle; `name` is a text that ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mb_settings_set_number(
    settings: *mut mb_settings,
    name: *const c_char,
    value: f64,
) -> mb_status {
    call(|| {
        // SAFETY: as this function's
        let (settings, name) = unsafe { (handle::of("settings", settings)?, text::text("name", name)?) };
        settings.write()?.set(name, Raw::Number(value))
    })
}

/// Gives the settings that are not given yet the values of a TOML file, as each run writes one beside its output.
///
/// # Safety
/// `settings` is a handle; `path` is a text that ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mb_settings_read(settings: *mut mb_settings, path: *const c_char) -> mb_status {
    call(|| {
        // SAFETY: as this function's
        let (settings, path) = unsafe { (handle::of("settings", settings)?, text::path("path", path)?) };
        settings.write()?.read_file(&path)
    })
}

/// Writes the value of a setting as text to a buffer of `size` bytes; an empty text where it is not given.
///
/// # Safety
/// `settings` is a handle; `name` is a text that ends with a zero; `value` points to `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mb_settings_get(
    settings: *const mb_settings,
    name: *const c_char,
    value: *mut c_char,
    size: usize,
) -> mb_status {
    call(|| {
        // SAFETY: as this function's
        let (settings, name) = unsafe { (handle::of("settings", settings)?, text::text("name", name)?) };
        let found = settings.read()?.get(name)?;
        // SAFETY: as this function's
        unsafe { text::write("value", &found, value, size) }
    })
}

/// Frees settings; nothing for null.
///
/// # Safety
/// `settings` is null or a handle that is not freed yet, and that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mb_settings_free(settings: *mut mb_settings) {
    // SAFETY: as this function's
    call(|| unsafe { handle::free(settings) });
}
