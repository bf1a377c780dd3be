//! A process that writes and searches is killed: the graph is sound, and the index
//! answers as reading all nodes does.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use evergraph_property_graph::graph::{GraphOptions, NodeId, OpenOptions, PropertyGraph};
use evergraph_search::fulltext::{FullText, TextOptions};
use evergraph_storage::medium::FileStorage;

use crate::scan::{Asked, compare, definition};

/// Directory of the process that is killed.
const DIRECTORY: &str = "EVERGRAPH_KILLED_DIRECTORY";

fn open(directory: &Path) -> PropertyGraph {
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

/// Commits, and searches after each second commit, until it is killed.
#[test]
#[ignore = "the other test runs it as a process of its own"]
fn writes_until_it_is_killed() {
    let Ok(directory) = std::env::var(DIRECTORY) else {
        return;
    };
    let directory = Path::new(&directory);
    let graph = open(directory);
    let options = TextOptions {
        direct: 1,
        ..TextOptions::default()
    };
    let text = FullText::open_with(&graph, directory, definition(), options).expect("opened");
    for round in graph.view().nodes().count() as u32.. {
        let title = if round.is_multiple_of(3) {
            "red fox"
        } else {
            "blue whale"
        };
        let made = graph.write(|tx| {
            if round > 3 {
                tx.set(NodeId(round / 2), "title", "green")?;
            }
            tx.create_node(&["Post"], [("title", title.into())])
        });
        made.expect("committed");
        if round.is_multiple_of(2) {
            text.search(&graph.view(), "red", 10).expect("found");
        }
        println!("round {round}");
        if round % 50 == 49 {
            graph.checkpoint().expect("written");
        }
    }
}

fn kill_after(directory: &Path, rounds: usize) {
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

#[test]
fn an_index_outlives_a_killed_process() {
    let directory = tempfile::tempdir().expect("made");
    for rounds in [1, 8, 23, 40] {
        kill_after(directory.path(), rounds);
        let graph = open(directory.path());
        assert_eq!(graph.check().problems, Vec::<String>::new());
        let text = FullText::open(&graph, directory.path(), definition()).expect("opened");
        let view = graph.view();
        let all: Vec<NodeId> = (0..view.node_bound()).map(NodeId).collect();
        for word in ["red", "blue", "green", "fox"] {
            compare(&text, &view, &all, &Asked::All(vec![word]));
        }
    }
}
