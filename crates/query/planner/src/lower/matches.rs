//! `MATCH` clauses behind each other, which are found together.

use evergraph_syntax::tree::{self, ClauseKind, Factor, PathMode, PathPattern, Selector};

use super::pattern::Found;

/// Nodes and relationships that are ordered together; larger clauses are found as they are
/// written.
const MOST_TOGETHER: usize = 64;

/// What the first clauses find that can be found in any order: none but `MATCH` of paths
/// whose parts are found one by one, each with a node of those before it. A variable of a
/// relationship stands in one of them alone: in another it would be a relationship that is
/// known. Hints say how a clause begins, so that it is found by itself.
pub(super) fn together(clauses: &[tree::Clause]) -> Vec<Found<'_>> {
    let mut found = Vec::new();
    let mut parts = 0;
    let (mut nodes, mut relationships): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    for clause in clauses {
        let ClauseKind::Match(clause) = &clause.kind else {
            break;
        };
        let is_plain = !clause.optional
            && clause.as_of.is_none()
            && !clause.repeatable
            && clause.hints.is_empty();
        if !is_plain || !clause.patterns.iter().all(has_plain_parts) {
            break;
        }
        let paths = || clause.patterns.iter();
        parts += paths().map(|one| one.factors.len()).sum::<usize>();
        let knows = |name| nodes.contains(&name);
        let is_joined = found.is_empty() || paths().flat_map(nodes_of).any(knows);
        let is_new = |name| !relationships.contains(&name);
        let is_apart = paths().flat_map(relationships_of).all(is_new);
        if parts > MOST_TOGETHER || !is_joined || !is_apart {
            break;
        }
        nodes.extend(paths().flat_map(nodes_of));
        relationships.extend(paths().flat_map(relationships_of));
        found.push(Found {
            patterns: &clause.patterns,
            filter: clause.filter.as_ref(),
            repeatable: false,
            hints: &[],
        });
    }
    found
}

fn has_plain_parts(path: &PathPattern) -> bool {
    let is_plain = |factor: &Factor| match factor {
        Factor::Node(_) => true,
        Factor::Relationship(one) => one.quantifier.is_none(),
        Factor::Group(_) => false,
    };
    path.variable.is_none()
        && path.selector == Selector::All
        && path.mode == PathMode::Trail
        && path.factors.iter().all(is_plain)
}

fn nodes_of(path: &PathPattern) -> impl Iterator<Item = &str> {
    path.factors.iter().filter_map(|factor| match factor {
        Factor::Node(one) => Some(one.variable.as_ref()?.text.as_str()),
        _ => None,
    })
}

fn relationships_of(path: &PathPattern) -> impl Iterator<Item = &str> {
    path.factors.iter().filter_map(|factor| match factor {
        Factor::Relationship(one) => Some(one.variable.as_ref()?.text.as_str()),
        _ => None,
    })
}
