//! The documentation of the settings, from their table.

use super::{Effect, Kept, Setting, TABLE};
use crate::units::Dimension;

/// The text of docs/settings.md.
pub fn markdown() -> String {
    let mut text = String::from(HEAD);
    for setting in TABLE {
        text += &row(setting);
    }
    text
}

const HEAD: &str = "\
# Settings

Every setting of a run, made from the table in `crates/manybody/src/settings/mod.rs`. The name is the option of
`manybody run`, the key in a TOML file, and (with `_` for `-`) the field of `Settings` in the library; a snapshot keeps
it as `run.NAME`. Quantities may be fractions (`1/128`) and carry units (`10 Myr`).

| setting | value | what it is | default | another value on `--resume` | kept in snapshots |
|---|---|---|---|---|---|
";

fn row(setting: &Setting) -> String {
    let dash = if setting.name.len() == 1 { "-" } else { "--" };
    let unit = match setting.unit {
        Some(unit) if unit == Dimension::TIME => ", a time",
        Some(unit) if unit == Dimension::LENGTH => ", a length",
        _ => "",
    };
    let resume = match setting.effect {
        Effect::Start | Effect::Name => "",
        Effect::Bits | Effect::Schedule | Effect::Record => "another run: give `--out`",
        Effect::Limit | Effect::Machine | Effect::Process => "the same run",
    };
    let kept = match setting.kept {
        Kept::Always => "all",
        Kept::UntilEnd => "all but the last",
        Kept::Never => "",
    };
    let text = setting.text().replace('|', "\\|");
    let (name, value, default) = (setting.name, setting.value.replace('|', "\\|"), setting.default);
    format!("| `{dash}{name}` | {value}{unit} | {text} | {default} | {resume} | {kept} |\n")
}
