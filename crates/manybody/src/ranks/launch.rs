//! Which rank this process is, of how many, and where they meet: from options, or from what the launcher has left in
//! the environment.
//!
//! | launcher | rank | ranks | the job, by which its ranks meet |
//! |---|---|---|---|
//! | options | `--rank` | `--ranks` | `--at HOST:PORT`, and MANYBODY_TOKEN |
//! | Open MPI | OMPI_COMM_WORLD_RANK | OMPI_COMM_WORLD_SIZE | PMIX_NAMESPACE or OMPI_MCA_ess_base_jobid |
//! | MPICH and others with PMI | PMI_RANK | PMI_SIZE | the process of the launcher, on one machine |
//! | Slurm's srun | SLURM_PROCID | SLURM_STEP_NUM_TASKS | SLURM_JOB_ID and SLURM_STEP_ID |
//!
//! With a launcher `--at` and MANYBODY_TOKEN are not needed: rank 0 writes its address and a token into a file that
//! only the user can read, in MANYBODY_RANKS_DIR, or in a folder of the machine where all ranks are on one, or else in
//! the user's home.
//!
//! MANYBODY_RANKS_BY (`tcp` or `mpi`) chooses what letters go through; without it that is MPI where the program has it and
//! a launcher has started it.

use crate::ranks::tcp::Token;
use crate::{Error, Result};
use std::env::VarError;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// A rank that can be joined.
#[derive(Clone, Debug)]
pub struct Launch {
    /// Which rank this is, from 0.
    pub rank: usize,
    /// Of how many.
    pub ranks: usize,
    /// Where they meet.
    pub meeting: Meeting,
    /// The launcher, where it alone says who is which rank.
    pub launcher: Option<&'static str>,
    /// What letters are to go through, where that was chosen.
    pub transport: Option<Transport>,
    /// How long ranks wait for each other at the start.
    pub patience: Duration,
}

/// What letters go through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// Sockets.
    Tcp,
    /// The cluster's MPI.
    Mpi,
}

/// Where ranks meet.
#[derive(Clone, Debug)]
pub enum Meeting {
    /// Rank 0 listens at this address.
    At {
        /// HOST:PORT.
        address: String,
        /// What all ranks know.
        token: Token,
    },
    /// Rank 0 writes its address and a token into this file.
    File {
        /// The file.
        path: PathBuf,
        /// All ranks are on one machine.
        inside: bool,
    },
    /// The launcher does not say: ranks find each other by MPI alone.
    Unknown {
        /// What would say where they meet.
        expected: String,
    },
}

impl fmt::Display for Meeting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Meeting::At { address, .. } => f.write_str(address),
            Meeting::File { path, .. } => path.display().fmt(f),
            Meeting::Unknown { .. } => f.write_str("an unknown place"),
        }
    }
}

/// The options that name ranks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RankOptions {
    /// `--rank`
    pub rank: Option<u64>,
    /// `--ranks`
    pub ranks: Option<u64>,
    /// `--at`
    pub at: Option<String>,
}

/// The most ranks: each has a connection to each.
pub const MAX_RANKS: u64 = 1024;
/// How long ranks wait for each other where nothing is said.
const PATIENCE: u64 = 60;

/// The ranks that this process is one of; `None` for a process that computes alone.
///
/// # Errors
/// [`Error::Parameter`] and [`Error::Missing`] for options that are wrong or missing.
pub fn find(options: &RankOptions) -> Result<Option<Launch>> {
    for name in ["MANYBODY_TOKEN", "MANYBODY_RANKS_BY", "MANYBODY_RANKS_DIR", "MANYBODY_RANKS_PATIENCE"] {
        if let Err(VarError::NotUnicode(_)) = std::env::var(name) {
            return Err(wrong(name, &"given", "must be UTF-8".into()));
        }
    }
    find_in(options, &|name| std::env::var(name).ok())
}

/// [`find`] in an environment.
fn find_in(options: &RankOptions, of: &dyn Fn(&str) -> Option<String>) -> Result<Option<Launch>> {
    let launcher = if options.ranks == Some(1) { None } else { Launcher::find(of)? };
    let ranks = match (options.ranks, &launcher) {
        (Some(given), Some(found)) if given != found.ranks => {
            let expected =
                format!("{} says that there are {}: leave --ranks out, or give --ranks 1", found.name, found.ranks);
            return Err(wrong("ranks", &given, expected));
        }
        (Some(given), _) => given,
        (None, Some(found)) => found.ranks,
        (None, None) => 1,
    };
    if !(1..=MAX_RANKS).contains(&ranks) {
        return Err(wrong("ranks", &ranks, format!("must be 1 to {MAX_RANKS} processes")));
    }
    if let Some((given, found)) = options.rank.zip(launcher.as_ref()).filter(|(given, found)| *given != found.rank) {
        let expected = format!("{} says that this is rank {}: leave --rank out", found.name, found.rank);
        return Err(wrong("rank", &given, expected));
    }
    let rank = options.rank.or(launcher.as_ref().map(|found| found.rank));
    if let Some(rank) = rank.filter(|rank| *rank >= ranks) {
        let expected = format!("must be below the number of ranks, --ranks {ranks}: 0 to {}", ranks - 1);
        return Err(wrong("rank", &rank, expected));
    }
    if ranks == 1 {
        return match &options.at {
            Some(at) => Err(wrong("at", at, "belongs to a run of several ranks: --ranks must be 2 or more".into())),
            None => Ok(None),
        };
    }
    let Some(rank) = rank else {
        let expected =
            format!("each of the {ranks} ranks must know its number: --rank 0 to {}, or a launcher", ranks - 1);
        return Err(Error::Missing { name: "rank", expected });
    };
    let meeting = match (&options.at, &launcher) {
        (Some(at), _) => at_address(at, of)?,
        (None, Some(found)) => found.meeting(of)?,
        (None, None) => {
            let expected = "ranks without a launcher must know where to meet: --at HOST:PORT, an address of rank 0";
            return Err(Error::Missing { name: "at", expected: expected.into() });
        }
    };
    let patience = match of("MANYBODY_RANKS_PATIENCE") {
        None => PATIENCE,
        Some(text) => match text.parse() {
            Ok(seconds) if (1..=86400).contains(&seconds) => seconds,
            _ => {
                return Err(wrong(
                    "MANYBODY_RANKS_PATIENCE",
                    &text,
                    "must be a whole number of seconds, 1 to 86400".into(),
                ));
            }
        },
    };
    let transport = match of("MANYBODY_RANKS_BY").as_deref() {
        None => None,
        Some("tcp") => Some(Transport::Tcp),
        Some("mpi") => Some(Transport::Mpi),
        Some(other) => return Err(wrong("MANYBODY_RANKS_BY", &other, "must be tcp or mpi".into())),
    };
    let launcher = launcher.filter(|_| options.at.is_none() && options.rank.is_none()).map(|found| found.name);
    let patience = Duration::from_secs(patience);
    Ok(Some(Launch { rank: rank as usize, ranks: ranks as usize, meeting, launcher, transport, patience }))
}

fn wrong(name: &'static str, value: &dyn fmt::Display, expected: String) -> Error {
    Error::Parameter { name, value: value.to_string(), expected }
}

fn at_address(at: &str, of: &dyn Fn(&str) -> Option<String>) -> Result<Meeting> {
    let port = at.rsplit_once(':').filter(|(host, _)| !host.is_empty()).and_then(|(_, port)| port.parse::<u16>().ok());
    if port.is_none_or(|port| port == 0) {
        return Err(wrong(
            "at",
            &at,
            "must be HOST:PORT, where rank 0 listens, as node1:4300 or 127.0.0.1:4300".into(),
        ));
    }
    match of("MANYBODY_TOKEN") {
        Some(token) if token.len() >= Token::LEAST => Ok(Meeting::At { address: at.into(), token: Token::of(&token) }),
        Some(_) => {
            Err(wrong("MANYBODY_TOKEN", &"given", format!("must be a secret of {} characters or more", Token::LEAST)))
        }
        None => Err(Error::Missing {
            name: "MANYBODY_TOKEN",
            expected: format!(
                "with --at all ranks need the same secret of {} characters or more in this environment variable",
                Token::LEAST
            ),
        }),
    }
}

/// What a launcher says.
#[derive(Debug, PartialEq)]
struct Launcher {
    name: &'static str,
    rank: u64,
    ranks: u64,
    /// What no other job has, if the launcher says that.
    job: Option<String>,
    /// All ranks are on one machine.
    inside: bool,
}

impl Launcher {
    fn find(of: &dyn Fn(&str) -> Option<String>) -> Result<Option<Self>> {
        let one = |names: [&str; 2]| names.into_iter().find_map(of);
        let is_step = of("SLURM_STEP_ID").is_some();
        // MPICH's mpirun may start its helpers by srun: ranks have the variables of the helper's step then. (Slurm's own PMI
        // has the same numbers as its steps.)
        let differs = |pmi: &str, slurm: &str| of(pmi).is_some_and(|value| Some(value) != of(slurm));
        let is_within_step = differs("PMI_RANK", "SLURM_PROCID") || differs("PMI_SIZE", "SLURM_STEP_NUM_TASKS");
        let known = [
            ("Open MPI", ["OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"], true),
            // in a batch script there is a SLURM_PROCID, too, but no step: it starts one process
            ("Slurm", ["SLURM_PROCID", "SLURM_STEP_NUM_TASKS"], is_step && !is_within_step),
            ("MPICH (PMI)", ["PMI_RANK", "PMI_SIZE"], true),
        ];
        let found = known.into_iter().filter(|(_, _, counts)| *counts);
        let mut found =
            found.filter_map(|(name, [rank, ranks], _)| Some((name, [(rank, of(rank)?), (ranks, of(ranks)?)])));
        let Some((name, [rank, ranks])) = found.next() else { return Ok(None) };
        let number = |(name, text): (&'static str, String)| {
            text.parse::<u64>().map_err(|_| wrong(name, &text, "must be a whole number, 0 or more".into()))
        };
        let (rank, ranks) = (number(rank)?, number(ranks)?);
        let (job, nearby) = match name {
            "Open MPI" => (one(["PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid"]), of("OMPI_COMM_WORLD_LOCAL_SIZE")),
            "Slurm" => {
                let job = of("SLURM_JOB_ID").zip(of("SLURM_STEP_ID")).map(|(job, step)| format!("{job}.{step}"));
                (job, one(["SLURM_STEP_NUM_NODES", "SLURM_NNODES"]).filter(|n| n == "1").map(|_| ranks.to_string()))
            }
            _ => (None, of("MPI_LOCALNRANKS")),
        };
        let inside = nearby.is_some_and(|nearby| nearby == ranks.to_string());
        Ok(Some(Launcher { name, rank, ranks, job, inside }))
    }

    /// The file at which the ranks of this job meet.
    fn meeting(&self, of: &dyn Fn(&str) -> Option<String>) -> Result<Meeting> {
        let process = || self.inside.then(launching_process);
        let Some(job) = self.job.clone().or_else(process) else {
            let expected = format!(
                "{} does not say which job this is, so that ranks on several machines cannot find each other: --at \
                 HOST:PORT and MANYBODY_TOKEN say where they meet",
                self.name
            );
            return Ok(Meeting::Unknown { expected });
        };
        let job: String =
            job.chars().map(|c| if c.is_ascii_alphanumeric() || ".-".contains(c) { c } else { '_' }).collect();
        let Some(folder) = folder(self.inside, of) else {
            let expected = "MANYBODY_RANKS_DIR must name a folder that all ranks see, or HOME be set".into();
            return Err(Error::Missing { name: "MANYBODY_RANKS_DIR", expected });
        };
        let launcher = self.name.split([' ', '(']).next().unwrap_or("job").to_lowercase();
        Ok(Meeting::File { path: folder.join(format!("{launcher}-{job}.address")), inside: self.inside })
    }
}

/// Where the ranks of a job meet: a folder that all see, and that only their user can write to.
fn folder(inside: bool, of: &dyn Fn(&str) -> Option<String>) -> Option<PathBuf> {
    let set = |name: &str| of(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let own = || set("HOME").map(|home| home.join(".manybody-ranks"));
    let here = || set("XDG_RUNTIME_DIR").filter(|folder| folder.is_dir()).map(|folder| folder.join("manybody-ranks"));
    set("MANYBODY_RANKS_DIR").or_else(|| if inside { here().or_else(own) } else { own() })
}

/// The process that has launched this one and its siblings, by its number and when it started: that of hydra where
/// there is one above, so that a shell between does not matter; else the parent.
fn launching_process() -> String {
    let mut process = parent();
    let mut above = process;
    for _ in 0..16 {
        let Some((name, next, _)) = status(above) else { break };
        if name.starts_with("hydra_pmi") || name.starts_with("mpirun") || name.starts_with("mpiexec") {
            process = above;
            break;
        }
        above = next;
    }
    let start = status(process).map_or(String::new(), |(_, _, start)| start);
    format!("{process}-{start}")
}

#[cfg(unix)]
fn parent() -> u32 {
    std::os::unix::process::parent_id()
}

#[cfg(not(unix))]
fn parent() -> u32 {
    0
}

/// The name, the parent and the start of a process, where the system says.
fn status(process: u32) -> Option<(String, u32, String)> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (head, tail) = text.rsplit_once(')')?;
    let name = head.split_once('(')?.1.to_owned();
    let fields: Vec<&str> = tail.split_whitespace().collect();
    Some((name, fields.get(1)?.parse().ok()?, (*fields.get(19)?).to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: (&str, &str) = ("MANYBODY_TOKEN", "a secret of the ranks");

    fn find(options: &RankOptions, environment: &[(&str, &str)]) -> Result<Option<Launch>> {
        find_in(options, &|name| environment.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned()))
    }

    fn options(rank: Option<u64>, ranks: Option<u64>, at: Option<&str>) -> RankOptions {
        RankOptions { rank, ranks, at: at.map(str::to_owned) }
    }

    #[test]
    fn launchers_are_known_by_their_environment() {
        let nothing = RankOptions::default();
        let open_mpi = [
            ("OMPI_COMM_WORLD_RANK", "2"),
            ("OMPI_COMM_WORLD_SIZE", "4"),
            ("OMPI_COMM_WORLD_LOCAL_SIZE", "4"),
            ("OMPI_MCA_ess_base_jobid", "714473473"),
            ("MANYBODY_RANKS_DIR", "/tmp/r"),
        ];
        let found = find(&nothing, &open_mpi).unwrap().unwrap();
        assert_eq!((found.rank, found.ranks), (2, 4));
        assert_eq!(found.meeting.to_string(), "/tmp/r/open-714473473.address");
        assert!(matches!(found.meeting, Meeting::File { inside: true, .. }));
        let slurm = [
            ("SLURM_PROCID", "1"),
            ("SLURM_STEP_NUM_TASKS", "3"),
            ("SLURM_NNODES", "2"),
            ("SLURM_JOB_ID", "77"),
            ("SLURM_STEP_ID", "0"),
            ("HOME", "/home/ada"),
            ("XDG_RUNTIME_DIR", "/tmp"),
        ];
        let found = find(&nothing, &slurm).unwrap().unwrap();
        assert_eq!((found.rank, found.ranks), (1, 3));
        assert_eq!(found.meeting.to_string(), "/home/ada/.manybody-ranks/slurm-77.0.address");
        assert!(matches!(found.meeting, Meeting::File { inside: false, .. }));
        let mpich = [("PMI_RANK", "0"), ("PMI_SIZE", "2"), ("MPI_LOCALNRANKS", "2"), ("HOME", "/home/ada")];
        let found = find(&nothing, &mpich).unwrap().unwrap();
        assert!(found.meeting.to_string().starts_with("/home/ada/.manybody-ranks/mpich-"), "{}", found.meeting);
        // on several machines MPI alone knows where they are
        let far = [("PMI_RANK", "0"), ("PMI_SIZE", "2"), ("MPI_LOCALNRANKS", "1"), ("MANYBODY_RANKS_BY", "mpi")];
        let found = find(&nothing, &far).unwrap().unwrap();
        assert_eq!((found.launcher, found.transport), (Some("MPICH (PMI)"), Some(Transport::Mpi)));
        let problem = crate::ranks::tcp::join(&found, "").map(drop).unwrap_err().to_string();
        assert!(problem.starts_with("no at is given: MPICH (PMI) does not say which job"), "{problem}");
        // MPICH's mpirun in a step of Slurm, whose numbers are those of its helpers
        let within = [
            ("PMI_RANK", "3"),
            ("PMI_SIZE", "4"),
            ("MPI_LOCALNRANKS", "4"),
            ("SLURM_PROCID", "0"),
            ("SLURM_STEP_NUM_TASKS", "1"),
            ("SLURM_STEP_ID", "0"),
            ("SLURM_JOB_ID", "7"),
            ("HOME", "/home/ada"),
        ];
        let found = find(&nothing, &within).unwrap().unwrap();
        assert_eq!((found.rank, found.ranks, found.launcher), (3, 4, Some("MPICH (PMI)")));
        let by_srun = [("PMI_RANK", "1"), ("PMI_SIZE", "3")].into_iter().chain(slurm).collect::<Vec<_>>();
        assert_eq!(find(&nothing, &by_srun).unwrap().unwrap().launcher, Some("Slurm"));
        // a batch script is one process, whatever its job has
        assert!(
            find(&nothing, &[("SLURM_PROCID", "0"), ("SLURM_NTASKS", "4"), ("SLURM_JOB_ID", "7")]).unwrap().is_none()
        );
        // by a launcher, but alone
        assert!(find(&options(None, Some(1), None), &open_mpi).unwrap().is_none());
        assert!(find(&nothing, &[("PMI_RANK", "0"), ("PMI_SIZE", "1")]).unwrap().is_none());
        assert!(find(&nothing, &[]).unwrap().is_none());
    }

    #[test]
    fn options_say_it_without_a_launcher() {
        let found = find(&options(Some(1), Some(2), Some("node1:4300")), &[TOKEN]).unwrap().unwrap();
        assert_eq!((found.rank, found.ranks, found.meeting.to_string().as_str()), (1, 2, "node1:4300"));
        assert_eq!((found.patience, found.launcher, found.transport), (Duration::from_secs(60), None, None));
        assert!(!format!("{found:?}").contains("secret"));
    }

    #[test]
    fn wrong_settings_are_refused_by_their_names() {
        let at = Some("127.0.0.1:4300");
        let mpi = [("PMI_RANK", "0"), ("PMI_SIZE", "2"), TOKEN];
        type Case<'a> = (RankOptions, &'a [(&'a str, &'a str)], &'a str);
        let by = [("MANYBODY_RANKS_BY", "smoke"), TOKEN];
        let cases: [Case<'_>; 15] = [
            (options(Some(2), Some(2), at), &[TOKEN], "rank = 2: must be below the number of ranks"),
            (options(Some(0), Some(0), at), &[TOKEN], "ranks = 0: must be 1 to 1024"),
            (options(Some(0), Some(9999), at), &[TOKEN], "ranks = 9999"),
            (options(Some(1), None, None), &[], "rank = 1: must be below"),
            (options(None, Some(2), at), &[TOKEN], "no rank is given"),
            (options(Some(0), Some(2), None), &[TOKEN], "no at is given"),
            (options(None, None, at), &[TOKEN], "at = 127.0.0.1:4300: belongs to a run of several ranks"),
            (options(Some(0), Some(2), at), &[], "no MANYBODY_TOKEN is given"),
            (
                options(Some(0), Some(2), at),
                &[("MANYBODY_TOKEN", "short")],
                "MANYBODY_TOKEN = given: must be a secret of 16",
            ),
            (options(Some(0), Some(2), Some("4300")), &[TOKEN], "at = 4300: must be HOST:PORT"),
            (options(Some(0), Some(2), Some("host:0")), &[TOKEN], "at = host:0"),
            (options(None, Some(3), None), &mpi, "ranks = 3: MPICH (PMI) says that there are 2"),
            (options(Some(1), None, None), &mpi, "rank = 1: MPICH (PMI) says that this is rank 0"),
            (options(Some(0), Some(2), at), &by, "MANYBODY_RANKS_BY = smoke: must be tcp or mpi"),
            (RankOptions::default(), &[("PMI_RANK", "x"), ("PMI_SIZE", "2")], "PMI_RANK = x"),
        ];
        for (options, environment, expected) in cases {
            let error = find(&options, environment).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}, not {expected}");
        }
    }
}
