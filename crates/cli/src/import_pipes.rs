//! Pipes that `evergraph import` reads: standard input as `-` and `/dev/stdin`, named
//! pipes, `<(command)`.
//!
//! Files are read more than once: for their format, for nodes, for relationships. So what
//! comes out of a pipe is copied to a file in the directory for temporary files (TMPDIR)
//! first.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

use evergraph::{Cancellation, Error};

use crate::import_args::Args;
use crate::report::{Failure, note};
use crate::stop;

/// Bytes that are copied at a time.
const BUFFER: usize = 1 << 20;
/// Time between looks at whether to stop.
const LATENCY: Duration = Duration::from_millis(50);

/// Copies of pipes, which go with it.
pub struct Spooled(Option<PathBuf>);

impl Drop for Spooled {
    fn drop(&mut self) {
        if let Some(directory) = &self.0
            && let Err(error) = std::fs::remove_dir_all(directory)
        {
            note(&format!(
                "{}: cannot be removed: {error}",
                directory.display()
            ));
        }
    }
}

/// Replaces pipes among the files by copies.
pub fn spool(args: &mut Args, stop: &Cancellation) -> Result<Spooled, Failure> {
    let mut spooled = Spooled(None);
    let mut is_stdin_read = false;
    let mut number = 0;
    let typed = args.growing.files_mut();
    for path in args.input.files.iter_mut().chain(typed) {
        let is_stdin = is_stdin(path);
        if is_stdin {
            *path = PathBuf::from("/dev/stdin");
            if std::mem::replace(&mut is_stdin_read, true) {
                return Err(Failure::usage(
                    "standard input is named twice",
                    "name it once; <(command) or named pipes give further ones",
                ));
            }
        }
        if !is_pipe(path) {
            continue;
        }
        let directory = match &spooled.0 {
            Some(directory) => directory.clone(),
            None => {
                let directory = make_directory()?;
                stop::remove_at_end(&directory);
                spooled.0 = Some(directory.clone());
                directory
            }
        };
        number += 1;
        // An import that goes on asks for files of the same names.
        let copy = directory.join(match is_stdin {
            true => "stdin".to_string(),
            false => format!("pipe-{number}"),
        });
        copy_all(path, &copy, stop)?;
        *path = copy;
    }
    Ok(spooled)
}

fn is_stdin(path: &Path) -> bool {
    ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"]
        .map(Path::new)
        .contains(&path)
}

fn is_pipe(path: &Path) -> bool {
    let metadata = std::fs::metadata(path);
    metadata.is_ok_and(|found| !found.is_file() && !found.is_dir())
}

fn make_directory() -> Result<PathBuf, Failure> {
    let temporary = std::env::temp_dir();
    let process = std::process::id();
    let mut builder = std::fs::DirBuilder::new();
    builder.mode(0o700);
    for attempt in 0_u32.. {
        let directory = temporary.join(format!("evergraph-import-{process}-{attempt}"));
        match builder.create(&directory) {
            Ok(()) => return Ok(directory),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(Error::io(directory.display().to_string(), error).into()),
        }
    }
    Err(Failure::new(
        format!("{}: no name is free", temporary.display()),
        "set TMPDIR to another directory",
    ))
}

/// Copies what comes out of a pipe. A thread waits for it, so that a signal ends the waiting.
fn copy_all(pipe: &Path, copy: &Path, stop: &Cancellation) -> Result<(), Failure> {
    let (done, outcome) = sync_channel(1);
    let (from, to, stops) = (pipe.to_path_buf(), copy.to_path_buf(), stop.clone());
    let copies = move || done.send(copy_until(&from, &to, &stops));
    let started = std::thread::Builder::new().spawn(copies);
    started.map_err(|error| {
        let what = format!("the system starts no more threads: {error}");
        Failure::new(what, "allow more processes (ulimit -u)")
    })?;
    while !stop.is_cancelled() {
        match outcome.recv_timeout(LATENCY) {
            // It may have been stopped before the end.
            Ok(Ok(())) if stop.is_cancelled() => break,
            Ok(copied) => return Ok(copied?),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    Err(Error::Interrupted {
        message: format!("{} was not read to its end", pipe.display()),
        hint: "run the same command again".to_string(),
    }
    .into())
}

/// Copies a pipe to its end, or until it is stopped.
fn copy_until(pipe: &Path, copy: &Path, stop: &Cancellation) -> Result<(), Error> {
    let of = |path: &Path| {
        let path = path.display().to_string();
        move |error| Error::io(path.clone(), error)
    };
    let mut input = File::open(pipe).map_err(of(pipe))?;
    let mut output = File::create(copy).map_err(of(copy))?;
    let mut buffer = vec![0; BUFFER];
    while !stop.is_cancelled() {
        let count = match input.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(of(pipe)(error)),
        };
        output.write_all(&buffer[..count]).map_err(of(copy))?;
    }
    Ok(())
}
