//! What is run: short commands in every format, and what they find in their folder.

use super::inject::{Files, Program};
use std::path::Path;

/// How a user goes on after a failure.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum GoOn {
    /// `run --resume FILE`; where nothing has been kept yet, the same command.
    Resume(&'static str),
    /// The same command.
    Again,
    /// There is nothing to go on with: the command is refused.
    Not,
}

/// A command with the files that it finds.
pub(super) struct Scenario {
    pub(super) name: String,
    pub(super) words: String,
    pub(super) go_on: GoOn,
    pub(super) before: Files,
    /// Without faults.
    pub(super) status: i32,
}

impl Scenario {
    /// Whether it is a run, not its continuation nor another command.
    pub(super) fn is_run(&self) -> bool {
        self.words.starts_with("run --ic") && !self.words.contains("--seed")
    }
}

const SHORT: &str = "--eps 1/16 --dt 1/64 --t-end 3/64 --snapshot-every 1/64";

/// Extension, words for a table of seven bare columns, the file that a run goes on from.
const FORMATS: [(&str, &str, &str); 5] = [
    ("hdf5", "", "b.hdf5"),
    ("nemo", "", "b.nemo"),
    ("csv", "", "b.csv"),
    ("tipsy", "", "b.tipsy"),
    ("txt", "--columns mass-first", ""),
];

/// Everything on the CPU.
pub(super) fn on_the_cpu(program: &Program) -> Vec<Scenario> {
    let mut all = Vec::new();
    for (format, columns, out) in FORMATS {
        let to_columns = columns.replace("--columns", "--to-columns");
        let mut add = |name: &str, words: String, go_on, before: Files, status| {
            all.push(Scenario { name: format!("{name} {format}"), words, go_on, before, status });
        };
        let input =
            program.made(&["ic plummer -n 8 -o in.hdf5", &format!("convert in.hdf5 in.{format} {to_columns} --force")]);
        let input = input.only(&format!("in.{format}"));
        if !out.is_empty() {
            // tables, which grow while the run goes on; two bodies merge in the first step
            let log = if format == "hdf5" { "--log 1/64 --collisions merge --radius 1/5" } else { "" };
            let run = format!("run --ic plummer -n 8 {SHORT} {log} --out {out} --threads 1");
            let first = program.made(&[&run]);
            add("run", run.clone(), GoOn::Resume(out), Files::default(), 0);
            // as kill -9 leaves it while the second snapshot is on its way
            let cut = first.without(&[out, &format!("b.0002.{format}")]);
            add("resume", format!("run --resume {out} --threads 1"), GoOn::Resume(out), cut, 0);
            add("run over an earlier one", format!("{run} --seed 2"), GoOn::Again, first, 0);
            add("ic", format!("ic plummer -n 8 -o out.{format}"), GoOn::Again, Files::default(), 0);
            let from = format!("run in.{format} {SHORT} --out c.csv --threads 1");
            add("run from", from, GoOn::Resume("c.csv"), input.clone(), 0);
        }
        let convert = format!("convert in.{format} out.{format} {columns}");
        let both = input.with(&format!("out.{format}"), b"a user's file\n");
        add("convert", convert.clone(), GoOn::Again, input.clone(), 0);
        add("convert, replacing", format!("{convert} --force"), GoOn::Again, both.clone(), 0);
        add("convert, refused", convert, GoOn::Not, both, 2);
        add("force", format!("force in.{format} -o f.csv --eps 1/16 {columns}"), GoOn::Again, input, 0);
    }
    all
}

/// A run and its continuation on a GPU, real or simulated by the CPU.
pub(super) fn on_a_gpu(program: &Program, device: &str, formats: &[&'static str]) -> Vec<Scenario> {
    let mut all = Vec::new();
    for &out in formats {
        let format = Path::new(out).extension().and_then(|format| format.to_str()).unwrap_or_default();
        let run = format!("run --ic plummer -n 8 {SHORT} --out {out} --device {device} --precision f32");
        let cut = program.made(&[&run]).without(&[out, &format!("b.0002.{format}")]);
        let mut add = |name: &str, words, before| {
            let name = format!("{name} {format} on {device}");
            all.push(Scenario { name, words, go_on: GoOn::Resume(out), before, status: 0 });
        };
        add("run", run, Files::default());
        add("resume", format!("run --resume {out}"), cut);
    }
    all
}
