//! The short reads against the generator's rows, and the updates against both the
//! reads and the files of the whole network.

pub(crate) mod dump;
pub(crate) mod reference;
mod transactions;

use std::collections::BTreeSet;
use std::path::Path;

use evergraph::property::{GraphError, PropertyGraph, View};
use evergraph::{Database, MediumKind, Options};
use evergraph_generators::snb::{Change, Event, Network, Parameters, csv, updates};
use tempfile::TempDir;

use super::load::{import_files, write_files};
use super::parameters::{Calls, Updates};
use super::updates::{apply, number};
use super::{clients, nodes, reads, schema};
use dump::dump;
use reference::Reference;

/// Updates of one transaction, where it does not matter.
const AT_ONCE: usize = 50;

pub(crate) fn network(persons: u64) -> Network {
    Network::new(Parameters::with_persons(persons).with_seed(5)).unwrap()
}

fn options(medium: MediumKind) -> Options {
    Options {
        medium,
        assume_persistent: true,
        emulated: (medium == MediumKind::Dax).then_some(None),
        property_graph: true,
        ..Options::default()
    }
}

/// A database with a part of a network.
fn loaded(network: &Network, part: csv::Part, medium: MediumKind, directory: &Path) -> Database {
    let files = directory.join("files");
    write_files(network, part, &files).unwrap();
    let db = Database::create(directory.join("db"), &options(medium)).unwrap();
    let graph = db.property_graph().unwrap();
    import_files(graph, &files, 0).unwrap();
    schema::define(graph).unwrap();
    std::fs::remove_dir_all(&files).unwrap();
    db
}

/// As [`loaded`], and nothing of it is on a disk.
pub(crate) fn in_memory(network: &Network, part: csv::Part) -> Database {
    let directory = tempfile::tempdir().unwrap();
    loaded(network, part, MediumKind::Dram, directory.path())
}

/// A database on a medium that outlives its closing; it was closed and opened behind a
/// checkpoint, so that its records and lists are read from the medium.
pub(crate) struct OnMedium {
    db: Database,
    _directory: TempDir,
}

impl OnMedium {
    /// With a part of a network, and what is defined beyond its import. `Dax` is emulated.
    pub(crate) fn new(
        medium: MediumKind,
        network: &Network,
        part: csv::Part,
        define: fn(&PropertyGraph) -> Result<(), String>,
    ) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let db = loaded(network, part, medium, directory.path());
        let graph = db.property_graph().unwrap();
        define(graph).unwrap();
        graph.checkpoint().unwrap();
        db.close().unwrap();
        let db = Database::open(directory.path().join("db"), &options(medium)).unwrap();
        OnMedium {
            db,
            _directory: directory,
        }
    }
}

impl std::ops::Deref for OnMedium {
    type Target = Database;

    fn deref(&self) -> &Database {
        &self.db
    }
}

fn apply_all(graph: &PropertyGraph, events: &[Event]) {
    for some in events.chunks(AT_ONCE) {
        let apply_some = |tx: &mut _| some.iter().try_for_each(|event| apply(tx, &event.change));
        graph.write(apply_some).unwrap();
    }
}

/// Every short read gives what the rows say, for every person and every message.
fn assert_reads(view: &View, reference: &Reference) {
    for person in reference.person_ids() {
        assert_eq!(
            reads::profile(view, person).unwrap(),
            reference.profile(person)
        );
        assert_eq!(
            reads::recent_messages(view, person).unwrap(),
            reference.recent_messages(person)
        );
        assert_eq!(
            reads::friends(view, person).unwrap(),
            reference.friends(person)
        );
    }
    for message in reference.message_ids() {
        assert_eq!(
            reads::content(view, message).unwrap(),
            reference.content(message)
        );
        assert_eq!(
            reads::creator(view, message).unwrap(),
            reference.creator(message)
        );
        assert_eq!(
            reads::forum(view, message).unwrap(),
            reference.forum(message)
        );
        assert_eq!(
            reads::replies(view, message).unwrap(),
            reference.replies(message)
        );
    }
}

#[test]
fn short_reads_give_what_the_rows_say() {
    let network = network(150);
    let db = in_memory(&network, csv::Part::Whole);
    let graph = db.property_graph().unwrap();
    let reference = Reference::of(network.events());
    reference.assert_interesting();
    assert_reads(&graph.view(), &reference);
    graph.checkpoint().unwrap();
    assert_reads(&graph.view(), &reference);
}

#[test]
fn who_is_not_there_has_no_rows() {
    let network = network(10);
    let db = in_memory(&network, csv::Part::Whole);
    let view = db.property_graph().unwrap().view();
    let nobody = 1 << 40;
    assert_eq!(reads::profile(&view, nobody).unwrap(), None);
    assert_eq!(reads::recent_messages(&view, nobody).unwrap(), []);
    assert_eq!(reads::friends(&view, nobody).unwrap(), []);
    assert_eq!(reads::content(&view, nobody).unwrap(), None);
    assert_eq!(reads::creator(&view, nobody).unwrap(), None);
    assert_eq!(reads::forum(&view, nobody).unwrap(), None);
    assert_eq!(reads::replies(&view, nobody).unwrap(), []);
}

/// The stream on top of the bulk, over a kill, is the same graph as the files of the
/// whole.
#[test]
fn bulk_and_updates_are_the_whole_also_after_a_kill() {
    let network = network(100);
    let directory = tempfile::tempdir().unwrap();
    let whole = in_memory(&network, csv::Part::Whole);
    let expected = dump(&whole.property_graph().unwrap().view());

    let grown = directory.path().join("grown");
    let db = loaded(&network, csv::Part::Initial, MediumKind::File, &grown);
    let events: Vec<Event> = updates::updates(&network).collect();
    let (first, last) = events.split_at(events.len() / 2);
    let graph = db.property_graph().unwrap();
    apply_all(graph, first);
    graph.checkpoint().unwrap();
    apply_all(graph, last);
    let before = dump(&graph.view());
    assert!(
        before == expected,
        "{}",
        dump::difference(&before, &expected)
    );
    // Without a clean stop.
    drop(db);

    let db = Database::open(grown.join("db"), &options(MediumKind::File)).unwrap();
    let graph = db.property_graph().unwrap();
    let after = dump(&graph.view());
    assert!(after == expected, "{}", dump::difference(&after, &expected));
    assert_reads(&graph.view(), &Reference::of(network.events()));
    let report = db.check();
    assert!(report.problems.is_empty(), "{:?}", report.problems);
}

#[test]
fn an_update_that_refers_to_nothing_leaves_nothing() {
    let network = network(30);
    let db = in_memory(&network, csv::Part::Initial);
    let graph = db.property_graph().unwrap();
    let before = dump(&graph.view());
    let comments = updates::updates(&network).filter_map(|event| match event.change {
        Change::Comment(comment) => Some(comment),
        _ => None,
    });
    let mut comment = comments.last().unwrap();
    comment.creator = 1 << 40;
    let refused = graph.write(|tx| apply(tx, &Change::Comment(comment.clone())));
    assert!(matches!(refused, Err(GraphError::User(_))));
    assert!(dump(&graph.view()) == before);
    assert!(
        nodes::find(&graph.view(), schema::MESSAGE, comment.id as i64)
            .unwrap()
            .is_none()
    );
}

#[test]
fn calls_and_updates_are_of_what_is_there() {
    let network = network(100);
    let db = in_memory(&network, csv::Part::Initial);
    let graph = db.property_graph().unwrap();
    let calls = [
        Calls::of_network(&network, 20),
        Calls::of_graph(graph, 20, 1).unwrap(),
    ];
    for Calls { persons, messages } in calls {
        assert_eq!((persons.len(), messages.len()), (20, 20));
        let view = graph.view();
        for person in persons {
            assert!(reads::profile(&view, person).unwrap().is_some());
        }
        for message in messages {
            assert!(reads::content(&view, message).unwrap().is_some());
        }
    }
    let updates = Updates::of(&network, 500);
    assert_eq!(updates.others.len(), 500);
    let all = || updates.persons.iter().chain(&updates.others);
    let kinds: BTreeSet<usize> = all().map(number).collect();
    assert_eq!(kinds, (1..=8).collect());
    for change in all() {
        graph.write(|tx| apply(tx, change)).unwrap();
    }
}

#[test]
fn whatever_order_clients_come_in_nothing_refers_to_nothing() {
    let network = network(100);
    let db = in_memory(&network, csv::Part::Initial);
    let graph = db.property_graph().unwrap();
    let updates = Updates::of(&network, 800);
    let hands = clients::deal(&updates.others, 4);
    let lengths: Vec<usize> = hands.iter().map(Vec::len).collect();
    assert_eq!(lengths.iter().sum::<usize>(), 800);
    assert!(lengths.iter().all(|&length| length > 100), "{lengths:?}");
    // One client after the other is the worst that can happen.
    for change in updates.persons.iter().chain(hands.into_iter().flatten()) {
        graph.write(|tx| apply(tx, change)).unwrap();
    }
}
