//! A process that writes is killed; what it was told is committed is there.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;

use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{
    Direction, GraphOptions, NodeId, OpenOptions, PropertyGraph,
};
use evergraph_storage::failpoint;
use evergraph_storage::medium::FileStorage;

/// Directory of the process that is killed.
const DIRECTORY: &str = "EVERGRAPH_KILLED_DIRECTORY";

fn options() -> GraphOptions {
    let mut options = GraphOptions::default();
    options.store.log_bytes = 1 << 20;
    options.store.growth_step = 1 << 20;
    options
}

/// Opens the graph, or makes it, and commits until it is killed at a failpoint: a node
/// each time, with a relationship from the node before. Says what is committed.
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

/// The last number that a process says before it is killed at a failpoint.
fn kill_at(directory: &Path, failpoint: &str) -> Option<i64> {
    let program = std::env::current_exe().expect("this program");
    let output = Command::new(program)
        .args([
            "graph::kill::writes_until_it_is_killed",
            "--exact",
            "--ignored",
            "--nocapture",
        ])
        .env(DIRECTORY, directory)
        .env(failpoint::VARIABLE, failpoint)
        .output()
        .expect("started");
    assert_eq!(output.status.signal(), Some(9), "{failpoint}: {output:?}");
    let said = String::from_utf8(output.stdout).expect("text");
    let mut numbers = said
        .lines()
        .filter_map(|line| line.strip_prefix("committed "));
    let last = numbers.next_back();
    last.map(|number| number.parse().expect("a number"))
}

#[test]
fn what_was_committed_outlives_a_killed_process() {
    let directory = tempfile::tempdir().expect("made");
    let mut told = -1;
    let kills = [
        // The commits of the index come first.
        "commit.logged=kill@9",
        "checkpoint.extents-written=kill@1",
        "checkpoint.published=kill@2",
        "commit.logged=kill@37",
    ];
    for failpoint in kills {
        let last = kill_at(directory.path(), failpoint);
        assert!(
            last.is_none_or(|last| last > told),
            "it went on where it stopped"
        );
        told = last.unwrap_or(told);
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
                .neighbors(node.id(), Direction::Outgoing, &["NEXT"])
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
