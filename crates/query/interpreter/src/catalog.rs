//! Knowledge of a graph for the planner.

use std::cell::RefCell;
use std::sync::Arc;

use evergraph_functions::functions;
use evergraph_planner::{Catalog, Constant, Ends, Index, Population};
use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{
    Definition, GraphError, GraphRead, Population as Sampled, PropertyGraph, Subject, View,
};
use evergraph_syntax::scope::Signature;
use evergraph_syntax::tree::Comparison;

use crate::procedures::Procedures;
use crate::run::comparison_of;

/// Counts and indexes of a graph, as of the planning, and procedures.
pub(crate) struct GraphCatalog<'a> {
    view: View,
    definitions: Vec<Definition>,
    procedures: &'a Procedures,
    basis: RefCell<Basis>,
}

impl<'a> GraphCatalog<'a> {
    pub(crate) fn new(graph: &PropertyGraph, procedures: &'a Procedures) -> Self {
        let view = graph.view();
        // Read before the definitions: a plan with newer ones is planned again.
        let schema_version = view.schema_version();
        GraphCatalog {
            view,
            definitions: graph.definitions(),
            procedures,
            basis: RefCell::new(Basis {
                schema_version,
                counts: Vec::new(),
            }),
        }
    }

    /// The graph as it is planned for.
    pub(crate) fn view(&self) -> &View {
        &self.view
    }

    /// Counts that the planner asked for.
    pub(crate) fn into_basis(self) -> Basis {
        self.basis.into_inner()
    }

    /// A count, looked up once.
    fn count(&self, of: Counted) -> f64 {
        let mut basis = self.basis.borrow_mut();
        let mut known = basis.counts.iter();
        if let Some((_, count)) = known.find(|(known, _)| *known == of) {
            return *count;
        }
        let count = of.count(&self.view);
        basis.counts.push((of, count));
        count
    }
}

/// Something that is counted.
#[derive(Debug, PartialEq, Eq)]
enum Counted {
    Nodes(Option<String>),
    Relationships(Option<String>),
}

impl Counted {
    fn count(&self, view: &View) -> f64 {
        count(match self {
            Counted::Nodes(Some(label)) => view.count_with_label(label),
            Counted::Nodes(None) => view.node_count(),
            Counted::Relationships(Some(kind)) => view.count_of_type(kind),
            Counted::Relationships(None) => view.relationship_count(),
        })
    }
}

/// A count; a large one where it cannot be read, which the run will say.
fn count(count: Result<u64, GraphError>) -> f64 {
    count.map_or(1e9, |count| count as f64)
}

/// Counts and schema that a plan was made by.
#[derive(Debug)]
pub(crate) struct Basis {
    schema_version: u64,
    counts: Vec<(Counted, f64)>,
}

/// Counts that have grown or shrunk by more make another plan better.
const GREATLY: f64 = 4.0;
/// Among so few any plan is good.
const FEW: f64 = 64.0;

impl Basis {
    /// Whether names, indexes and constraints are as they were, and counts about so.
    pub(crate) fn holds(&self, view: &View) -> bool {
        let is_near = |(of, before): &(Counted, f64)| {
            let ratio = (of.count(view) + FEW) / (before + FEW);
            (1.0 / GREATLY..=GREATLY).contains(&ratio)
        };
        self.schema_version == view.schema_version() && self.counts.iter().all(is_near)
    }
}

impl Catalog for GraphCatalog<'_> {
    fn nodes(&self, label: Option<&str>) -> f64 {
        self.count(Counted::Nodes(label.map(str::to_string)))
    }

    fn relationships(&self, kind: Option<&str>) -> f64 {
        self.count(Counted::Relationships(kind.map(str::to_string)))
    }

    fn ends(&self, kind: &str) -> Ends {
        // Where it cannot be read, the run will say so.
        let known = self.view.labels_at_ends(kind).unwrap_or_default();
        Ends {
            sources: known.sources.clone(),
            targets: known.targets.clone(),
            both: known.both.clone(),
            same: known.same,
        }
    }

    fn share_of_value(&self, of: Population<'_>, key: &str) -> Option<f64> {
        let known = self.view.value_estimate(sampled(of), key).ok()?;
        (known.distinct > 0.0).then(|| known.present / known.distinct)
    }

    fn share_of_comparison(
        &self,
        of: Population<'_>,
        key: &str,
        comparison: Comparison,
        value: &Constant,
    ) -> Option<f64> {
        let value = match value {
            Constant::Integer(number) => Value::Integer(*number),
            Constant::Float(number) => Value::Float(*number),
            Constant::Text(text) => Value::Text(Arc::clone(text)),
            Constant::Null | Constant::Boolean(_) => return None,
        };
        let comparison = comparison_of(comparison);
        let known = self
            .view
            .comparison_estimate(sampled(of), key, comparison, &value);
        known.ok().flatten()
    }

    fn indexes(&self, of: Population<'_>) -> Vec<Index> {
        let is_of = |one: &&Definition| match (&one.subject, of) {
            (Subject::Nodes(label), Population::Label(of)) => label == of,
            (Subject::Relationships(kind), Population::Type(of)) => kind == of,
            _ => false,
        };
        let found = self.definitions.iter().filter(is_of);
        let found = found.filter(|one| one.rule.has_index());
        found
            .map(|one| Index {
                keys: one.keys.clone(),
                unique: one.rule.is_unique(),
            })
            .collect()
    }

    fn aggregates(&self, function: &str) -> bool {
        functions::find(function).is_ok_and(|found| found.signature.aggregates)
    }

    fn procedure(&self, name: &str) -> Option<Signature> {
        Some(self.procedures.find(name)?.signature.clone())
    }
}

/// As the graph has it.
fn sampled(of: Population<'_>) -> Sampled<'_> {
    match of {
        Population::Nodes => Sampled::Nodes,
        Population::Label(label) => Sampled::Label(label),
        Population::Type(kind) => Sampled::Type(kind),
    }
}
