//! Neighbors by type and direction, read in every way, against one list of all
//! relationships in the order of their commits.

use std::ops::ControlFlow;

use evergraph_property_graph::graph::{
    Adjacent, Direction, GraphError, NodeId, OpenOptions, PropertyGraph, RelationshipId,
    Transaction, View,
};
use evergraph_storage::medium::DramStorage;
use proptest::prelude::*;

use super::random::options;

/// More than have a bit of their own in what is known of a node's lists.
const TYPES: u16 = 40;
const NODES: u32 = 6;

#[derive(Clone, Copy, Debug, PartialEq)]
struct Made {
    id: u32,
    kind: u16,
    source: u32,
    target: u32,
}

impl Made {
    fn seen_from(&self, incoming: bool) -> (u32, Adjacent) {
        let (node, neighbor) = match incoming {
            false => (self.source, self.target),
            true => (self.target, self.source),
        };
        let adjacent = Adjacent {
            relationship: RelationshipId(self.id),
            neighbor: NodeId(neighbor),
            kind: self.kind,
            incoming,
        };
        (node, adjacent)
    }
}

/// All relationships: those of commits first, in their order, then those of a
/// transaction by id.
#[derive(Clone, Debug, Default)]
struct Reference(Vec<Made>);

impl Reference {
    /// Of a node, of types by code, or all.
    fn neighbors(&self, node: u32, direction: Direction, types: &[u16]) -> Vec<Adjacent> {
        let mut found = Vec::new();
        for kind in (0..TYPES).filter(|kind| types.is_empty() || types.contains(kind)) {
            for incoming in [false, true] {
                let unwanted = match direction {
                    Direction::Outgoing => incoming,
                    Direction::Incoming => !incoming,
                    Direction::Both => false,
                };
                if unwanted {
                    continue;
                }
                for made in self.0.iter().filter(|made| made.kind == kind) {
                    let (seen_from, adjacent) = made.seen_from(incoming);
                    let again =
                        direction == Direction::Both && incoming && made.source == made.target;
                    if seen_from == node && !again {
                        found.push(adjacent);
                    }
                }
            }
        }
        found
    }
}

/// Reads that a view and a transaction both answer.
trait Ways {
    fn gathered(&self, node: NodeId, direction: Direction, types: &[&str]) -> Vec<Adjacent>;
    fn visited(
        &self,
        node: NodeId,
        direction: Direction,
        types: &[&str],
        most: usize,
    ) -> Vec<Adjacent>;
    fn degree_of(&self, node: NodeId, direction: Direction, types: &[&str]) -> usize;
}

macro_rules! ways {
    ($reader:ty) => {
        impl Ways for $reader {
            fn gathered(
                &self,
                node: NodeId,
                direction: Direction,
                types: &[&str],
            ) -> Vec<Adjacent> {
                self.neighbors(node, direction, types).expect("readable")
            }

            fn visited(
                &self,
                node: NodeId,
                direction: Direction,
                types: &[&str],
                most: usize,
            ) -> Vec<Adjacent> {
                let mut found = Vec::new();
                let each = |adjacent| {
                    found.push(adjacent);
                    match found.len() < most {
                        true => ControlFlow::Continue(()),
                        false => ControlFlow::Break(()),
                    }
                };
                let flow = self.for_each_neighbor(node, direction, types, each);
                let was_cut = flow.expect("readable").is_break();
                assert_eq!(was_cut, found.len() == most, "it breaks when it is told to");
                found
            }

            fn degree_of(&self, node: NodeId, direction: Direction, types: &[&str]) -> usize {
                self.degree(node, direction, types).expect("readable")
            }
        }
    };
}

ways!(View);
ways!(Transaction);

/// Lists of names, with the codes that they mean. The last one is of no type.
const ASKED: [(&[&str], &[u16]); 6] = [
    (&[], &[]),
    (&["T3"], &[3]),
    (&["T35"], &[35]),
    (&["T35", "T3", "T35"], &[3, 35]),
    (&["T39", "nothing", "T0"], &[0, 39]),
    (&["nothing"], &[TYPES]),
];

fn compare(reader: &impl Ways, reference: &Reference) {
    for node in 0..NODES + 2 {
        for direction in [Direction::Outgoing, Direction::Incoming, Direction::Both] {
            for (names, codes) in ASKED {
                let expected = reference.neighbors(node, direction, codes);
                let node = NodeId(node);
                assert_eq!(
                    reader.gathered(node, direction, names),
                    expected,
                    "{names:?}"
                );
                for most in [1, 3, expected.len() + 1] {
                    let some = &expected[..most.min(expected.len())];
                    assert_eq!(reader.visited(node, direction, names, most), some);
                }
                assert_eq!(reader.degree_of(node, direction, names), expected.len());
            }
        }
    }
}

/// The ways that only a view has.
fn compare_view(view: &View, reference: &Reference) {
    compare(view, reference);
    for direction in [Direction::Outgoing, Direction::Incoming, Direction::Both] {
        for (names, codes) in ASKED {
            let mut expander = view.expander(direction, names);
            for node in 0..NODES + 2 {
                let expected = reference.neighbors(node, direction, codes);
                let (mut found, mut listed) = (Vec::new(), Vec::new());
                let each = |adjacent| {
                    found.push(adjacent);
                    ControlFlow::<()>::Continue(())
                };
                let flow = expander.for_each(NodeId(node), each).expect("readable");
                assert!(flow.is_continue());
                assert_eq!(found, expected);
                let flow = expander.for_each_list(NodeId(node), |kind, incoming, nodes, ids| {
                    assert_eq!(nodes.len(), ids.len());
                    for (&neighbor, &id) in nodes.iter().zip(ids) {
                        let is_again = incoming && direction == Direction::Both && neighbor == node;
                        if !is_again {
                            listed.push((kind, incoming, neighbor, id));
                        }
                    }
                    ControlFlow::<()>::Continue(())
                });
                assert!(flow.expect("readable").is_continue());
                let of = |a: &Adjacent| (a.kind, a.incoming, a.neighbor.0, a.relationship.0);
                assert!(listed.into_iter().eq(expected.iter().map(of)));
                let first = expander.for_each(NodeId(node), ControlFlow::Break);
                let first = first.expect("readable").break_value();
                assert_eq!(first, expected.first().copied());
            }
        }
    }
    for node in 0..NODES + 2 {
        let any = !reference.neighbors(node, Direction::Both, &[]).is_empty();
        assert_eq!(view.has_relationships(NodeId(node)).expect("readable"), any);
    }
}

#[derive(Clone, Debug)]
enum Act {
    Create { kind: u16, source: u32, target: u32 },
    Delete(usize),
    Commit,
    RollBack,
    Checkpoint,
    Compact,
    KeepView,
    DropViews,
    Name,
    Reopen,
}

fn act() -> impl Strategy<Value = Act> {
    // Few types and few nodes more often, so that there are parallel ones and loops.
    let kind = prop_oneof![Just(3u16), Just(35), 0..TYPES];
    prop_oneof![
        12 => (kind, 0..NODES, 0..NODES)
            .prop_map(|(kind, source, target)| Act::Create { kind, source, target }),
        6 => any::<prop::sample::Index>().prop_map(|at| Act::Delete(at.index(1 << 16))),
        4 => Just(Act::Commit),
        1 => Just(Act::RollBack),
        2 => Just(Act::Checkpoint),
        1 => Just(Act::Compact),
        2 => Just(Act::KeepView),
        1 => Just(Act::DropViews),
        1 => Just(Act::Name),
        1 => Just(Act::Reopen),
    ]
}

/// A graph with a relationship of each type, so that codes are as the names say.
fn begin(graph: &PropertyGraph) -> Reference {
    let made = graph.write(|tx| {
        for _ in 0..NODES {
            tx.create_node(&[], [])?;
        }
        let create = |kind: u16| {
            let (source, target) = (u32::from(kind) % NODES, u32::from(kind) * 3 % NODES);
            let (from, to) = (NodeId(source), NodeId(target));
            let id = tx.create_relationship(from, &format!("T{kind}"), to, [])?.0;
            Ok(Made {
                id,
                kind,
                source,
                target,
            })
        };
        (0..TYPES)
            .map(create)
            .collect::<Result<Vec<Made>, GraphError>>()
    });
    Reference(made.expect("committed"))
}

struct SideBySide {
    storage: DramStorage,
    graph: PropertyGraph,
    committed: Reference,
    /// The open transaction, the relationships that it sees, and how many of those are
    /// committed.
    running: Option<(Transaction, Reference, usize)>,
    views: Vec<(View, Reference)>,
    named: Vec<(String, Reference)>,
}

impl SideBySide {
    fn act(&mut self, act: &Act) {
        match act {
            Act::Create { .. } | Act::Delete(_) => {
                let begin = || {
                    let committed = self.committed.clone();
                    let count = committed.0.len();
                    (self.graph.begin(), committed, count)
                };
                let (tx, reference, committed) = self.running.get_or_insert_with(begin);
                match *act {
                    Act::Create {
                        kind,
                        source,
                        target,
                    } => {
                        let (from, to) = (NodeId(source), NodeId(target));
                        let id = tx.create_relationship(from, &format!("T{kind}"), to, []);
                        let id = id.expect("both ends are there").0;
                        reference.0.push(Made {
                            id,
                            kind,
                            source,
                            target,
                        });
                        reference.0[*committed..].sort_unstable_by_key(|made| made.id);
                    }
                    Act::Delete(at) if !reference.0.is_empty() => {
                        let at = at % reference.0.len();
                        let id = RelationshipId(reference.0.remove(at).id);
                        tx.delete_relationship(id).expect("it is there");
                        *committed -= usize::from(at < *committed);
                    }
                    _ => {}
                }
            }
            Act::Commit => {
                if let Some((tx, reference, _)) = self.running.take() {
                    tx.commit().expect("nobody else writes");
                    self.committed = reference;
                }
            }
            Act::RollBack => drop(self.running.take()),
            Act::Checkpoint => self.graph.checkpoint().expect("written"),
            Act::Compact => self.graph.compact().expect("written"),
            Act::KeepView => self.views.push((self.graph.view(), self.committed.clone())),
            Act::DropViews => self.views.clear(),
            Act::Name => {
                let name = format!("s{}", self.named.len());
                self.graph.create_snapshot(&name).expect("a new name");
                self.named.push((name, self.committed.clone()));
            }
            Act::Reopen => {
                (self.running, self.views) = (None, Vec::new());
                let opened = PropertyGraph::open(&self.storage, OpenOptions::default());
                self.graph = opened.expect("opened").0;
            }
        }
    }

    fn compare(&self) {
        compare_view(&self.graph.view(), &self.committed);
        if let Some((tx, reference, _)) = &self.running {
            compare(tx, reference);
        }
        for (view, reference) in &self.views {
            compare_view(view, reference);
        }
        for (name, reference) in &self.named {
            compare_view(&self.graph.as_of(name).expect("kept"), reference);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn every_way_gives_the_same_neighbors(acts in prop::collection::vec(act(), 1..40)) {
        let storage = DramStorage::new();
        let mut options = options();
        options.store.log_bytes = 1 << 18;
        let graph = PropertyGraph::create(&storage, options, [7; 16]).expect("created");
        let committed = begin(&graph);
        let (running, views, named) = (None, Vec::new(), Vec::new());
        let mut both = SideBySide { storage, graph, committed, running, views, named };
        for act in &acts {
            both.act(act);
            both.compare();
        }
    }
}
