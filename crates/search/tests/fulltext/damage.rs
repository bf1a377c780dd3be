//! Files of an index that are not what they should be: it is made anew, and answers as
//! ever.

use std::fs;
use std::path::Path;

use evergraph_property_graph::graph::{GraphOptions, NodeId, PropertyGraph};
use evergraph_search::fulltext::{FullText, Tokenizer};
use evergraph_storage::medium::DramStorage;

use crate::scan::{Asked, compare, definition};

const TITLES: [&str; 4] = ["red green", "green blue", "blue red", "a red red fox"];

fn graph(uuid: u8, posts: usize) -> PropertyGraph {
    let graph = PropertyGraph::create(&DramStorage::new(), GraphOptions::default(), [uuid; 16]);
    let graph = graph.expect("made");
    for post in 0..posts {
        let title = TITLES[post % TITLES.len()];
        let made = graph.write(|tx| tx.create_node(&["Post"], [("title", title.into())]));
        made.expect("committed");
    }
    graph
}

/// Makes the files of an index with deletions in them; the graph goes on a little.
fn fill(graph: &PropertyGraph, directory: &Path) {
    let text = FullText::open(graph, directory, definition()).expect("opened");
    text.refresh().expect("filled");
    for node in [1, 4, 6] {
        let changed = graph.write(|tx| tx.set(NodeId(node), "title", "yellow"));
        changed.expect("committed");
    }
    text.refresh().expect("filled");
    drop(text);
    let changed = graph.write(|tx| tx.set(NodeId(2), "title", "green"));
    changed.expect("committed");
}

/// Opens and asks; whether the files could be used.
fn is_usable(graph: &PropertyGraph, directory: &Path) -> bool {
    let text = FullText::open(graph, directory, definition()).expect("opened");
    let view = graph.view();
    let all: Vec<NodeId> = (0..view.node_bound()).map(NodeId).collect();
    for asked in [
        Asked::All(vec!["red"]),
        Asked::Any(vec!["yellow", "green"]),
        Asked::Phrase("red", "red"),
        Asked::Everything,
    ] {
        compare(&text, &view, &all, &asked);
    }
    text.statistics().was_usable
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("made");
    for entry in fs::read_dir(from).expect("readable") {
        let path = entry.expect("readable").path();
        let target = to.join(path.file_name().expect("a name"));
        match path.is_dir() {
            true => copy(&path, &target),
            false => drop(fs::copy(&path, &target).expect("copied")),
        }
    }
}

#[test]
fn damaged_files_are_not_believed() {
    let graph = graph(5, 20);
    let directory = tempfile::tempdir().expect("made");
    fill(&graph, directory.path());
    assert!(is_usable(&graph, directory.path()));
    let index = directory.path().join("posts.text");
    let mut files = Vec::new();
    for entry in fs::read_dir(&index).expect("readable") {
        let path = entry.expect("readable").path();
        let bytes = fs::read(&path).expect("readable");
        if !bytes.is_empty() {
            let name = path.file_name().expect("a name").to_os_string();
            files.push((name, bytes));
        }
    }
    assert!(files.len() > 5, "{files:?}");
    for (name, bytes) in &files {
        let length = bytes.len();
        let mut damaged: Vec<Vec<u8>> = vec![bytes[..length / 2].to_vec()];
        for at in [length / 3, length - 1] {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << (at % 8);
            damaged.push(flipped);
        }
        for wrong in damaged {
            let copied = tempfile::tempdir().expect("made");
            copy(directory.path(), copied.path());
            let path = copied.path().join("posts.text").join(name);
            fs::write(path, &wrong).expect("written");
            assert!(!is_usable(&graph, copied.path()), "{name:?}");
        }
        let copied = tempfile::tempdir().expect("made");
        copy(directory.path(), copied.path());
        fs::remove_file(copied.path().join("posts.text").join(name)).expect("removed");
        assert!(!is_usable(&graph, copied.path()), "without {name:?}");
    }
}

#[test]
fn the_index_of_something_else_is_not_believed() {
    let graph = graph(5, 20);
    let directory = tempfile::tempdir().expect("made");
    fill(&graph, directory.path());
    let other = self::graph(6, 30);
    assert!(!is_usable(&other, directory.path()), "of another database");
    assert!(!is_usable(&graph, directory.path()));
    let mut stems = definition();
    stems.tokenizer = Tokenizer::Stems(evergraph_search::fulltext::Language::English);
    let text = FullText::open(&graph, directory.path(), stems).expect("opened");
    assert!(!text.statistics().was_usable, "of other words");
    let hits = text.search(&graph.view(), "foxes", 10).expect("found");
    assert_eq!(hits.len(), 5, "{hits:?}");
}

#[test]
fn the_index_of_a_later_state_is_not_believed() {
    let later = graph(5, 20);
    let directory = tempfile::tempdir().expect("made");
    fill(&later, directory.path());
    let restored = graph(5, 10);
    assert!(!is_usable(&restored, directory.path()));
    assert!(is_usable(&restored, directory.path()));
}

/// A commit that was killed between its last file and the list of the segments leaves files
/// whose names the next commit gives again.
#[test]
fn what_a_killed_commit_left_does_not_stop_the_next() {
    let graph = graph(7, 12);
    let directory = tempfile::tempdir().expect("made");
    fill(&graph, directory.path());
    let killed = tempfile::tempdir().expect("made");
    copy(directory.path(), killed.path());
    assert!(is_usable(&graph, directory.path()));
    let index = |directory: &Path| directory.join(format!("{}.text", definition().name));
    let mut left = 0;
    for entry in fs::read_dir(index(directory.path())).expect("readable") {
        let path = entry.expect("readable").path();
        let name = path.file_name().expect("a name");
        let target = index(killed.path()).join(name);
        if !target.exists() {
            fs::copy(&path, target).expect("copied");
            left += 1;
        }
    }
    assert!(left > 0, "a commit has files");
    assert!(is_usable(&graph, killed.path()));
}

/// Nothing that has a text: the files say all the same whose they are.
#[test]
fn an_index_of_no_texts_is_one() {
    let graph = graph(8, 0);
    let directory = tempfile::tempdir().expect("made");
    let text = FullText::open(&graph, directory.path(), definition()).expect("opened");
    text.refresh().expect("filled");
    drop(text);
    let stored = FullText::stored(directory.path()).expect("readable");
    assert!(stored.iter().all(|one| one.about.is_some()) && stored.len() == 1);
    assert!(is_usable(&graph, directory.path()));
}
