//! Conditions that a scan evaluates itself, where the records are.

use std::sync::Arc;

use evergraph_storage::StorageError;

use super::passing;
use crate::dictionary::{Dictionary, KeyCode, LabelCode, TypeCode};
use crate::expression::{Comparison, compared, is_in};
use crate::graph::counts::{Counted, Counts};
use crate::record::{ChunkAt, NodeRecord, Record, RelationshipRecord};
use crate::transaction::Predicate;
use crate::value::Value;

/// Which labels a node has.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LabelExpression {
    /// At least one: `%`.
    Any,
    /// This one.
    Has(LabelCode),
    /// `!`
    Not(Box<LabelExpression>),
    /// `&`
    And(Vec<LabelExpression>),
    /// `|`
    Or(Vec<LabelExpression>),
}

impl LabelExpression {
    /// Whether a node with these labels, ascending, is meant.
    pub fn holds(&self, labels: &[LabelCode]) -> bool {
        match self {
            LabelExpression::Any => !labels.is_empty(),
            LabelExpression::Has(label) => labels.binary_search(label).is_ok(),
            LabelExpression::Not(inner) => !inner.holds(labels),
            LabelExpression::And(parts) => parts.iter().all(|part| part.holds(labels)),
            LabelExpression::Or(parts) => parts.iter().any(|part| part.holds(labels)),
        }
    }

    /// A label that every node that is meant has.
    pub(super) fn needed(&self) -> Option<LabelCode> {
        match self {
            LabelExpression::Has(label) => Some(*label),
            LabelExpression::And(parts) => parts.iter().find_map(LabelExpression::needed),
            LabelExpression::Or(parts) => match &parts[..] {
                [only] => only.needed(),
                _ => None,
            },
            LabelExpression::Any | LabelExpression::Not(_) => None,
        }
    }
}

/// A condition on the value of a property, with openCypher's nulls: it holds where it is
/// true, and not where it is false or null.
#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    /// The property, compared with a value.
    Compares(Comparison, Value),
    /// `IN` a list.
    In(Vec<Value>),
    /// `STARTS WITH`; of texts alone.
    StartsWith(Arc<str>),
    /// `IS NULL`: the entity does not have the property.
    IsNull,
    /// `IS NOT NULL`.
    IsNotNull,
}

impl Test {
    /// Whether a value passes it; null is that of an absent property.
    pub fn holds(&self, value: &Value) -> bool {
        let truth = match (self, value) {
            (Test::Compares(comparison, other), _) => compared(*comparison, value, other),
            (Test::In(list), _) => is_in(value, list),
            (Test::StartsWith(start), Value::Text(text)) => Some(text.starts_with(&**start)),
            (Test::StartsWith(_), _) => None,
            (Test::IsNull, _) => Some(value.is_null()),
            (Test::IsNotNull, _) => Some(!value.is_null()),
        };
        truth == Some(true)
    }

    /// As [`Test::holds`], of a text.
    pub(super) fn holds_text(&self, text: &str) -> bool {
        match self {
            Test::Compares(comparison, Value::Text(other)) => {
                let order = text.cmp(other);
                match comparison {
                    Comparison::Equal => order.is_eq(),
                    Comparison::Unequal => order.is_ne(),
                    Comparison::Less => order.is_lt(),
                    Comparison::LessOrEqual => order.is_le(),
                    Comparison::Greater => order.is_gt(),
                    Comparison::GreaterOrEqual => order.is_ge(),
                }
            }
            Test::Compares(..) => self.holds(&Value::from(text)),
            Test::In(list) => list.iter().any(|other| other.as_text() == Some(text)),
            Test::StartsWith(start) => text.starts_with(&**start),
            Test::IsNull => false,
            Test::IsNotNull => true,
        }
    }
}

/// What a scan gives: entities of a subject that pass all tests. The default gives all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    subject: Subject,
    tests: Vec<(KeyCode, Test)>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Subject {
    #[default]
    All,
    Labels(LabelExpression),
    Types(Vec<TypeCode>),
}

impl Filter {
    /// Nodes by their labels; no relationship.
    pub fn labels(labels: LabelExpression) -> Self {
        Filter {
            subject: Subject::Labels(labels),
            tests: Vec::new(),
        }
    }

    /// Nodes that have a label; no relationship.
    pub fn label(label: LabelCode) -> Self {
        Filter::labels(LabelExpression::Has(label))
    }

    /// Relationships of one of these types; no node.
    pub fn types(mut types: Vec<TypeCode>) -> Self {
        types.sort_unstable();
        types.dedup();
        Filter {
            subject: Subject::Types(types),
            tests: Vec::new(),
        }
    }

    /// Of those, the ones whose property passes a test.
    #[must_use]
    pub fn and(mut self, key: KeyCode, test: Test) -> Self {
        self.tests.push((key, test));
        self
    }

    /// Whether a record can come to be of the subject, or no more be of it, only by a
    /// change of [`Filtered::predicate_of`]: then the others count as not read.
    pub(super) fn is_precise(&self) -> bool {
        match &self.subject {
            Subject::Labels(labels) => matches!(labels, LabelExpression::Has(_)),
            Subject::Types(_) => true,
            Subject::All => false,
        }
    }

    /// Whether records that pass may be in a chunk, as far as labels and types tell.
    pub(super) fn may_be_in(&self, counts: &Counts, csn: u64, chunk: u32) -> bool {
        let is_in = |counted| counts.may_be_in(counted, csn, chunk);
        match &self.subject {
            Subject::All => true,
            Subject::Labels(labels) => labels
                .needed()
                .is_none_or(|label| is_in(Counted::Label(label))),
            Subject::Types(types) => types.iter().any(|kind| is_in(Counted::Type(*kind))),
        }
    }

    /// Whether a record is of the subject.
    pub(super) fn holds_subject<R: Filtered>(&self, record: &R) -> bool {
        record.is_one(&self.subject)
    }

    /// Whether a record with these values passes the tests.
    pub(super) fn holds_tests<E>(
        &self,
        value: impl Fn(KeyCode) -> Result<Value, E>,
    ) -> Result<bool, E> {
        for (key, test) in &self.tests {
            if !test.holds(&value(*key)?) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Clears the bits of a chunk's records that are not of the subject.
    pub(super) fn refine_by_subject<R: Filtered>(
        &self,
        chunk: &ChunkAt<R>,
        dictionary: &Dictionary,
        selected: &mut [u64],
    ) -> Result<(), StorageError> {
        match self.subject {
            Subject::All => Ok(()),
            _ => R::refine(&self.subject, chunk, dictionary, selected),
        }
    }

    /// Clears the bits of a chunk's records that do not pass the tests.
    pub(super) fn refine_by_tests<R: Record>(
        &self,
        chunk: &ChunkAt<R>,
        selected: &mut [u64],
    ) -> Result<(), StorageError> {
        for (key, test) in &self.tests {
            let count: u32 = selected.iter().map(|word| word.count_ones()).sum();
            match chunk.column(*key, count as usize)? {
                _ if count == 0 => return Ok(()),
                Some(column) => passing::refine(test, column, selected)?,
                None => retain(selected, |at| {
                    Ok(test.holds(&chunk.single_property(at, *key)?))
                })?,
            }
        }
        Ok(())
    }
}

/// Records that filters know.
pub(super) trait Filtered: Record {
    /// What a scan by a filter asks for, beside the records that it looks at.
    fn predicate_of(filter: &Filter) -> Predicate;

    fn is_one(&self, subject: &Subject) -> bool;

    fn refine(
        subject: &Subject,
        chunk: &ChunkAt<Self>,
        dictionary: &Dictionary,
        selected: &mut [u64],
    ) -> Result<(), StorageError>;
}

impl Filtered for NodeRecord {
    fn predicate_of(filter: &Filter) -> Predicate {
        let label = match &filter.subject {
            Subject::Labels(labels) => labels.needed(),
            Subject::All | Subject::Types(_) => None,
        };
        label.map_or(Predicate::Nodes, Predicate::Label)
    }

    fn is_one(&self, subject: &Subject) -> bool {
        match subject {
            Subject::All => true,
            Subject::Labels(labels) => labels.holds(&self.labels),
            Subject::Types(_) => false,
        }
    }

    fn refine(
        subject: &Subject,
        chunk: &ChunkAt<Self>,
        dictionary: &Dictionary,
        selected: &mut [u64],
    ) -> Result<(), StorageError> {
        let Subject::Labels(labels) = subject else {
            selected.fill(0);
            return Ok(());
        };
        chunk.retain_subjects(
            selected,
            |set| {
                let of_set = dictionary.label_set(set as u32);
                of_set.map(|of_set| labels.holds(&of_set))
            },
            |record| labels.holds(&record.labels),
            |found| Ok(labels.holds(&found.labels()?)),
        )
    }
}

impl Filtered for RelationshipRecord {
    fn predicate_of(_: &Filter) -> Predicate {
        Predicate::Relationships
    }

    fn is_one(&self, subject: &Subject) -> bool {
        match subject {
            Subject::All => true,
            Subject::Types(types) => types.binary_search(&self.kind).is_ok(),
            Subject::Labels(_) => false,
        }
    }

    fn refine(
        subject: &Subject,
        chunk: &ChunkAt<Self>,
        _: &Dictionary,
        selected: &mut [u64],
    ) -> Result<(), StorageError> {
        let Subject::Types(types) = subject else {
            selected.fill(0);
            return Ok(());
        };
        let is_one = |kind: u16| types.binary_search(&kind).is_ok();
        chunk.retain_subjects(
            selected,
            |kind| Some(is_one(kind as u16)),
            |record| is_one(record.kind),
            |found| Ok(is_one(found.ends()?.0)),
        )
    }
}

/// Keeps the set bits for which `keep` says so, in ascending order.
pub(super) fn retain(
    selected: &mut [u64],
    mut keep: impl FnMut(u32) -> Result<bool, StorageError>,
) -> Result<(), StorageError> {
    for (number, word) in selected.iter_mut().enumerate() {
        let mut left = *word;
        while left != 0 {
            let bit = left.trailing_zeros();
            left &= left - 1;
            if !keep(64 * number as u32 + bit)? {
                *word &= !(1 << bit);
            }
        }
    }
    Ok(())
}
