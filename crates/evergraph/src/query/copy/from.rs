//! Rows of a file to nodes or relationships, in one transaction.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use evergraph_interpreter::QueryError;
use evergraph_io::interchange::BadRow;
use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{GraphError, NodeId, PropertyGraph, Transaction};
use evergraph_syntax::nearest;
use evergraph_syntax::tree::CopyFrom;

use super::super::cell::Cell;
use super::super::error::Error;
use super::super::rows::{Rows, Summary};
use super::super::statement::Statement;
use super::columnar;
use super::lookup::{Lookup, id_of};
use super::options::{Format, Options, file};
use super::source::{Column, Source, SourceError, SourceRow, Table};
use super::to::delimiter;
use crate::rejects::RejectsFile;

/// Rows between two looks at the limits.
const AT_ONCE: u64 = 1024;

/// What a `COPY ... FROM` asks for.
struct Plan {
    /// Label or type.
    name: String,
    path: PathBuf,
    format: Format,
    table: Table,
    /// Columns that become properties; all if `None`.
    properties: Option<Vec<String>>,
    /// Bad rows are left out.
    ignores_errors: bool,
    rejects: Option<PathBuf>,
    what: What,
}

/// What the rows become.
enum What {
    Nodes {
        key: Option<String>,
        on_conflict: OnConflict,
    },
    Relationships([End; 2]),
}

/// What becomes of a row whose key is there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OnConflict {
    Error,
    Skip,
    Update,
}

/// An end of relationships: the nodes, and the column that has their keys.
struct End {
    label: String,
    key: String,
    column: Option<String>,
}

impl Plan {
    fn of(copy: &CopyFrom, statement: &Statement) -> Result<Self, Error> {
        let path = file(&copy.file, statement)?;
        let mut options = Options::of(&copy.options, statement)?;
        let format = options.format(&path)?;
        let is_table = matches!(format, Format::Csv | Format::Tsv);
        let mut table = Table {
            delimiter: delimiter(&mut options, format)?,
            ..Table::default()
        };
        if is_table {
            table.header = options.flag("header", true)?;
            table.quotes = options.flag("quotes", true)?;
            table.skip = options.number("skip")?.unwrap_or(0);
            table.null = options.texts("null")?.unwrap_or_default();
            table.columns = options.texts("columns")?;
            table.types = options.pairs("types")?;
        }
        let ignores_errors = options.flag("ignore_errors", false)?;
        table.samples = ignores_errors;
        let ends = [options.key("from")?, options.key("to")?];
        let columns = [options.text("from_column")?, options.text("to_column")?];
        let key = options.text("key")?;
        let on_conflict = options.text("on_conflict")?;
        let plan = Plan {
            name: copy.name.text.clone(),
            properties: options.texts("properties")?,
            ignores_errors,
            rejects: options.text("rejects")?.map(PathBuf::from),
            what: what(ends, columns, key, on_conflict)?,
            path,
            format,
            table,
        };
        options.finish()?;
        if is_table && !plan.table.header && plan.table.columns.is_none() {
            return Err(Error::of_file(
                "without a header nothing says what the columns are called",
                "name them: (header false, columns ['id', 'name'])",
            ));
        }
        if let (What::Nodes { key: Some(key), .. }, Some(names)) = (&plan.what, &plan.properties)
            && !names.contains(key)
        {
            return Err(Error::of_file(
                format!("the key {key} is none of the properties that are stored"),
                "name it among the properties: later rows are held to it",
            ));
        }
        if plan.rejects.is_some() && !plan.ignores_errors {
            return Err(Error::of_file(
                "rejects are the rows that ignore_errors leaves out",
                "write (ignore_errors, rejects 'file.csv')",
            ));
        }
        Ok(plan)
    }

    fn source(&self, ask: &dyn Fn() -> Result<(), Error>) -> Result<Source, Error> {
        match self.format {
            Format::Csv | Format::Tsv => Source::table(&self.path, &self.table, ask),
            Format::JsonLines => Source::json_lines(&self.path),
            Format::Json => Source::json(&self.path),
            Format::Parquet => columnar::read(&self.path),
        }
    }
}

fn what(
    ends: [Option<(String, String)>; 2],
    columns: [Option<String>; 2],
    key: Option<String>,
    on_conflict: Option<String>,
) -> Result<What, Error> {
    let wrong = |what: &str, hint: &str| Err(Error::of_file(what, hint));
    let [from_column, to_column] = columns;
    let end = |(label, key): (String, String), column| End { label, key, column };
    match ends {
        [None, None] if from_column.is_some() || to_column.is_some() => wrong(
            "columns of ends are of relationships",
            "say which nodes they are: (from Person.id, to Person.id)",
        ),
        [None, None] => {
            let on_conflict = match on_conflict.as_deref() {
                None | Some("error") => OnConflict::Error,
                Some("skip") => OnConflict::Skip,
                Some("update") => OnConflict::Update,
                Some(_) => return wrong("on_conflict is error, skip or update", "choose one"),
            };
            if key.is_none() && on_conflict != OnConflict::Error {
                return wrong(
                    "nothing tells which nodes are the same",
                    "name their key: (key id)",
                );
            }
            Ok(What::Nodes { key, on_conflict })
        }
        [Some(_), Some(_)] if key.is_some() || on_conflict.is_some() => wrong(
            "relationships have no key",
            "leave key and on_conflict out: each row makes one",
        ),
        [Some(from), Some(to)] => Ok(What::Relationships([
            end(from, from_column),
            end(to, to_column),
        ])),
        _ => wrong(
            "relationships have two ends",
            "name both: (from Person.id, to Person.id)",
        ),
    }
}

/// Reads a file into the graph: all of its rows, or, if one of them cannot be, none.
pub(in super::super) fn copy_from(
    graph: &PropertyGraph,
    copy: &CopyFrom,
    statement: &Statement,
) -> Result<Rows, Error> {
    let plan = Plan::of(copy, statement)?;
    let begin = Instant::now();
    let ask = || {
        let limits = &statement.limits;
        let stopped = match limits.timeout {
            _ if limits.cancellation.is_cancelled() => QueryError::Cancelled,
            Some(timeout) if begin.elapsed() >= timeout => QueryError::Timeout(timeout),
            _ => return Ok(()),
        };
        Err(Error::of_run(stopped, statement.text(), true))
    };
    let mut done = None;
    let committed = graph.write(|transaction| {
        let copied = Copying::run(graph, transaction, &plan, &ask);
        done = Some(copied.map_err(|error| GraphError::User(Box::new(error)))?);
        Ok(())
    });
    match (committed, done) {
        (Ok(()), Some(copied)) => Ok(copied),
        (Err(GraphError::User(error)), _) => Err(match error.downcast::<Error>() {
            Ok(error) => *error,
            Err(error) => GraphError::User(error).into(),
        }),
        (Err(error), _) => Err(error.into()),
        (Ok(()), None) => Ok(Rows::ready(Arc::from([]), Vec::new(), Summary::default())),
    }
}

/// A file that is being read into a transaction.
struct Copying<'c> {
    plan: &'c Plan,
    file: Arc<str>,
    transaction: &'c mut Transaction,
    /// Of the key of nodes, or of both ends of relationships.
    lookups: Vec<Lookup>,
    /// The columns of the ends of relationships.
    ends: Vec<String>,
    /// Columns whose values become what keys are in the graph, with their lookups.
    converted: Vec<(String, usize)>,
    summary: Summary,
    /// Names of properties in the order in which they come, and the types of their values.
    seen: Vec<(Arc<str>, BTreeSet<&'static str>)>,
    rejects: Option<RejectsFile>,
}

/// Why a row was not taken.
enum Refused {
    /// With its values, if it could be read and they are wanted; else an empty text.
    Bad(BadRow, String),
    Failed(Error),
}

impl From<GraphError> for Refused {
    fn from(error: GraphError) -> Self {
        Refused::Failed(error.into())
    }
}

impl<'c> Copying<'c> {
    fn run(
        graph: &PropertyGraph,
        transaction: &'c mut Transaction,
        plan: &'c Plan,
        ask: &dyn Fn() -> Result<(), Error>,
    ) -> Result<Rows, Error> {
        let mut source = plan.source(ask)?;
        let rejects = plan.rejects.as_deref();
        let rejects = rejects.map(|path| RejectsFile::create(path, [plan.path.as_path()], false));
        let mut copying = Copying {
            plan,
            file: plan.path.display().to_string().into(),
            lookups: lookups(graph, transaction, plan)?,
            ends: Vec::new(),
            converted: Vec::new(),
            transaction,
            summary: Summary::default(),
            seen: Vec::new(),
            rejects: rejects.transpose()?,
        };
        copying.check_columns(&source)?;
        copying.convert_keys(&mut source.columns);
        for (count, row) in (0_u64..).zip(source.rows.by_ref()) {
            if count.is_multiple_of(AT_ONCE) {
                ask()?;
            }
            let taken = match row {
                Ok(row) => copying.take(row),
                Err(SourceError::Bad(bad)) => Err(Refused::Bad(bad, String::new())),
                Err(SourceError::Broken(error)) => Err(Refused::Failed(error)),
            };
            match taken {
                Ok(()) => {}
                Err(Refused::Bad(bad, values)) => copying.leave_out(&bad, &values)?,
                Err(Refused::Failed(error)) => return Err(error),
            }
        }
        Ok(copying.report(&source))
    }

    /// Refuses names of columns that the file does not have, and finds those of the ends.
    fn check_columns(&mut self, source: &Source) -> Result<(), Error> {
        let names: Vec<&str> = source.columns.iter().map(|column| &*column.name).collect();
        let check = |name: &str| match names.is_empty() || names.contains(&name) {
            true => Ok(()),
            false => {
                let near = nearest(name, names.iter().copied());
                let meant = near.map_or(String::new(), |near| format!(": did you mean {near}?"));
                Err(Error::of_file(
                    format!("{}: there is no column {name}{meant}", self.file),
                    &format!("there are {}", names.join(", ")),
                ))
            }
        };
        self.plan
            .properties
            .iter()
            .flatten()
            .try_for_each(|name| check(name))?;
        let ends = match &self.plan.what {
            What::Nodes { key, .. } => return key.iter().try_for_each(|key| check(key)),
            What::Relationships(ends) => ends,
        };
        let keys = [&*ends[0].key, &*ends[1].key];
        let are_there = keys[0] != keys[1] && keys.iter().all(|key| names.contains(key));
        let usual = match (are_there || names.is_empty(), &names[..]) {
            (true, _) => keys,
            (false, [from, to, ..]) => [*from, *to],
            (false, _) => {
                let what = format!(
                    "{}: relationships need two columns for their ends",
                    self.file
                );
                return Err(Error::of_file(what, "check the delimiter"));
            }
        };
        let named = |at: usize| ends[at].column.as_deref().unwrap_or(usual[at]);
        let found = [named(0).to_string(), named(1).to_string()];
        found.iter().try_for_each(|name| check(name))?;
        if found[0] == found[1] && ends.iter().any(|end| end.column.is_none()) {
            let what = format!("both ends are called {} here", found[0]);
            let hint = "name their columns: (from_column a, to_column b)";
            return Err(Error::of_file(what, hint));
        }
        self.ends = found.to_vec();
        Ok(())
    }

    /// Gives columns of keys whose types were guessed the types that these have in the graph.
    fn convert_keys(&mut self, columns: &mut [Column]) {
        let keys = match &self.plan.what {
            What::Nodes { key, .. } => key.iter().cloned().collect(),
            What::Relationships(_) => self.ends.clone(),
        };
        for (at, name) in keys.into_iter().enumerate() {
            let column = columns.iter_mut().find(|column| column.name == name);
            if let Some(column) = column.filter(|column| column.is_guessed)
                && let Some(kind) = self.lookups[at].type_name()
                && column.kind != kind
            {
                column.kind = kind.to_string();
                self.converted.push((name, at));
            }
        }
    }

    fn take(&mut self, mut row: SourceRow) -> Result<(), Refused> {
        for (column, at) in &self.converted {
            let lookup = &self.lookups[*at];
            let mut values = row.values.iter_mut();
            let Some((_, value)) = values.find(|(name, _)| **name == **column) else {
                continue;
            };
            let Some(key) = lookup.as_key(value) else {
                let problem = format!(
                    "{} of {} is an integer in the graph, and not {value}",
                    lookup.key, lookup.label
                );
                return Err(self.bad(&row, Some(column), problem));
            };
            *value = key;
        }
        let plan = self.plan;
        match &plan.what {
            What::Nodes { key, on_conflict } => self.node(row, key.as_deref(), *on_conflict),
            What::Relationships(_) => self.relationship(row),
        }
    }

    fn node(
        &mut self,
        row: SourceRow,
        key: Option<&str>,
        on_conflict: OnConflict,
    ) -> Result<(), Refused> {
        let mut own = None;
        if let Some(key) = key {
            let value = self.key_of(&row, key)?;
            if let Some(known) = self.lookups[0].find(self.transaction, &value)? {
                return match on_conflict {
                    OnConflict::Error => {
                        let problem = format!(
                            "there is a {} with this key, {value}, in the graph or in a row before",
                            self.plan.name
                        );
                        Err(self.bad(&row, Some(key), problem))
                    }
                    OnConflict::Skip => Ok(()),
                    OnConflict::Update => self.update(known, row),
                };
            }
            own = Some(value);
        }
        let properties = self.properties(row, &[]);
        let borrowed = properties
            .iter()
            .map(|(name, value)| (&**name, value.clone()));
        let node = self.transaction.create_node(&[&self.plan.name], borrowed)?;
        self.summary.counters.nodes_created += 1;
        self.summary.counters.labels_added += 1;
        self.summary.counters.properties_set += properties.len() as u64;
        if let Some(value) = own {
            self.lookups[0].add(&value, node);
        }
        Ok(())
    }

    fn update(&mut self, node: NodeId, row: SourceRow) -> Result<(), Refused> {
        for (name, value) in self.properties(row, &[]) {
            self.transaction.set(node, &name, value)?;
            self.summary.counters.properties_set += 1;
        }
        Ok(())
    }

    fn relationship(&mut self, row: SourceRow) -> Result<(), Refused> {
        let columns = self.ends.clone();
        let mut nodes = [NodeId(0); 2];
        for (at, column) in columns.iter().enumerate() {
            let value = self.key_of(&row, column)?;
            let lookup = &self.lookups[at];
            nodes[at] = match lookup.find(self.transaction, &value)? {
                Some(node) => node,
                None => {
                    let problem = format!(
                        "there is no {} whose {} is {value}",
                        lookup.label, lookup.key
                    );
                    return Err(self.bad(&row, Some(column), problem));
                }
            };
        }
        let properties = self.properties(row, &columns);
        let borrowed = properties
            .iter()
            .map(|(name, value)| (&**name, value.clone()));
        let [from, to] = nodes;
        self.transaction
            .create_relationship(from, &self.plan.name, to, borrowed)?;
        self.summary.counters.relationships_created += 1;
        self.summary.counters.properties_set += properties.len() as u64;
        Ok(())
    }

    /// The values that become properties.
    fn properties(&mut self, row: SourceRow, but: &[String]) -> Vec<(Arc<str>, Value)> {
        let mut values = row.values;
        values.retain(|(name, _)| match &self.plan.properties {
            Some(chosen) => chosen.iter().any(|other| **other == **name),
            None => !but.iter().any(|other| **other == **name),
        });
        for (name, value) in &values {
            let kind = value.type_name();
            match self.seen.iter_mut().find(|(known, _)| known == name) {
                Some((_, kinds)) => drop(kinds.insert(kind)),
                None => self.seen.push((Arc::clone(name), BTreeSet::from([kind]))),
            }
        }
        values
    }

    /// The key in a row.
    fn key_of(&self, row: &SourceRow, column: &str) -> Result<Value, Refused> {
        let found = row.values.iter().find(|(name, _)| **name == *column);
        match found {
            Some((_, value)) if id_of(value).is_some() => Ok(value.clone()),
            Some((_, value)) => {
                let problem = format!("a key is an integer or a text, and not {value}");
                Err(self.bad(row, Some(column), problem))
            }
            None => Err(self.bad(row, Some(column), "the key is missing".to_string())),
        }
    }

    fn bad(&self, row: &SourceRow, column: Option<&str>, problem: String) -> Refused {
        let bad = BadRow {
            file: Arc::clone(&self.file),
            line: row.line,
            column: column.map(Arc::from),
            problem,
        };
        let values = self.rejects.as_ref().map(|_| row.to_json());
        Refused::Bad(bad, values.unwrap_or_default())
    }

    fn leave_out(&mut self, bad: &BadRow, values: &str) -> Result<(), Error> {
        if !self.plan.ignores_errors {
            let hint =
                "nothing was copied; repair the file, or leave such rows out: (ignore_errors)";
            return Err(Error::of_file(bad.to_string(), hint));
        }
        self.summary.rows_skipped += 1;
        if let Some(rejects) = &mut self.rejects {
            let (line, column) = (bad.line.to_string(), bad.column.as_deref().unwrap_or(""));
            rejects.write([&*bad.file, &line, column, &bad.problem, values])?;
        }
        Ok(())
    }

    /// A row for each property: its name, its type, and whether that was guessed.
    fn report(self, source: &Source) -> Rows {
        let is_copied = |name: &str| match &self.plan.properties {
            Some(chosen) => chosen.iter().any(|other| other == name),
            None => !self.ends.iter().any(|other| other == name),
        };
        let row = |name: &str, kind: &str, is_guessed: bool| {
            let row: [Value; 3] = [name.into(), kind.into(), is_guessed.into()];
            row.into_iter().map(Cell::Value).collect()
        };
        let rows: Vec<Vec<Cell>> = match source.columns.is_empty() {
            false => {
                let columns = source
                    .columns
                    .iter()
                    .filter(|column| is_copied(&column.name));
                columns
                    .map(|column| row(&column.name, &column.kind, column.is_guessed))
                    .collect()
            }
            true => {
                let seen = self.seen.iter();
                seen.map(|(name, kinds)| {
                    let kinds: Vec<&str> = kinds.iter().copied().collect();
                    row(name, &kinds.join(" | "), false)
                })
                .collect()
            }
        };
        let columns = ["property", "type", "guessed"].map(str::to_string);
        Rows::ready(Arc::from(columns), rows, self.summary)
    }
}

fn lookups(
    graph: &PropertyGraph,
    transaction: &Transaction,
    plan: &Plan,
) -> Result<Vec<Lookup>, Error> {
    let of = |label: &str, key: &str| Lookup::of(graph, transaction, label, key);
    let found: Result<Vec<Lookup>, GraphError> = match &plan.what {
        What::Nodes { key, .. } => key.iter().map(|key| of(&plan.name, key)).collect(),
        What::Relationships(ends) => {
            for end in ends {
                check_end(transaction, end)?;
            }
            ends.iter().map(|end| of(&end.label, &end.key)).collect()
        }
    };
    Ok(found?)
}

/// Refuses a label or a key that nothing has.
fn check_end(transaction: &Transaction, end: &End) -> Result<(), Error> {
    let view = transaction.snapshot();
    crate::property::known_label(view, &end.label)?;
    Ok(crate::property::known_keys(
        view,
        std::slice::from_ref(&end.key),
    )?)
}
