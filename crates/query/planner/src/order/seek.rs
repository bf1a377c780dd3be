//! How a node is found without a neighbor: by an index, by its label, or by all nodes; and
//! how indexes are looked up, of relationships too.

use std::sync::Arc;

use evergraph_syntax::tree::{Comparison, Labels, TextTest};

use super::Finder;
use super::start::{Found, Start};
use crate::catalog::Population;
use crate::lower::{Predicate, elements_of};
use crate::plan::{Expression, Operator, Seek, Slot};

/// Rows that an index gives in the time in which a scan looks at one.
pub(super) const SCANNED: f64 = 0.1;

/// A scan may look at so many nodes or relationships more than there are now: what the
/// statement itself writes, or others until it runs. An index is looked up rather.
pub(super) const MAY_COME: f64 = 100.0;

/// A lookup in an index.
pub(super) struct InIndex {
    pub(super) seek: Seek,
    /// Rows that it gives, about.
    pub(super) rows: f64,
    /// Places of conditions that those satisfy, ascending.
    pub(super) solved: Vec<usize>,
}

/// A condition on a property: the key, and the value it is compared with.
struct OfKey<'a> {
    place: usize,
    key: &'a Arc<str>,
    how: How<'a>,
}

#[derive(Clone, Copy)]
enum How<'a> {
    Equal(&'a Expression),
    AnyOf(&'a Expression),
    Above(&'a Expression, bool),
    Below(&'a Expression, bool),
    Prefix(&'a Expression),
}

impl Finder<'_> {
    /// The cheapest way to find a node, or that of a hint.
    pub(super) fn start(&self, node: Slot) -> Start {
        let others = self.conditions_on(node).unwrap_or(1.0);
        let mut labelled = self.labelled_starts(node, others);
        let mut starts = labelled.iter();
        if let Some(place) = starts.position(|(start, _)| self.asks_for(start)) {
            return labelled.swap_remove(place).0;
        }
        let all = self.catalog.nodes(None).max(1.0);
        let rows = all * others.max(1e-9);
        let mut best = of_node(node, scan(node, None), rows, Vec::new());
        // What is found, and what is looked at for it.
        let mut least = all * others + SCANNED * (all + MAY_COME);
        let by_id = self.id_of(node).map(|(solved, id)| {
            let operator = Operator::NodeById { node, id };
            (of_node(node, operator, 1.0, solved), 0.0)
        });
        let by_ids = self.ids_of(node).map(|ids| {
            let rows = elements_of(&ids);
            let operator = Operator::NodesByIds { node, ids };
            (of_node(node, operator, rows, Vec::new()), 0.0)
        });
        for (start, scanned) in by_id.into_iter().chain(by_ids).chain(labelled) {
            let cost = start.rows + SCANNED * scanned;
            if cost < least {
                (best, least) = (start, cost);
            }
        }
        best
    }

    /// Lookups in the indexes of a node's labels, and scans by each, with the nodes that
    /// are looked at. Other conditions keep a part of what a scan gives.
    fn labelled_starts(&self, node: Slot, others: f64) -> Vec<(Start, f64)> {
        let mut starts = Vec::new();
        for (place, predicate) in self.predicates.iter().enumerate() {
            let Some((of, Labels::Name(label))) = crate::lower::as_label(&predicate.condition)
            else {
                continue;
            };
            if of != node {
                continue;
            }
            let label: Arc<str> = label.text.as_str().into();
            let count = self.catalog.nodes(Some(&label));
            for found in self.seeks(node, Population::Label(&label), count) {
                let operator = Operator::NodeSeek {
                    node,
                    label: Arc::clone(&label),
                    seek: found.seek,
                };
                let mut solved = found.solved;
                solved.push(place);
                solved.sort_unstable();
                starts.push((of_node(node, operator, found.rows, solved), 0.0));
            }
            let scanned = count.min(self.catalog.nodes(None) * 0.999);
            let operator = scan(node, Some(label));
            let labelled = of_node(node, operator, scanned * others, vec![place]);
            starts.push((labelled, scanned + MAY_COME));
        }
        starts
    }

    /// The part of what a slot may be that satisfies the conditions on it alone, beside
    /// labels; `None` if there are none.
    pub(super) fn conditions_on(&self, slot: Slot) -> Option<f64> {
        let alone = |one: &&Predicate| {
            one.slots.contains(&slot)
                && self.is_decided_without(one, slot)
                && !matches!(one.condition, Expression::Labelled(..))
        };
        let conditions = self.predicates.iter().filter(alone);
        let shares = conditions.map(|one| self.selectivity(one));
        shares.reduce(|one, other| one * other)
    }

    fn is_decided_without(&self, predicate: &Predicate, slot: Slot) -> bool {
        let mut others = predicate.slots.iter().filter(|&&other| other != slot);
        others.all(|other| !self.missing.contains(other))
    }

    /// The id of `id(a) = b` or `elementId(a) = b`, and the places of conditions that it
    /// satisfies: a text may be another one of the same number.
    pub(super) fn id_of(&self, slot: Slot) -> Option<(Vec<usize>, Expression)> {
        let mut predicates = self.predicates.iter().enumerate();
        predicates.find_map(|(place, predicate)| {
            let Some((left, Comparison::Equal, right)) = predicate.condition.as_comparison() else {
                return None;
            };
            let (is_text, id) = match (id_called(left, slot), id_called(right, slot)) {
                (Some(is_text), None) => (is_text, right),
                (None, Some(is_text)) => (is_text, left),
                _ => return None,
            };
            let is_free = self.is_decided_without(predicate, slot) && !mentions(id, slot);
            is_free.then(|| match is_text {
                false => (vec![place], id.clone()),
                true => {
                    let number = Expression::Call("tointegerornull".into(), vec![id.clone()]);
                    (Vec::new(), number)
                }
            })
        })
    }

    /// The list of `id(a) IN b` or `elementId(a) IN b`, which is looked up for each row: of
    /// the first node, or where it is one of the row, if nothing else that is known decides
    /// more.
    fn ids_of(&self, slot: Slot) -> Option<Expression> {
        let is_first = matches!(self.plan.operator, Operator::Argument);
        let is_joined = |one: &Predicate| {
            one.slots.contains(&slot) && one.slots.iter().any(|&other| other != slot)
        };
        let joined = self.predicates.iter().filter(|one| is_joined(one)).count();
        self.predicates.iter().find_map(|predicate| {
            let Expression::In(pair) = &predicate.condition else {
                return None;
            };
            let [of, ids] = &**pair;
            let is_free = self.is_decided_without(predicate, slot) && !mentions(ids, slot);
            let others = joined - usize::from(is_joined(predicate));
            let is_worth_it = others == 0 && (is_first || is_joined(predicate));
            let is_it = is_free && is_worth_it && id_called(of, slot).is_some();
            is_it.then(|| ids.clone())
        })
    }

    /// Lookups in the indexes of so many nodes or relationships.
    pub(super) fn seeks(&self, slot: Slot, of: Population<'_>, count: f64) -> Vec<InIndex> {
        let conditions: Vec<OfKey<'_>> = self.conditions_of_keys(slot);
        if conditions.is_empty() {
            return Vec::new();
        }
        let is_hinted = self.is_hinted(slot);
        let indexes = self.catalog.indexes(of).into_iter();
        let found = indexes.filter_map(|index| {
            let start = |seek, rows, mut solved: Vec<usize>| {
                solved.sort_unstable();
                Some(InIndex { seek, rows, solved })
            };
            let equal = |key: &String| {
                conditions.iter().find_map(|one| match one.how {
                    How::Equal(value) if **one.key == **key => Some((one, value)),
                    _ => None,
                })
            };
            let all: Option<Vec<_>> = index.keys.iter().map(equal).collect();
            if let Some(all) = all {
                let shares = all
                    .iter()
                    .map(|(one, _)| self.share_of_value(slot, one.key));
                let rows = match (index.unique, shares.product::<Option<f64>>()) {
                    (true, _) => 1.0,
                    (false, Some(share)) => (count * share).max(1.0),
                    (false, None) => (count * 0.01).max(1.0),
                };
                let solved = all.iter().map(|(one, _)| one.place).collect();
                let values = all.into_iter();
                let values = values.map(|(one, value)| (Arc::clone(one.key), value.clone()));
                return start(Seek::Equal(values.collect()), rows, solved);
            }
            let [key] = index.keys.as_slice() else {
                return None;
            };
            let of_key = || conditions.iter().filter(|one| **one.key == **key);
            let key: Arc<str> = key.as_str().into();
            for one in of_key() {
                match one.how {
                    How::AnyOf(list) => {
                        let rows = (count * 0.05).max(2.0);
                        let seek = Seek::AnyOf(key, list.clone());
                        return start(seek, rows, vec![one.place]);
                    }
                    How::Prefix(prefix) => {
                        let rows = (count * 0.05).max(2.0);
                        let seek = Seek::Prefix(key, prefix.clone());
                        return start(seek, rows, vec![one.place]);
                    }
                    _ => {}
                }
            }
            let above = of_key().find_map(|one| match one.how {
                How::Above(value, with) => Some((one.place, (value.clone(), with))),
                _ => None,
            });
            let below = of_key().find_map(|one| match one.how {
                How::Below(value, with) => Some((one.place, (value.clone(), with))),
                _ => None,
            });
            if above.is_none() && below.is_none() {
                return None;
            }
            let places = above.iter().chain(&below).map(|(place, _)| *place);
            let solved: Vec<usize> = places.collect();
            let shares = solved.iter();
            let shares = shares.map(|&place| self.share_of(&self.predicates[place]));
            let rows = match shares.product::<Option<f64>>() {
                Some(share) if share > SCANNED && count > 1000.0 && !is_hinted => return None,
                Some(share) => count * share,
                None => (count * if solved.len() == 2 { 0.1 } else { 0.3 }).max(2.0),
            };
            let bound = |found: Option<(usize, (Expression, bool))>| found.map(|(_, bound)| bound);
            start(Seek::Range(key, bound(above), bound(below)), rows, solved)
        });
        found.collect()
    }

    /// Conditions on properties of a slot that are decided when it is found.
    fn conditions_of_keys(&self, slot: Slot) -> Vec<OfKey<'_>> {
        let predicates = self.predicates.iter().enumerate();
        let ready = predicates.filter(|(_, one)| self.is_decided_without(one, slot));
        ready
            .filter_map(|(place, one)| of_key(&one.condition, slot, place))
            .collect()
    }
}

/// Whether an expression is the id of a slot, and whether that is a text.
fn id_called(one: &Expression, slot: Slot) -> Option<bool> {
    match one {
        Expression::Call(name, of) if of.as_slice() == [Expression::Slot(slot)] => match &**name {
            "id" => Some(false),
            "elementid" => Some(true),
            _ => None,
        },
        _ => None,
    }
}

fn of_node(node: Slot, operator: Operator, rows: f64, solved: Vec<usize>) -> Start {
    Start {
        found: Found::Node(node),
        operator,
        rows,
        scanned: 0.0,
        solved,
    }
}

fn scan(node: Slot, label: Option<Arc<str>>) -> Operator {
    Operator::NodeScan {
        node,
        label,
        tests: Vec::new(),
    }
}

fn of_key(condition: &Expression, node: Slot, place: usize) -> Option<OfKey<'_>> {
    let (key, how) = match condition {
        Expression::Comparison(..) => {
            let mut comparisons = condition.comparisons_of(node);
            let (key, comparison, value) =
                comparisons.find(|(_, _, value)| !mentions(value, node))?;
            let how = match comparison {
                Comparison::Equal => How::Equal(value),
                Comparison::Unequal => return None,
                Comparison::Less => How::Below(value, false),
                Comparison::LessOrEqual => How::Below(value, true),
                Comparison::Greater => How::Above(value, false),
                Comparison::GreaterOrEqual => How::Above(value, true),
            };
            (key, how)
        }
        Expression::In(pair) => (key_of(pair, node)?, How::AnyOf(&pair[1])),
        Expression::Tested(TextTest::StartsWith, pair) => {
            (key_of(pair, node)?, How::Prefix(&pair[1]))
        }
        _ => return None,
    };
    Some(OfKey { place, key, how })
}

/// The key, if the first of a pair is a property of a node, and the second known without it.
fn key_of([property, value]: &[Expression; 2], node: Slot) -> Option<&Arc<str>> {
    let (slot, key) = property.as_property()?;
    (slot == node && !mentions(value, node)).then_some(key)
}

/// Whether a function gives another value at each call.
pub fn is_volatile(name: &str) -> bool {
    matches!(name, "rand" | "randomuuid") || name.ends_with(".realtime")
}

/// Whether an expression may depend on a slot.
pub(crate) fn mentions(of: &Expression, slot: Slot) -> bool {
    match of {
        Expression::Slot(other) => *other == slot,
        Expression::Subquery(_) => true,
        // Another value for each row.
        Expression::Call(name, _) if is_volatile(name) => true,
        Expression::Path(slots) => slots.contains(&slot),
        _ => of.children().into_iter().any(|child| mentions(child, slot)),
    }
}
