//! Series of pictures: numbered files, a folder, or a film.
//!
//! Films are made by `ffmpeg`, an own program, which gets the pictures through a pipe: H.264 in an mp4 file, which
//! every browser plays. Without it, a series of PNG files is all that is needed to make a film elsewhere.

use crate::picture::{Look, Picture};
use crate::{Size, wrong};
use manybody::snapshot::atomic::io_error;
use manybody::{Error, Result, Snapshot};
use std::ffi::OsStr;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Where pictures go.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// One PNG file.
    File(PathBuf),
    /// Numbered PNG files, from 0: what is before the number, its least digits, and what is behind it.
    Numbered(PathBuf, usize, String),
    /// PNG files in a folder, each by the name of its snapshot.
    Folder(PathBuf),
    /// An mp4 file.
    Film(PathBuf),
}

impl Output {
    /// What a name stands for: `frame-%04d.png`, a folder that is there or ends in a slash, `film.mp4`, `image.png`.
    ///
    /// # Errors
    /// [`Error::Unknown`] for another extension, [`Error::Parameter`] for a pattern without a number.
    pub fn of(path: &Path) -> Result<Self> {
        let text = path.to_string_lossy();
        if text.ends_with(['/', '\\']) || path.is_dir() {
            return Ok(Output::Folder(path.into()));
        }
        let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default().to_ascii_lowercase();
        match extension.as_str() {
            "mp4" => Ok(Output::Film(path.into())),
            "png" => match text.split_once('%') {
                None => Ok(Output::File(path.into())),
                Some((before, rest)) => {
                    let (digits, behind) = rest.split_once('d').unwrap_or(("no number", ""));
                    let digits = if digits.is_empty() { Some(1) } else { digits.parse().ok() };
                    let digits = digits.filter(|digits| *digits <= 9 && !behind.contains('%'));
                    let expected = "must have one number, as in frame-%04d.png";
                    let digits = digits.ok_or_else(|| wrong("out", path.display(), expected))?;
                    Ok(Output::Numbered(before.into(), digits, behind.into()))
                }
            },
            other => Err(Error::Unknown { what: "kind of picture", name: other.into(), known: "png, mp4".into() }),
        }
    }

    /// The file of picture number `k`, of the snapshot in `input`; the film itself for a film.
    pub fn path(&self, k: usize, input: &Path) -> PathBuf {
        match self {
            Output::File(path) | Output::Film(path) => path.clone(),
            Output::Numbered(before, digits, behind) => {
                let mut name = before.clone().into_os_string();
                name.push(format!("{k:0digits$}{behind}"));
                name.into()
            }
            Output::Folder(folder) => {
                let mut name = input.file_stem().unwrap_or(OsStr::new("picture")).to_os_string();
                name.push(".png");
                folder.join(name)
            }
        }
    }
}

/// Pictures of a series: all have what was chosen for the first, so that nothing jumps.
pub struct Series {
    look: Look,
    output: Output,
    film: Option<Film>,
    drawn: usize,
}

impl Series {
    /// Begins a series.
    ///
    /// # Errors
    /// Those of [`Film::begin`].
    pub fn begin(look: Look, output: Output, rate: f64) -> Result<Self> {
        let film = match &output {
            Output::Film(path) => Some(Film::begin(path, look.size, rate)?),
            _ => None,
        };
        Ok(Series { look, output, film, drawn: 0 })
    }

    /// Adds the picture of a snapshot that was read from `input`, and returns its file; a folder is made for the first.
    ///
    /// # Errors
    /// Those of [`Picture::of`] and of writing, [`Error::Io`] for a folder that cannot be made.
    pub fn add(&mut self, snapshot: &Snapshot, input: &Path) -> Result<PathBuf> {
        let picture = Picture::of(snapshot, &self.look)?;
        let path = self.output.path(self.drawn, input);
        if let Output::Folder(folder) = &self.output {
            std::fs::create_dir_all(folder).map_err(io_error(folder, "make the folder"))?;
        }
        match &mut self.film {
            Some(film) => film.add(&picture)?,
            None => picture.write_png(&path)?,
        }
        if self.drawn == 0 {
            self.look = picture.look().clone();
        }
        self.drawn += 1;
        Ok(path)
    }

    /// Ends it.
    ///
    /// # Errors
    /// Those of [`Film::end`].
    pub fn end(self) -> Result<()> {
        self.film.map_or(Ok(()), Film::end)
    }
}

/// A film that is being made. Its file appears when it is whole.
pub struct Film {
    path: PathBuf,
    temporary: PathBuf,
    child: Child,
    size: Size,
}

impl Film {
    /// Starts ffmpeg for a film with `rate` pictures a second.
    ///
    /// # Errors
    /// [`Error::Parameter`] for sides that are not even, which the format cannot have, or a rate that cannot be;
    /// [`Error::Io`] where ffmpeg is not in the PATH.
    pub fn begin(path: &Path, size: Size, rate: f64) -> Result<Self> {
        if !size.width.is_multiple_of(2) || !size.height.is_multiple_of(2) {
            return Err(wrong("size", size, "both sides must be even for a film"));
        }
        if !(rate > 0.0 && rate <= 1000.0) {
            return Err(wrong("fps", rate, "must be a number of pictures a second, above 0 and at most 1000"));
        }
        let mut temporary = path.as_os_str().to_os_string();
        temporary.push(format!(".{}-0.tmp", std::process::id()));
        let mut command = Command::new("ffmpeg");
        command.args(["-nostdin", "-hide_banner", "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24"]);
        command.args(["-s", &size.to_string(), "-r", &rate.to_string(), "-i", "-"]);
        command.args(["-c:v", "libx264", "-crf", "18", "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4"]);
        command.arg(&temporary).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let child = command.spawn().map_err(|source| {
            let source = match source.kind() {
                std::io::ErrorKind::NotFound => std::io::Error::other(
                    "ffmpeg, which makes films, is not in the PATH: install it, or write pictures, as in \
                     -o frame-%04d.png",
                ),
                _ => source,
            };
            Error::Io { path: path.into(), action: "start ffmpeg", source }
        })?;
        Ok(Film { path: path.into(), temporary: temporary.into(), child, size })
    }

    /// Adds a picture, of the film's size.
    ///
    /// # Errors
    /// [`Error::Io`] with what ffmpeg says.
    pub fn add(&mut self, picture: &Picture) -> Result<()> {
        if picture.look().size != self.size {
            return Err(wrong("size", picture.look().size, format!("must be that of the film, {}", self.size)));
        }
        let Some(pipe) = &mut self.child.stdin else { return Ok(()) };
        let path = self.path.clone();
        let drawn = picture.draw(|rows| pipe.write_all(rows).map_err(io_error(&path, "write through ffmpeg")));
        drawn.map_err(|error| match self.failure() {
            Some(said) => said,
            None => error,
        })
    }

    /// Waits for ffmpeg and gives the film its name.
    ///
    /// # Errors
    /// [`Error::Io`] with what ffmpeg says.
    pub fn end(mut self) -> Result<()> {
        drop(self.child.stdin.take());
        if let Some(said) = self.failure() {
            return Err(said);
        }
        std::fs::rename(&self.temporary, &self.path).map_err(io_error(&self.path, "rename the temporary file to it"))
    }

    /// What ffmpeg says where it has failed; waits for its end.
    fn failure(&mut self) -> Option<Error> {
        drop(self.child.stdin.take());
        let mut said = String::new();
        if let Some(mut stderr) = self.child.stderr.take() {
            let _ = stderr.read_to_string(&mut said);
        }
        match self.child.wait() {
            Ok(status) if status.success() => None,
            Ok(status) => {
                let source = std::io::Error::other(format!("ffmpeg: {status}: {}", said.trim()));
                Some(Error::Io { path: self.path.clone(), action: "make the film", source })
            }
            Err(source) => Some(Error::Io { path: self.path.clone(), action: "wait for ffmpeg", source }),
        }
    }
}

impl Drop for Film {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_file(&self.temporary);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_where_pictures_go() {
        let of = |name: &str| Output::of(Path::new(name)).unwrap();
        let path = |name: &str| of(name).path(7, Path::new("runs/b.0012.hdf5"));
        assert_eq!(path("a.png"), Path::new("a.png"));
        assert_eq!(path("out/frame-%04d.png"), Path::new("out/frame-0007.png"));
        assert_eq!(path("%d.PNG"), Path::new("7.PNG"));
        assert_eq!(path("frames/"), Path::new("frames/b.0012.png"));
        assert_eq!(of("film.mp4"), Output::Film("film.mp4".into()));
        for name in ["a.jpg", "a", "f-%s.png", "f-%04d-%d.png", "f-%99d.png", "f-%.png"] {
            assert!(Output::of(Path::new(name)).unwrap_err().is_bad_input(), "{name}");
        }
    }

    #[test]
    fn impossible_films_are_refused() {
        for (width, rate) in [(101, 25.0), (100, 0.0), (100, f64::NAN), (100, 1e9)] {
            let refused = Film::begin(Path::new("f.mp4"), Size { width, height: 100 }, rate);
            assert!(refused.is_err_and(|error| error.is_bad_input()), "{width} {rate}");
        }
    }
}
