//! Reading the rows of a table as nodes and relationships.

use std::collections::VecDeque;
use std::io::BufRead;
use std::sync::Arc;

use evergraph_property_graph::Value;

use crate::interchange::csv::records::{Field, Outcome, Records};
use crate::interchange::csv::{integer_id, value};
use crate::interchange::error::Problem;
use crate::interchange::types::shown;
use crate::interchange::{
    Contents, ExternalId, Id, InterchangeError, NodeRow, PropertyType, RelationshipRow, Row,
    RowReader, Scalar, Standing,
};

use super::header::{begin, is_null};
use super::lists::elements;
use super::plan::{
    EndPlan, KeyPlan, NamePlan, NodePlan, Plan, PropertyPlan, RelationshipPlan, TableFile,
};

type Properties = Vec<(Arc<str>, Value)>;

/// Reads a file of a mapping. A row gives its node, if the table has any, and then its
/// relationships; what is wrong with one of them is a bad row, and the others are
/// given. Without its node a row gives none of the relationships of that node.
pub struct TableReader<R> {
    file: Arc<str>,
    records: Records<R>,
    plan: Arc<Plan>,
    /// Rows of the current record that were not returned yet.
    waiting: VecDeque<(Result<Row, Problem>, Standing)>,
    standing: Standing,
    done: bool,
}

impl<R: BufRead> TableReader<R> {
    /// Reads what stands before the rows. `file` is what messages call the input.
    ///
    /// # Errors
    /// [`InterchangeError::Unreadable`] if the file has other columns than when the
    /// mapping was held against it; [`InterchangeError::Input`].
    pub fn new(file: &str, input: R, table: &TableFile) -> Result<Self, InterchangeError> {
        let file: Arc<str> = file.into();
        let plan = table.plan.clone();
        let (records, columns) = begin(&file, input, &plan.format)?;
        if columns != plan.columns {
            let problem = Problem::new("the header has changed while the file was read");
            return Err(InterchangeError::Unreadable(
                problem.row(&file, records.line()),
            ));
        }
        Ok(TableReader {
            file,
            records,
            plan,
            waiting: VecDeque::new(),
            standing: Standing::default(),
            done: false,
        })
    }

    /// Appends the rows of the current record to `waiting`.
    fn take(&mut self) -> Result<(), Problem> {
        let (found, expected) = (self.records.field_count(), self.plan.columns.len());
        if found != expected {
            return Err(Problem::new(format!(
                "{found} columns, expected {expected}"
            )));
        }
        let record = Record {
            records: &self.records,
            plan: &self.plan,
        };
        let mut own = None;
        if let Some(node) = &self.plan.node {
            match record.node(node) {
                Ok(None) => {}
                Ok(Some(row)) => {
                    own = row.id.clone();
                    let standing = Standing {
                        merges: node.merge,
                        ..Standing::default()
                    };
                    self.waiting.push_back((Ok(Row::Node(row)), standing));
                }
                Err(problem) => self.waiting.push_back((Err(problem), Standing::default())),
            }
        }
        for relationship in &self.plan.relationships {
            let is_own = relationship.source.is_none() || relationship.target.is_none();
            if is_own && own.is_none() {
                continue;
            }
            let standing = Standing {
                is_of_node: is_own,
                ends: Some(relationship.ends.clone()),
                ..Standing::default()
            };
            match record.relationships(relationship, own.as_ref()) {
                Ok(rows) => self.waiting.extend(
                    rows.into_iter()
                        .map(|row| (Ok(Row::Relationship(row)), standing.clone())),
                ),
                Err(problem) => self.waiting.push_back((Err(problem), standing)),
            }
        }
        Ok(())
    }
}

/// A record with as many fields as the file has columns.
struct Record<'a, R> {
    records: &'a Records<R>,
    plan: &'a Plan,
}

impl<R: BufRead> Record<'_, R> {
    /// `None` if no value is there.
    fn field(&self, at: usize) -> Option<Field<'_>> {
        let field = self.records.field(at)?;
        (!is_null(field, &self.plan.format.null)).then_some(field)
    }

    fn at(&self, column: usize, problem: impl Into<String>) -> Problem {
        Problem::at(&self.plan.columns[column], problem)
    }

    /// `None` if it has no key, and need not have one.
    fn node(&self, plan: &NodePlan) -> Result<Option<NodeRow>, Problem> {
        let id = match &plan.key {
            None => Id::Integer(self.records.line() as i64),
            Some(key) => match self.key(key)? {
                Ok(id) => id,
                Err(_) if plan.merge => return Ok(None),
                Err(missing) => return Err(self.at(missing, "nothing is there")),
            },
        };
        let mut labels: Vec<Arc<str>> = Vec::with_capacity(plan.labels.len());
        for label in &plan.labels {
            self.names(label, |label| {
                if !labels.contains(&label) {
                    labels.push(label);
                }
            })?;
        }
        Ok(Some(NodeRow {
            id: Some(ExternalId {
                space: plan.space.clone(),
                id,
            }),
            labels,
            properties: self.properties(&plan.properties)?,
        }))
    }

    /// One, several where an end is a list, none where an end has no value.
    fn relationships(
        &self,
        plan: &RelationshipPlan,
        own: Option<&ExternalId>,
    ) -> Result<Vec<RelationshipRow>, Problem> {
        let sources = self.ends(plan.source.as_ref(), own)?;
        let targets = self.ends(plan.target.as_ref(), own)?;
        if sources.is_empty() || targets.is_empty() {
            return Ok(Vec::new());
        }
        let mut kind = None;
        self.names(&plan.name, |name| kind = kind.take().or(Some(name)))?;
        let kind = match (kind, &plan.name) {
            (Some(kind), _) => kind,
            (None, NamePlan::Column { at, .. }) => return Err(self.at(*at, "nothing is there")),
            (None, NamePlan::Fixed(name)) => name.clone(),
        };
        let properties = self.properties(&plan.properties)?;
        let mut rows = Vec::with_capacity(sources.len() * targets.len());
        for source in &sources {
            rows.extend(targets.iter().map(|target| RelationshipRow {
                source: source.clone(),
                target: target.clone(),
                kind: kind.clone(),
                properties: properties.clone(),
            }));
        }
        Ok(rows)
    }

    fn ends(
        &self,
        plan: Option<&EndPlan>,
        own: Option<&ExternalId>,
    ) -> Result<Vec<ExternalId>, Problem> {
        let Some(EndPlan { space, key, list }) = plan else {
            return Ok(own.cloned().into_iter().collect());
        };
        let within = |id| ExternalId {
            space: space.clone(),
            id,
        };
        match (key.columns.first(), list) {
            (Some(&at), true) => {
                let text = self.field(at).map_or("", |field| field.text);
                let elements = text.split(self.plan.format.list_delimiter);
                let elements = elements
                    .map(str::trim)
                    .filter(|element| !element.is_empty());
                let ids = elements.map(|element| self.id(at, element, key.integers));
                ids.map(|id| id.map(within)).collect()
            }
            _ => Ok(self.key(key)?.ok().map(within).into_iter().collect()),
        }
    }

    /// The id that columns make, or the column that has no value.
    fn key(&self, key: &KeyPlan) -> Result<Result<Id, usize>, Problem> {
        if let &[at] = &key.columns[..] {
            return match self.field(at).filter(|field| !field.text.is_empty()) {
                Some(field) => self.id(at, field.text, key.integers).map(Ok),
                None => Ok(Err(at)),
            };
        }
        let mut joined = String::new();
        for &at in &key.columns {
            let Some(field) = self.field(at).filter(|field| !field.text.is_empty()) else {
                return Ok(Err(at));
            };
            if !joined.is_empty() {
                joined.push_str(", ");
            }
            // So that no two keys are one text.
            joined.push_str(&field.text.replace('\\', "\\\\").replace(',', "\\,"));
        }
        Ok(Ok(Id::Text(joined.into())))
    }

    fn id(&self, at: usize, text: &str, integers: bool) -> Result<Id, Problem> {
        match integers {
            true => integer_id(text).map_err(|problem| self.at(at, problem)),
            false => Ok(Id::Text(text.into())),
        }
    }

    /// The labels or types that a plan gives.
    fn names(&self, plan: &NamePlan, mut take: impl FnMut(Arc<str>)) -> Result<(), Problem> {
        let (at, list, texts) = match plan {
            NamePlan::Fixed(name) => {
                take(name.clone());
                return Ok(());
            }
            NamePlan::Column { at, list, texts } => (*at, *list, texts),
        };
        let text = self.field(at).map_or("", |field| field.text);
        let delimiter = self.plan.format.list_delimiter;
        let names = text.split(|character| list && character == delimiter);
        for name in names.map(str::trim).filter(|name| !name.is_empty()) {
            take(match texts {
                None => name.into(),
                Some(texts) => texts
                    .get(name)
                    .cloned()
                    .ok_or_else(|| self.at(at, format!("no name is given for {}", shown(name))))?,
            });
        }
        Ok(())
    }

    fn properties(&self, plans: &[PropertyPlan]) -> Result<Properties, Problem> {
        let delimiter = self.plan.format.list_delimiter;
        let mut properties = Vec::with_capacity(plans.len());
        for PropertyPlan { at, name, kind } in plans {
            let Some(field) = self.field(*at) else {
                continue;
            };
            let found = match kind.list {
                true => list(kind.scalar, field, delimiter),
                false => value(*kind, field, delimiter),
            };
            let found = found.map_err(|problem| self.at(*at, problem))?;
            properties.extend(found.map(|value| (name.clone(), value)));
        }
        Ok(properties)
    }
}

/// A list: in brackets with commas, or with delimiters between its elements.
fn list(scalar: Scalar, field: Field<'_>, delimiter: char) -> Result<Option<Value>, String> {
    let elements = match elements(field.text, scalar == Scalar::Text) {
        Ok(Some(elements)) => elements,
        // `[a];[b]` are two texts.
        Err(problem) if !field.text.contains(delimiter) => return Err(problem),
        Ok(None) | Err(_) => return value(PropertyType { scalar, list: true }, field, delimiter),
    };
    let elements = elements.iter().map(|element| scalar.read(element));
    let elements: Result<Vec<Value>, String> = elements.collect();
    Ok(Some(Value::List(elements?.into())))
}

/// Adds a hint to errors of quotes that are no quotes.
fn with_hint(mut problem: Problem, quotes: bool) -> Problem {
    if quotes && problem.text.contains("quote") {
        problem.text += "; in a table without quoted fields say `quotes = false`";
    }
    problem
}

impl<R: BufRead> Iterator for TableReader<R> {
    type Item = Result<Row, InterchangeError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some((row, standing)) = self.waiting.pop_front() {
                self.standing = standing;
                let bad = |problem: Problem| problem.row(&self.file, self.records.line());
                return Some(row.map_err(|problem| InterchangeError::BadRow(bad(problem))));
            }
            if self.done {
                return None;
            }
            self.standing = Standing::default();
            let read = self.records.advance();
            let line = self.records.line();
            let quotes = self.plan.format.quotes;
            let problem = match read {
                Ok(None) => {
                    self.done = true;
                    return None;
                }
                Ok(Some(Outcome::Record)) => match self.take() {
                    Ok(()) => continue,
                    Err(problem) => problem,
                },
                Ok(Some(Outcome::Bad(problem))) => with_hint(problem, quotes),
                Ok(Some(Outcome::Broken(problem))) => {
                    self.done = true;
                    let bad = with_hint(problem, quotes).row(&self.file, line);
                    return Some(Err(InterchangeError::Unreadable(bad)));
                }
                Err(source) => {
                    self.done = true;
                    let file = self.file.clone();
                    return Some(Err(InterchangeError::Input { file, line, source }));
                }
            };
            return Some(Err(InterchangeError::BadRow(problem.row(&self.file, line))));
        }
    }
}

impl<R: BufRead> RowReader for TableReader<R> {
    fn file(&self) -> &Arc<str> {
        &self.file
    }

    fn line(&self) -> u64 {
        self.records.line()
    }

    fn contents(&self) -> Contents {
        match (&self.plan.node, self.plan.relationships.is_empty()) {
            (None, _) => Contents::Relationships,
            (Some(_), true) => Contents::Nodes,
            (Some(_), false) => Contents::Both,
        }
    }

    fn standing(&self) -> Standing {
        self.standing.clone()
    }
}
