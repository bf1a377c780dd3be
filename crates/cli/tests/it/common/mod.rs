//! Calling the built program and looking at what it says.

use std::os::unix::fs::MetadataExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

/// The program under test.
pub const EVERGRAPH: &str = env!("CARGO_BIN_EXE_evergraph");

/// A directory of its own for each test.
pub struct Place {
    directory: tempfile::TempDir,
}

impl Place {
    pub fn new() -> Self {
        Place {
            directory: tempfile::tempdir().expect("a temporary directory"),
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, content).expect("a file is written");
        path
    }

    /// Calls the program with this directory as the current one.
    pub fn call(&self, arguments: &str) -> Outcome {
        let words: Vec<&str> = arguments.split_whitespace().collect();
        self.call_with(&words)
    }

    /// As [`Place::call`], with arguments that may have spaces.
    pub fn call_with(&self, arguments: &[&str]) -> Outcome {
        let output = self
            .command(arguments)
            .output()
            .expect("the program starts");
        Outcome::new(&arguments.join(" "), output)
    }

    /// As [`Place::call_with`], with an input.
    pub fn feed(&self, arguments: &[&str], input: &str) -> Outcome {
        use std::io::Write;
        let mut command = self.command(arguments);
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::piped()).spawn().expect("it starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        // A program that ends before it has read all of it is no error here.
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        let output = child.wait_with_output().expect("it ends");
        Outcome::new(&arguments.join(" "), output)
    }

    /// As [`Place::call`], with armed failpoints (`evergraph_storage::failpoint`).
    pub fn call_armed(&self, failpoints: &str, arguments: &str) -> Outcome {
        let output = self.armed(failpoints, arguments);
        Outcome::new(arguments, output)
    }

    /// Calls the program, which is killed at a failpoint.
    #[track_caller]
    pub fn kill_at(&self, failpoint: &str, time: u32, arguments: &str) {
        let output = self.armed(&format!("{failpoint}=kill@{time}"), arguments);
        let signal = output.status.signal();
        let outcome = Outcome::new(arguments, output);
        assert_eq!(signal, Some(9), "{failpoint}, time {time}: {outcome:#?}");
    }

    fn armed(&self, failpoints: &str, arguments: &str) -> Output {
        let words: Vec<&str> = arguments.split_whitespace().collect();
        let mut command = self.command(&words);
        command.env(evergraph_storage::failpoint::VARIABLE, failpoints);
        command.output().expect("the program starts")
    }

    /// Messages of calls that fail, with their exit codes, to be held against an
    /// expectation.
    pub fn failures(&self, calls: &[&str]) -> String {
        let said = calls.iter().map(|arguments| {
            let outcome = self.call(arguments);
            let code = outcome.code.unwrap_or_default();
            assert!([1, 2].contains(&code), "{outcome:#?}");
            assert!(outcome.stdout.is_empty(), "{outcome:#?}");
            format!(
                "$ evergraph {arguments}\n{}exit code {code}\n",
                outcome.stderr
            )
        });
        said.collect()
    }

    /// As [`Place::call`], without waiting for the end.
    pub fn start(&self, arguments: &str) -> Child {
        let words: Vec<&str> = arguments.split_whitespace().collect();
        self.command(&words)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts")
    }

    /// Starts the program, and waits until it stops at a failpoint with the action `stop`.
    #[track_caller]
    pub fn start_stopped(&self, failpoint: &str, arguments: &[String]) -> Stopped {
        let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let mut command = self.command(&words);
        command.env(evergraph_storage::failpoint::VARIABLE, failpoint);
        let command = command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut process = command.spawn().expect("the program starts");
        let state = format!("/proc/{}/stat", process.id());
        // Its name in brackets comes before the state, and ends with the last bracket.
        let is_stopped =
            |stat: String| stat.rsplit(')').next().is_some_and(|s| s.starts_with(" T"));
        while !std::fs::read_to_string(&state).is_ok_and(is_stopped) {
            let ended = process.try_wait().expect("its state");
            assert_eq!(ended, None, "{arguments:?} did not come to {failpoint}");
            std::thread::yield_now();
        }
        Stopped(process)
    }

    /// Returns a function that calls the program as a user who is not root, and owns
    /// nothing if this one is.
    pub fn unprivileged(&self) -> impl Fn(&str) -> Outcome + '_ {
        const UNPRIVILEGED: u32 = 65534;
        // The build directory may be readable by root only.
        let program = self.path("program");
        std::fs::copy(EVERGRAPH, &program).expect("copied");
        let is_root = std::fs::metadata(&program).expect("there").uid() == 0;
        move |arguments| {
            let mut command = Command::new(&program);
            command
                .args(arguments.split_whitespace())
                .current_dir(self.directory.path());
            if is_root {
                command.uid(UNPRIVILEGED).gid(UNPRIVILEGED);
            }
            Outcome::new(arguments, command.output().expect("the program starts"))
        }
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(EVERGRAPH);
        command
            .args(arguments)
            .current_dir(self.directory.path())
            .stdin(Stdio::null());
        command
    }

    /// Calls the program, which must succeed, and gives what it says as JSON.
    pub fn json(&self, arguments: &str) -> Value {
        let outcome = self.call(&format!("--json {arguments}"));
        outcome.expect(0);
        outcome.json()
    }
}

/// A process that is stopped in its middle.
pub struct Stopped(Child);

impl Stopped {
    /// Lets it come to its end, which must be a good one.
    #[track_caller]
    pub fn go_on(mut self) {
        let id = self.0.id().to_string();
        let told = Command::new("kill").args(["-CONT", &id]).status();
        assert!(told.expect("kill starts").success());
        assert!(self.0.wait().expect("its end").success());
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        let _ = self.0.kill();
    }
}

/// Scale of the Kronecker graphs of the tests that kill: 19 in a deep campaign.
pub fn killed_scale() -> u32 {
    let deep = std::env::var("EVERGRAPH_CAMPAIGN").is_ok_and(|value| value == "deep");
    if deep { 19 } else { 14 }
}

/// Counts the versions that were published in the results of `db`: the sequence of
/// their newest root.
pub fn published(place: &Place) -> u64 {
    let bytes = std::fs::read(place.path("db/results")).unwrap_or_default();
    let sequence = |slot: usize| {
        let number = bytes.get(slot * 4096 + 32..slot * 4096 + 40);
        number.map_or(0, |bytes| u64::from_le_bytes(bytes.try_into().unwrap()))
    };
    sequence(0).max(sequence(1))
}

/// Outcome of a call.
#[derive(Debug)]
pub struct Outcome {
    #[expect(dead_code, reason = "shown when a test fails")]
    arguments: String,
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Outcome {
    pub fn new(arguments: &str, output: Output) -> Self {
        Outcome {
            arguments: arguments.to_string(),
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    #[track_caller]
    pub fn expect(&self, code: i32) {
        assert_eq!(self.code, Some(code), "{self:#?}");
    }

    /// It failed with this code, for this reason, and says what to do.
    #[track_caller]
    pub fn expect_refusal(&self, code: i32, error: &str, hint: &str) {
        self.expect(code);
        assert_eq!((self.error(), self.hint()), (error, hint), "{self:#?}");
    }

    /// One JSON object, and nothing else, is on standard output.
    #[track_caller]
    pub fn json(&self) -> Value {
        let value: Value = serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("not JSON ({error}): {self:#?}"));
        assert!(value.is_object(), "{self:#?}");
        value
    }

    /// The line on standard error that starts with `error: `.
    pub fn error(&self) -> &str {
        self.line("error: ")
    }

    /// The line that starts with `hint: `.
    pub fn hint(&self) -> &str {
        self.line("hint: ")
    }

    fn line(&self, start: &str) -> &str {
        let mut lines = self.stderr.lines();
        lines
            .find_map(|line| line.strip_prefix(start))
            .unwrap_or("")
    }
}

/// Bytes of a small file that gzip wrote.
pub fn gzip(content: &[u8], directory: &Path) -> Vec<u8> {
    use std::io::Write;
    let path = directory.join("to-compress");
    let mut child = Command::new("gzip")
        .arg("-c")
        .stdin(Stdio::piped())
        .stdout(std::fs::File::create(&path).expect("a file"))
        .spawn()
        .expect("gzip is installed");
    child
        .stdin
        .take()
        .expect("a pipe")
        .write_all(content)
        .expect("gzip reads");
    assert!(child.wait().expect("gzip ends").success());
    std::fs::read(path).expect("the file is there")
}
