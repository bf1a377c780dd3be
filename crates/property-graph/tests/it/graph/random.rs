//! Random transactions, checkpoints, restarts and snapshots.

use std::sync::Arc;

use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{
    GraphError, GraphOptions, NodeId, OpenOptions, PropertyGraph, View,
};
use evergraph_storage::Storage;
use evergraph_storage::medium::DramStorage;
use proptest::prelude::*;

use super::batches;
use super::model::{Model, compare};
use super::rules::{RULES, Rules, all_hold, holds, rule};
use super::steps::{Loading, Step, gather, take};

/// Actions on a graph.
#[derive(Clone, Debug)]
enum Action {
    Commit(Vec<Step>),
    RollBack(Vec<Step>),
    /// In bulk; whether it is committed.
    Load(Loading, bool),
    Checkpoint,
    Compact,
    Reopen {
        cleanly: bool,
    },
    KeepView,
    DropViews,
    CreateSnapshot,
    DropSnapshot(u8),
    Define(u8),
    DropDefinition(u8),
}

fn step() -> impl Strategy<Value = Step> {
    let n = any::<u8>;
    prop_oneof![
        4 => (n(), n()).prop_map(|(label, value)| Step::CreateNode { label, value }),
        6 => (n(), n(), n(), n()).prop_map(|(source, kind, target, value)| {
            Step::CreateRelationship { source, kind, target, value }
        }),
        3 => (n(), n(), n()).prop_map(|(node, key, value)| Step::SetOnNode { node, key, value }),
        3 => (n(), n(), n()).prop_map(|(relationship, key, value)| {
            Step::SetOnRelationship { relationship, key, value }
        }),
        1 => (n(), n()).prop_map(|(key, value)| Step::SetOnAllNodes { key, value }),
        1 => (n(), n()).prop_map(|(node, label)| Step::AddLabel { node, label }),
        1 => (n(), n()).prop_map(|(node, label)| Step::RemoveLabel { node, label }),
        3 => n().prop_map(|relationship| Step::DeleteRelationship { relationship }),
        1 => n().prop_map(|node| Step::DeleteNode { node }),
        1 => n().prop_map(|node| Step::DetachDeleteNode { node }),
        1 => Just(Step::Savepoint),
        1 => Just(Step::RollBackToSavepoint),
    ]
}

fn action() -> impl Strategy<Value = Action> {
    let steps = || prop::collection::vec(step(), 1..12);
    prop_oneof![
        10 => steps().prop_map(Action::Commit),
        2 => steps().prop_map(Action::RollBack),
        4 => (0..20u8, 0..20u8, any::<u8>(), prop::bool::weighted(0.8)).prop_map(
            |(nodes, relationships, seed, commits)| {
                Action::Load(Loading { nodes, relationships, seed }, commits)
            }
        ),
        3 => Just(Action::Checkpoint),
        1 => Just(Action::Compact),
        2 => any::<bool>().prop_map(|cleanly| Action::Reopen { cleanly }),
        2 => Just(Action::KeepView),
        1 => Just(Action::DropViews),
        2 => Just(Action::CreateSnapshot),
        1 => any::<u8>().prop_map(Action::DropSnapshot),
        3 => (0..RULES).prop_map(Action::Define),
        2 => (0..RULES).prop_map(Action::DropDefinition),
    ]
}

pub fn options() -> GraphOptions {
    let mut options = GraphOptions::default();
    options.store.section_shift = 2;
    options.store.log_bytes = 1 << 16;
    options.store.first_ring_bytes = 1 << 10;
    options.store.extent_alignment = 64;
    options.store.growth_step = 1 << 16;
    options.chunk_records = 4;
    options
}

pub fn graph() -> PropertyGraph {
    graph_on(&DramStorage::new())
}

pub fn graph_on(storage: &DramStorage) -> PropertyGraph {
    PropertyGraph::create(storage, options(), [7; 16]).expect("created")
}

pub fn age(graph: &PropertyGraph, node: NodeId) -> i64 {
    let node = graph.view().node(node).expect("readable").expect("exists");
    node.get("age").and_then(Value::as_integer).expect("set")
}

pub fn is_violated<T>(outcome: Result<T, GraphError>) -> bool {
    matches!(outcome, Err(GraphError::Constraint(_)))
}

/// Indexes over some of what is looked for.
pub fn index(graph: &PropertyGraph) -> Result<(), GraphError> {
    graph.create_index("names", "Person", &["name"])?;
    graph.create_index("ages", "Admin", &["age"])?;
    graph.create_relationship_index("notes", "KNOWS", &["note"])
}

struct SideBySide {
    storage: Arc<dyn Storage>,
    graph: PropertyGraph,
    model: Model,
    rules: Rules,
    views: Vec<(View, Model)>,
    snapshots: Vec<(String, Model)>,
    named: usize,
}

impl SideBySide {
    fn new(indexed: bool) -> Self {
        let storage: Arc<dyn Storage> = Arc::new(DramStorage::new());
        let mut options = options();
        // A commit may have half of it, and some loads are long.
        options.store.log_bytes = 1 << 18;
        let graph = PropertyGraph::create(&*storage, options, [7; 16]).expect("created");
        if indexed {
            index(&graph).expect("made");
        }
        SideBySide {
            storage,
            graph,
            model: Model::default(),
            rules: Rules::new(),
            views: Vec::new(),
            snapshots: Vec::new(),
            named: 0,
        }
    }

    fn act(&mut self, action: &Action) {
        match action {
            Action::Commit(steps) => {
                let mut model = self.model.clone();
                let mut transaction = self.graph.begin();
                match take(steps, &mut transaction, &mut model) {
                    Ok(()) => {}
                    // Values that are not unique are refused at once.
                    Err(GraphError::Constraint(_)) => return,
                    Err(error) => panic!("{error}"),
                }
                compare(&transaction, &model).expect("a transaction reads what it wrote");
                batches::agree(&transaction.current_view(), &transaction);
                let is_right = all_hold(&model, &self.rules);
                match transaction.commit() {
                    Ok(_) => assert!(is_right, "a constraint does not hold"),
                    Err(GraphError::Constraint(_)) if !is_right => return,
                    Err(error) => panic!("{error}"),
                }
                self.model = model;
            }
            Action::RollBack(steps) => {
                let mut model = self.model.clone();
                let mut transaction = self.graph.begin();
                let before = transaction.current_view();
                match take(steps, &mut transaction, &mut model) {
                    Ok(()) | Err(GraphError::Constraint(_)) => {
                        // It sees no later write, and outlives the transaction.
                        batches::agree(&before, transaction.snapshot());
                        transaction.roll_back();
                        batches::agree(&before, &self.graph.view());
                    }
                    Err(error) => panic!("{error}"),
                }
            }
            Action::Load(loading, commits) => {
                let (mut model, mut load) = (self.model.clone(), self.graph.load());
                gather(*loading, &mut load, &mut model).expect("gathered");
                if !*commits {
                    return;
                }
                match load.commit() {
                    Ok(_) => self.model = model,
                    Err(GraphError::Constraint(_)) => {
                        assert!(!all_hold(&model, &self.rules), "it was refused");
                    }
                    Err(error) => panic!("{error}"),
                }
                assert!(all_hold(&self.model, &self.rules), "it was committed");
            }
            Action::Checkpoint => self.graph.checkpoint().expect("written"),
            Action::Compact => self.graph.compact().expect("written"),
            Action::Reopen { cleanly } => {
                self.views.clear();
                if *cleanly {
                    self.graph.close().expect("closed");
                }
                let open = || PropertyGraph::open(&*self.storage, OpenOptions::default());
                self.graph = open().expect("opened").0;
            }
            Action::KeepView => self.views.push((self.graph.view(), self.model.clone())),
            Action::DropViews => self.views.clear(),
            Action::Define(number) => {
                let definition = rule(*number);
                let is_new = !self.rules.contains_key(&definition.name);
                let made = self.graph.define(&definition);
                let expected = is_new && holds(&self.model, &definition);
                assert_eq!(made.is_ok(), expected, "{definition:?}");
                if expected {
                    self.rules.insert(definition.name, *number);
                }
            }
            Action::DropDefinition(number) => {
                let name = rule(*number).name;
                // One that failed is listed, too, and can be dropped.
                let states = self.graph.definition_states();
                let is_listed = states.iter().any(|(listed, _)| listed.name == name);
                assert!(self.rules.remove(&name).is_none() || is_listed, "{name}");
                let dropped = self.graph.drop_definition(&name);
                assert_eq!(dropped.is_ok(), is_listed, "{name}");
            }
            Action::CreateSnapshot => {
                self.named += 1;
                let name = format!("s{}", self.named);
                self.graph.create_snapshot(&name).expect("a new name");
                self.snapshots.push((name, self.model.clone()));
            }
            Action::DropSnapshot(number) => {
                if !self.snapshots.is_empty() {
                    let at = usize::from(*number) % self.snapshots.len();
                    let (name, _) = self.snapshots.remove(at);
                    self.graph.drop_snapshot(&name).expect("it exists");
                }
            }
        }
    }

    fn compare(&self) {
        let view = self.graph.view();
        compare(&view, &self.model).expect("the graph is the model");
        batches::agree(&view, &view);
        for (view, model) in &self.views {
            compare(view, model).expect("a view stays what it was");
            batches::agree(view, view);
        }
        for (name, model) in &self.snapshots {
            let view = self.graph.as_of(name).expect("kept");
            compare(&view, model).expect("a snapshot stays what it was");
            batches::agree(&view, &view);
        }
        let mut names: Vec<String> = self
            .graph
            .definitions()
            .into_iter()
            .map(|d| d.name)
            .collect();
        names.retain(|name| name.starts_with("rule"));
        names.sort_unstable();
        assert!(names.iter().eq(self.rules.keys()));
        let report = self.graph.check();
        assert_eq!(report.problems, Vec::<String>::new());
    }
}

fn cases() -> u32 {
    let cases = std::env::var("PROPTEST_CASES").ok();
    cases.and_then(|cases| cases.parse().ok()).unwrap_or(64)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), ..ProptestConfig::default() })]

    #[test]
    fn the_graph_is_its_model(
        indexed in any::<bool>(),
        actions in prop::collection::vec(action(), 1..25),
    ) {
        let mut both = SideBySide::new(indexed);
        for action in &actions {
            both.act(action);
            both.compare();
        }
    }
}
