//! Estimates of rows.

use evergraph_syntax::tree::{Comparison, Labels};

use super::Finder;
use super::fan_out::Parts;
use crate::catalog::Population;
use crate::lower::{Predicate, RelationshipToFind, as_label};
use crate::plan::{Expression, Slot, turned};

/// Rows that an equality keeps of which nothing is known.
const EQUALITY: f64 = 0.1;
/// Rows that another condition keeps.
const CONDITION: f64 = 0.5;

/// An expansion of all rows, estimated.
pub(super) struct Step {
    /// Rows that it gives.
    pub(super) rows: f64,
    /// Rows that satisfy the conditions on what it found, too.
    pub(super) kept: f64,
    /// Labels of what it found.
    pub(super) reached: Parts,
}

impl Finder<'_> {
    /// The part of the rows that satisfies a condition.
    pub(super) fn selectivity(&self, predicate: &Predicate) -> f64 {
        match &predicate.condition {
            Expression::Labelled(_, labels) => {
                let reached = as_label(&predicate.condition);
                let reached = reached.and_then(|(node, _)| self.reached.get(&node));
                self.labelled(labels, reached)
            }
            Expression::Comparison(..) => match predicate.condition.as_comparison() {
                Some((left, Comparison::Equal, right)) => self.equality(left, right),
                _ => self.share_of(predicate).unwrap_or(CONDITION),
            },
            Expression::Tested(..) | Expression::In(_) => EQUALITY * 2.0,
            _ => CONDITION,
        }
    }

    /// The part of the rows that an equality keeps: that of one value, on average.
    fn equality(&self, left: &Expression, right: &Expression) -> f64 {
        let properties = [left, right]
            .into_iter()
            .filter_map(Expression::as_property);
        let shares = properties.filter_map(|(node, key)| self.share_of_value(node, key));
        shares.min_by(f64::total_cmp).unwrap_or(EQUALITY)
    }

    /// The part of what a slot may be that has one value of a property, where it is known.
    pub(super) fn share_of_value(&self, slot: Slot, key: &str) -> Option<f64> {
        self.least_share(slot, |of| match of {
            // Of all nodes, most do not have the property.
            Population::Nodes => None,
            _ => self.catalog.share_of_value(of, key),
        })
    }

    /// The least share of the populations that the pattern says a slot is of.
    fn least_share(&self, slot: Slot, of: impl Fn(Population<'_>) -> Option<f64>) -> Option<f64> {
        let mut relationships = self.pattern.relationships.iter();
        let found = match relationships.find(|one| one.slot == slot) {
            Some(one) => match one.types.as_slice() {
                [kind] => of(Population::Type(kind)),
                _ => None,
            },
            None => match self.labels_of(slot).as_slice() {
                [] => of(Population::Nodes),
                labels => {
                    let shares = labels.iter().filter_map(|one| of(Population::Label(one)));
                    shares.min_by(f64::total_cmp)
                }
            },
        };
        found.map(|share| share.clamp(1e-9, 1.0))
    }

    /// The part of the rows that a comparison of a property with a value of the text keeps,
    /// where values are known.
    pub(super) fn share_of(&self, predicate: &Predicate) -> Option<f64> {
        let (left, comparison, right) = predicate.condition.as_comparison()?;
        let (property, comparison, value) = match (left, right) {
            (left, Expression::Constant(value)) => (left, comparison, value),
            (Expression::Constant(value), right) => (right, turned(comparison), value),
            _ => return None,
        };
        let (slot, key) = property.as_property()?;
        self.least_share(slot, |of| {
            let catalog = self.catalog;
            catalog.share_of_comparison(of, key, comparison, value)
        })
    }

    /// The part of nodes that has labels, of those that an expansion reached or of all.
    fn labelled(&self, labels: &Labels, reached: Option<&Parts>) -> f64 {
        match labels {
            Labels::Name(name) => match reached.filter(|parts| !parts.is_empty()) {
                Some(parts) => parts.get(name.text.as_str()).copied().unwrap_or(0.0),
                None => self.catalog.nodes(Some(&name.text)) / self.catalog.nodes(None).max(1.0),
            }
            .clamp(1e-9, 1.0),
            Labels::Any => 1.0,
            Labels::Computed(never) => match *never {},
            Labels::Not(inner) => 1.0 - self.labelled(inner, reached),
            Labels::And(parts) => {
                let parts = parts.iter().map(|part| self.labelled(part, reached));
                parts.product()
            }
            Labels::Or(parts) => {
                let parts = parts.iter().map(|part| self.labelled(part, reached));
                parts.sum::<f64>().min(1.0)
            }
        }
    }

    /// Rows after the expansion of a relationship from an end that is known.
    pub(super) fn step_of(&self, one: &RelationshipToFind, known: (bool, bool)) -> Step {
        let fan_out = self.fan_out(one, known.0);
        let end = if known.0 { one.right } else { one.left };
        let far = self.pattern.nodes[end].slot;
        let rows = self.plan.rows * fan_out.rows;
        if known.0 && known.1 {
            let rows = match one.shortest {
                Some(_) => self.plan.rows,
                None => rows * self.hit(&fan_out.reached, far),
            };
            return Step {
                rows,
                kept: rows,
                reached: Parts::new(),
            };
        }
        let closing = self.closing(one, far, &fan_out.reached);
        Step {
            rows,
            kept: rows * self.kept_at(far, &fan_out.reached) * closing,
            reached: fan_out.reached,
        }
    }

    /// Rows that are left of each when a node has been found that other relationships lead
    /// to from nodes that are known: these are next.
    fn closing(&self, one: &RelationshipToFind, far: Slot, reached: &Parts) -> f64 {
        let open = self.open.iter().take(self.compared);
        let others = open.map(|&place| &self.pattern.relationships[place]);
        let parts = others.filter_map(|other| {
            let [left, right] = [other.left, other.right].map(|end| self.pattern.nodes[end].slot);
            let from_left = right == far;
            let is_plain = other.length.is_none() && other.search.is_none() && !other.bound;
            let known = match (left == far, right == far) {
                (false, true) => self.is_known(other.left),
                (true, false) => self.is_known(other.right),
                _ => false,
            };
            (is_plain && known && other.slot != one.slot).then(|| {
                let fan_out = self.fan_out(other, from_left);
                (fan_out.rows * self.hit(reached, far)).min(1.0)
            })
        });
        parts.product()
    }

    /// The part of the nodes that satisfies the conditions on one alone.
    fn kept_at(&self, node: Slot, reached: &Parts) -> f64 {
        let missing = &self.missing;
        let is_alone = |one: &&Predicate| {
            let mut open = one.slots.iter().filter(|slot| missing.contains(slot));
            open.next() == Some(&node) && open.all(|slot| *slot == node)
        };
        let conditions = self.predicates.iter().filter(is_alone);
        let parts = conditions.map(|one| match as_label(&one.condition) {
            Some((_, labels)) => self.labelled(labels, Some(reached)),
            None => self.selectivity(one),
        });
        parts.product()
    }
}
