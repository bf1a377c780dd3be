//! A process that writes a graph until it is killed.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use evergraph_property_graph::graph::{GraphOptions, OpenOptions, PropertyGraph};
use evergraph_storage::medium::FileStorage;

/// Directory of the process that is killed.
pub const DIRECTORY: &str = "EVERGRAPH_KILLED_DIRECTORY";

pub fn open(directory: &Path) -> PropertyGraph {
    let database = directory.join("database");
    if database.join("pool").exists() {
        let storage = FileStorage::open(&database).expect("there");
        let opened = PropertyGraph::open(&storage, OpenOptions::default());
        return opened.expect("opened").0;
    }
    std::fs::create_dir_all(&database).expect("made");
    let storage = FileStorage::create(&database).expect("made");
    let mut options = GraphOptions::default();
    options.store.log_bytes = 1 << 20;
    options.store.growth_step = 1 << 20;
    PropertyGraph::create(&storage, options, [3; 16]).expect("made")
}

/// Runs `kill::writes_until_it_is_killed` until it has said so many rounds.
pub fn kill_after(directory: &Path, rounds: usize) {
    let mut child = Command::new(std::env::current_exe().expect("this program"))
        .args([
            "kill::writes_until_it_is_killed",
            "--exact",
            "--ignored",
            "--nocapture",
        ])
        .env(DIRECTORY, directory)
        .stdout(Stdio::piped())
        .spawn()
        .expect("started");
    let said = BufReader::new(child.stdout.take().expect("piped")).lines();
    let said = said.map(|line| line.expect("readable"));
    let rounds_seen = said.filter(|line| line.starts_with("round")).take(rounds);
    assert_eq!(
        rounds_seen.count(),
        rounds,
        "it is killed, and does not end"
    );
    child.kill().expect("killed");
    child.wait().expect("it ended");
}
