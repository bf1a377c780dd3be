//! Searches of several threads while others commit.

use std::sync::atomic::{AtomicBool, Ordering};

use evergraph_property_graph::graph::{GraphOptions, NodeId, PropertyGraph};
use evergraph_search::fulltext::{FullText, TextOptions};
use evergraph_storage::medium::DramStorage;

use crate::scan::{Asked, compare, definition};

#[test]
fn searches_and_commits_do_not_disturb_each_other() {
    let graph = PropertyGraph::create(&DramStorage::new(), GraphOptions::default(), [5; 16]);
    let graph = graph.expect("made");
    let directory = tempfile::tempdir().expect("made");
    let options = TextOptions {
        direct: 5,
        queue: 40,
        superseded: 5,
        ..TextOptions::default()
    };
    let text = FullText::open_with(&graph, directory.path(), definition(), options);
    let text = text.expect("opened");
    let is_over = AtomicBool::new(false);
    let titles = ["red", "green red", "blue", "green"];
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..2usize)
            .map(|thread| {
                let graph = &graph;
                scope.spawn(move || {
                    for round in 0..150usize {
                        let title = titles[(round / 3 + thread) % 4];
                        let done = graph.write(|tx| {
                            let made = tx.create_node(&["Post"], [("title", title.into())])?;
                            let before = NodeId(made.0 / 2);
                            match tx.node(before)? {
                                Some(_) if round.is_multiple_of(7) => tx.delete_node(before),
                                Some(_) => tx.set(before, "title", title),
                                None => Ok(()),
                            }
                        });
                        done.expect("committed");
                    }
                })
            })
            .collect();
        for _ in 0..2 {
            scope.spawn(|| {
                let mut old = None;
                while !is_over.load(Ordering::Relaxed) {
                    let view = graph.view();
                    let all: Vec<NodeId> = (0..view.node_bound()).map(NodeId).collect();
                    compare(&text, &view, &all, &Asked::All(vec!["red"]));
                    if let Some(old) = &old {
                        compare(&text, old, &all, &Asked::Any(vec!["blue", "green"]));
                    }
                    if view.csn().is_multiple_of(3) {
                        old = Some(view);
                    }
                }
            });
        }
        for writer in writers {
            writer.join().expect("written");
        }
        is_over.store(true, Ordering::Relaxed);
    });
}
