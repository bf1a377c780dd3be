//! `CALL algo.NAME(config)`: the algorithms of the registry, each as procedures that give
//! the values of nodes or edges, that give the summary, and that write values to nodes.

use std::sync::{Arc, Weak};

use evergraph_analytics::Session;
use evergraph_analytics::run::{
    self, Algorithm, Fact, Holds, Outcome, StreamColumn, StreamValue, algorithms,
};
use evergraph_interpreter::{Datum, ProcedureContext, ProcedureRows, Procedures};
use evergraph_property_graph::Value;
use evergraph_syntax::scope::{Signature, Type};

use super::config::{Config, camel};
use crate::{Control, Error};

/// What a procedure does with a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// Gives the values.
    Stream,
    /// Gives the summary.
    Stats,
    /// Writes the values to the nodes, or the edges as relationships.
    Write,
}

impl Mode {
    fn suffix(self) -> &'static str {
        match self {
            Mode::Stream => "",
            Mode::Stats => ".stats",
            Mode::Write => ".write",
        }
    }

    fn signature(self, algorithm: &Algorithm) -> Signature {
        let outputs = match self {
            Mode::Stream => algorithm.columns.iter().map(typed).collect(),
            Mode::Stats => SUMMARY.map(named).to_vec(),
            Mode::Write => {
                let names = ["nodePropertiesWritten", "relationshipsWritten"];
                let written = of_written(algorithm, names).map(|name| (name, Type::Integer));
                written.chain(SUMMARY).map(named).collect()
            }
        };
        Signature {
            inputs: vec![("config".to_string(), Type::Map)],
            optional: usize::from(self != Mode::Write),
            outputs,
            writes: self == Mode::Write,
        }
    }

    fn description(self, algorithm: &Algorithm) -> String {
        let computes = algorithm.computes;
        match self {
            Mode::Stream => {
                let names = algorithm
                    .all_parameters()
                    .map(|parameter| camel(parameter.name));
                let names: Vec<String> = names.collect();
                format!("{}. Parameters: {}.", sentence(computes), names.join(", "))
            }
            Mode::Stats => format!("Summary: {computes}."),
            Mode::Write if has_nodes(algorithm) => {
                format!("Written to the nodes as writeProperty: {computes}.")
            }
            Mode::Write => {
                format!("Written as relationships of writeRelationshipType: {computes}.")
            }
        }
    }
}

/// Of one for nodes and one for relationships those that an algorithm can write.
fn of_written<T>(algorithm: &Algorithm, [nodes, edges]: [T; 2]) -> impl Iterator<Item = T> {
    let nodes = has_nodes(algorithm).then_some(nodes);
    nodes
        .into_iter()
        .chain(has_edges(algorithm).then_some(edges))
}

/// Whether it gives each node a value.
pub(super) fn has_nodes(algorithm: &Algorithm) -> bool {
    let mut columns = algorithm.columns.iter();
    columns.any(|column| column.holds == Holds::Node)
}

/// Whether it gives edges or walks.
pub(super) fn has_edges(algorithm: &Algorithm) -> bool {
    let mut columns = algorithm.columns.iter();
    columns.any(|column| matches!(column.holds, Holds::Source | Holds::Nodes))
}

/// With a capital letter.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

const SUMMARY: [(&str, Type); 4] = [
    ("nodeCount", Type::Integer),
    ("relationshipCount", Type::Integer),
    ("computeMillis", Type::Integer),
    ("result", Type::Map),
];

fn named((name, of): (&str, Type)) -> (String, Type) {
    (name.to_string(), of)
}

fn typed(column: &StreamColumn) -> (String, Type) {
    let of = match column.holds {
        Holds::Node | Holds::Other | Holds::Source | Holds::Target => Type::Node,
        Holds::Number => Type::Number,
        Holds::Flag => Type::Boolean,
        Holds::Group | Holds::Position => Type::Integer,
        Holds::Nodes => Type::List(Box::new(Type::Node)),
    };
    (column.name.to_string(), of)
}

/// Registers every algorithm, and the aliases.
pub(super) fn register(procedures: &mut Procedures, session: &Arc<Session>) {
    for algorithm in algorithms() {
        for mode in [Mode::Stream, Mode::Stats, Mode::Write] {
            let called = |name: &str| format!("algo.{}{}", camel(name), mode.suffix());
            let name = called(algorithm.name);
            let session = Arc::downgrade(session);
            procedures.register(
                &name,
                &mode.description(algorithm),
                mode.signature(algorithm),
                move |context, arguments| call(&session, (algorithm, mode), context, arguments),
            );
            for alias in algorithm.aliases {
                procedures.register_alias(&called(alias), &name);
            }
        }
    }
}

fn call(
    session: &Weak<Session>,
    (algorithm, mode): (&'static Algorithm, Mode),
    context: &ProcedureContext<'_, '_>,
    arguments: &[Datum],
) -> Result<ProcedureRows, evergraph_functions::ReadError> {
    let session = opened(session)?;
    let view = context.view().ok_or_else(|| {
        Error::usage(
            "algorithms read what is committed, and this transaction has changed the graph before",
            "commit first, or call it before the first change",
        )
    })?;
    let limits = context.limits();
    let mut config = Config::of(algorithm, mode, arguments.first())?;
    config.request.threads.get_or_insert(limits.threads);
    config.request.memory_limit = u64::try_from(limits.memory).ok();
    let mut control = Control::new().with_cancellation(&limits.cancellation);
    if let Some(deadline) = context.deadline() {
        control = control.with_deadline(deadline);
    }
    let outcome = run::run_if_any(&session, &view.moment(), &config.request, &control, None)?;
    let outcome = outcome.map(verified).transpose()?;
    Ok(match mode {
        Mode::Stream => match outcome.and_then(|outcome| outcome.stream(algorithm.columns)) {
            Some(rows) => ProcedureRows::new(rows.map(data)),
            None => Vec::new().into(),
        },
        Mode::Stats => vec![summary(outcome.as_ref())].into(),
        Mode::Write => {
            let facts = summary(outcome.as_ref());
            let (nodes, relationships) = match (outcome, &config.write_type) {
                (None, _) => (0, 0),
                (Some(outcome), Some(kind)) => {
                    let key = config.write_property.as_deref();
                    (0, write_edges(context, outcome, algorithm, (kind, key))?)
                }
                (Some(outcome), None) => {
                    let key = config.write_property.as_deref().unwrap_or_default();
                    (write(context, &outcome, key)?, 0)
                }
            };
            let written = of_written(algorithm, [nodes, relationships]).map(whole);
            vec![written.chain(facts).collect::<Vec<Datum>>()].into()
        }
    })
}

/// The session, as long as it is open.
pub(super) fn opened(session: &Weak<Session>) -> Result<Arc<Session>, Error> {
    let session = session.upgrade();
    session.ok_or_else(|| Error::usage("the database is closed", "open it again"))
}

/// A result that the verifier has not found to be wrong.
fn verified(outcome: Outcome) -> Result<Outcome, Error> {
    match &outcome.verified {
        Some(Err(problem)) => Err(Error::usage(
            format!("the verifier found the result to be wrong: {problem}"),
            "`evergraph check` tells whether the database is sound",
        )),
        _ => Ok(outcome),
    }
}

fn data(row: Vec<StreamValue>) -> Vec<Datum> {
    let row = row.into_iter().map(|value| match value {
        StreamValue::Node(node) => Datum::Node(node),
        StreamValue::Nodes(nodes) => Datum::list(nodes.into_iter().map(Datum::Node).collect()),
        StreamValue::Value(value) => Datum::Value(value),
    });
    row.collect()
}

/// Gives the nodes their values; those without one lose the property. How many have it.
fn write(
    context: &ProcedureContext<'_, '_>,
    outcome: &Outcome,
    key: &str,
) -> Result<u64, evergraph_functions::ReadError> {
    let values = outcome.values_of_nodes().ok_or_else(|| {
        Error::usage(
            format!(
                "this result of {} is not one value of each node",
                outcome.algorithm
            ),
            "take its rows, and SET what is to be kept",
        )
    })?;
    let mut written = 0;
    for (at, (node, value)) in values.enumerate() {
        if at % 1024 == 0 {
            context.check()?;
        }
        written += u64::from(value != Value::Null);
        context.set(node, key, value)?;
    }
    Ok(written)
}

/// Makes a relationship of each edge, with its number as the property; of a walk one of each
/// step, with the number of the walk from 0. How many.
fn write_edges(
    context: &ProcedureContext<'_, '_>,
    outcome: Outcome,
    algorithm: &Algorithm,
    (kind, key): (&str, Option<&str>),
) -> Result<u64, evergraph_functions::ReadError> {
    let what = outcome.algorithm;
    let mut written = 0;
    for (at, row) in outcome
        .stream(algorithm.columns)
        .into_iter()
        .flatten()
        .enumerate()
    {
        let (mut ends, mut number) = (Vec::new(), Value::Null);
        for (column, value) in algorithm.columns.iter().zip(row) {
            match (column.holds, value) {
                (Holds::Source | Holds::Target, StreamValue::Node(node)) => ends.push(node),
                (Holds::Number, StreamValue::Value(value)) => number = value,
                (Holds::Nodes, StreamValue::Nodes(nodes)) => {
                    ends = nodes;
                    number = Value::Integer(at as i64);
                }
                _ => {}
            }
        }
        if ends.is_empty() {
            let hint = "name a property: writeProperty: 'score', without writeRelationshipType";
            let message = format!("this result of {what} has no edges");
            return Err(Error::usage(message, hint).into());
        }
        let property = key.map(|key| (key, number));
        for step in ends.windows(2) {
            if written % 1024 == 0 {
                context.check()?;
            }
            context.create_relationship((step[0], kind, step[1]), property.as_slice())?;
            written += 1;
        }
    }
    Ok(written)
}

fn whole(number: u64) -> Datum {
    Datum::Value(Value::Integer(number.cast_signed()))
}

/// The columns of [`SUMMARY`]; of a graph without nodes, nothing was computed.
fn summary(outcome: Option<&Outcome>) -> Vec<Datum> {
    let Some(outcome) = outcome else {
        let nothing = Value::Map(Arc::default());
        return vec![whole(0), whole(0), whole(0), Datum::Value(nothing)];
    };
    let mut facts = outcome.result.iter();
    let has_iterations = facts.any(|(name, _)| *name == "iterations");
    let facts = outcome.result.iter();
    let facts = facts.map(|(name, fact)| (Arc::from(camel(name)), of_fact(fact)));
    let iterations = outcome.iterations.filter(|_| !has_iterations);
    let iterations = iterations.map(|count| {
        let count = Value::Integer(count.cast_signed());
        (Arc::from("iterations"), count)
    });
    let result = Value::Map(Arc::new(facts.chain(iterations).collect()));
    vec![
        whole(outcome.vertices),
        whole(outcome.edges),
        whole((outcome.seconds * 1000.0) as u64),
        Datum::Value(result),
    ]
}

fn of_fact(fact: &Fact) -> Value {
    match fact {
        Fact::Whole(number) | Fact::Id(number) => Value::Integer(number.cast_signed()),
        Fact::Real(number) => Value::Float(*number),
        Fact::Flag(is_so) => Value::Boolean(*is_so),
        Fact::Text(text) => Value::Text(text.as_str().into()),
        Fact::Names(names) => names.iter().map(of_fact).collect(),
        Fact::Counts(counts) => {
            let pair = |(from, count): &(u64, u64)| -> Value {
                [from, count]
                    .map(|number| Value::Integer(number.cast_signed()))
                    .into_iter()
                    .collect()
            };
            counts.iter().map(pair).collect()
        }
    }
}
