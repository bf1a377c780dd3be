//! Files and directories that appear under their names only when they are whole.
//!
//! They are written beside, as `NAME.partial`, synced, and renamed at the end. A file
//! that is given up before is removed; one left by a killed process is called `.partial`
//! and is removed by the next writer of the same file.

use std::fs::{self, File};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use crate::Error;

/// Standard output, as a path.
const STANDARD_OUTPUT: &str = "/dev/stdout";

/// A file in the making.
#[derive(Debug)]
pub struct WholeFile {
    path: PathBuf,
    /// Path until it is complete; `None` for anything but an ordinary file, such as a
    /// pipe.
    partial: Option<PathBuf>,
    file: File,
}

impl WholeFile {
    /// Begins a file, which takes the place of another of its name. `/dev/stdout` is
    /// written as it comes, behind what is there already.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn create(path: &Path) -> Result<Self, Error> {
        let is_output = path == Path::new(STANDARD_OUTPUT);
        let special = is_output || (path.exists() && !path.is_file());
        let partial = (!special).then(|| beside(path));
        let written = partial.as_deref().unwrap_or(path);
        let made = match is_output {
            // Opened anew, a file that it leads to would lose what it has.
            true => std::io::stdout()
                .as_fd()
                .try_clone_to_owned()
                .map(File::from),
            false => File::create(written),
        };
        let file = made.map_err(|error| failed(path, error))?;
        Ok(WholeFile {
            path: path.to_path_buf(),
            partial,
            file,
        })
    }

    /// Path that it will have.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writer of the file's content.
    ///
    /// # Errors
    /// I/O errors.
    pub fn writer(&self) -> Result<File, Error> {
        self.file
            .try_clone()
            .map_err(|error| failed(&self.path, error))
    }

    /// Renames it to its final name, once everything is written.
    ///
    /// # Errors
    /// I/O errors; then there is no file.
    pub fn finish(mut self) -> Result<(), Error> {
        let Some(partial) = &self.partial else {
            return Ok(());
        };
        let renamed = self
            .file
            .sync_all()
            .and_then(|()| fs::rename(partial, &self.path))
            .and_then(|()| sync_parent(&self.path));
        renamed.map_err(|error| failed(&self.path, error))?;
        self.partial = None;
        Ok(())
    }
}

impl Drop for WholeFile {
    fn drop(&mut self) {
        if let Some(partial) = &self.partial {
            // Half a file would look like a whole one.
            let _ = fs::remove_file(partial);
        }
    }
}

/// A directory of files in the making.
#[derive(Debug)]
pub struct WholeDirectory {
    path: PathBuf,
    partial: PathBuf,
    finished: bool,
}

impl WholeDirectory {
    /// Begins a directory, which must not be there, or be empty. `is_own` says
    /// which files in it can be left of an earlier try.
    ///
    /// # Errors
    /// If it cannot be made, or something else is in its place.
    pub fn create(path: &Path, is_own: fn(&str) -> bool) -> Result<Self, Error> {
        // Without a separator at the end.
        let path: PathBuf = path.components().collect();
        if path.file_name().is_none() {
            return Err(Error::usage(
                format!("{} is no name of a new directory", path.display()),
                "give a name that is not there yet",
            ));
        }
        if path.exists() {
            let empty = path.is_dir() && entries(&path)?.is_empty();
            if !empty {
                return Err(Error::usage(
                    format!("{} is there already", path.display()),
                    "give another name, or an empty directory",
                ));
            }
        }
        let partial = beside(&path);
        if partial.exists() {
            remove_own(&partial, is_own)?;
        }
        fs::create_dir_all(&partial).map_err(|error| failed(&partial, error))?;
        Ok(WholeDirectory {
            path,
            partial,
            finished: false,
        })
    }

    /// Creates a file in it. Its writer syncs it.
    ///
    /// # Errors
    /// I/O errors.
    pub fn file(&self, name: &str) -> Result<File, Error> {
        File::create(self.partial.join(name)).map_err(|error| failed(&self.path_of(name), error))
    }

    /// Path that a file will have.
    pub fn path_of(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Renames it to its final name, once all files are written.
    ///
    /// # Errors
    /// I/O errors; then there is no directory.
    pub fn finish(mut self) -> Result<(), Error> {
        let renamed = File::open(&self.partial)
            .and_then(|directory| directory.sync_all())
            .and_then(|()| fs::rename(&self.partial, &self.path))
            .and_then(|()| sync_parent(&self.path));
        renamed.map_err(|error| failed(&self.path, error))?;
        self.finished = true;
        Ok(())
    }
}

impl Drop for WholeDirectory {
    fn drop(&mut self) {
        if !self.finished {
            // It was empty at the beginning.
            let _ = fs::remove_dir_all(&self.partial);
        }
    }
}

fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".partial");
    PathBuf::from(name)
}

/// Entries of a directory, by name.
fn entries(path: &Path) -> Result<Vec<PathBuf>, Error> {
    let found = fs::read_dir(path).and_then(|entries| {
        entries
            .map(|entry| entry.map(|entry| entry.path()))
            .collect()
    });
    let mut found: Vec<PathBuf> = found.map_err(|error| failed(path, error))?;
    found.sort();
    Ok(found)
}

/// Removes the files of an earlier try, and nothing else.
fn remove_own(partial: &Path, is_own: fn(&str) -> bool) -> Result<(), Error> {
    let left = entries(partial)?;
    let name_of = |path: &PathBuf| path.file_name().and_then(|name| name.to_str()).map(is_own);
    if let Some(strange) = left.iter().find(|path| name_of(path) != Some(true)) {
        return Err(Error::usage(
            format!("{} is in the way", strange.display()),
            "move it elsewhere, or give another name",
        ));
    }
    for path in &left {
        fs::remove_file(path).map_err(|error| failed(path, error))?;
    }
    Ok(())
}

/// Makes a renaming last.
fn sync_parent(path: &Path) -> std::io::Result<()> {
    let parent = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    File::open(parent)?.sync_all()
}

fn failed(path: &Path, error: std::io::Error) -> Error {
    Error::io(path.display().to_string(), error)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn nothing_has_its_name_before_it_is_whole() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("a");
        let begun = WholeFile::create(&path).unwrap();
        begun.writer().unwrap().write_all(b"1").unwrap();
        assert!(!path.exists());
        drop(begun);
        assert!(entries(place.path()).unwrap().is_empty());
        let begun = WholeFile::create(&path).unwrap();
        begun.writer().unwrap().write_all(b"2").unwrap();
        begun.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"2");

        let path = place.path().join("d/");
        let begun = WholeDirectory::create(&path, |_| true).unwrap();
        begun.file("x").unwrap().write_all(b"3").unwrap();
        assert!(!path.exists());
        drop(begun);
        assert_eq!(entries(place.path()).unwrap().len(), 1);
        let begun = WholeDirectory::create(&path, |_| true).unwrap();
        begun.file("x").unwrap().write_all(b"4").unwrap();
        begun.finish().unwrap();
        assert_eq!(fs::read(path.join("x")).unwrap(), b"4");
    }

    #[test]
    fn only_what_an_earlier_try_has_left_is_removed() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("d");
        let left = place.path().join("d.partial");
        fs::create_dir(&left).unwrap();
        fs::write(left.join("own"), "").unwrap();
        fs::write(left.join("letter"), "").unwrap();
        let is_own = |name: &str| name == "own";
        let refused = WholeDirectory::create(&path, is_own).unwrap_err();
        assert!(refused.to_string().contains("letter"), "{refused}");
        assert!(left.join("letter").exists());
        fs::remove_file(left.join("letter")).unwrap();
        WholeDirectory::create(&path, is_own)
            .unwrap()
            .finish()
            .unwrap();
        assert!(entries(&path).unwrap().is_empty());
        // Empty, so it can be taken; then it is not.
        let again = WholeDirectory::create(&path, is_own).unwrap();
        again.file("own").unwrap();
        again.finish().unwrap();
        assert!(WholeDirectory::create(&path, is_own).is_err());
        assert!(WholeDirectory::create(Path::new("/"), is_own).is_err());
    }
}
