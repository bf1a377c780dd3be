//! Hints on how nodes and relationships are found.

use std::sync::Arc;

use evergraph_syntax::tree::{self, Span};

use super::pattern::Pattern;
use super::{Lowering, Scope, text};
use crate::catalog::Population;
use crate::plan::{Lookup, Operator, Plan, Relationships, Slot};

/// A hint for a node or a relationship of a pattern.
#[derive(Clone, Debug, PartialEq)]
pub struct Hinted {
    /// Its slot.
    pub slot: Slot,
    /// Its label or type.
    pub of: Arc<str>,
    /// Keys of the index, in order; none of a scan.
    pub keys: Vec<Arc<str>>,
    /// The hint as it is printed.
    pub written: String,
    /// Where it stands.
    pub at: Span,
}

/// A hint that has no effect on a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdleHint {
    /// One line.
    pub message: String,
    /// Where the hint stands.
    pub at: Span,
}

impl Hinted {
    /// Whether an operator finds the node or relationship as the hint says.
    pub(crate) fn is_followed_by(&self, operator: &Operator) -> bool {
        match operator {
            Operator::NodeScan {
                node,
                label: Some(label),
                ..
            } => self.is(*node, label, &[]),
            Operator::NodeSeek { node, label, seek } => self.is(*node, label, &seek.keys()),
            Operator::Relationships(Relationships { step, by, .. }) => {
                let [kind] = step.types.as_slice() else {
                    return false;
                };
                match by {
                    Lookup::Scan(_) => self.is(step.relationship, kind, &[]),
                    Lookup::Index(seek) => self.is(step.relationship, kind, &seek.keys()),
                    Lookup::Id(_) => false,
                }
            }
            _ => false,
        }
    }

    fn is(&self, slot: Slot, of: &str, keys: &[&str]) -> bool {
        slot == self.slot && *of == *self.of && self.has_keys(keys)
    }

    fn has_keys(&self, keys: &[&str]) -> bool {
        self.keys.iter().map(|key| &**key).eq(keys.iter().copied())
    }
}

impl Lowering<'_> {
    /// Adds the hints of a clause, whose variables are in the scope, to its pattern.
    pub(super) fn add_hints(&mut self, hints: &[tree::Hint], pattern: &mut Pattern, scope: &Scope) {
        for hint in hints {
            match hint {
                tree::Hint::Access(one) => {
                    let slot = scope.get(&one.variable.text);
                    pattern.hints.extend(slot.map(|&slot| Hinted {
                        slot,
                        of: text(&one.label),
                        keys: one.keys.iter().map(text).collect(),
                        written: hint.to_string(),
                        at: one.at,
                    }));
                }
                tree::Hint::Join(_, at) => self.idle_hints.push(IdleHint {
                    message: format!("the hint {hint} has no effect"),
                    at: *at,
                }),
            }
        }
    }

    /// Notes the hints that a plan does not follow, and why.
    pub(super) fn note_idle(&mut self, hints: &[Hinted], plan: &Plan) {
        for hint in hints {
            let mut is_followed = false;
            plan.for_each(&mut |plan| is_followed |= hint.is_followed_by(&plan.operator));
            if is_followed {
                continue;
            }
            let why = match hint.keys.is_empty() || self.has_index(hint) {
                true => "the pattern does not begin there",
                false => "there is no such index",
            };
            self.idle_hints.push(IdleHint {
                message: format!("the hint {} has no effect: {why}", hint.written),
                at: hint.at,
            });
        }
    }

    fn has_index(&self, hint: &Hinted) -> bool {
        let populations = [Population::Label(&hint.of), Population::Type(&hint.of)];
        let mut indexes = populations
            .into_iter()
            .flat_map(|of| self.catalog.indexes(of));
        indexes.any(|index| {
            let keys: Vec<&str> = index.keys.iter().map(String::as_str).collect();
            hint.has_keys(&keys)
        })
    }
}
