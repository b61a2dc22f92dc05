//! The macro behind the table: from one entry for each setting to the structs, the table and everything made from it.

/// Declares the settings of a run. `given` are those that [`Settings`](super::Settings) alone has (where the bodies
/// come from, where they go); `parameters` are in [`Parameters`](super::Parameters), too, with a value in every run.
macro_rules! settings {
    (
        given { $(
            $(#[doc = $given_help:literal])+
            $given:ident: $given_type:ty {
                name: $given_name:literal, value: $given_value:literal, default: $given_default:literal,
                effect: $given_effect:ident, excludes: $given_excludes:expr $(,)?
            }
        )* }
        parameters { $(
            $(#[doc = $help:literal])+
            $field:ident: $type:ty {
                name: $name:literal, value: $value:literal, unit: $unit:expr, default: $words:literal = $default:expr,
                absent: $absent:expr, effect: $effect:ident, kept: $kept:ident, excludes: $excludes:expr
                $(, of_forces: $of_forces:literal)? $(,)?
            }
        )* }
    ) => {
        /// Each setting by the name of its field.
        #[allow(non_upper_case_globals)]
        pub mod setting {
            use super::*;
            $( $(#[doc = $given_help])+ pub static $given: Setting = Setting {
                name: $given_name, key: concat!("run.", stringify!($given)), value: $given_value, help: concat!($($given_help, "\n"),+), unit: None,
                default: $given_default, effect: Effect::$given_effect, kept: Kept::Never, excludes: &$given_excludes,
                of_forces: false, form: <$given_type as Given>::FORM,
            }; )*
            $( $(#[doc = $help])+ pub static $field: Setting = Setting {
                name: $name, key: concat!("run.", stringify!($field)), value: $value, help: concat!($($help, "\n"),+), unit: $unit,
                default: $words, effect: Effect::$effect, kept: Kept::$kept, excludes: &$excludes,
                of_forces: false $(|| $of_forces)?, form: <<$type as Value>::Given as Given>::FORM,
            }; )*
        }

        /// Every setting, in the order of the documentation.
        pub static TABLE: &[&Setting] = &[$(&setting::$given,)* $(&setting::$field,)*];

        /// What was said about a run, by a TOML file, the command line or a program; every setting is optional.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct Settings {
            $( $(#[doc = $given_help])+ pub $given: Option<$given_type>, )*
            $( $(#[doc = $help])+ pub $field: Option<<$type as Value>::Given>, )*
            /// Parameters of the initial conditions by name.
            pub with: Option<BTreeMap<String, String>>,
        }

        impl Settings {
            /// Sets the setting called `name`; `None` where no setting has that name.
            pub(super) fn set_raw(&mut self, name: &str, raw: Raw) -> Option<std::result::Result<(), String>> {
                match name {
                    $( $given_name => Some(one_or_more(raw).map(|value| self.$given = Some(value))), )*
                    $( $name => Some(one_or_more(raw).map(|value| self.$field = Some(value))), )*
                    _ => None,
                }
            }

            /// What is given, in the order of the table, without parameters of the initial conditions.
            pub fn raw(&self) -> Vec<(&'static Setting, Raw)> {
                let all = [
                    $( (&setting::$given, self.$given.as_ref().map(Given::to_raw)), )*
                    $( (&setting::$field, self.$field.as_ref().map(Given::to_raw)), )*
                ];
                all.into_iter().filter_map(|(setting, raw)| Some((setting, raw?))).collect()
            }

            /// Those given that say how forces are computed, and no others.
            pub fn of_forces(&self) -> Settings {
                Settings {
                    $( $field: self.$field.clone().filter(|_| setting::$field.of_forces), )*
                    ..Settings::default()
                }
            }

            /// The names of files among what is given.
            pub(super) fn paths(&mut self) -> Vec<&mut PathBuf> {
                let all = [
                    $( self.$given.as_mut().and_then(Given::path), )*
                    $( self.$field.as_mut().and_then(Given::path), )*
                ];
                all.into_iter().flatten().collect()
            }

            /// What is given here, and for the rest what `other` gives. Parameters of the initial conditions are
            /// merged one by one.
            pub fn or(self, other: Settings) -> Settings {
                Settings {
                    $( $given: self.$given.or(other.$given), )*
                    $( $field: self.$field.or(other.$field), )*
                    with: match (self.with, other.with) {
                        (Some(with), Some(other)) => Some(other.into_iter().chain(with).collect()),
                        (with, other) => with.or(other),
                    },
                }
            }
        }

        /// How a run is computed: every setting that has a value in each run.
        #[derive(Clone, Debug, PartialEq)]
        pub struct Parameters {
            $( $(#[doc = $help])+ pub $field: $type, )*
        }

        impl Default for Parameters {
            /// What [`Suggestion`](crate::simulation::Suggestion) says for a cluster of 16,384 bodies in Henon units.
            fn default() -> Self {
                Parameters { $( $field: $default, )* }
            }
        }

        impl Parameters {
            /// These parameters with what is given in place of their own; quantities are in `units`.
            ///
            /// # Errors
            /// [`Error::Parameter`](crate::Error::Parameter) naming a quantity that cannot be read.
            pub fn with(&self, given: &Settings, units: &Units) -> Result<Self> {
                Ok(Parameters {
                    $( $field: setting::$field.resolve(&given.$field, units)?.unwrap_or_else(|| self.$field.clone()), )*
                })
            }

            /// The settings that give these parameters.
            pub fn describe(&self) -> Settings {
                Settings { $( $field: self.$field.describe(), )* ..Settings::default() }
            }

            /// The parameters of the run that kept `snapshot`. The last snapshot of a run has no schedule and ends
            /// where it is: to go on, set `t_end`.
            ///
            /// # Errors
            /// [`Error::Parameter`](crate::Error::Parameter) for a snapshot that no run has kept, or with a value that
            /// cannot be read.
            pub fn from_snapshot(snapshot: &Snapshot) -> Result<Self> {
                Ok(Parameters { $( $field: setting::$field.value_in(snapshot, $absent)?, )* })
            }

            /// Writes what a snapshot keeps through `put`; `last` for the last snapshot of a run.
            pub(crate) fn keep(&self, last: bool, snapshot: &Snapshot, put: &mut dyn FnMut(&Setting, String)) {
                $( setting::$field.keep(&self.$field, $absent, last, snapshot, put); )*
            }

            /// The settings in which two runs differ.
            pub fn differences(&self, other: &Parameters) -> Vec<&'static Setting> {
                let all = [$( (&setting::$field, self.$field != other.$field), )*];
                all.into_iter().filter_map(|(setting, differs)| differs.then_some(setting)).collect()
            }

            /// The first of the settings given that contradicts these parameters, with both values; `last` for those
            /// of a last snapshot, which has neither an end to come nor a schedule.
            ///
            /// # Errors
            /// As [`with`](Self::with).
            pub fn contradiction(&self, given: &Settings, last: bool, units: &Units) -> Result<Option<String>> {
                $( if let Some(found) = setting::$field.contradiction(&self.$field, &given.$field, last, units)? {
                    return Ok(Some(found));
                } )*
                Ok(None)
            }
        }
    };
}

pub(super) use settings;
