//! Conditions on properties that choose nodes and relationships.

use rayon::prelude::*;

use crate::dictionary::{KeyCode, Names, TypeCode};
use crate::expression::{Expression, TypeError};
use crate::graph::error::GraphError;
use crate::graph::ids::{NodeId, RelationshipId};
use crate::graph::view::View;
use crate::record::{Found, NodeRecord, Record, RelationshipRecord};
use crate::value::Value;

/// An expression, and the codes of its keys.
pub(super) struct Condition<'e> {
    expression: &'e Expression,
    /// `None` of a key that no record has.
    keys: Vec<Option<KeyCode>>,
}

/// Why a condition could not be asked.
enum Failure {
    Graph(GraphError),
    Type(TypeError),
}

impl From<TypeError> for Failure {
    fn from(error: TypeError) -> Self {
        Failure::Type(error)
    }
}

impl<'e> Condition<'e> {
    pub(super) fn of(view: &View, expression: &'e Expression) -> Self {
        let dictionary = view.dictionary();
        let code = |key: &crate::expression::Key| dictionary.code(Names::Keys, &key.name);
        Condition {
            expression,
            keys: expression.keys().iter().map(code).collect(),
        }
    }

    pub(super) fn holds_of_node(
        &self,
        id: u32,
        record: &Found<'_, NodeRecord>,
    ) -> Result<bool, GraphError> {
        self.holds(record).map_err(|failure| failure.of(NodeId(id)))
    }

    fn holds_of_relationship(
        &self,
        id: u32,
        record: &Found<'_, RelationshipRecord>,
    ) -> Result<bool, GraphError> {
        let held = self.holds(record);
        held.map_err(|failure| failure.of(RelationshipId(id)))
    }

    fn holds<R: Record>(&self, record: &Found<'_, R>) -> Result<bool, Failure> {
        self.expression.holds(|key| {
            let Some(key) = self.keys[key] else {
                return Ok(Value::Null);
            };
            let value = record.property(key);
            let value = value.map_err(|error| Failure::Graph(error.into()))?;
            Ok(value.unwrap_or_default())
        })
    }
}

impl Failure {
    fn of(self, id: impl std::fmt::Display) -> GraphError {
        match self {
            Failure::Graph(error) => error,
            Failure::Type(error) => GraphError::Condition {
                of: id.to_string(),
                error,
            },
        }
    }
}

/// Relationships for which a condition holds: a bit each.
pub(super) struct Chosen {
    bits: Vec<u64>,
}

impl Chosen {
    /// DRAM that [`Chosen::of`] takes at most: a bit for each relationship, and the ids of
    /// those that are found.
    pub(super) fn most_bytes(view: &View) -> u64 {
        let table = view.core().state.relationships();
        let bits = u64::from(table.chunk_count()) * u64::from(table.geometry().records_per_chunk);
        bits / 8 + table.most_records() * size_of::<u32>() as u64
    }

    /// Reads every relationship of the given types, which are ascending, the chunks of
    /// their table in parallel.
    pub(super) fn of<E: From<GraphError> + Send>(
        view: &View,
        kinds: &[TypeCode],
        expression: &Expression,
        check: &(impl Fn() -> Result<(), E> + Sync),
    ) -> Result<Self, E> {
        let condition = Condition::of(view, expression);
        let table = view.core().state.relationships();
        let chunks = table.chunk_count();
        let found: Vec<Vec<u32>> = (0..chunks)
            .into_par_iter()
            .map(|chunk| {
                check()?;
                let mut found = Vec::new();
                table.try_for_each_in_chunk(chunk, view.csn(), |id, record| {
                    let (kind, ..) = record.ends()?;
                    let is_of_kind = kinds.binary_search(&kind).is_ok();
                    if is_of_kind && condition.holds_of_relationship(id, record)? {
                        found.push(id);
                    }
                    Ok::<_, GraphError>(())
                })?;
                Ok(found)
            })
            .collect::<Result<_, E>>()?;
        let words = chunks as usize * table.geometry().records_per_chunk as usize;
        let mut bits = vec![0_u64; words.div_ceil(64)];
        for id in found.into_iter().flatten() {
            bits[id as usize / 64] |= 1 << (id % 64);
        }
        Ok(Chosen { bits })
    }

    #[inline]
    pub(super) fn has(&self, relationship: u32) -> bool {
        let word = self.bits.get(relationship as usize / 64);
        word.is_some_and(|word| word & (1 << (relationship % 64)) != 0)
    }

    pub(super) fn bytes(&self) -> u64 {
        size_of_val(&self.bits[..]) as u64
    }
}
