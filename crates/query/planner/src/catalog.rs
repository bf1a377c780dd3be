//! The knowledge of a planner about a graph and its program.

use std::collections::BTreeMap;
use std::sync::Arc;

use evergraph_syntax::scope::Signature;
use evergraph_syntax::tree::Comparison;

use crate::plan::Constant;

/// Counts, indexes, functions and procedures.
pub trait Catalog {
    /// Nodes, all or those with a label.
    fn nodes(&self, label: Option<&str>) -> f64;

    /// Relationships, all or those of a type.
    fn relationships(&self, kind: Option<&str>) -> f64;

    /// The labels at the ends of the relationships of a type, as far as they are known.
    fn ends(&self, _kind: &str) -> Ends {
        Ends::default()
    }

    /// The part of a population that has one value of a property, on average; `None` where
    /// nothing is known.
    fn share_of_value(&self, _of: Population<'_>, _key: &str) -> Option<f64> {
        None
    }

    /// The part of a population whose property compares so with a value of the text; `None`
    /// where nothing is known.
    fn share_of_comparison(
        &self,
        _of: Population<'_>,
        _key: &str,
        _comparison: Comparison,
        _value: &Constant,
    ) -> Option<f64> {
        None
    }

    /// Indexes over properties of nodes with a label, or of relationships of a type.
    fn indexes(&self, of: Population<'_>) -> Vec<Index>;

    /// Whether a function, by its full name in any case, is of many rows.
    fn aggregates(&self, function: &str) -> bool;

    /// A procedure by its full name.
    fn procedure(&self, name: &str) -> Option<Signature>;
}

/// Relationships of any of some types, or all if none is named.
pub(crate) fn relationships_of(catalog: &dyn Catalog, types: &[Arc<str>]) -> f64 {
    match types {
        [] => catalog.relationships(None),
        types => {
            let counts = types.iter().map(|kind| catalog.relationships(Some(kind)));
            counts.sum()
        }
    }
}

/// Nodes or relationships that have something in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Population<'a> {
    /// All nodes.
    Nodes,
    /// The nodes with a label.
    Label(&'a str),
    /// The relationships of a type.
    Type(&'a str),
}

/// Labels at the ends of the relationships of a type, each with the part of the
/// relationships whose end has it, above 0 and up to 1; none where nothing is known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ends {
    /// Of the sources.
    pub sources: BTreeMap<Arc<str>, f64>,
    /// Of the targets.
    pub targets: BTreeMap<Arc<str>, f64>,
    /// Of a label of the source and one of the target together.
    pub both: BTreeMap<(Arc<str>, Arc<str>), f64>,
    /// How likely two relationships have the same source, and the same target.
    pub same: (f64, f64),
}

/// An index over properties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index {
    /// Its keys, in order.
    pub keys: Vec<String>,
    /// Whether no two of its population have the same values.
    pub unique: bool,
}
