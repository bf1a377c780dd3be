//! A process that writes and searches is killed: the graph is sound, and the index
//! answers as reading all nodes does.

use std::path::Path;

use evergraph_property_graph::graph::NodeId;
use evergraph_search::fulltext::{FullText, TextOptions};

use crate::killed::{DIRECTORY, kill_after, open};
use crate::scan::{Asked, compare, definition};

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
