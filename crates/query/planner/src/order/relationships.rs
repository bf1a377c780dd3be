//! How a relationship is found without a node: by its id, by an index, or by all of its
//! types. Only those with conditions of their own are: of all others a node at their ends
//! is found first, whose list has them in order.

use super::Finder;
use super::fan_out::Parts;
use super::start::{Found, Start};
use crate::catalog::{Population, relationships_of};
use crate::plan::{Lookup, Operator, Relationships, Towards};

impl Finder<'_> {
    /// The cheapest way to begin with each relationship that may be begun with.
    pub(super) fn relationship_starts(&self) -> impl Iterator<Item = Start> {
        let open = self.open.iter().take(self.compared);
        open.filter_map(|&place| self.relationship_start(place))
    }

    /// The cheapest way to begin with one, or that of a hint.
    pub(super) fn relationship_start(&self, place: usize) -> Option<Start> {
        let one = &self.pattern.relationships[place];
        let is_plain = one.length.is_none() && one.shortest.is_none() && one.search.is_none();
        let is_free = !one.bound && !self.is_known(one.left) && !self.is_known(one.right);
        if !is_plain || !is_free {
            return None;
        }
        let start = |by, rows: f64, scanned, solved| {
            let step = self.step(one, false);
            let orders = if step.towards == Towards::Both {
                2.0
            } else {
                1.0
            };
            Start {
                found: Found::Relationship(place),
                operator: Operator::Relationships(Relationships {
                    step,
                    by,
                    ends_unread: false,
                }),
                rows: rows * orders,
                scanned,
                solved,
            }
        };
        let is_hinted = self.is_hinted(one.slot);
        if !is_hinted && let Some((solved, id)) = self.id_of(one.slot) {
            // One of another type does not have the id.
            return Some(start(Lookup::Id(id), 1.0, 0.0, solved));
        }
        let conditions = self.conditions_on(one.slot);
        let conditions = conditions.or(is_hinted.then_some(1.0))?;
        let count = relationships_of(self.catalog, &one.types);
        let scan = start(
            Lookup::Scan(Vec::new()),
            (count * conditions).max(1e-9),
            count,
            Vec::new(),
        );
        let [kind] = one.types.as_slice() else {
            return Some(scan);
        };
        let seeks = self.seeks(one.slot, Population::Type(kind), count);
        let seeks = seeks
            .into_iter()
            .map(|found| start(Lookup::Index(found.seek), found.rows, 0.0, found.solved));
        let mut starts: Vec<Start> = seeks.chain([scan]).collect();
        if let Some(place) = starts.iter().position(|start| self.asks_for(start)) {
            return Some(starts.swap_remove(place));
        }
        let starts = starts.into_iter();
        starts.min_by(|one, other| one.cost().total_cmp(&other.cost()))
    }

    /// Notes that a relationship has been found, with its ends and their labels.
    pub(super) fn find_relationship(&mut self, place: usize) {
        let one = self.pattern.relationships[place].clone();
        for (end, from_left) in [(one.right, true), (one.left, false)] {
            let reached: Parts = self.fan_out(&one, from_left).reached;
            self.reached.insert(self.pattern.nodes[end].slot, reached);
        }
        self.close(place);
    }
}
