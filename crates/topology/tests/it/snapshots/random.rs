//! Random histories.

use evergraph_graph::StoredLists;
use evergraph_topology::{Layout, Tuning};
use proptest::prelude::*;

use super::model::{Change, Reference};
use crate::common::layout;

#[derive(Clone, Debug)]
enum Step {
    Commit(Vec<Vec<Change>>),
    Checkpoint,
    /// Merge only some sections.
    MergeWhatIsDue,
    BufferAll,
    Compact,
    CompactVertex(u32),
    Relayout(Layout),
    Hold(usize),
    LetGo,
    /// Drops the snapshots before one of them.
    Flatten(usize),
    Check,
    Reopen {
        clean: bool,
    },
}

fn change() -> impl Strategy<Value = Change> {
    let edges = || proptest::collection::vec((0u32..12, 0u32..12), 1..12);
    prop_oneof![
        6 => edges().prop_map(Change::Insert),
        3 => edges().prop_map(Change::Delete),
        1 => (1u64..20).prop_map(Change::Vertices),
        5 => Just(Change::Create),
        1 => any::<usize>().prop_map(Change::Drop),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let commits = proptest::collection::vec(proptest::collection::vec(change(), 1..4), 1..5);
    prop_oneof![
        8 => commits.prop_map(Step::Commit),
        2 => Just(Step::Checkpoint),
        2 => Just(Step::MergeWhatIsDue),
        1 => Just(Step::BufferAll),
        1 => Just(Step::Compact),
        1 => (0u32..12).prop_map(Step::CompactVertex),
        1 => layout().prop_map(Step::Relayout),
        1 => any::<usize>().prop_map(Step::Hold),
        1 => Just(Step::LetGo),
        1 => any::<usize>().prop_map(Step::Flatten),
        1 => Just(Step::Check),
        2 => any::<bool>().prop_map(|clean| Step::Reopen { clean }),
    ]
}

fn run(mut reference: Reference, steps: &[Step]) {
    for step in steps {
        match step {
            Step::Commit(commits) => reference.commit(commits),
            Step::Checkpoint => reference.store.checkpoint().unwrap(),
            Step::MergeWhatIsDue => reference.store.merge_what_is_due().unwrap(),
            Step::BufferAll => reference.store.buffer_all().unwrap(),
            Step::Compact => reference.store.compact().unwrap(),
            Step::CompactVertex(vertex) => reference.store.compact_vertex(*vertex).unwrap(),
            Step::Relayout(layout) => reference.store.relayout(*layout).unwrap(),
            Step::Hold(number) => reference.hold(*number),
            Step::LetGo => reference.let_go(),
            Step::Flatten(number) => reference.flatten(*number),
            Step::Check => assert_eq!(reference.store.check().problems, Vec::<String>::new()),
            Step::Reopen { clean } => reference = reference.reopen(*clean),
        }
        reference.compare();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn snapshots_are_copies_of_the_graph(
        steps in proptest::collection::vec(step(), 1..30),
        direction in prop_oneof![
            Just(StoredLists::Out), Just(StoredLists::Undirected), Just(StoredLists::Both)
        ],
        weighted in any::<bool>(),
        layout in layout(),
        buffer_bytes in prop_oneof![Just(1usize), Just(1 << 10), Just(1 << 20)],
    ) {
        let tuning = Tuning { buffer_bytes, ..Tuning::default() };
        run(Reference::new(direction, weighted, layout, tuning), &steps);
    }
}
