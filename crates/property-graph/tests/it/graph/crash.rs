//! The power fails everywhere in small random workloads: what was committed is
//! there, what was not is not, and everything agrees.

use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex};

use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{
    Definition, GraphError, OpenOptions, PropertyGraph, Rule, Transaction, View,
};
use evergraph_simulated::mutants::of_suite;
use evergraph_simulated::{
    Access, Budget, Config, Depth, Persistence, Random, Scenario, SimulatedStorage, Suite, Told,
};
use evergraph_storage::StorageError;
use evergraph_storage::failpoint;
use evergraph_topology::TopologyError;

use super::model::{Model, ModelNode, ModelRelationship, Values, compare};
use super::random::{index, options};
use super::rules::{RULES, Rules, all_hold, holds, rule};
use super::steps::{Loading, Step, gather, take};

/// States that may be there: one of these.
#[derive(Clone, Debug)]
struct Expected {
    models: Vec<Model>,
    snapshots: Vec<(String, Model)>,
    /// A snapshot that is being made.
    naming: Option<String>,
    /// Indexes and constraints.
    rules: Rules,
    /// One that is being made or dropped.
    changing: Option<u8>,
    /// How many operations the workload and recoveries have begun.
    begun: u64,
}

impl Default for Expected {
    fn default() -> Self {
        Expected {
            models: vec![Model::default()],
            snapshots: Vec::new(),
            naming: None,
            rules: Rules::new(),
            changing: None,
            begun: 0,
        }
    }
}

impl Hash for Expected {
    fn hash<H: Hasher>(&self, state: &mut H) {
        format!("{self:?}").hash(state);
    }
}

struct Workload {
    name: String,
    seed: u64,
    persistence: Persistence,
    operations: u64,
}

enum Operation {
    Commit(Vec<Step>),
    /// The same, and [`Operation::Grow`] in the same group.
    Group(Vec<Step>),
    /// Names that are not in use yet, and texts that come often.
    Grow,
    Define(u8),
    DropDefinition(u8),
    Load(Loading),
    Checkpoint,
    Compact,
    /// The lists of a node are merged, and no record.
    CompactVertex(u32),
    /// Records are merged further than lists, or the other way round.
    MergeWhatIsDue,
    Snapshot,
    DropSnapshot,
    /// A view that stays, to the next restart.
    KeepView,
    Restart,
}

/// A graph with views that are read now and then.
struct Open {
    graph: PropertyGraph,
    views: Vec<(View, Model)>,
}

impl Open {
    fn new(graph: PropertyGraph) -> Self {
        let views = Vec::new();
        Open { graph, views }
    }

    fn compare_views(&self) -> Result<(), String> {
        let mut views = self.views.iter();
        views.try_for_each(|(view, model)| {
            compare(view, model).map_err(|error| format!("a view of {}: {error}", view.csn()))
        })
    }

    /// No id that a view or a snapshot shows was given to another.
    fn compare_ids(
        &self,
        before: &Model,
        after: &Model,
        expected: &Expected,
    ) -> Result<(), String> {
        let of_views = self.views.iter().map(|(_, model)| model);
        let of_snapshots = expected.snapshots.iter().map(|(_, model)| model);
        for shown in of_views.chain(of_snapshots) {
            let new = after
                .nodes
                .keys()
                .filter(|id| !before.nodes.contains_key(id));
            if let Some(id) = new.clone().find(|id| shown.nodes.contains_key(id)) {
                return Err(format!("node {id} is shown, and was given to another"));
            }
            let new = after.relationships.keys();
            let mut new = new.filter(|id| !before.relationships.contains_key(id));
            if let Some(id) = new.find(|id| shown.relationships.contains_key(id)) {
                return Err(format!(
                    "relationship {id} is shown, and was given to another"
                ));
            }
        }
        Ok(())
    }
}

impl Workload {
    /// With a buffer so small that records are merged before almost every commit, or so
    /// large that lists are merged without them.
    fn opening(&self) -> OpenOptions {
        let mut opening = OpenOptions::default();
        if self.seed.is_multiple_of(2) {
            opening.tuning.buffer_bytes = 64;
        }
        opening
    }

    fn operation(&self, number: u64) -> Operation {
        let is_scripted = self.seed.is_multiple_of(3);
        if let Some(operation) = scripted(number).filter(|_| is_scripted) {
            return operation;
        }
        let is_grouped = self.seed % 3 == 2;
        if let Some(operation) = grouped(number).filter(|_| is_grouped) {
            return operation;
        }
        let mut random = Random::new(self.seed * 1000 + number);
        match random.below(26) {
            22 | 23 => Operation::CompactVertex(random.below(6) as u32),
            24 | 25 => Operation::MergeWhatIsDue,
            20 | 21 => Operation::Load(Loading {
                nodes: random.below(10) as u8,
                relationships: random.below(10) as u8,
                seed: random.below(256) as u8,
            }),
            0..=6 => Operation::Commit(steps(&mut random)),
            7 => Operation::Grow,
            8 => Operation::Group(steps(&mut random)),
            9 | 10 => Operation::Define(random.below(u64::from(RULES)) as u8),
            11 => Operation::DropDefinition(random.below(u64::from(RULES)) as u8),
            12..=14 => Operation::Checkpoint,
            15 => Operation::Compact,
            16 => Operation::Snapshot,
            17 => Operation::DropSnapshot,
            18 => Operation::KeepView,
            _ => Operation::Restart,
        }
    }

    fn perform_one(
        &self,
        storage: &SimulatedStorage,
        open: &mut Open,
        told: &mut Told<'_, '_, Expected>,
    ) -> Result<Option<Open>, String> {
        let text = |error: GraphError| error.to_string();
        let number = told.model().begun;
        told.update(|expected| expected.begun += 1);
        let graph = &open.graph;
        match self.operation(number) {
            Operation::Commit(steps) => {
                commit(open, told, |own, model| take(&steps, own, model))?;
            }
            Operation::Group(steps) => commit_group(open, told, &steps, number)?,
            Operation::Grow => commit(open, told, |own, model| grow(number, own, model))?,
            Operation::Define(of) => define(graph, of, told)?,
            Operation::DropDefinition(of) => drop_definition(graph, of, told)?,
            Operation::Checkpoint => graph.checkpoint().map_err(text)?,
            Operation::Compact => graph.compact().map_err(text)?,
            Operation::CompactVertex(vertex) => {
                let done = graph.store().compact_vertex(vertex);
                done.map_err(|error| error.to_string())?;
            }
            Operation::MergeWhatIsDue => {
                let done = graph.store().merge_what_is_due();
                done.map_err(|error| error.to_string())?;
            }
            Operation::Load(loading) => load(open, loading, told)?,
            Operation::Snapshot => {
                let name = format!("s{number}");
                let model = told.model().models[0].clone();
                told.update(|expected| expected.naming = Some(name.clone()));
                graph.create_snapshot(&name).map_err(text)?;
                told.update(|expected| {
                    expected.naming = None;
                    expected.snapshots.push((name, model));
                });
            }
            Operation::DropSnapshot => {
                if let Some((name, _)) = told.model().snapshots.first().cloned() {
                    // From now on it may be there or not.
                    told.update(|expected| drop(expected.snapshots.remove(0)));
                    graph.drop_snapshot(&name).map_err(text)?;
                }
            }
            Operation::KeepView => {
                let kept = (graph.view(), told.model().models[0].clone());
                open.views.push(kept);
            }
            Operation::Restart => {
                open.views.clear();
                graph.close().map_err(text)?;
                let (graph, _) = PropertyGraph::open(storage, self.opening()).map_err(text)?;
                return Ok(Some(Open::new(graph)));
            }
        }
        open.compare_views()?;
        Ok(None)
    }
}

/// How some workloads begin: what a snapshot shows is changed and deleted, and merged
/// twice, the second time with more than the first, while new nodes come; then a
/// constraint is made that does not hold, records are merged further than the log is
/// freed, lists without the records that came with them, and chunks are loaded.
fn scripted(number: u64) -> Option<Operation> {
    let create = |value| Step::CreateNode { label: 0, value };
    let relate = |target| Step::CreateRelationship {
        source: 0,
        kind: 0,
        target,
        value: 2,
    };
    let change = |value| Step::SetOnNode {
        node: 0,
        key: 0,
        value,
    };
    let change_other = |value| Step::SetOnNode {
        node: 1,
        key: 0,
        value,
    };
    let change_all = Step::SetOnAllNodes { key: 1, value: 7 };
    let change_relationship = Step::SetOnRelationship {
        relationship: 0,
        key: 2,
        value: 1,
    };
    let admin = Step::CreateNode { label: 2, value: 8 };
    Some(match number {
        0 => Operation::Commit(vec![
            create(1),
            create(9),
            create(7),
            relate(1),
            relate(2),
            admin,
        ]),
        1 => Operation::Snapshot,
        2 => Operation::Commit(vec![change(8), Step::DetachDeleteNode { node: 2 }]),
        3 => Operation::Checkpoint,
        4 => Operation::Commit(vec![change(13), change_other(14), create(14), relate(1)]),
        5 => Operation::Grow,
        6 => Operation::Checkpoint,
        // An Admin without an age.
        7 => Operation::Define(3),
        8 => Operation::Checkpoint,
        9 => Operation::Commit(vec![change(20), change_all, change_relationship, relate(2)]),
        10 => Operation::Commit(vec![change(21), relate(1)]),
        11 => Operation::Commit(vec![change(26)]),
        12 => Operation::CompactVertex(0),
        // Only where no index is in the way.
        13 => Operation::Load(Loading {
            nodes: 9,
            relationships: 9,
            seed: 4,
        }),
        14 => Operation::Checkpoint,
        _ => return None,
    })
}

/// How other workloads begin: what is left of a group whose first commit a power cut
/// tore stands exactly behind the same commit of the next life, where its checkpoint or
/// clean stop makes the log start.
fn grouped(number: u64) -> Option<Operation> {
    let change = |value| {
        vec![Step::SetOnNode {
            node: 0,
            key: 0,
            value,
        }]
    };
    let create = |value| Step::CreateNode { label: 0, value };
    Some(match number {
        0 => Operation::Commit(vec![create(1), create(9)]),
        1 => Operation::Group(change(8)),
        2 => Operation::Commit(change(8)),
        3 => Operation::Checkpoint,
        4 => Operation::Group(change(13)),
        5 => Operation::Commit(change(13)),
        6 => Operation::Restart,
        _ => return None,
    })
}

/// Two transactions under one fence: the second gets its place while the first waits.
fn commit_group(
    open: &Open,
    told: &mut Told<'_, '_, Expected>,
    steps: &[Step],
    number: u64,
) -> Result<(), String> {
    let text = |error: GraphError| error.to_string();
    let before = told.model().models[0].clone();
    let (mut first, mut second) = (open.graph.begin(), open.graph.begin());
    let mut one = before.clone();
    match take(steps, &mut first, &mut one) {
        Ok(()) => {}
        Err(GraphError::Constraint(_)) => return Ok(()),
        Err(error) => return Err(text(error)),
    }
    // Without an effect, the first would have no place and no group.
    if !all_hold(&one, &told.model().rules) || format!("{one:?}") == format!("{before:?}") {
        return Ok(());
    }
    let mut both = one.clone();
    grow(number, &mut second, &mut both).map_err(text)?;
    told.update(|expected| expected.models.extend([one, both.clone()]));
    let outcome = Arc::new(Mutex::new(None));
    let (told_to, waiting) = (Arc::clone(&outcome), Mutex::new(Some(second)));
    let commit_second = move |_| {
        let second = waiting.lock().expect("no panic").take();
        if let Some(second) = second {
            *told_to.lock().expect("no panic") = Some(second.commit().map(drop));
        }
    };
    let grouped = failpoint::Scope::calling("transaction.enqueued", commit_second);
    let first = {
        let _armed = grouped.enter();
        first.commit()
    };
    first.map_err(text)?;
    let second = outcome.lock().expect("no panic").take();
    second
        .ok_or("the second was not committed")?
        .map_err(text)?;
    told.update(|expected| expected.models = vec![both.clone()]);
    open.compare_ids(&before, &both, told.model())
}

/// One transaction, which constraints may refuse.
fn commit(
    open: &Open,
    told: &mut Told<'_, '_, Expected>,
    write: impl FnOnce(&mut Transaction, &mut Model) -> Result<(), GraphError>,
) -> Result<(), String> {
    let before = told.model().models[0].clone();
    let mut after = before.clone();
    let mut transaction = open.graph.begin();
    match write(&mut transaction, &mut after) {
        Ok(()) => {}
        Err(GraphError::Constraint(_)) => return Ok(()),
        Err(error) => return Err(error.to_string()),
    }
    let is_right = all_hold(&after, &told.model().rules);
    if is_right {
        told.update(|expected| expected.models.push(after.clone()));
    }
    let outcome = match transaction.commit() {
        Ok(_) if is_right => {
            told.update(|expected| expected.models = vec![after.clone()]);
            Ok(())
        }
        Ok(_) => Err("a constraint does not hold".to_string()),
        Err(GraphError::Constraint(_)) if !is_right => Ok(()),
        Err(error) => Err(error.to_string()),
    };
    open.compare_ids(&before, &after, told.model())?;
    outcome
}

/// A bulk load, as one commit.
fn load(open: &Open, loading: Loading, told: &mut Told<'_, '_, Expected>) -> Result<(), String> {
    let text = |error: GraphError| error.to_string();
    let before = told.model().models[0].clone();
    let mut after = before.clone();
    let mut load = open.graph.load();
    gather(loading, &mut load, &mut after).map_err(text)?;
    let is_right = all_hold(&after, &told.model().rules);
    if is_right {
        told.update(|expected| expected.models.push(after.clone()));
    }
    match load.commit() {
        Ok(_) if is_right => {}
        Ok(_) => return Err("a constraint does not hold".to_string()),
        Err(GraphError::Constraint(_)) if !is_right => return Ok(()),
        Err(error) => return Err(text(error)),
    }
    told.update(|expected| expected.models = vec![after.clone()]);
    open.compare_ids(&before, &after, told.model())
}

/// A node and a relationship of names of their own.
fn grow(number: u64, own: &mut Transaction, model: &mut Model) -> Result<(), GraphError> {
    let (label, key) = (format!("Label{number}"), format!("key{number}"));
    let often = || Value::from("a text that comes often");
    let keys = [key.clone(), "often".to_string(), "again".to_string()];
    let values: Values = keys.iter().map(|key| (key.clone(), often())).collect();
    let properties = || keys.iter().map(|key| (key.as_str(), often()));
    let id = own.create_node(&[label.as_str(), "Grown"], properties())?;
    let node = ModelNode {
        labels: [label, "Grown".to_string()].into(),
        values: values.clone(),
    };
    model.nodes.insert(id.0, node);
    let kind = format!("TYPE{number}");
    let made = own.create_relationship(id, &kind, id, properties())?;
    let relationship = ModelRelationship {
        kind,
        source: id.0,
        target: id.0,
        values,
    };
    model.relationships.insert(made.0, relationship);
    Ok(())
}

fn define(graph: &PropertyGraph, of: u8, told: &mut Told<'_, '_, Expected>) -> Result<(), String> {
    let definition = rule(of);
    let is_there = told.model().rules.contains_key(&definition.name);
    let expected = !is_there && holds(&told.model().models[0], &definition);
    if expected {
        told.update(|expected| expected.changing = Some(of));
    }
    match graph.define(&definition) {
        Ok(()) if expected => told.update(|expected| {
            expected.changing = None;
            expected.rules.insert(definition.name, of);
        }),
        Err(GraphError::DefinitionExists(_)) if is_there => {}
        Err(GraphError::Constraint(_)) if !expected => {}
        other => return Err(format!("{definition:?} gives {other:?}")),
    }
    Ok(())
}

fn drop_definition(
    graph: &PropertyGraph,
    of: u8,
    told: &mut Told<'_, '_, Expected>,
) -> Result<(), String> {
    let name = rule(of).name;
    let is_there = told.model().rules.contains_key(&name);
    if is_there {
        told.update(|expected| expected.changing = Some(of));
    }
    match graph.drop_definition(&name) {
        Ok(()) if is_there => told.update(|expected| {
            expected.changing = None;
            expected.rules.remove(&name);
        }),
        Err(GraphError::UnknownDefinition(_)) if !is_there => {}
        other => return Err(format!("dropping {name} gives {other:?}")),
    }
    Ok(())
}

/// The indexes and constraints that are there: those expected, with or without the
/// one that was being made or dropped.
fn find_rules(graph: &PropertyGraph, expected: &Expected) -> Result<Rules, String> {
    let names = graph
        .definitions()
        .into_iter()
        .map(|definition| definition.name);
    let number = |name: &String| Some((name.clone(), name.strip_prefix("rule")?.parse().ok()?));
    let found: Rules = names.filter_map(|name| number(&name)).collect();
    let mut other = expected.rules.clone();
    if let Some(of) = expected.changing
        && other.remove(&rule(of).name).is_none()
    {
        other.insert(rule(of).name, of);
    }
    match found == expected.rules || found == other {
        true => Ok(found),
        false => Err(format!(
            "definitions are {found:?}, expected {:?}",
            expected.rules
        )),
    }
}

fn steps(random: &mut Random) -> Vec<Step> {
    let count = 1 + random.below(5);
    (0..count).map(|_| step(random)).collect()
}

fn step(random: &mut Random) -> Step {
    let mut n = || random.below(256) as u8;
    match n() % 16 {
        0..=3 => Step::CreateNode {
            label: n(),
            value: n(),
        },
        4..=7 => Step::CreateRelationship {
            source: n(),
            kind: n(),
            target: n(),
            value: n(),
        },
        8 => Step::SetOnNode {
            node: n(),
            key: n(),
            value: n(),
        },
        9 => Step::SetOnAllNodes {
            key: n(),
            value: n(),
        },
        10 => Step::SetOnRelationship {
            relationship: n(),
            key: n(),
            value: n(),
        },
        11 => Step::AddLabel {
            node: n(),
            label: n(),
        },
        12 => Step::RemoveLabel {
            node: n(),
            label: n(),
        },
        13 => Step::DeleteRelationship { relationship: n() },
        14 => Step::DeleteNode { node: n() },
        _ => Step::DetachDeleteNode { node: n() },
    }
}

/// Finds the one of the expected graphs that it is.
fn check(graph: &PropertyGraph, expected: &Expected) -> Result<Model, String> {
    let report = graph.check();
    if let Some(problem) = report.problems.first() {
        return Err(format!("check: {problem}"));
    }
    let view = graph.view();
    let mut why = String::new();
    for model in expected.models.iter().rev() {
        match compare(&view, model) {
            Ok(()) => {
                check_snapshots(graph, expected)?;
                return Ok(model.clone());
            }
            Err(error) => why = error,
        }
    }
    Err(why)
}

fn check_snapshots(graph: &PropertyGraph, expected: &Expected) -> Result<(), String> {
    for (name, model) in &expected.snapshots {
        let view = graph.as_of(name).map_err(|error| error.to_string())?;
        compare(&view, model).map_err(|error| format!("snapshot {name}: {error}"))?;
    }
    Ok(())
}

impl Scenario for Workload {
    type Model = Expected;
    type Opened = Open;

    fn name(&self) -> &str {
        &self.name
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn config(&self) -> Config {
        Config::new(self.persistence).with_capacity(3 << 17)
    }

    fn create(&self, storage: &SimulatedStorage) -> Result<Open, String> {
        let graph = PropertyGraph::create_with(storage, options(), [7; 16], self.opening());
        let graph = graph.map_err(|error| error.to_string())?;
        if self.seed.is_multiple_of(2) {
            index(&graph).map_err(|error| error.to_string())?;
        }
        Ok(Open::new(graph))
    }

    fn open(
        &self,
        storage: &SimulatedStorage,
        access: Access,
        _: &Expected,
    ) -> Result<Option<Open>, String> {
        let opening = OpenOptions {
            read_only: access == Access::Reading,
            ..self.opening()
        };
        match PropertyGraph::open(storage, opening) {
            Ok((graph, _)) => Ok(Some(Open::new(graph))),
            Err(GraphError::Topology(TopologyError::Storage(StorageError::NotADatabase(_)))) => {
                Ok(None)
            }
            Err(error) => Err(error.to_string()),
        }
    }

    fn perform(
        &self,
        storage: &SimulatedStorage,
        mut open: Open,
        told: &mut Told<'_, '_, Expected>,
    ) -> Result<Open, String> {
        let performed = self.perform_one(storage, &mut open, told);
        // Many programs close cleanly after an error.
        let next = performed.inspect_err(|_| drop(open.graph.close()))?;
        Ok(next.unwrap_or(open))
    }

    fn is_over(&self, expected: &Expected) -> bool {
        expected.begun >= self.operations
    }

    fn compare(&self, open: &Open, expected: &Expected) -> Result<Expected, String> {
        let graph = &open.graph;
        let found = check(graph, expected)?;
        let rules = find_rules(graph, expected)?;
        let mut snapshots = expected.snapshots.clone();
        let named = expected.naming.iter();
        let named = named.filter(|name| graph.as_of(name).is_ok());
        snapshots.extend(named.map(|name| (name.clone(), found.clone())));
        Ok(Expected {
            models: vec![found],
            snapshots,
            naming: None,
            rules,
            changing: None,
            begun: expected.begun,
        })
    }

    fn afterlife(&self, _: &Expected) -> usize {
        3
    }
}

/// Seeds with the script, with and without an index, one without script, and one that
/// begins with groups: most mutants need one of them.
const SCRIPTED: [u64; 4] = [6, 3, 1, 5];

fn workloads(seed: u64, operations: u64) -> Vec<Workload> {
    let of_medium = |persistence: Persistence| Workload {
        name: format!("property-graph-{}", persistence.name()),
        seed,
        persistence,
        operations,
    };
    Persistence::ALL.map(of_medium).into()
}

fn suite() -> Suite<Workload> {
    Suite {
        name: "property-graph",
        scripted: || {
            SCRIPTED
                .into_iter()
                .flat_map(|seed| workloads(seed, 15))
                .collect()
        },
        of_seed: |seed, depth| match depth {
            Depth::Short => workloads(seed, 14),
            Depth::Deep => workloads(seed, 24),
        },
        seeds: 64,
        drawn: 1,
        fixed: &[],
        short: Budget {
            exhaustive: [10, 0, 0],
            sampled: [14, 0, 0],
            ..Budget::quick()
        },
        ends: 2,
        mutants: of_suite("property-graph"),
        killers: concat!(env!("CARGO_MANIFEST_DIR"), "/killers/property-graph.tsv").to_string(),
    }
}

#[test]
fn every_power_cut_is_recovered_from() {
    suite().cuts();
}

#[test]
fn every_end_of_a_process_is_recovered_from() {
    suite().ends();
}

#[test]
fn every_mutant_is_caught() {
    suite().mutants();
}

/// A constraint is made while a writer, which began before, violates it.
fn is_unique_beside_a_writer(writer: impl FnOnce()) -> bool {
    let config = Config::new(Persistence::Pages).with_capacity(1 << 18);
    let storage = SimulatedStorage::new(config);
    let graph = PropertyGraph::create(&storage, options(), [7; 16]).expect("created");
    let make = |own: &mut Transaction| own.create_node(&["Person"], [("name", "Ann".into())]);
    graph.write(make).expect("committed");
    let unique = Definition::of_nodes("unique", "Person", &["name"], Rule::Unique);
    writer();
    let mut early = graph.begin();
    make(&mut early).expect("nothing forbids it");
    std::thread::scope(|scope| {
        let (waits, hears) = std::sync::mpsc::channel();
        let graph = &graph;
        let defined = scope.spawn(move || {
            let told = move |_| {
                let _ = waits.send(());
            };
            let _armed = failpoint::Scope::calling("schema.waits-for-writers", told).enter();
            graph.define(&unique).is_ok()
        });
        // It tries again and again while the writer has not ended; the mutant is through.
        let _waits = hears.recv();
        early.commit().expect("committed");
        defined.join().expect("no panic")
    });
    graph.check().problems.is_empty()
}

#[test]
fn a_constraint_waits_for_writers_on_their_way() {
    assert!(is_unique_beside_a_writer(|| {}));
    let _armed = failpoint::Scope::armed("schema.not-locked").enter();
    assert!(!is_unique_beside_a_writer(|| {}), "the mutant survives");
}
