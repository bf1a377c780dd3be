//! Statements that are no queries: indexes, constraints, and lists of what there is.

use std::collections::BTreeMap;
use std::sync::Arc;

use evergraph_functions::functions::{self, Function};
use evergraph_interpreter::{Datum, Described, Parameters, Query, compiled_programs};
use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{
    Definition, DefinitionState, PropertyGraph, Rule, Subject, ValueType,
};
use evergraph_property_graph::value::Duration;
use evergraph_syntax::tree::{
    Command, CreateConstraint, CreateIndex, DataType, DefinitionName, Drop, Expression, IndexKind,
    Item, Listing, Name, Node, Projection, Requirement, Show, Span, Subject as Of,
};

use super::cell::Cell;
use super::copy::{copy_from, copy_to};
use super::definitions::{self, TYPES, Table};
use super::error::Error;
use super::options::Options;
use super::rows::{Rows, Summary};
use super::search_index::{self, SearchIndex};
use super::statement::Statement;
use crate::Database;

/// Whether a command changes the database.
pub(super) fn is_write(command: &Command) -> bool {
    !matches!(command, Command::Show(_) | Command::CopyTo(_))
}

/// Runs a command by itself.
pub(super) fn execute(
    db: &Database,
    command: &Command,
    statement: &Statement,
) -> Result<Rows, Error> {
    let bounds = statement.limits.begin();
    // Others that write are waited for within the bounds.
    let graph = &bounds.of_graph(db.property_graph()?);
    let done = match command {
        Command::CreateIndex(index) => create_index(db, graph, index, statement),
        Command::CreateConstraint(constraint) => {
            create_constraint(db, graph, constraint, statement)
        }
        Command::Drop(drop) => drop_named(db, graph, drop, statement),
        Command::Show(show) => list(db, show, statement),
        Command::CopyFrom(copy) => copy_from(graph, copy, statement),
        Command::CopyTo(copy) => copy_to(db, copy, statement),
    };
    done.map_err(|error| match bounds.check() {
        Err(end) if error.is_of_waiting() => Error::of_run(end, &statement.text, true),
        _ => error,
    })
}

fn done(summary: Summary) -> Result<Rows, Error> {
    Ok(Rows::ready(Arc::from([]), Vec::new(), summary))
}

/// The name of an index or a constraint.
///
/// # Errors
/// A parameter that is not given, or no text.
fn name_of(name: &DefinitionName, statement: &Statement) -> Result<String, Error> {
    match name {
        DefinitionName::Written(name) => Ok(name.text.clone()),
        DefinitionName::Parameter(name) => {
            let hint = "give it the name of the index or constraint";
            statement.text_of(&name.text, name.at, hint)
        }
    }
}

/// The name of one that is made, if it has one.
///
/// # Errors
/// As [`name_of`].
fn new_name(name: Option<&DefinitionName>, statement: &Statement) -> Result<Option<String>, Error> {
    name.map(|name| name_of(name, statement)).transpose()
}

fn create_index(
    db: &Database,
    graph: &PropertyGraph,
    index: &CreateIndex,
    statement: &Statement,
) -> Result<Rows, Error> {
    let name = new_name(index.name.as_ref(), statement)?;
    let mut options = Options::of(index.options.as_ref(), graph, statement)?;
    if index.kind != IndexKind::Range {
        let is_new = search_index::create(db, index, (name, options), &statement.text)?;
        return done(Summary {
            indexes_added: u64::from(is_new),
            ..Summary::default()
        });
    }
    options.take_provider("range")?;
    options.finish("indexProvider")?;
    search_index::refuse_name_of_one(db, name.as_deref().unwrap_or_default())?;
    let definition = definition(
        name,
        "index",
        &index.subject,
        &index.properties,
        Rule::Index,
    );
    let is_new = define(graph, &definition, index.if_not_exists)?;
    done(Summary {
        indexes_added: u64::from(is_new),
        ..Summary::default()
    })
}

fn create_constraint(
    db: &Database,
    graph: &PropertyGraph,
    constraint: &CreateConstraint,
    statement: &Statement,
) -> Result<Rows, Error> {
    let name = new_name(constraint.name.as_ref(), statement)?;
    search_index::refuse_name_of_one(db, name.as_deref().unwrap_or_default())?;
    let mut options = Options::of(constraint.options.as_ref(), graph, statement)?;
    options.take_provider("range")?;
    options.finish("indexProvider")?;
    let text = &statement.text;
    let (rule, what) = match &constraint.requirement {
        Requirement::Unique => (Rule::Unique, "unique"),
        Requirement::NotNull => (Rule::Exists, "exists"),
        Requirement::Key => (Rule::Key, "key"),
        Requirement::Type(of, at) => (Rule::Type(value_type(of, *at, text)?), "type"),
    };
    let definition = definition(
        name,
        what,
        &constraint.subject,
        &constraint.properties,
        rule,
    );
    let is_new = define(graph, &definition, constraint.if_not_exists)?;
    done(Summary {
        constraints_added: u64::from(is_new),
        ..Summary::default()
    })
}

fn define(
    graph: &PropertyGraph,
    definition: &Definition,
    if_not_exists: bool,
) -> Result<bool, Error> {
    let states = graph.definition_states();
    if if_not_exists {
        let is_index = |one: &Definition| one.rule == Rule::Index;
        let mut named = states.iter().filter(|(one, _)| one.name == definition.name);
        if let Some((one, _)) = named.find(|(one, _)| is_index(one) != is_index(definition)) {
            let what = if is_index(one) {
                "an index"
            } else {
                "a constraint"
            };
            let message = format!("there is {what} \"{}\" already", one.name);
            return Err(crate::Error::usage(message, "choose another name").into());
        }
        return Ok(graph.define_if_absent(definition)?);
    }
    let equivalent = states.iter().find(|(one, state)| {
        let is_there = !matches!(state, DefinitionState::Failed(_));
        is_there && one.name != definition.name && one.is_same_rule(definition)
    });
    if let Some((one, _)) = equivalent {
        let what = match one.rule {
            Rule::Index => "index",
            _ => "constraint",
        };
        let message = format!("there is an equivalent {what} already, \"{}\"", one.name);
        let hint = "leave this one out, or drop that one first; IF NOT EXISTS makes none";
        return Err(crate::Error::usage(message, hint).into());
    }
    Ok(graph.define(definition).map(|()| true)?)
}

fn value_type(of: &DataType, at: Span, text: &str) -> Result<ValueType, Error> {
    let simple = match &of.any_of[..] {
        [one] if one.element.is_none() && !one.not_null => Some(one.types),
        _ => None,
    };
    let found = TYPES.iter().find(|(types, _)| Some(*types) == simple);
    found.map(|(_, found)| *found).ok_or_else(|| {
        let names = TYPES.map(|(types, _)| types.to_string());
        Error::of_statement(
            "UnexpectedSyntax",
            format!("a property cannot be required to be {of}"),
            &format!("there are {}", names.join(", ")),
            text,
            &at.range(),
        )
    })
}

fn definition(
    name: Option<String>,
    what: &str,
    subject: &Of,
    properties: &[Name],
    rule: Rule,
) -> Definition {
    let of = subject.labels.first().map_or("", |name| &name.text);
    let keys: Vec<String> = properties.iter().map(|name| name.text.clone()).collect();
    let name = name.unwrap_or_else(|| format!("{what}_{of}_{}", keys.join("_")));
    Definition {
        name,
        subject: match subject.of_relationships {
            true => Subject::Relationships(of.to_string()),
            false => Subject::Nodes(of.to_string()),
        },
        keys,
        rule,
    }
}

fn drop_named(
    db: &Database,
    graph: &PropertyGraph,
    drop: &Drop,
    statement: &Statement,
) -> Result<Rows, Error> {
    let name = &name_of(&drop.name, statement)?;
    let states = graph.definition_states();
    let found = states.iter().find(|(one, _)| one.name == *name);
    if found.is_none()
        && !drop.is_constraint
        && let Some(beside) = SearchIndex::all(db)?.iter().find(|one| one.name == *name)
    {
        beside.remove(db)?;
        return done(Summary {
            indexes_removed: 1,
            ..Summary::default()
        });
    }
    let is_constraint = |one: &Definition| one.rule != Rule::Index;
    if let Some((one, _)) = found
        && is_constraint(one) != drop.is_constraint
    {
        let (is, other) = match drop.is_constraint {
            true => ("an index", "DROP INDEX"),
            false => ("a constraint", "DROP CONSTRAINT"),
        };
        return Err(Error::of_statement(
            "InvalidClauseComposition",
            format!("{name} is {is}"),
            &format!("write {other}"),
            &statement.text,
            &drop.name.at().range(),
        ));
    }
    let gone = match drop.if_exists {
        true => graph.drop_definition_if_exists(name)?,
        false => graph.drop_definition(name).map(|()| true)?,
    };
    let mut summary = Summary::default();
    match drop.is_constraint {
        true => summary.constraints_removed = u64::from(gone),
        false => summary.indexes_removed = u64::from(gone),
    }
    done(summary)
}

/// Columns that are shown only where `YIELD` asks for them, as in Neo4j.
const ONLY_YIELDED: [&str; 4] = [
    "trackedSince",
    "options",
    "failureMessage",
    "createStatement",
];

/// All columns, of the rows for which a condition holds.
fn all_columns(filter: Option<Expression>) -> Projection {
    Projection {
        distinct: false,
        all: true,
        items: Vec::new(),
        order: Vec::new(),
        skip: None,
        limit: None,
        filter,
        is_let: false,
    }
}

fn list(db: &Database, show: &Show, statement: &Statement) -> Result<Rows, Error> {
    if statement.as_of.is_some() {
        return Err(Error::refused(
            "AsOf",
            "SHOW lists what there is now: indexes, constraints and procedures of the past are \
             not kept",
            "leave AS OF (--as-of, :asof) out",
        ));
    }
    let graph = db.property_graph()?;
    let (columns, mut rows) = match show.listing {
        Listing::Indexes(of) => definitions::indexes(db, of)?,
        Listing::Constraints(of) => definitions::constraints(graph, of),
        Listing::Functions => (&FUNCTIONS[..], functions::all().map(function).collect()),
        Listing::Transactions => transactions(graph),
        Listing::CompiledQueries => compiled_queries(),
        Listing::Procedures => (
            &PROCEDURES[..],
            db.procedures().all().map(procedure).collect(),
        ),
    };
    let mut columns = columns.to_vec();
    if show.yielded.is_none() {
        let is_shown = |name: &&str| !ONLY_YIELDED.contains(name);
        for row in &mut rows {
            let mut names = columns.iter();
            row.retain(|_| names.next().is_none_or(is_shown));
        }
        columns.retain(is_shown);
    }
    let filtered = show.filter.clone().map(|filter| all_columns(Some(filter)));
    let Some(yielded) = show.yielded.as_ref().or(filtered.as_ref()) else {
        let cells = rows
            .into_iter()
            .map(|row| row.into_iter().map(Cell::Value).collect());
        let columns = columns.iter().map(|name| name.to_string()).collect();
        return Ok(Rows::ready(columns, cells.collect(), Summary::default()));
    };
    chosen(
        graph,
        (yielded, show.returned.as_ref()),
        &columns,
        rows,
        statement,
    )
}

/// `YIELD` and `RETURN` of a list are `WITH` and `RETURN` of a query over its rows.
fn chosen(
    graph: &PropertyGraph,
    (yielded, returned): (&Projection, Option<&Projection>),
    columns: &[&str],
    rows: Vec<Vec<Value>>,
    statement: &Statement,
) -> Result<Rows, Error> {
    for item in &yielded.items {
        let is_column =
            matches!(&item.value.node, Node::Variable(name) if columns.contains(&&**name));
        if !is_column {
            return Err(Error::of_statement(
                "UndefinedVariable",
                format!("there is no column {} here", item.written),
                &format!("there are {}", columns.join(", ")),
                &statement.text,
                &item.value.at.range(),
            ));
        }
    }
    let items = columns
        .iter()
        .map(|name| format!("row.`{name}` AS `{name}`"));
    let items: Vec<String> = items.collect();
    // In the order in which they are written; `*` would sort them.
    let all = columns.iter().filter(|_| yielded.all).copied();
    let names: Vec<&str> = all.chain(yielded.items.iter().map(Item::name)).collect();
    let names = names.iter().map(|name| Item {
        value: Expression {
            node: Node::Variable(name.to_string()),
            at: Span::default(),
        },
        alias: None,
        written: Box::from(*name),
    });
    let mut returned = returned.cloned().unwrap_or_else(|| all_columns(None));
    if std::mem::take(&mut returned.all) {
        returned.items.splice(0..0, names);
    }
    let text = format!(
        "UNWIND $rows AS row WITH {} WITH {yielded} RETURN {returned}",
        items.join(", "),
    );
    let entries = rows.into_iter().map(|row| {
        let entries = columns.iter().map(|name| Arc::from(*name)).zip(row);
        Value::Map(Arc::new(entries.collect::<BTreeMap<Arc<str>, Value>>()))
    });
    let rows = Datum::Value(Value::List(entries.collect()));
    let mut parameters: Parameters = statement.parameters.data().clone();
    parameters.insert("rows".to_string(), rows);
    let of_query = |error| Error::of_query(error, &text);
    let query = Query::prepare(graph, &text).map_err(of_query)?;
    let found = query.read(&graph.view(), &parameters).map_err(of_query)?;
    Ok(Rows::of_view(found, graph.view()))
}

/// Code of this process, of all its databases.
fn compiled_queries() -> Table {
    let columns = &["query", "terms", "bytes", "compilation", "batches", "rows"];
    let integer = |number: u64| Value::from(i64::try_from(number).unwrap_or(i64::MAX));
    let rows = compiled_programs().into_iter().map(|one| {
        let seconds = i64::try_from(one.time.as_secs()).unwrap_or(i64::MAX);
        let time = Duration::new(0, 0, seconds, one.time.subsec_nanos());
        vec![
            (&*one.text).into(),
            integer(one.terms as u64),
            integer(one.bytes as u64),
            time.map_or(Value::Null, Value::Duration),
            integer(one.calls),
            integer(one.rows),
        ]
    });
    (columns, rows.collect())
}

const FUNCTIONS: [&str; 4] = ["name", "category", "signature", "description"];

fn function(function: &Function) -> Vec<Value> {
    vec![
        function.signature.name.into(),
        format!("{:?}", function.category).into(),
        function.signature.to_string().into(),
        function.description.into(),
    ]
}

const PROCEDURES: [&str; 4] = ["name", "description", "mode", "signature"];

fn procedure(procedure: Described<'_>) -> Vec<Value> {
    let mode = match procedure.signature.writes {
        true => "WRITE",
        false => "READ",
    };
    vec![
        procedure.name.into(),
        procedure.description.into(),
        mode.into(),
        format!("{}{}", procedure.name, procedure.signature).into(),
    ]
}

fn transactions(graph: &PropertyGraph) -> Table {
    let columns = &[
        "transactionId",
        "name",
        "isolation",
        "snapshot",
        "elapsedMilliseconds",
        "locks",
    ];
    let active = graph.active_transactions().into_iter();
    let rows = active.map(|one| {
        vec![
            Value::Integer(one.id.0.cast_signed()),
            one.name.map_or(Value::Null, Value::Text),
            format!("{:?}", one.isolation).into(),
            Value::Integer(one.snapshot.cast_signed()),
            Value::Integer(i64::try_from(one.age.as_millis()).unwrap_or(i64::MAX)),
            Value::Integer(i64::try_from(one.locks).unwrap_or(i64::MAX)),
        ]
    });
    (columns, rows.collect())
}
