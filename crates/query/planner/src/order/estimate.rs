//! Estimates of rows.

use evergraph_syntax::tree::{Comparison, Labels};

use super::{Finder, directions};
use crate::lower::{Predicate, RelationshipToFind};
use crate::plan::{Expression, Slot};

/// Rows that an equality keeps.
const EQUALITY: f64 = 0.1;
/// Rows that another condition keeps.
const CONDITION: f64 = 0.5;
/// Steps of a path that are estimated at most.
const STEPS: u64 = 6;

impl Finder<'_> {
    /// The part of the rows that satisfies a condition.
    pub(super) fn selectivity(&self, predicate: &Predicate) -> f64 {
        match &predicate.condition {
            Expression::Labelled(_, labels) => self.labelled(labels),
            Expression::Comparison(_, others) => match others.as_slice() {
                [(Comparison::Equal, _)] => EQUALITY,
                _ => CONDITION,
            },
            Expression::Tested(..) | Expression::In(_) => EQUALITY * 2.0,
            _ => CONDITION,
        }
    }

    fn labelled(&self, labels: &Labels) -> f64 {
        let all = self.catalog.nodes(None).max(1.0);
        match labels {
            Labels::Name(name) => (self.catalog.nodes(Some(&name.text)) / all).clamp(1e-9, 1.0),
            Labels::Any => 1.0,
            Labels::Not(inner) => 1.0 - self.labelled(inner),
            Labels::And(parts) => parts.iter().map(|part| self.labelled(part)).product(),
            Labels::Or(parts) => {
                let sum: f64 = parts.iter().map(|part| self.labelled(part)).sum();
                sum.min(1.0)
            }
        }
    }

    /// Rows after the expansion of a relationship from an end that is known, and the
    /// conditions on the other end.
    pub(super) fn rows_after(&self, one: &RelationshipToFind, known: (bool, bool)) -> f64 {
        let nodes = self.catalog.nodes(None).max(1.0);
        let relationships = match one.types.as_slice() {
            [] => self.catalog.relationships(None),
            types => {
                let counts = types
                    .iter()
                    .map(|kind| self.catalog.relationships(Some(kind)));
                counts.sum()
            }
        };
        let degree = (relationships / nodes * directions(one.towards)).max(1e-9);
        let fan_out = match one.length {
            None => degree,
            Some((least, most)) => {
                let most = most.unwrap_or(STEPS).clamp(least.min(STEPS), STEPS);
                let least = least.min(most);
                let sum: f64 = (least..=most).map(|steps| degree.powf(steps as f64)).sum();
                sum.max(degree)
            }
        };
        let rows = self.plan.rows * fan_out;
        if known.0 && known.1 {
            return rows / nodes;
        }
        let end = if known.0 { one.right } else { one.left };
        rows * self.kept_at(self.pattern.nodes[end].slot)
    }

    /// The part of the nodes that satisfies the conditions on one alone.
    fn kept_at(&self, node: Slot) -> f64 {
        let missing = &self.missing;
        let is_alone = |one: &&Predicate| {
            let mut open = one.slots.iter().filter(|slot| missing.contains(slot));
            open.next() == Some(&node) && open.all(|slot| *slot == node)
        };
        let conditions = self.predicates.iter().filter(is_alone);
        conditions.map(|one| self.selectivity(one)).product()
    }
}
