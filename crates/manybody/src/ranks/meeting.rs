//! Where the ranks of a launcher meet: a file that only their user can read, with the address and the token of rank 0.
//!
//! Batch systems and `mpirun` say who is which rank of which job, but not where rank 0 listens. Rank 0 listens on a
//! port that the system chooses, draws a token, and writes both into a file that is named after the job. When all have
//! come, the file is removed.

use crate::ranks::tcp::Token;
use crate::snapshot::atomic::RemoveOnDrop;
use crate::{Error, Result};
use std::io::{self, ErrorKind, Write};
use std::net::{IpAddr, TcpListener, ToSocketAddrs};
use std::path::Path;

/// The file of a job. It is removed when this is dropped, and where a signal ends the command. (Who has no right to remove it
/// leaves it: the next job of this name replaces it.)
#[derive(Debug)]
pub(crate) struct File {
    _removed: RemoveOnDrop,
}

impl File {
    /// Writes where `listener` listens and a new token, in place of a file that a killed job may have left.
    ///
    /// # Errors
    /// [`Error::Io`], also for a folder that others can write to.
    pub(crate) fn write(path: &Path, listener: &TcpListener) -> Result<(Token, Self)> {
        let failed = |action: &'static str| move |source: io::Error| Error::Io { path: path.into(), action, source };
        let token = Token::draw().map_err(failed("draw a token for it"))?;
        let address = listener.local_addr().map_err(failed("find the address for it"))?;
        let folder = path.parent().unwrap_or(Path::new("."));
        private_folder(folder)?;
        let part = path.with_extension(format!("{}.tmp", std::process::id()));
        // both have the token
        let (_removed, _part) = (RemoveOnDrop::of(path), RemoveOnDrop::of(&part));
        let written = private_file(&part).and_then(|mut file| {
            writeln!(file, "{address} {token}")?;
            file.sync_all()?;
            std::fs::rename(&part, path)
        });
        written.map_err(failed("write the address of rank 0 to it"))?;
        Ok((Token::of(&token), File { _removed }))
    }

    /// The address and the token; `None` where there is no file yet.
    ///
    /// # Errors
    /// [`Error::Io`] for a file that others could have written or read.
    pub(crate) fn read(path: &Path) -> Result<Option<(String, Token)>> {
        let failed =
            |source: io::Error| Error::Io { path: path.into(), action: "read the address of rank 0 from it", source };
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        check_private(path).map_err(failed)?;
        Ok(text.split_once(' ').map(|(address, token)| (address.into(), Token::of(token.trim()))))
    }
}

/// A port that the system chooses: on the loopback where all ranks are on one machine, else on the address that the
/// machine's name leads to.
///
/// # Errors
/// [`Error::Missing`] where that name leads to no address that other machines can use.
pub(crate) fn listener(inside: bool) -> Result<TcpListener> {
    let host = host();
    let ip = match inside {
        true => IpAddr::from([127, 0, 0, 1]),
        false => {
            let addresses = (host.as_str(), 0).to_socket_addrs().into_iter().flatten();
            let outside = addresses.map(|at| at.ip()).find(|ip| !ip.is_loopback());
            outside.ok_or_else(|| Error::Missing {
                name: "at",
                expected: format!(
                    "the name of this machine, {host}, leads to no address that others can use; --at HOST:PORT and \
                     MANYBODY_TOKEN say where the ranks meet"
                ),
            })?
        }
    };
    let wrong = |error: io::Error| Error::Rank { rank: 0, problem: format!("cannot listen on {ip}: {error}") };
    TcpListener::bind((ip, 0)).map_err(wrong)
}

/// The name of this machine.
pub(crate) fn host() -> String {
    let of = |name: &str| std::env::var(name).ok().filter(|host| !host.is_empty());
    let kernel = || std::fs::read_to_string("/proc/sys/kernel/hostname").ok().map(|host| host.trim().to_owned());
    of("SLURMD_NODENAME").or_else(kernel).or_else(|| of("HOSTNAME")).unwrap_or_else(|| "this machine".into())
}

#[cfg(unix)]
fn private_file(path: &Path) -> io::Result<std::fs::File> {
    use std::os::unix::fs::OpenOptionsExt;
    let _ = std::fs::remove_file(path);
    std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

#[cfg(not(unix))]
fn private_file(path: &Path) -> io::Result<std::fs::File> {
    std::fs::File::create(path)
}

#[cfg(unix)]
fn private_folder(folder: &Path) -> Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    let failed =
        |source: io::Error| Error::Io { path: folder.into(), action: "use it for the address of rank 0", source };
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed)?;
    check_owner(folder, 0o022).map_err(failed)
}

#[cfg(not(unix))]
fn private_folder(folder: &Path) -> Result<()> {
    let failed =
        |source: io::Error| Error::Io { path: folder.into(), action: "use it for the address of rank 0", source };
    std::fs::create_dir_all(folder).map_err(failed)
}

#[cfg(unix)]
fn check_private(path: &Path) -> io::Result<()> {
    check_owner(path, 0o077)
}

#[cfg(not(unix))]
fn check_private(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Refuses what is another user's, or has one of these rights.
#[cfg(unix)]
fn check_owner(path: &Path, rights: u32) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    let of = std::fs::metadata(path)?;
    // without /proc the owner is not known, and the rights alone decide
    let own = std::fs::metadata("/proc/self").map_or(of.uid(), |own| own.uid());
    if of.uid() != own || of.mode() & rights != 0 {
        let problem = "it must belong to the user of the ranks, and be closed to others";
        return Err(io::Error::new(ErrorKind::PermissionDenied, problem));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_rank_0_writes_others_of_the_same_user_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ranks/job-7");
        assert!(File::read(&path).unwrap().is_none());
        let listener = listener(true).unwrap();
        let (_, file) = File::write(&path, &listener).unwrap();
        let (address, _) = File::read(&path).unwrap().unwrap();
        assert_eq!(address, listener.local_addr().unwrap().to_string());
        // a killed job's is replaced
        let again = super::listener(true).unwrap();
        let (_, second) = File::write(&path, &again).unwrap();
        assert_eq!(File::read(&path).unwrap().unwrap().0, again.local_addr().unwrap().to_string());
        drop((file, second));
        assert!(File::read(&path).unwrap().is_none());
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_others_can_read_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("job");
        let (_, _file) = File::write(&path, &listener(true).unwrap()).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        assert!(File::read(&path).map(drop).unwrap_err().to_string().contains("closed to others"));
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o777)).unwrap();
        assert!(File::write(&path, &listener(true).unwrap()).is_err());
    }
}
