//! Making nodes and relationships, where they are not found.

use std::sync::Arc;

use evergraph_functions::Datum;
use evergraph_planner::{Create, Merge, NewNode, NewRelationship, WrittenLabel};
use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{NodeId, RelationshipId};
use evergraph_syntax::with_article;

use super::{Flow, Result, Run, Sink};
use crate::QueryError;
use crate::batch::{Batch, Column};
use crate::evaluate::{Row, computed_names};

/// Properties of what is made.
type Properties = Vec<(Arc<str>, Value)>;

impl Run<'_, '_> {
    /// Makes a pattern for each row.
    pub(super) fn create(&self, create: &Create, mut batch: Batch) -> Result<Batch> {
        let rows = batch.len();
        let mut made: Vec<Vec<Datum>> = Vec::with_capacity(rows);
        for at in 0..rows {
            self.step()?;
            made.push(self.create_one(create, &batch.row(at))?);
        }
        for (place, slot) in slots_of(create).into_iter().enumerate() {
            let column = made.iter().map(|data| data[place].clone()).collect();
            batch.set(slot, Column::of(column));
        }
        Ok(batch)
    }

    /// Makes a pattern for one row; values of [`slots_of`] it.
    fn create_one(&self, create: &Create, row: &Batch) -> Result<Vec<Datum>> {
        let mut row = row.clone();
        let mut made = Vec::new();
        for node in &create.nodes {
            let id = Datum::Node(self.create_node(node, &row)?);
            row.set(node.node, Column::Same(id.clone()));
            made.push(id);
        }
        for relationship in &create.relationships {
            let id = Datum::Relationship(self.create_relationship(relationship, &row)?);
            row.set(relationship.relationship, Column::Same(id.clone()));
            made.push(id);
        }
        for (_, slots) in &create.paths {
            made.push(self.path(slots, &mut Row::new(&row, 0))?);
        }
        Ok(made)
    }

    fn create_node(&self, node: &NewNode, row: &Batch) -> Result<NodeId> {
        let properties = match &node.properties {
            Some(map) => self.properties(&self.value(map, &mut Row::new(row, 0))?)?,
            None => Properties::new(),
        };
        let labels = self.written_labels(&node.labels, &mut Row::new(row, 0))?;
        let labels: Vec<&str> = labels.iter().map(|label| &**label).collect();
        let mut counters = self.counters.borrow_mut();
        counters.nodes_created += 1;
        counters.labels_added += labels.len() as u64;
        counters.properties_set += properties.len() as u64;
        let values = properties
            .iter()
            .map(|(key, value)| (&**key, value.clone()));
        Ok(self.graph.write()?.create_node(&labels, values)?)
    }

    fn create_relationship(&self, new: &NewRelationship, row: &Batch) -> Result<RelationshipId> {
        let kind = self.written_type(&new.kind, &mut Row::new(row, 0))?;
        let ends = [new.source, new.target].map(|slot| self.node_at(row, slot, 0));
        let [source, target] = ends;
        let (Some(source), Some(target)) = (source?, target?) else {
            let message = format!("a relationship :{kind} begins or ends at null");
            return Err(QueryError::runtime("SemanticError", "MissingNode", message));
        };
        for end in [source, target] {
            self.graph.check_there(end.into())?;
        }
        let properties = match &new.properties {
            Some(map) => self.properties(&self.value(map, &mut Row::new(row, 0))?)?,
            None => Properties::new(),
        };
        let mut counters = self.counters.borrow_mut();
        counters.relationships_created += 1;
        counters.properties_set += properties.len() as u64;
        let values = properties
            .iter()
            .map(|(key, value)| (&**key, value.clone()));
        let mut transaction = self.graph.write()?;
        Ok(transaction.create_relationship(source, &kind, target, values)?)
    }

    /// Names of labels that are written; those that are computed are among them once.
    pub(super) fn written_labels(
        &self,
        labels: &[WrittenLabel],
        row: &mut Row<'_>,
    ) -> Result<Vec<Arc<str>>> {
        let mut names = Vec::with_capacity(labels.len());
        let mut are_known = true;
        for label in labels {
            match label {
                WrittenLabel::Name(name) => names.push(Arc::clone(name)),
                WrittenLabel::Computed(computed) => {
                    are_known = false;
                    names.extend(computed_names(&self.value(computed, row)?)?);
                }
            }
        }
        if !are_known {
            names.sort_unstable();
            names.dedup();
        }
        Ok(names)
    }

    fn written_type(&self, of: &WrittenLabel, row: &mut Row<'_>) -> Result<Arc<str>> {
        let names = self.written_labels(std::slice::from_ref(of), row)?;
        match &names[..] {
            [name] => Ok(Arc::clone(name)),
            names => {
                let count = names.len();
                let message = format!("a relationship has one type, and $(...) names {count}");
                Err(QueryError::type_error(message))
            }
        }
    }

    /// Values of a map that are not null, as they are stored.
    fn properties(&self, map: &Datum) -> Result<Properties> {
        let entries = self.entries(map)?.into_iter();
        entries
            .filter(|(_, datum)| !datum.is_null())
            .map(|(key, datum)| {
                let value = stored(&key, datum)?;
                Ok((key, value))
            })
            .collect()
    }

    /// Finds a pattern, or makes it, for each row.
    pub(super) fn merge(&self, merge: &Merge, batch: &Batch, sink: &mut Sink<'_>) -> Result<Flow> {
        let mut all = Batch::rows_of(self.width, 0);
        for at in 0..batch.len() {
            self.step()?;
            let row = batch.row(at);
            self.check_merged(&merge.create, &row)?;
            let (found, _account) = self.collect(&merge.found, row.clone(), "MERGE")?;
            let (made, items) = match found.is_empty() {
                false => {
                    let mut made = row.repeated(0, found.len());
                    for &slot in &merge.brings {
                        made.set(slot, found.column(slot).clone());
                    }
                    (made, &merge.on_match)
                }
                true => {
                    let values = self.create_one(&merge.create, &row)?;
                    let mut made = row;
                    for (slot, datum) in slots_of(&merge.create).into_iter().zip(values) {
                        made.set(slot, Column::Same(datum));
                    }
                    (made, &merge.on_create)
                }
            };
            for at in 0..made.len() {
                self.set_all(items, &mut Row::new(&made, at))?;
            }
            all.append(made);
        }
        self.push_all(all, sink)
    }

    /// Null and NaN equal nothing: a pattern with them would be made each time.
    fn check_merged(&self, create: &Create, row: &Batch) -> Result<()> {
        let nodes = create.nodes.iter().map(|node| &node.properties);
        let relationships = create.relationships.iter().map(|one| &one.properties);
        for map in nodes.chain(relationships).flatten() {
            let map = self.value(map, &mut Row::new(row, 0))?;
            let entries = self.entries(&map)?;
            let is_nan = |datum: &Datum| matches!(datum, Datum::Value(Value::Float(number)) if number.is_nan());
            let mut entries = entries.iter();
            if let Some((key, datum)) = entries.find(|(_, one)| one.is_null() || is_nan(one)) {
                let what = if datum.is_null() { "null" } else { "NaN" };
                let message = format!("MERGE cannot find {what}: `{key}` has to have a value");
                let detail = "MergeReadOwnWrites";
                return Err(QueryError::runtime("SemanticError", detail, message));
            }
        }
        Ok(())
    }
}

/// Slots that are filled by making a pattern, in order.
fn slots_of(create: &Create) -> Vec<usize> {
    let nodes = create.nodes.iter().map(|node| node.node);
    let relationships = create.relationships.iter().map(|one| one.relationship);
    let paths = create.paths.iter().map(|(path, _)| *path);
    nodes.chain(relationships).chain(paths).collect()
}

/// A value as the property of a key has it.
pub(super) fn stored(key: &str, datum: Datum) -> Result<Value> {
    let refuse = |what: &str| {
        let message = format!("a property is no {what}: {key}");
        Err(QueryError::runtime(
            "TypeError",
            "InvalidPropertyType",
            message,
        ))
    };
    match datum {
        Datum::Value(Value::Map(_)) => refuse("MAP"),
        Datum::Value(Value::List(values)) => {
            let is_wrong =
                |value: &&Value| matches!(value, Value::Map(_) | Value::List(_) | Value::Null);
            match values.iter().find(is_wrong) {
                Some(wrong) => refuse(&format!("LIST with {}", with_article(wrong.type_name()))),
                None => match mixed(&values) {
                    Some((one, other)) => refuse(&format!("LIST of {one} and {other}")),
                    None => Ok(Value::List(values)),
                },
            }
        }
        Datum::Value(value) => Ok(value),
        other => refuse(other.type_name()),
    }
}

/// Types of two elements, if they are of several and not all numbers.
fn mixed(values: &[Value]) -> Option<(String, String)> {
    let is_number = |value: &Value| matches!(value, Value::Integer(_) | Value::Float(_));
    let first = values.first()?;
    let is_other = |value: &&Value| {
        value.type_name() != first.type_name() && !(is_number(first) && is_number(value))
    };
    let other = values.iter().find(is_other)?;
    let named = |value: &Value| with_article(value.type_name());
    Some((named(first), named(other)))
}
