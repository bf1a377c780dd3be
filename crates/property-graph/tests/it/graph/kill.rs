//! A process that writes is killed; what it was told is committed is there.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use evergraph_persistence::medium::FileStorage;
use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{GraphOptions, NodeId, OpenOptions, PropertyGraph, Towards};

/// Where the process that is killed writes.
const DIRECTORY: &str = "EVERGRAPH_KILLED_DIRECTORY";

fn options() -> GraphOptions {
    let mut options = GraphOptions::default();
    options.store.log_bytes = 1 << 20;
    options.store.growth_step = 1 << 20;
    options
}

/// Opens the graph, or makes it, and commits until it is killed: a node each time,
/// with a relationship from the node before. Says what is committed.
#[test]
#[ignore = "the other test runs it as a process of its own"]
fn writes_until_it_is_killed() {
    let Ok(directory) = std::env::var(DIRECTORY) else {
        return;
    };
    let directory = Path::new(&directory);
    let graph = match directory.join("pool").exists() {
        true => {
            let storage = FileStorage::open(directory).expect("there");
            PropertyGraph::open(&storage, OpenOptions::default())
                .expect("opened")
                .0
        }
        false => {
            let storage = FileStorage::create(directory).expect("made");
            let graph = PropertyGraph::create(&storage, options(), [3; 16]).expect("made");
            graph
                .create_index("numbers", "Link", &["number"])
                .expect("made");
            graph
        }
    };
    let mut last = graph
        .view()
        .nodes()
        .last()
        .map(|node| node.expect("readable").id());
    for number in graph.view().nodes().count() as i64.. {
        let made = graph.write(|transaction| {
            let node = transaction.create_node(&["Link"], [("number", number.into())])?;
            if let Some(last) = last {
                transaction.create_relationship(last, "NEXT", node, [("from", number.into())])?;
            }
            Ok(node)
        });
        last = Some(made.expect("committed"));
        println!("committed {number}");
        if number % 100 == 99 {
            graph.checkpoint().expect("written");
        }
    }
}

/// The number of the last line that a process says before it is killed.
fn kill_after(directory: &Path, lines: usize) -> i64 {
    let program = std::env::current_exe().expect("this program");
    let mut child = Command::new(program)
        .args([
            "graph::kill::writes_until_it_is_killed",
            "--exact",
            "--ignored",
            "--nocapture",
        ])
        .env(DIRECTORY, directory)
        .stdout(Stdio::piped())
        .spawn()
        .expect("started");
    // Open until it is killed: it is not to end by itself.
    let mut said = BufReader::new(child.stdout.take().expect("piped")).lines();
    let numbers = said.by_ref().map(|line| line.expect("readable"));
    let numbers = numbers.filter_map(|line| line.strip_prefix("committed ")?.parse::<i64>().ok());
    let last = numbers.take(lines).last().expect("it committed something");
    child.kill().expect("killed");
    child.wait().expect("it ended");
    last
}

#[test]
fn what_was_committed_outlives_a_killed_process() {
    let directory = tempfile::tempdir().expect("made");
    let mut told = -1;
    for lines in [1, 150, 37] {
        let last = kill_after(directory.path(), lines);
        assert!(last > told, "it went on where it stopped");
        told = last;
        let storage = FileStorage::open(directory.path()).expect("there");
        let (graph, _) = PropertyGraph::open(&storage, OpenOptions::default()).expect("opened");
        assert_eq!(graph.check().problems, Vec::<String>::new());
        let view = graph.view();
        let nodes: Vec<_> = view.nodes().map(|node| node.expect("readable")).collect();
        assert!(nodes.len() as i64 > told, "what was told is there");
        for (number, node) in (0i64..).zip(&nodes) {
            assert_eq!(
                node.get_as::<i64>("number").expect("a number"),
                Some(number)
            );
            let found = view.find("Link", &[("number", Value::from(number))]);
            assert_eq!(found.expect("readable").len(), 1);
            let next: Vec<NodeId> = view
                .neighbors(node.id(), Towards::Outgoing, &["NEXT"])
                .expect("readable")
                .iter()
                .map(|adjacent| adjacent.neighbor)
                .collect();
            let expected: Vec<NodeId> = nodes
                .get(number as usize + 1)
                .map(|n| n.id())
                .into_iter()
                .collect();
            assert_eq!(next, expected);
        }
    }
}
