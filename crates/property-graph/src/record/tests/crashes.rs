//! Tables and their dictionary in a store that is cut off anywhere: what commits
//! did is there, now and as of every named snapshot, and nothing else is.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::dictionary::{Dictionary, Names};
use crate::record::{Geometry, NodeRecord, RelationshipRecord, Table};
use crate::value::{Properties, Value};
use evergraph_simulated::mutants::of_suite;
use evergraph_simulated::{
    Access, Budget, Config as SimulatedConfig, Depth, FaultKind, FaultPlan, Persistence,
    PlannedFailure, Random, Scenario, SimulatedStorage, Steps, Suite, Told,
};
use evergraph_storage::order::Flushed;
use evergraph_storage::{Needed, StorageError};
use evergraph_topology::extension::{Place, StoreExtension};
use evergraph_topology::{Batch, Config, Store, TopologyError, Tuning};

const GEOMETRY: Geometry = Geometry {
    records_per_chunk: 2,
    most_records: 16,
    // Some columns lie in the core.
    inside_bytes: 64,
    // Some values lie in extents of their own.
    large_bytes: 64,
};

/// Extension of the store.
struct Parts {
    dictionary: Arc<Dictionary>,
    nodes: Table<NodeRecord>,
    relationships: Table<RelationshipRecord>,
}

impl Parts {
    fn new() -> Arc<Self> {
        let dictionary = Arc::new(Dictionary::new(0));
        Arc::new(Parts {
            nodes: Table::new(GEOMETRY, 1, Arc::clone(&dictionary)),
            relationships: Table::new(GEOMETRY, 2, Arc::clone(&dictionary)),
            dictionary,
        })
    }
}

/// A commit's payload: assignments of names, then records.
fn payload(parts: &Parts, changes: &[Change]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let part = |bytes: &mut Vec<u8>, content: &[u8]| {
        bytes.extend_from_slice(&(content.len() as u32).to_le_bytes());
        bytes.extend_from_slice(content);
    };
    for change in changes {
        let name = format!("key {}", change.number % 3);
        let key = parts
            .dictionary
            .promise(Names::Keys, &name)
            .expect("few keys");
        let label = format!("label {}", change.number % 2);
        let label = parts
            .dictionary
            .promise(Names::Labels, &label)
            .expect("few labels");
        for (names, code) in [(Names::Keys, key), (Names::Labels, label)] {
            if let Some(name) = parts.dictionary.uncommitted(names, code) {
                bytes.push(names as u8);
                bytes.extend_from_slice(&code.to_le_bytes());
                part(&mut bytes, name.as_bytes());
            }
        }
        bytes.push(10 + u8::from(change.is_there));
        bytes.extend_from_slice(&change.id.to_le_bytes());
        bytes.extend_from_slice(&label.to_le_bytes());
        let mut properties = Vec::new();
        let content: Properties = [(key, value(change.number))].into_iter().collect();
        content.encode(&mut properties).expect("not deep");
        part(&mut bytes, &properties);
    }
    bytes
}

fn value(number: u32) -> Value {
    let text = match number % 6 {
        0 => "repeats".to_string(),
        2 => "repeats, too".to_string(),
        4 => "x".repeat(number as usize % 60),
        // In an extent of its own.
        _ => "long".repeat(20 + number as usize % 9),
    };
    Value::from(vec![Value::from(text), Value::from(number)])
}

/// Takes a payload apart.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> &'a [u8] {
        self.0.split_off(..count).expect("what was attached")
    }

    fn word(&mut self) -> u32 {
        u32::from_le_bytes(self.take(4).try_into().expect("four bytes"))
    }

    fn part(&mut self) -> &'a [u8] {
        let len = self.word() as usize;
        self.take(len)
    }
}

impl StoreExtension for Parts {
    fn apply(&self, csn: u64, payloads: &[&[u8]], needed: &Needed) -> Result<(), StorageError> {
        for payload in payloads {
            let mut reader = Reader(payload);
            while !reader.0.is_empty() {
                let (tag, first) = (reader.take(1)[0], reader.word());
                if let Some(names) = Names::from_number(tag) {
                    let name = std::str::from_utf8(reader.part()).expect("a name");
                    self.dictionary.apply(csn, names, first, name)?;
                    continue;
                }
                let label = reader.word();
                let properties = Properties::decode(reader.part()).expect("properties");
                let node = NodeRecord {
                    labels: vec![label],
                    properties: properties.clone(),
                };
                let relationship = RelationshipRecord {
                    kind: 0,
                    source: first,
                    target: first + 1,
                    properties,
                };
                let is_there = tag == 11;
                self.nodes
                    .apply(csn, first, is_there.then_some(node), needed)?;
                // A relationship for each second node, with the same properties.
                if first.is_multiple_of(2) {
                    let relationship = is_there.then_some(relationship);
                    self.relationships
                        .apply(csn, first / 2, relationship, needed)?;
                }
            }
        }
        Ok(())
    }

    fn unmerged_since(&self) -> Option<u64> {
        let since = [
            self.dictionary.unmerged_since(),
            self.nodes.unmerged_since(),
            self.relationships.unmerged_since(),
        ];
        since.into_iter().flatten().min()
    }

    fn unmerged_bytes(&self) -> usize {
        self.nodes.unmerged_bytes()
            + self.relationships.unmerged_bytes()
            + self.dictionary.unmerged_bytes()
    }

    fn write(
        &self,
        csn: u64,
        needed: &Needed,
        place: &mut Place<'_>,
    ) -> Result<Vec<Flushed<()>>, StorageError> {
        let mut flushed = self.nodes.write(csn, needed, place)?;
        flushed.extend(self.relationships.write(csn, needed, place)?);
        flushed.extend(self.dictionary.write(csn, place)?);
        Ok(flushed)
    }

    fn publishing(&self) {
        self.nodes.publishing();
        self.relationships.publishing();
    }

    fn published(&self, needed: &dyn Fn() -> Needed) {
        self.dictionary.published();
        self.nodes.published(needed);
        self.relationships.published(needed);
    }

    fn abandoned(&self) {
        self.dictionary.abandoned();
        self.nodes.abandoned();
        self.relationships.abandoned();
    }

    fn restore(&self, place: &mut Place<'_>) -> Result<(), StorageError> {
        self.dictionary.restore(place)?;
        self.nodes.restore(place)?;
        self.relationships.restore(place)
    }

    fn check(&self, csn: u64, problems: &mut Vec<String>) {
        self.dictionary.check(problems);
        self.nodes.check(csn, problems);
    }
}

/// Content of a node from a commit on; numbers tell contents apart.
#[derive(Clone, Copy, Debug)]
struct Change {
    id: u32,
    is_there: bool,
    number: u32,
}

#[derive(Clone, Debug)]
enum Step {
    Commit(Vec<Change>),
    Checkpoint,
    Snapshot(u32),
    DropSnapshot(u32),
    Restart,
}

type Moment = BTreeMap<u32, u32>;

#[derive(Clone, Debug, Default, PartialEq)]
struct Model {
    now: Moment,
    snapshots: BTreeMap<String, Moment>,
}

impl Model {
    fn perform(&mut self, step: &Step) {
        match step {
            Step::Commit(changes) => {
                for change in changes {
                    match change.is_there {
                        true => self.now.insert(change.id, change.number),
                        false => self.now.remove(&change.id),
                    };
                }
            }
            Step::Snapshot(number) => {
                self.snapshots
                    .insert(format!("s{number}"), self.now.clone());
            }
            Step::DropSnapshot(number) => drop(self.snapshots.remove(&format!("s{number}"))),
            Step::Checkpoint | Step::Restart => {}
        }
    }

    fn after(steps: &[Step]) -> Self {
        let mut model = Model::default();
        steps.iter().for_each(|step| model.perform(step));
        model
    }
}

/// A random workload.
struct Records {
    name: String,
    seed: u64,
    persistence: Persistence,
    steps: Vec<Step>,
    /// How many of them the workload runs; recoveries run some of the others.
    planned: usize,
}

impl Records {
    fn new(persistence: Persistence, seed: u64, planned: usize) -> Self {
        let mut random = Random::new(seed);
        let (mut names, mut kept, mut numbers) = (0, Vec::new(), 0);
        let mut step = || match random.below(12) {
            0..=5 => {
                let mut changes: Vec<Change> = Vec::new();
                for _ in 0..1 + random.below(3) {
                    numbers += 1;
                    let id = random.below(6) as u32;
                    if changes.iter().all(|change| change.id != id) {
                        changes.push(Change {
                            id,
                            is_there: random.below(3) > 0,
                            number: numbers,
                        });
                    }
                }
                Step::Commit(changes)
            }
            6..=7 => Step::Checkpoint,
            8..=9 => {
                names += 1;
                kept.push(names);
                Step::Snapshot(names)
            }
            10 if !kept.is_empty() => {
                let at = random.below(kept.len() as u64) as usize;
                Step::DropSnapshot(kept.remove(at))
            }
            _ => Step::Restart,
        };
        let medium = persistence.name();
        Records {
            name: format!("records-{medium}"),
            seed,
            persistence,
            steps: (0..planned + 6).map(|_| step()).collect(),
            planned,
        }
    }

    fn perform_one(
        &self,
        storage: &SimulatedStorage,
        opened: Opened,
        step: &Step,
    ) -> Result<Opened, TopologyError> {
        let (store, parts) = &opened;
        let mut batch = Batch::new();
        batch.at(0);
        match step {
            Step::Checkpoint => store.checkpoint()?,
            Step::DropSnapshot(number) => store.drop_snapshots(&[&format!("s{number}")])?,
            Step::Restart => {
                store.close()?;
                drop(opened);
                return open(storage, false);
            }
            Step::Commit(changes) => {
                batch.add_payload(payload(parts, changes));
                store.commit(batch)?;
            }
            Step::Snapshot(number) => {
                let _ = batch.create_snapshot(&format!("s{number}"), Some(0));
                store.commit(batch)?;
            }
        }
        Ok(opened)
    }
}

type Opened = (Store, Arc<Parts>);

fn create(storage: &SimulatedStorage) -> Result<Opened, String> {
    let config = Config {
        section_shift: 1,
        log_bytes: 4096,
        extent_alignment: 64,
        growth_step: 2048,
        ..Config::default()
    };
    let parts = Parts::new();
    let attachment: Arc<dyn StoreExtension> = parts.clone();
    let store =
        Store::create_with_extension(storage, config, [9; 16], Tuning::default(), attachment);
    let store = store.map_err(|error| format!("create: {error}"))?;
    Ok((store, parts))
}

fn open(storage: &SimulatedStorage, read_only: bool) -> Result<Opened, TopologyError> {
    let parts = Parts::new();
    let attachment: Arc<dyn StoreExtension> = parts.clone();
    let (store, _) = Store::open_with_extension(storage, read_only, Tuning::default(), attachment)?;
    Ok((store, parts))
}

/// The numbers of all nodes as of a commit, by scan, by look-up, and by the
/// relationships that have the same.
fn moment(parts: &Parts, csn: u64) -> Result<Moment, TopologyError> {
    let mut moment = Moment::new();
    for id in 0..GEOMETRY.most_records {
        if let Some(node) = parts.nodes.get(id, csn)? {
            moment.insert(id, number_of(parts, &node.properties, Some(&node.labels)));
        }
        let relationship = parts.relationships.get(id, csn)?;
        let same = relationship.map(|of| (of.source, number_of(parts, &of.properties, None)));
        let node = parts.nodes.get(2 * id, csn)?;
        let number = node.map(|node| (2 * id, number_of(parts, &node.properties, None)));
        assert_eq!(same, number, "relationship {id} and its source");
    }
    let mut scanned = Vec::new();
    for chunk in 0..parts.nodes.chunk_count() {
        let _ = parts.nodes.for_each_in_chunk(chunk, csn, |id, _| {
            scanned.push(id);
            ControlFlow::Continue(())
        })?;
    }
    assert_eq!(scanned, moment.keys().copied().collect::<Vec<_>>());
    let mut in_columns = Moment::new();
    for number in 0..parts.nodes.chunk_count() {
        let Some(chunk) = parts.nodes.chunk_at(number, csn)? else {
            continue;
        };
        for at in (0..GEOMETRY.records_per_chunk).filter(|at| chunk.has(*at)) {
            for key in 0..3 {
                let column = chunk.column(key, usize::MAX)?.expect("it is read");
                if let Value::List(list) = column.get(at as usize)? {
                    let id = number * GEOMETRY.records_per_chunk + at;
                    in_columns.insert(id, list[1].as_integer().expect("a number") as u32);
                }
            }
        }
    }
    assert_eq!(in_columns, moment, "columns as of {csn}");
    Ok(moment)
}

/// The number that content was made from; it names its key and its label, too.
fn number_of(parts: &Parts, properties: &Properties, labels: Option<&[u32]>) -> u32 {
    let (key, content) = properties.iter().next().expect("one property");
    let number = content.as_list().expect("a list")[1]
        .as_integer()
        .expect("a number") as u32;
    assert_eq!(*content, value(number));
    let name = |names, code| parts.dictionary.name(names, code).expect("a name");
    assert_eq!(*name(Names::Keys, key), *format!("key {}", number % 3));
    for &label in labels.unwrap_or_default() {
        assert_eq!(
            *name(Names::Labels, label),
            *format!("label {}", number % 2)
        );
    }
    number
}

fn observe((store, parts): &Opened) -> Result<Model, TopologyError> {
    let mut model = Model {
        now: moment(parts, store.register().csn())?,
        ..Model::default()
    };
    for snapshot in store.snapshots() {
        let token = store.register_at(snapshot.csn)?;
        model
            .snapshots
            .insert(snapshot.name, moment(parts, token.csn())?);
    }
    Ok(model)
}

impl Scenario for Records {
    type Model = Steps;
    type Opened = Opened;

    fn name(&self) -> &str {
        &self.name
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn config(&self) -> SimulatedConfig {
        SimulatedConfig::new(self.persistence).with_capacity(256 << 10)
    }

    fn create(&self, storage: &SimulatedStorage) -> Result<Opened, String> {
        create(storage)
    }

    fn open(
        &self,
        storage: &SimulatedStorage,
        access: Access,
        _: &Steps,
    ) -> Result<Option<Opened>, String> {
        match open(storage, access == Access::Reading) {
            Ok(opened) => Ok(Some(opened)),
            Err(TopologyError::Storage(StorageError::NotADatabase(_))) => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }

    fn perform(
        &self,
        storage: &SimulatedStorage,
        opened: Opened,
        told: &mut Told<'_, '_, Steps>,
    ) -> Result<Opened, String> {
        let Some(step) = self.steps.get(told.model().begun) else {
            return Ok(opened);
        };
        told.steps(1, || {
            self.perform_one(storage, opened, step)
                .map_err(|error| format!("{step:?}: {error}"))
        })
    }

    fn is_over(&self, steps: &Steps) -> bool {
        steps.begun >= self.planned
    }

    fn compare(&self, opened: &Opened, expected: &Steps) -> Result<Steps, String> {
        if let Some(problem) = opened.0.check().problems.first() {
            return Err(format!("check: {problem}"));
        }
        let found = observe(opened).map_err(|error| format!("reading: {error}"))?;
        let model = |steps: usize| Model::after(&self.steps[..steps]);
        expected
            .latest(|steps| model(steps) == found)
            .ok_or_else(|| {
                let most = model(expected.begun);
                format!("found {found:?}, expected {expected:?}, at most {most:?}")
            })
    }

    fn used_bytes(&self, opened: &Opened) -> Option<u64> {
        Some(opened.0.stats().extent_bytes)
    }
}

fn suite() -> Suite<Records> {
    Suite {
        name: "records",
        scripted: Vec::new,
        of_seed: |seed, depth| {
            let steps = match depth {
                Depth::Short => 12,
                Depth::Deep => 24,
            };
            Persistence::ALL
                .map(|medium| Records::new(medium, seed, steps))
                .into()
        },
        seeds: 48,
        drawn: 3,
        fixed: &[],
        short: Budget {
            executions: 6_000,
            exhaustive: [200, 8, 0],
            sampled: [60, 4, 0],
            sources: [2, 0],
        },
        ends: 4,
        mutants: of_suite("records"),
        killers: concat!(env!("CARGO_MANIFEST_DIR"), "/killers/records.tsv").to_string(),
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

/// Each write and each growth of a checkpoint fails in turn: nothing is lost, and
/// the next checkpoint or opening has all of it.
#[test]
fn a_checkpoint_that_fails_changes_nothing() {
    let mut failures = 0;
    for seed in 1..=3 {
        for call in 0..24 {
            for grows in [false, true] {
                failures += fail_checkpoints(seed, call, grows).unwrap();
            }
        }
    }
    // A growth that fails is tried again with what is needed.
    assert!(failures > 30, "{failures} calls failed");
}

/// Exactly `steps` steps are there.
fn compare(records: &Records, opened: &Opened, steps: usize) -> Result<(), String> {
    let exactly = Steps {
        done: steps,
        begun: steps,
    };
    records.compare(opened, &exactly).map(drop)
}

/// How many checkpoints failed.
fn fail_checkpoints(seed: u64, call: u64, grows: bool) -> Result<usize, String> {
    let records = Records::new(Persistence::Pages, seed, 16);
    let storage = SimulatedStorage::new(records.config());
    let text = |error: TopologyError| format!("seed {seed}, call {call}: {error}");
    let mut opened = create(&storage)?;
    let mut failures = 0;
    for (number, step) in records.steps.iter().enumerate() {
        if !matches!(step, Step::Checkpoint) {
            opened = records.perform_one(&storage, opened, step).map_err(text)?;
            continue;
        }
        let calls = storage.calls();
        let failure = |made: u64| Some(PlannedFailure::once(made + call, FaultKind::NoSpace));
        storage.plan(match grows {
            true => FaultPlan {
                fail_grow: failure(calls.grows),
                ..FaultPlan::default()
            },
            false => FaultPlan {
                fail_write: failure(calls.writes),
                ..FaultPlan::default()
            },
        });
        let failed = opened.0.checkpoint().is_err();
        storage.plan(FaultPlan::default());
        compare(&records, &opened, number)?;
        failures += usize::from(failed);
        // After a failed publication either slot may be the newest: only opening goes on.
        if failed && opened.0.checkpoint().is_err() {
            drop(opened);
            opened = open(&storage, false).map_err(text)?;
        }
        compare(&records, &opened, number + 1)?;
    }
    let (used, end) = (opened.0.stats().extent_bytes, records.steps.len());
    drop(opened);
    let again = open(&storage, true).map_err(text)?;
    assert_eq!(again.0.stats().extent_bytes, used);
    compare(&records, &again, end).map(|()| failures)
}
