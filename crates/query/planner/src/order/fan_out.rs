//! How many relationships a node is estimated to have, and what is at their other ends.
//!
//! A node that is expanded by a type is taken for one that the type is for: relationships
//! of a type have few labels at each end, and a graph has many other nodes.

use std::collections::BTreeMap;
use std::sync::Arc;

use evergraph_syntax::tree::Labels;

use super::Finder;
use super::seek::MAY_COME;
use crate::catalog::Ends;
use crate::lower::{RelationshipToFind, as_label};
use crate::plan::{Slot, Towards};

/// Steps of a path that are estimated at most.
const STEPS: u64 = 6;
/// Part of a label at an end that no sampled relationship has.
const UNSEEN: f64 = 0.002;

/// Labels of nodes, each with the part that has it.
pub(super) type Parts = BTreeMap<Arc<str>, f64>;

/// An expansion of one node, estimated.
#[derive(Default)]
pub(super) struct FanOut {
    /// Relationships, or paths.
    pub(super) rows: f64,
    /// Labels of the nodes that they lead to; none where nothing is known.
    pub(super) reached: Parts,
}

impl Finder<'_> {
    /// The relationships, or paths, of one node at an end.
    pub(super) fn fan_out(&self, one: &RelationshipToFind, from_left: bool) -> FanOut {
        let (near, towards) = match from_left {
            true => (one.left, one.towards),
            false => (one.right, one.towards.reversed()),
        };
        let near = self.labels_of(self.pattern.nodes[near].slot);
        let first = self.step_from(&near, one, towards);
        let Some((least, most)) = one.length else {
            return first;
        };
        let most = most.unwrap_or(STEPS).clamp(least.min(STEPS), STEPS);
        let least = least.min(most);
        // What a step reaches is where the next one begins.
        let common = commonest(&first.reached).map(|(label, _)| Arc::clone(label));
        let next = self.step_from(&common.into_iter().collect::<Vec<_>>(), one, towards);
        let paths = |steps: u64| match steps.checked_sub(1) {
            None => 1.0,
            Some(others) => first.rows * next.rows.powf(others as f64),
        };
        let rows: f64 = (least..=most).map(paths).sum();
        FanOut {
            rows: rows.max(first.rows),
            reached: match most {
                0 | 1 => first.reached,
                _ => next.reached,
            },
        }
    }

    /// How many relationships a node at an end has that one of them leads to: many where some
    /// nodes have most of them. Of few it is not known how many may come.
    pub(super) fn crowd(&self, one: &RelationshipToFind, from_left: bool) -> f64 {
        let towards = match from_left {
            true => one.towards,
            false => one.towards.reversed(),
        };
        let crowds = one.types.iter().map(|kind| {
            let count = self.catalog.relationships(Some(kind));
            let (of_source, of_target) = self.catalog.ends(kind).same;
            let same = match towards {
                Towards::Outgoing => of_source,
                Towards::Incoming => of_target,
                Towards::Both => of_source.max(of_target),
            };
            match count < MAY_COME {
                true => MAY_COME,
                false => count * same,
            }
        });
        crowds.fold(0.0, f64::max)
    }

    /// The part of the nodes at the other end that one node is, for a relationship between
    /// two that are known.
    pub(super) fn hit(&self, reached: &Parts, far: Slot) -> f64 {
        let all = self.catalog.nodes(None).max(1.0);
        let of_label = |label: &str| self.catalog.nodes(Some(label)).clamp(1.0, all);
        let known = self.labels_of(far);
        let fewest = known.iter().map(|label| of_label(label));
        let fewest = fewest.min_by(f64::total_cmp);
        let common = || commonest(reached).map(|(label, _)| of_label(label));
        1.0 / fewest.or_else(common).unwrap_or(all)
    }

    fn step_from(&self, near: &[Arc<str>], one: &RelationshipToFind, towards: Towards) -> FanOut {
        let all = self.catalog.nodes(None).max(1.0);
        if one.types.is_empty() {
            let both = if towards == Towards::Both { 2.0 } else { 1.0 };
            let rows = (self.catalog.relationships(None) / all * both).max(1e-9);
            return FanOut {
                rows,
                reached: Parts::new(),
            };
        }
        let mut sum = FanOut::default();
        for kind in &one.types {
            let count = self.catalog.relationships(Some(kind));
            let ends = self.catalog.ends(kind);
            let directions = [
                (Towards::Outgoing, &ends.sources, &ends.targets),
                (Towards::Incoming, &ends.targets, &ends.sources),
            ];
            for (direction, here, there) in directions {
                if towards != direction && towards != Towards::Both {
                    continue;
                }
                let rows = (count * self.share(near, here)).max(1e-9);
                for label in there.keys() {
                    let part = part_reached(&ends, near, direction, label);
                    *sum.reached.entry(Arc::clone(label)).or_default() += rows * part;
                }
                sum.rows += rows;
            }
        }
        let rows = sum.rows;
        sum.reached.values_mut().for_each(|part| *part /= rows);
        sum
    }

    /// The part of a type's relationships that one node has at an end.
    fn share(&self, near: &[Arc<str>], here: &Parts) -> f64 {
        let nodes = |label: &str| self.catalog.nodes(Some(label)).max(1.0);
        let part_of = |label: &Arc<str>| here.get(label).copied().unwrap_or(UNSEEN);
        let Some((common, part)) = commonest_and_rarest(here, &nodes) else {
            return 1.0 / self.catalog.nodes(None).max(1.0);
        };
        let shares = near
            .iter()
            .map(|label| part_of(label).min(1.0) / nodes(label));
        let least = shares.min_by(f64::total_cmp);
        least.unwrap_or_else(|| part.min(1.0) / nodes(common))
    }

    /// The labels that the pattern says a node has.
    pub(super) fn labels_of(&self, node: Slot) -> Vec<Arc<str>> {
        let conditions = self.pattern.predicates.iter();
        let labels = conditions.filter_map(|one| match as_label(&one.condition) {
            Some((of, labels)) if of == node => Some(labels),
            _ => None,
        });
        let mut found = Vec::new();
        for labels in labels {
            match labels {
                Labels::Name(name) => found.push(name.text.as_str().into()),
                Labels::And(parts) => found.extend(parts.iter().filter_map(|part| match part {
                    Labels::Name(name) => Some(name.text.as_str().into()),
                    _ => None,
                })),
                _ => {}
            }
        }
        found
    }
}

/// The part of the relationships of nodes with some labels that leads to a label: of those
/// with the rarest of them.
fn part_reached(ends: &Ends, near: &[Arc<str>], towards: Towards, label: &Arc<str>) -> f64 {
    let (here, there) = match towards {
        Towards::Incoming => (&ends.targets, &ends.sources),
        _ => (&ends.sources, &ends.targets),
    };
    let seen = near.iter().filter_map(|own| Some((own, *here.get(own)?)));
    match seen.min_by(|one, other| one.1.total_cmp(&other.1)) {
        Some((own, part)) => {
            let pair = match towards {
                Towards::Incoming => (Arc::clone(label), Arc::clone(own)),
                _ => (Arc::clone(own), Arc::clone(label)),
            };
            let both = ends.both.get(&pair).copied();
            (both.unwrap_or(0.0) / part).min(1.0)
        }
        None => there[label],
    }
}

fn commonest(parts: &Parts) -> Option<(&Arc<str>, f64)> {
    let parts = parts.iter().map(|(label, part)| (label, *part));
    parts.max_by(|one, other| one.1.total_cmp(&other.1))
}

/// Of the labels that are about as common as the commonest, the one of the fewest nodes.
fn commonest_and_rarest<'p>(
    parts: &'p Parts,
    nodes: &dyn Fn(&str) -> f64,
) -> Option<(&'p Arc<str>, f64)> {
    let most = commonest(parts)?.1;
    let common = parts
        .iter()
        .map(|(label, part)| (label, *part))
        .filter(|(_, part)| *part >= most * 0.95);
    common.min_by(|one, other| nodes(one.0).total_cmp(&nodes(other.0)))
}
