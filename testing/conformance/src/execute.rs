//! What executing a scenario gives, against what the kit expects.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use evergraph_functions::{Datum, Entities, ReadError};
use evergraph_interpreter::{
    Execution, Limits, Options, Parameters, Procedures, Query, QueryError,
};
use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{
    Entity, GraphOptions, NodeId, OpenOptions, PropertyGraph, RelationshipId, Transaction,
};
use evergraph_storage::Storage;
use evergraph_storage::medium::{DramStorage, EmulatedStorage, FileStorage};

use crate::scenario::{Expected, ExpectedError, Graph, Outcome, Phase, Rows, Scenario};
use crate::signature::Procedure;
use crate::value::Shown;

/// Medium of a scenario's graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Medium {
    /// Memory.
    Dram,
    /// Memory that counts what is read. The graph is opened anew behind the setup, so that
    /// queries read records and lists from the medium.
    Emulated,
    /// Files in a directory of their own; opened anew, too.
    File,
}

/// What is wrong with what executing a scenario gives, if something is.
pub fn fault(scenario: &Scenario, execution: Execution, medium: Medium) -> Option<String> {
    let ran = std::panic::catch_unwind(|| run_on(scenario, execution, medium));
    match ran {
        Ok(Ok(())) => None,
        Ok(Err(fault)) => Some(fault),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| text.to_string()));
            Some(format!("a panic: {}", text.unwrap_or_default()))
        }
    }
}

fn run_on(scenario: &Scenario, execution: Execution, medium: Medium) -> Result<(), String> {
    let dram = DramStorage::new();
    match medium {
        Medium::Dram => run(scenario, execution, &dram, false),
        Medium::Emulated => {
            let emulated = EmulatedStorage::new(Arc::new(dram), None);
            run(scenario, execution, &emulated, true)
        }
        Medium::File => {
            let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
            let files = FileStorage::create(directory.path());
            let files = files.map_err(|error| error.to_string())?;
            run(scenario, execution, &files, true)
        }
    }
}

fn run(
    scenario: &Scenario,
    execution: Execution,
    storage: &dyn Storage,
    is_reopened: bool,
) -> Result<(), String> {
    let graph = PropertyGraph::create(storage, GraphOptions::default(), [1; 16]);
    let mut graph = graph.map_err(|error| error.to_string())?;
    let mut parameters = Parameters::new();
    for (name, text) in &scenario.parameters {
        let shown = Shown::read(text).map_err(|rest| format!("parameter {name}: {rest}"))?;
        parameters.insert(name.clone(), shown.datum());
    }
    let mut procedures = Procedures::new();
    for procedure in &scenario.procedures {
        register(&mut procedures, procedure)?;
    }
    let options = Options {
        procedures,
        parameters: Some(parameters.keys().cloned().collect()),
        limits: Limits {
            execution,
            ..Limits::default()
        },
        ..Options::default()
    };
    let mut setup = scenario.setup.clone();
    if let Graph::Named(name) = &scenario.graph {
        setup.insert(0, crate::graph(name).map_err(|error| error.to_string())?);
    }
    for text in &setup {
        let done = Query::prepare_with(&graph, text, options.clone())
            .and_then(|query| query.execute(&graph, &parameters));
        done.map_err(|error| format!("{text}\nsetup: {error}"))?;
    }
    if is_reopened {
        graph.checkpoint().map_err(|error| error.to_string())?;
        drop(graph);
        let opened = PropertyGraph::open(storage, OpenOptions::default());
        graph = opened.map_err(|error| error.to_string())?.0;
    }
    for expected in &scenario.queries {
        let done = query(&graph, expected, &options, &parameters);
        done.map_err(|fault| format!("{}\n{fault}", expected.query))?;
    }
    Ok(())
}

fn register(procedures: &mut Procedures, procedure: &Procedure) -> Result<(), String> {
    let inputs = procedure.signature.inputs.len();
    let mut table = Vec::new();
    for row in &procedure.rows {
        let row = row.iter().map(|cell| Ok(Shown::read(cell)?.datum()));
        table.push(row.collect::<Result<Vec<Datum>, String>>()?);
    }
    let signature = procedure.signature.clone();
    procedures.register(&procedure.name, "", signature, move |_, arguments| {
        let fits = |row: &&Vec<Datum>| {
            let pairs = row[..inputs].iter().zip(arguments);
            pairs
                .into_iter()
                .all(|(cell, argument)| cell == argument || cell.equals(argument) == Some(true))
        };
        let rows = table.iter().filter(fits);
        Ok(rows.map(|row| row[inputs..].to_vec()).collect::<Vec<_>>())
    });
    Ok(())
}

fn query(
    graph: &PropertyGraph,
    expected: &Expected,
    options: &Options,
    parameters: &Parameters,
) -> Result<(), String> {
    let prepared = Query::prepare_with(graph, &expected.query, options.clone());
    let prepared = match (prepared, &expected.outcome) {
        (Err(error), Outcome::Error(wanted)) => return compare_errors(&error, wanted),
        (Err(error), _) => return Err(format!("is refused: {error}")),
        (Ok(prepared), _) => prepared,
    };
    let mut transaction = graph.begin();
    let before = State::of(&transaction)?;
    let rows = prepared.run(&mut transaction, parameters);
    let rows = match (rows, &expected.outcome) {
        (Err(error), Outcome::Error(wanted)) => return compare_errors(&error, wanted),
        (Err(error), _) => return Err(format!("fails: {error}")),
        (Ok(_), Outcome::Error(wanted)) => {
            return Err(format!(
                "succeeds, and does not fail: {} {}",
                wanted.class, wanted.detail
            ));
        }
        (Ok(rows), _) => rows,
    };
    let columns = rows.columns().to_vec();
    let entities = InTransaction(&transaction);
    let mut shown = Vec::new();
    for row in rows {
        let row = row.iter().map(|datum| Shown::of(datum, &entities));
        shown.push(row.collect::<Result<Vec<_>, _>>()?);
    }
    match &expected.outcome {
        Outcome::Rows(wanted) => compare_rows(&columns, shown, wanted)?,
        _ if shown.is_empty() => {}
        _ => return Err(format!("has {} rows, and should have none", shown.len())),
    }
    if let Some(wanted) = &expected.side_effects {
        let after = State::of(&transaction)?;
        compare_effects(&before, &after, wanted)?;
    }
    transaction
        .commit()
        .map_err(|error| format!("commit: {error}"))?;
    Ok(())
}

fn compare_errors(error: &QueryError, wanted: &ExpectedError) -> Result<(), String> {
    let phase = match wanted.phase {
        Phase::CompileTime => error.is_of_compile_time(),
        Phase::Runtime => !error.is_of_compile_time(),
        Phase::Any => true,
    };
    let is_named = wanted.detail == "*" || error.detail() == wanted.detail;
    match phase && is_named && error.class() == wanted.class {
        true => Ok(()),
        false => Err(format!(
            "fails by {} {} ({}), and not {} {} ({:?}): {error}",
            error.class(),
            error.detail(),
            if error.is_of_compile_time() {
                "compile time"
            } else {
                "runtime"
            },
            wanted.class,
            wanted.detail,
            wanted.phase
        )),
    }
}

fn compare_rows(columns: &[String], found: Vec<Vec<Shown>>, wanted: &Rows) -> Result<(), String> {
    if columns != wanted.columns {
        return Err(format!(
            "has columns {columns:?}, and not {:?}",
            wanted.columns
        ));
    }
    let mut expected = Vec::new();
    for row in &wanted.rows {
        let row = row.iter().map(|cell| Shown::read(cell));
        expected.push(row.collect::<Result<Vec<_>, _>>()?);
    }
    let mut found = found;
    if !wanted.are_lists_ordered {
        for rows in [&mut found, &mut expected] {
            for row in rows {
                let taken = std::mem::take(row);
                *row = taken.into_iter().map(Shown::unordered).collect();
            }
        }
    }
    if !wanted.is_ordered {
        found.sort();
        expected.sort();
    }
    match found == expected {
        true => Ok(()),
        false => Err(format!(
            "gives\n{}and not\n{}",
            lines(&found),
            lines(&expected)
        )),
    }
}

fn lines(rows: &[Vec<Shown>]) -> String {
    rows.iter().map(|row| format!("  {row:?}\n")).collect()
}

/// What the kit counts in a graph.
#[derive(Default)]
struct State {
    nodes: BTreeSet<u32>,
    relationships: BTreeSet<u32>,
    labels: BTreeSet<String>,
    properties: BTreeSet<String>,
}

impl State {
    fn of(transaction: &Transaction) -> Result<Self, String> {
        let mut state = State::default();
        for node in transaction.nodes() {
            let node = node.map_err(|error| error.to_string())?;
            let id = node.id().0;
            state.nodes.insert(id);
            state
                .labels
                .extend(node.labels().iter().map(|label| label.to_string()));
            let properties = node.properties();
            let properties = properties.map(|(key, value)| format!("node {id} {key} {value:?}"));
            state.properties.extend(properties);
        }
        for relationship in transaction.relationships() {
            let relationship = relationship.map_err(|error| error.to_string())?;
            let id = relationship.id().0;
            state.relationships.insert(id);
            let properties = relationship.properties();
            let properties = properties.map(|(key, value)| format!("edge {id} {key} {value:?}"));
            state.properties.extend(properties);
        }
        Ok(state)
    }
}

fn compare_effects(before: &State, after: &State, wanted: &[(String, u64)]) -> Result<(), String> {
    let mut found: BTreeMap<String, u64> = BTreeMap::new();
    let mut count = |name: &str, added: usize, removed: usize| {
        for (sign, number) in [("+", added), ("-", removed)] {
            if number > 0 {
                found.insert(format!("{sign}{name}"), number as u64);
            }
        }
    };
    fn differ<T: Ord>(one: &BTreeSet<T>, other: &BTreeSet<T>) -> usize {
        one.difference(other).count()
    }
    let (b, a) = (before, after);
    count(
        "nodes",
        differ(&a.nodes, &b.nodes),
        differ(&b.nodes, &a.nodes),
    );
    let (one, other) = (&a.relationships, &b.relationships);
    count("relationships", differ(one, other), differ(other, one));
    count(
        "labels",
        differ(&a.labels, &b.labels),
        differ(&b.labels, &a.labels),
    );
    count(
        "properties",
        differ(&a.properties, &b.properties),
        differ(&b.properties, &a.properties),
    );
    let wanted: BTreeMap<String, u64> = wanted
        .iter()
        .filter(|(_, count)| *count > 0)
        .cloned()
        .collect();
    match found == wanted {
        true => Ok(()),
        false => Err(format!("has the effects {found:?}, and not {wanted:?}")),
    }
}

/// Nodes and relationships of a transaction; what it deleted as it was before.
struct InTransaction<'a>(&'a Transaction);

impl Entities for InTransaction<'_> {
    fn labels(&self, node: NodeId) -> Result<Vec<Arc<str>>, ReadError> {
        let found = match self.0.node(node)? {
            Some(node) => Some(node),
            None => self.0.snapshot().node(node)?,
        };
        Ok(found.map(|node| node.labels()).unwrap_or_default())
    }

    fn relationship_type(&self, relationship: RelationshipId) -> Result<Arc<str>, ReadError> {
        let found = match self.0.relationship(relationship)? {
            Some(found) => Some(found),
            None => self.0.snapshot().relationship(relationship)?,
        };
        Ok(found.map(|found| found.kind()).unwrap_or_default())
    }

    fn ends(&self, relationship: RelationshipId) -> Result<(NodeId, NodeId), ReadError> {
        let found = match self.0.relationship(relationship)? {
            Some(found) => Some(found),
            None => self.0.snapshot().relationship(relationship)?,
        };
        let found = found.ok_or("a relationship that is nowhere")?;
        Ok((found.source(), found.target()))
    }

    fn property(&self, entity: Entity, key: &str) -> Result<Value, ReadError> {
        Ok(self.0.property(entity, key)?.unwrap_or_default())
    }

    fn properties(&self, entity: Entity) -> Result<BTreeMap<Arc<str>, Value>, ReadError> {
        let owned = |(key, value): (Arc<str>, &Value)| (key, value.clone());
        Ok(match entity {
            Entity::Node(id) => {
                let found = match self.0.node(id)? {
                    Some(found) => Some(found),
                    None => self.0.snapshot().node(id)?,
                };
                found
                    .iter()
                    .flat_map(|node| node.properties().map(owned))
                    .collect()
            }
            Entity::Relationship(id) => {
                let found = match self.0.relationship(id)? {
                    Some(found) => Some(found),
                    None => self.0.snapshot().relationship(id)?,
                };
                found
                    .iter()
                    .flat_map(|one| one.properties().map(owned))
                    .collect()
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Execution, Medium, fault};
    use crate::features;
    use crate::scenario::{Outcome, Scenario};

    /// The first scenario whose query has such an outcome.
    fn scenario(is_such: impl Fn(&Scenario) -> bool) -> Scenario {
        let features = features().expect("the kit is read");
        let mut all = features.into_iter().flat_map(|feature| feature.scenarios);
        all.find(is_such).expect("there is one")
    }

    fn interpreted(scenario: &Scenario) -> Option<String> {
        fault(scenario, Execution::Interpret, Medium::Dram)
    }

    #[test]
    fn other_rows_are_a_fault() {
        let has_rows = |one: &Scenario| match &one.queries[0].outcome {
            Outcome::Rows(rows) => !rows.rows.is_empty(),
            _ => false,
        };
        let mut changed = scenario(has_rows);
        assert_eq!(interpreted(&changed), None);
        if let Outcome::Rows(rows) = &mut changed.queries[0].outcome {
            rows.rows[0][0] = "'another'".into();
        }
        assert!(
            interpreted(&changed)
                .expect("other rows")
                .contains("and not")
        );
    }

    #[test]
    fn other_effects_are_a_fault() {
        let has_effects = |one: &Scenario| {
            let effects = one.queries[0].side_effects.as_ref();
            effects.is_some_and(|effects| !effects.is_empty())
        };
        let mut changed = scenario(has_effects);
        assert_eq!(interpreted(&changed), None);
        changed.queries[0].side_effects = Some(Vec::new());
        assert!(
            interpreted(&changed)
                .expect("other effects")
                .contains("has the effects")
        );
    }

    #[test]
    fn another_error_and_none_are_a_fault() {
        let fails = |one: &Scenario| matches!(one.queries[0].outcome, Outcome::Error(_));
        let mut changed = scenario(fails);
        assert_eq!(interpreted(&changed), None);
        if let Outcome::Error(error) = &mut changed.queries[0].outcome {
            error.detail = "Another".into();
        }
        assert!(
            interpreted(&changed)
                .expect("another error")
                .contains("and not")
        );
        changed.queries[0].query = "RETURN 1".into();
        assert!(
            interpreted(&changed)
                .expect("no error")
                .contains("succeeds")
        );
    }
}
