//! Signals: what waits for input ends at the first.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::Place;

/// Long enough for a busy machine, and shorter than the test would wait for nothing.
const PATIENCE: Duration = Duration::from_secs(30);

fn send(child: &Child, signal: &str) {
    let sent = Command::new("kill")
        .args([signal, &child.id().to_string()])
        .status();
    assert!(sent.expect("kill starts").success());
}

/// The exit code, without further input.
#[track_caller]
fn code_of(mut child: Child) -> Option<i32> {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("its state") {
            return status.code();
        }
        if started.elapsed() > PATIENCE {
            child.kill().expect("killed");
            panic!("it does not end");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Waits until `is_so`, at most as long as patience lasts.
#[track_caller]
fn wait(is_so: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < PATIENCE, "it does not come to that");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// State of its first thread, as Linux names it: `S` sleeps, `T` is stopped.
fn state_of(child: &Child) -> String {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap_or_default();
    let behind_name = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
    behind_name.chars().take(1).collect()
}

fn make_pipe(place: &Place, name: &str) {
    let made = Command::new("mkfifo").arg(place.path(name)).status();
    assert!(made.expect("mkfifo starts").success());
}

/// Temporary directories that imports have made.
fn spooled(place: &Place) -> usize {
    let entries = std::fs::read_dir(place.path("tmp")).expect("there");
    entries.count()
}

#[test]
fn an_import_that_waits_for_input_ends_at_the_first_signal() {
    let signals = [
        ("-INT", "-", 130),
        ("-TERM", "fifo", 143),
        ("-HUP", "-", 129),
    ];
    for (signal, input, code) in signals {
        let place = Place::new();
        std::fs::create_dir(place.path("tmp")).expect("made");
        make_pipe(&place, "fifo");
        let mut command = place.command(&["import", "db", input]);
        command
            .env("TMPDIR", place.path("tmp"))
            .stdin(Stdio::piped());
        let mut child = command.stderr(Stdio::piped()).spawn().expect("it starts");
        let (_open, mut said) = (child.stdin.take(), child.stderr.take().expect("a pipe"));
        wait(|| spooled(&place) == 1);
        // The handler is there before the directory.
        send(&child, signal);
        assert_eq!(code_of(child), Some(code), "{signal}");
        let mut text = String::new();
        said.read_to_string(&mut text).expect("readable");
        assert!(text.contains("was not read to its end"), "{text}");
        assert_eq!(spooled(&place), 0, "{signal}");
        assert!(!place.path("db").exists(), "{signal}");
    }
}

/// The copy of standard input goes, too.
#[test]
fn a_second_signal_ends_an_import_at_once() {
    let place = Place::new();
    std::fs::create_dir(place.path("tmp")).expect("made");
    let mut command = place.command(&["import", "db", "-"]);
    command.env("TMPDIR", place.path("tmp"));
    command.env(evergraph_storage::failpoint::VARIABLE, "import.begun=stop");
    command.stdin(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("it starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    std::io::Write::write_all(&mut stdin, b"0 1\n").expect("written");
    drop(stdin);
    wait(|| state_of(&child) == "T");
    assert_eq!(spooled(&place), 1);
    // Both are there when it goes on; that of the lesser number comes first.
    for signal in ["-TERM", "-HUP", "-CONT"] {
        send(&child, signal);
    }
    assert_eq!(code_of(child), Some(143));
    assert_eq!(spooled(&place), 0);
}

/// As a shell says it of a program that the signal has ended.
#[test]
fn what_waits_for_statements_ends_with_the_code_of_the_signal() {
    let place = Place::new();
    place
        .call_with(&["query", "db", "CREATE (:A)", "--create"])
        .expect(0);
    for (signal, code) in [("-INT", 130), ("-TERM", 143), ("-HUP", 129)] {
        for arguments in [&["query", "db", "-"][..], &["shell", "db"]] {
            let mut command = place.command(arguments);
            command.stdin(Stdio::piped()).stdout(Stdio::piped());
            let mut child = command.spawn().expect("it starts");
            let mut stdin = child.stdin.take().expect("a pipe");
            std::io::Write::write_all(&mut stdin, b"RETURN 1;\n").expect("written");
            // With an answer it is past its beginning.
            let mut first = [0];
            let mut stdout = child.stdout.take().expect("a pipe");
            stdout.read_exact(&mut first).expect("an answer");
            // It sleeps where it reads the next one.
            wait(|| state_of(&child) == "S");
            send(&child, signal);
            assert_eq!(code_of(child), Some(code), "{arguments:?} {signal}");
        }
    }
}

/// Opening it would wait for a writer.
#[test]
fn a_pipe_in_the_place_of_a_file_is_refused() {
    let place = Place::new();
    place.file("edges.txt", "0 1\n");
    for file in ["pool", "extents", "log", "lock", "results"] {
        let _ = std::fs::remove_dir_all(place.path("db"));
        place.json("import db edges.txt");
        let _ = std::fs::remove_file(place.path("db").join(file));
        make_pipe(&place, &format!("db/{file}"));
        for arguments in ["check db", "stats db", "import db edges.txt --append"] {
            let mut child = place.start(arguments);
            let mut said = child.stderr.take().expect("a pipe");
            assert_eq!(code_of(child), Some(1), "{arguments}");
            let mut text = String::new();
            said.read_to_string(&mut text).expect("readable");
            assert!(
                text.contains(&format!("db/{file} is no regular file")),
                "{text}"
            );
        }
    }
}

/// Rows that were printed before the signal are no sign that all statements were run.
#[test]
fn statements_behind_an_interrupted_one_are_told_by_the_code() {
    let place = Place::new();
    place
        .call_with(&["query", "db", "CREATE (:A)", "--create"])
        .expect(0);
    for format in ["csv", "json"] {
        let mut command = place.command(&["query", "db", "-", "--format", format]);
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        let script = b"UNWIND range(1, 100000) AS x RETURN x;\nCREATE (:B);\n";
        std::io::Write::write_all(&mut stdin, script).expect("written");
        drop(stdin);
        // It waits for a reader of its rows.
        let mut stdout = child.stdout.take().expect("a pipe");
        let mut first = [0];
        stdout.read_exact(&mut first).expect("an answer");
        wait(|| state_of(&child) == "S");
        send(&child, "-INT");
        let mut rest = Vec::new();
        stdout.read_to_end(&mut rest).expect("readable");
        assert_eq!(code_of(child), Some(130), "{format}");
    }
    let counted = place.call_with(&[
        "query",
        "db",
        "MATCH (b:B) RETURN count(*) AS n",
        "--format",
        "csv",
    ]);
    assert_eq!(counted.stdout, "n\n0\n");
}

/// The line editor has switched off the echo, among others.
#[test]
fn the_terminal_is_as_it_was_behind_a_shell_that_a_signal_ended() {
    let place = Place::new();
    let program = env!("CARGO_BIN_EXE_evergraph");
    let typed = format!(
        "stty -a > before; {program} shell db --create < /dev/tty & \
         until stty -a | grep -q -e -icanon; do sleep 0.1; done; \
         kill $!; wait $!; echo $? > code; stty -a > behind"
    );
    let mut command = Command::new("script");
    command.args(["-qec", &typed, "/dev/null"]);
    command
        .current_dir(place.path("."))
        .env("XDG_STATE_HOME", place.path("state"))
        .stdin(Stdio::piped())
        .stdout(Stdio::null());
    // Without the program that makes terminals there is nothing to look at.
    let Ok(mut child) = command.spawn() else {
        return;
    };
    // Where the cursor is, as a terminal answers.
    let mut keys = child.stdin.take().expect("a pipe");
    std::io::Write::write_all(&mut keys, b"\x1b[1;1R").expect("written");
    code_of(child);
    let read = |name| std::fs::read_to_string(place.path(name)).expect("written");
    assert_eq!(read("code"), "143\n");
    assert_eq!(read("before"), read("behind"));
}
